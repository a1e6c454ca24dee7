//! The cashier: takes a paying buyer through claim, charge, record and confirm, in that order.
//!
//! The invariant: the provider is asked only after the claim's commit is known, with no connection and no transaction held;
//! and once it is asked, the chain runs on when the browser leaves.

use std::{sync::Arc, time::Duration};

use deadpool_redis::Connection;
use tokio::{runtime::Handle, sync::oneshot, time::timeout};
use tokio_util::task::TaskTracker;

use super::{Card, Charge, Charged, Claimed, Order, Payment, Payments, Provider, Refused, State};
use crate::{
    Error,
    booking::{Bookings, Confirmed},
    hold::{Holds, Running},
};

/// How long a page waits for the outcome before it leads to the booking's page, which goes on waiting.
const PATIENCE: Duration = Duration::from_secs(8);

/// How long the provider may take to answer a charge: less than it takes until an unsettled payment is settled.
const CHARGE_BOUND: Duration = Duration::from_secs(9);

/// How long a claim may take after its mark before the mark is taken for one that a crash left.
const CLAIM_MOMENT: Duration = Duration::from_millis(250);

/// What came of a press of "pay".
#[derive(Debug)]
pub enum Paid {
    /// The seats were claimed, and the provider asked.
    Claimed {
        /// The only key to the booking's page.
        token: String,
        /// What the payment has come to so far.
        outcome: Outcome,
    },
    /// They were not; the provider was not asked.
    Refused(Refused),
}

/// What a payment has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Sold.
    Booked,
    /// The provider said no; the name of the reason.
    Declined(String),
    /// Given up without a charge.
    NotCharged,
    /// Not known yet.
    Checking,
    /// Charged, but the seats could not be kept: the money goes back.
    Returned,
}

impl Outcome {
    /// What the stored state says.
    #[must_use]
    pub fn of(payment: &Payment) -> Self {
        match payment.state {
            State::Pending | State::Unknown | State::Captured => Self::Checking,
            State::Declined => Self::Declined(payment.decline_reason.clone().unwrap_or_default()),
            State::Voided => Self::NotCharged,
            State::Booked => Self::Booked,
            State::Refunding | State::Refunded => Self::Returned,
        }
    }
}

/// Takes payments.
#[derive(Clone)]
pub struct Cashier {
    pub(super) payments: Payments,
    pub(super) bookings: Bookings,
    pub(super) holds: Holds,
    pub(super) provider: Arc<dyn Provider>,
    runtime: Handle,
    running: TaskTracker,
}

impl Cashier {
    /// A cashier whose chains run on the runtime that makes it, and so outlive the request that began them.
    ///
    /// # Panics
    /// When called outside of a Tokio runtime.
    #[must_use]
    pub fn new(
        payments: Payments,
        bookings: Bookings,
        holds: Holds,
        provider: Arc<dyn Provider>,
    ) -> Self {
        Self {
            payments,
            bookings,
            holds,
            provider,
            runtime: Handle::current(),
            running: TaskTracker::new(),
        }
    }

    /// The payment that a hold is marked with, if the mark binds. One that does not (PostgreSQL does not know the payment,
    /// or knows it as ended without a sale) is taken off, so that the caller may try again.
    pub async fn binding(
        &self,
        redis: &mut Connection,
        event: i64,
        running: &Running,
    ) -> Result<Option<Payment>, Error> {
        let payment = match running.payment.parse() {
            Ok(id) => match self.payments.by_id(id).await? {
                None => {
                    // Between the mark and the claim lies a moment: one who pays just now must not be unmarked.
                    tokio::time::sleep(CLAIM_MOMENT).await;
                    self.payments.by_id(id).await?
                }
                known => known,
            },
            Err(_) => None,
        };
        if let Some(payment) = payment.filter(|payment| {
            payment.event_id == event && payment.hold == running.hold && payment.state.binds()
        }) {
            return Ok(Some(payment));
        }
        self.holds.end_payment(redis, event, running).await?;
        Ok(None)
    }

