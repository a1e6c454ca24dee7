//! Settling: brings every payment that a crash, a time-out or a lost answer left behind to its end.
//!
//! The invariant: work is taken by a committed lease, the provider is asked by key outside of any transaction, and nothing
//! is given up before the provider has promised not to charge it.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;

use super::{Cashier, NoAnswer, Payment, Payments, Returned, Seen, State, Voided};
use crate::Error;

/// A payment that is unsettled this long after its claim is asked about.
pub const SETTLE_AFTER: Duration = Duration::from_secs(10);

/// How long the provider may take to answer a question.
const QUESTION_BOUND: Duration = Duration::from_secs(5);

const LEASE: &str = "
    update payment
       set next_try_at = now() + interval '30 seconds'
     where id in (
               select id
                 from payment
                where state in ('pending', 'unknown', 'captured', 'refunding') and next_try_at <= now()
                order by next_try_at
                limit 20
                  for update skip locked
           )
    returning id";

impl Payments {
    async fn lease_unsettled(&self) -> Result<Vec<Payment>, Error> {
        let client = self.database.get().await?;
        let sql = format!(
            "with leased as ({LEASE}) select {} from payment join leased using (id)",
            super::PAYMENT_COLUMNS
        );
        let statement = client.prepare_cached(&sql).await?;
        client
            .query(&statement, &[])
            .await?
            .iter()
            .map(Payment::from_row)
            .collect()
    }
}

impl Cashier {
    /// Settles for ever, looking once a second.
    pub async fn settle_for_ever(self) {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if let Err(error) = self.settle_due().await {
                tracing::warn!(%error, "could not look for unsettled payments");
            }
        }
    }

    /// Takes the payments that are due and settles each; returns how many were taken.
    pub async fn settle_due(&self) -> Result<usize, Error> {
        let leased = self.payments.lease_unsettled().await?;
        join_all(leased.iter().map(async |payment| match self.settle(payment).await {
            Ok(()) => {}
            Err(Unsettled::Provider(error)) => {
                tracing::warn!(payment = %payment.id, %error, "a payment stays unsettled for now");
            }
            Err(Unsettled::Store(error)) => {
                tracing::error!(payment = %payment.id, %error, "a payment could not be settled");
            }
        }))
        .await;
        Ok(leased.len())
    }

    async fn settle(&self, payment: &Payment) -> Result<(), Unsettled> {
        match payment.state {
            State::Captured => {
                self.confirm(payment).await?;
            }
            State::Refunding => {
                if payment.amount_minor > 0 {
                    let returned =
                        ask(self
                            .provider
                            .refund(payment.id, payment.id, payment.amount_minor))
                        .await?;
                    if let Returned::Refused(why) = returned {
                        return Err(Unsettled::Provider(NoAnswer::Lost(why)));
                    }
                }
                self.payments.record_refunded(payment.id).await?;
            }
            _ => match ask(self.provider.look_up(payment.id)).await? {
                Seen::Captured => self.captured(payment).await?,
                Seen::Declined(reason) => {
                    let (event, id, hold) = (payment.event_id, payment.id, &payment.hold);
                    self.not_charged(event, id, hold, State::Declined, Some(&reason))
                        .await?;
                }
                Seen::Nothing | Seen::Voided => match ask(self.provider.void(payment.id)).await? {
                    Voided::AlreadyCaptured => self.captured(payment).await?,
                    Voided::Voided => {
                        let (event, id, hold) = (payment.event_id, payment.id, &payment.hold);
                        self.not_charged(event, id, hold, State::Voided, None)
                            .await?;
                    }
                },
            },
        }
        Ok(())
    }

    async fn captured(&self, payment: &Payment) -> Result<(), Error> {
        self.payments.record_captured(payment.id).await?;
        self.confirm(payment).await.map(|_| ())
    }
}

enum Unsettled {
    Provider(NoAnswer),
    Store(Error),
}

impl From<Error> for Unsettled {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

async fn ask<T>(question: impl Future<Output = Result<T, NoAnswer>>) -> Result<T, Unsettled> {
    timeout(QUESTION_BOUND, question)
        .await
        .unwrap_or_else(|_| Err(NoAnswer::Lost("it took too long".to_owned())))
        .map_err(Unsettled::Provider)
}
