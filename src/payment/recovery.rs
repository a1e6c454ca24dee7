//! Recovery: brings every payment that a crash, a time-out or a lost answer left behind to its end.
//!
//! The invariant: work is taken by a committed lease, so that several workers may run; the provider is asked by key outside
//! of any transaction; and nothing is given up before the provider has promised not to charge it.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;
use uuid::Uuid;

use super::{Cashier, NoAnswer, PAYMENT_COLUMNS, Payment, Payments, Seen, State, Voided};
use crate::{
    Error,
    failpoint::{Point, reach},
};

/// How long the provider may take to answer a question.
const QUESTION_BOUND: Duration = Duration::from_secs(5);

/// How often the worker looks for work.
const ROUND: Duration = Duration::from_secs(1);

const LEASE: &str = "
    update payment
       set next_try_at = now() + interval '30 seconds', attempts = attempts + 1
     where id in (
               select id
                 from payment
                where state in ('pending', 'unknown', 'captured') and next_try_at <= now()
                order by next_try_at
                limit 20
                  for update skip locked
           )
 returning id";

const LEASE_LOOK_AGAIN: &str = "
    update payment
       set look_again_at = now() + interval '30 seconds'
     where id in (
               select id
                 from payment
                where look_again_at <= now()
                order by look_again_at
                limit 20
                  for update skip locked
           )
 returning id";

/// The pauses grow from two seconds to a minute.
const NOT_YET: &str = "
    update payment
       set next_try_at = now() + least(power(2, least(attempts, 6)), 60) * interval '1 second'
     where id = $1 and state in ('pending', 'unknown', 'captured')";

impl Cashier {
    /// Recovers for ever, looking once a second. A round that dies does not end the next.
    pub async fn recover_for_ever(self) {
        loop {
            tokio::time::sleep(ROUND).await;
            let worker = self.clone();
            let round = tokio::spawn(async move { worker.recover_due().await });
            match round.await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => tracing::warn!(%error, "could not look for unsettled payments"),
                Err(error) => {
                    metrics::counter!("seathold_recovery_rounds_died_total").increment(1);
                    tracing::error!(%error, "a round of recovery died");
                }
            }
        }
    }

    /// Takes all that is due (unsettled payments, ended ones to be looked at once more, refunds) and brings each on its way;
    /// returns how many were taken.
    pub async fn recover_due(&self) -> Result<usize, Error> {
        let unsettled = self.payments.lease(LEASE).await?;
        if !unsettled.is_empty() {
            reach(Point::RecoveryLeased).await?;
        }
        join_all(unsettled.iter().map(async |payment| {
            match self.settle(payment).await {
                Ok(()) => return,
                Err(Unsettled::Provider(error)) => {
                    tracing::warn!(payment = %payment.id, %error, "a payment stays unsettled for now");
                }
                Err(Unsettled::Store(error)) => {
                    tracing::error!(payment = %payment.id, %error, "a payment could not be settled");
                }
            }
            // Else the lease runs out by itself.
            let _ = self.payments.not_yet(payment.id).await;
        }))
        .await;

        let ended = self.payments.lease(LEASE_LOOK_AGAIN).await?;
        join_all(ended.iter().map(async |payment| {
            if let Err(Unsettled::Store(error)) = self.look_again(payment).await {
                tracing::error!(payment = %payment.id, %error, "an ended payment could not be looked at again");
            }
        }))
        .await;
        Ok(unsettled.len() + ended.len() + self.refund_due().await?)
    }

    async fn settle(&self, payment: &Payment) -> Result<(), Unsettled> {
        if payment.state == State::Captured {
            self.confirm(payment).await?;
            return Ok(());
        }
        let seen = ask(self.provider.look_up(payment.id)).await?;
        reach(Point::LookedUp).await?;
        match seen {
            Seen::Captured => self.captured(payment).await?,
            Seen::Declined(reason) => {
                self.not_charged(payment, State::Declined, Some(&reason))
                    .await?
            }
            Seen::Nothing | Seen::Voided => {
                reach(Point::VoidAsked).await?;
                let voided = ask(self.provider.void(payment.id)).await?;
                reach(Point::VoidDone).await?;
                match voided {
                    Voided::AlreadyCaptured => self.captured(payment).await?,
                    Voided::Voided => self.not_charged(payment, State::Voided, None).await?,
                }
            }
        };
        Ok(())
    }

    /// A payment that ended without a sale: has it been charged after all?
    async fn look_again(&self, payment: &Payment) -> Result<(), Unsettled> {
        if ask(self.provider.look_up(payment.id)).await? == Seen::Captured {
            self.captured(payment).await?;
        }
        self.payments.looked_again(payment.id).await?;
        Ok(())
    }
}

impl Payments {
    async fn lease(&self, lease: &str) -> Result<Vec<Payment>, Error> {
        let client = self.database.get().await?;
        let sql = format!(
            "with leased as ({lease}) select {PAYMENT_COLUMNS} from payment join leased using (id)"
        );
        let statement = client.prepare_cached(&sql).await?;
        client
            .query(&statement, &[])
            .await?
            .iter()
            .map(Payment::from_row)
            .collect()
    }

    async fn not_yet(&self, id: Uuid) -> Result<(), Error> {
        let client = self.database.get().await?;
        let statement = client.prepare_cached(NOT_YET).await?;
        client.execute(&statement, &[&id]).await?;
        Ok(())
    }

    async fn looked_again(&self, id: Uuid) -> Result<(), Error> {
        let client = self.database.get().await?;
        let statement = client
            .prepare_cached("update payment set look_again_at = null where id = $1")
            .await?;
        client.execute(&statement, &[&id]).await?;
        Ok(())
    }
}

enum Unsettled {
    Provider(NoAnswer),
    Store(Error),
}

impl From<NoAnswer> for Unsettled {
    fn from(error: NoAnswer) -> Self {
        Self::Provider(error)
    }
}

impl From<Error> for Unsettled {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

/// The provider's answer to a question, within a bound.
pub(super) async fn ask<T>(
    question: impl Future<Output = Result<T, NoAnswer>>,
) -> Result<T, NoAnswer> {
    timeout(QUESTION_BOUND, question)
        .await
        .unwrap_or_else(|_| Err(NoAnswer::Lost("it took too long".to_owned())))
}