    /// Claims the seats for the payment, charges it and brings it to its end, all in a task of its own that runs on when the
    /// browser leaves. The hold must have been marked as paying for it. Answers as soon as the outcome is known, or with
    /// [`Outcome::Checking`] when that takes too long for a page.
    pub async fn pay(&self, order: Order, card: Card) -> Result<Paid, Error> {
        let cashier = self.clone();
        let id = order.id;
        let (tell, told) = oneshot::channel();
        let chain = async move {
            match cashier.payments.claim(&order).await? {
                Claimed::Yours {
                    token,
                    amount_minor,
                    currency,
                } => {
                    // Who asked may have left.
                    let _ = tell.send(token.clone());
                    let charge = Charge {
                        key: order.id,
                        amount_minor,
                        currency,
                        card,
                    };
                    let outcome = cashier.run(&order, charge).await.unwrap_or_else(|error| {
                        tracing::error!(payment = %order.id, %error, "a payment's chain broke off; it will be settled");
                        Outcome::Checking
                    });
                    Ok(Paid::Claimed { token, outcome })
                }
                Claimed::Refused(why) => Ok(Paid::Refused(why)),
            }
        };
        let chain = self.running.spawn_on(chain, &self.runtime);
        match timeout(PATIENCE, chain).await {
            Ok(Ok(paid)) => return paid,
            Ok(Err(error)) => {
                tracing::error!(payment = %id, %error, "a payment's chain died; it will be settled");
            }
            Err(_) => {}
        }
        let mut told = told;
        match told.try_recv() {
            Ok(token) => Ok(Paid::Claimed {
                token,
                outcome: Outcome::Checking,
            }),
            Err(_) => Err(Error::Away),
        }
    }

    /// Waits for the outcome of a payment that another request began.
    pub async fn await_outcome(&self, payment: Payment) -> Result<Outcome, Error> {
        let end = tokio::time::Instant::now() + PATIENCE;
        let mut outcome = Outcome::of(&payment);
        while outcome == Outcome::Checking
            && payment.state != State::Unknown
            && tokio::time::Instant::now() < end
        {
            tokio::time::sleep(Duration::from_millis(200)).await;
            match self.payments.by_id(payment.id).await? {
                Some(now) if now.state == State::Unknown => break,
                Some(now) => outcome = Outcome::of(&now),
                None => break,
            }
        }
        Ok(outcome)
    }

    /// Waits until every chain that is under way has ended, or `bound` is over.
    pub async fn drain(&self, bound: Duration) {
        self.running.close();
        if timeout(bound, self.running.wait()).await.is_err() {
            tracing::warn!("payments were still running at the end; the next start settles them");
        }
    }

    async fn run(&self, order: &Order, charge: Charge) -> Result<Outcome, Error> {
        match timeout(CHARGE_BOUND, self.provider.charge(charge)).await {
            Ok(Ok(Charged::Captured)) => {
                self.payments.record_captured(order.id).await?;
                self.confirm_by_id(order.id).await
            }
            Ok(Ok(Charged::Declined(reason))) => {
                self.not_charged(
                    order.event_id,
                    order.id,
                    &order.hold,
                    State::Declined,
                    Some(&reason),
                )
                .await?;
                Ok(Outcome::Declined(reason))
            }
            Ok(Err(_)) | Err(_) => {
                self.payments.record_unknown(order.id).await?;
                Ok(Outcome::Checking)
            }
        }
    }

    /// Records that nothing was charged, and gives the hold back to its buyer.
    pub(super) async fn not_charged(
        &self,
        event: i64,
        payment: uuid::Uuid,
        hold: &str,
        state: State,
        reason: Option<&str>,
    ) -> Result<(), Error> {
        self.payments
            .record_not_charged(payment, state, reason)
            .await?;
        let running = Running {
            payment: payment.to_string(),
            hold: hold.to_owned(),
        };
        let returned = async {
            self.holds
                .end_payment(&mut self.holds.connect().await?, event, &running)
                .await
        }
        .await;
        if let Err(error) = returned {
            // The mark does not bind any more: whoever meets it asks PostgreSQL.
            tracing::warn!(%payment, %error, "could not return the hold after a payment without a charge");
        }
        Ok(())
    }

    pub(super) async fn confirm_by_id(&self, id: uuid::Uuid) -> Result<Outcome, Error> {
        match self.payments.by_id(id).await? {
            Some(payment) => self.confirm(&payment).await,
            None => Err(Error::Broken(format!("payment {id} vanished"))),
        }
    }

    /// Turns a captured payment into a booking, or sends the money back when its seats are lost; then ends the hold.
    pub(super) async fn confirm(&self, payment: &Payment) -> Result<Outcome, Error> {
        match self.bookings.confirm(payment.id).await? {
            Confirmed::Booked { seats } => {
                if let Some(buyer) = &payment.buyer {
                    let done = self
                        .holds
                        .finish(payment.event_id, &payment.hold, buyer, &seats)
                        .await;
                    if let Err(error) = done {
                        // The hold ends by itself; PostgreSQL has the seats as sold.
                        tracing::warn!(payment = %payment.id, %error, "could not end the hold of a booking");
                    }
                }
                Ok(Outcome::Booked)
            }
            Confirmed::SeatsLost => {
                self.payments.record_refunding(payment.id).await?;
                Ok(Outcome::Returned)
            }
            Confirmed::NotCaptured => match self.payments.by_id(payment.id).await? {
                Some(now) => Ok(Outcome::of(&now)),
                None => Err(Error::Broken(format!("payment {} vanished", payment.id))),
            },
        }
    }
}
