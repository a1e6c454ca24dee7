//! The cashier: takes a paying buyer through claim, charge, record and confirm, in that order.
//!
//! The invariant: the provider is asked only after the claim's commit is known, with no connection and no transaction held;
//! and once it is asked, the chain runs on when the browser leaves.

use std::{sync::Arc, time::Duration};

use deadpool_redis::Connection;
use tokio::{runtime::Handle, sync::oneshot, time::timeout};
use tokio_util::task::TaskTracker;

use super::{
    Card, Charge, Charged, Claimed, NoAnswer, Order, Payment, Payments, Provider, Refused, State,
};
use crate::{
    Error,
    booking::{Bookings, Confirmed},
    failpoint::{Point, reach},
    hold::{Holds, Running},
};

/// How long the steps of a payment may take.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// How long the provider may take to answer a charge.
    pub charge: Duration,
    /// How long a page waits for the outcome before it leads to the booking's page, which goes on waiting.
    pub page: Duration,
    /// How long after its claim an unsettled payment is asked about: later than the charge's bound.
    pub settle_after: Duration,
}

impl Bounds {
    /// The bounds that go with a provider which may take so long for a charge.
    #[must_use]
    pub fn of(charge: Duration) -> Self {
        Self {
            charge,
            page: charge.min(Duration::from_secs(8)),
            settle_after: charge + Duration::from_secs(1),
        }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self::of(Duration::from_secs(9))
    }
}

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
    bounds: Bounds,
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
            bounds: Bounds::default(),
            runtime: Handle::current(),
            running: TaskTracker::new(),
        }
    }

    /// The same cashier with other bounds.
    #[must_use]
    pub fn within(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// Whether it makes sense to pay just now.
    #[must_use]
    pub fn is_available(&self) -> bool {
        self.provider.is_available()
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
        let (tell, mut told) = oneshot::channel();
        let chain = async move {
            let claimed = cashier
                .payments
                .claim(&order, cashier.bounds.settle_after)
                .await?;
            let payment = match claimed {
                Claimed::Yours(payment) => payment,
                Claimed::Refused(why) => return Ok(Paid::Refused(why)),
            };
            let token = payment.token.clone();
            // Who asked may have left.
            let _ = tell.send(token.clone());
            Ok(match cashier.charge(&payment, card).await {
                Ok(Some(outcome)) => Paid::Claimed { token, outcome },
                Ok(None) => Paid::Refused(Refused::Unavailable),
                Err(error) => {
                    tracing::error!(payment = %id, %error, "a payment's chain broke off; it will be settled");
                    let outcome = Outcome::Checking;
                    Paid::Claimed { token, outcome }
                }
            })
        };
        let chain = self.running.spawn_on(chain, &self.runtime);
        match timeout(self.bounds.page, chain).await {
            Ok(Ok(paid)) => return paid,
            Ok(Err(error)) => {
                tracing::error!(payment = %id, %error, "a payment's chain died; it will be settled");
            }
            Err(_) => {}
        }
        match told.try_recv() {
            Ok(token) => Ok(Paid::Claimed {
                token,
                outcome: Outcome::Checking,
            }),
            // The claim may yet be made, and the chain run on.
            Err(_) => Err(Error::Lost),
        }
    }

    /// Waits for the outcome of a payment that another request began.
    pub async fn await_outcome(&self, payment: Payment) -> Result<Outcome, Error> {
        let end = tokio::time::Instant::now() + self.bounds.page;
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

    /// Charges a claimed payment and brings it as far as it can be brought now. `None`: the provider was surely not reached,
    /// and nothing is left to be settled.
    async fn charge(&self, payment: &Payment, card: Card) -> Result<Option<Outcome>, Error> {
        reach(Point::ClaimCommitted).await?;
        let charge = Charge {
            key: payment.id,
            amount_minor: payment.amount_minor,
            currency: payment.currency.clone(),
            card,
        };
        let answer = timeout(self.bounds.charge, self.provider.charge(charge)).await;
        reach(Point::Charged).await?;
        let outcome = match answer {
            Ok(Ok(Charged::Captured)) => self.captured(payment).await?,
            Ok(Ok(Charged::Declined(reason))) => {
                self.not_charged(payment, State::Declined, Some(&reason))
                    .await?
            }
            // Nobody else sends this key: what was not sent now never is.
            Ok(Err(NoAnswer::NotSent(why))) => {
                tracing::warn!(payment = %payment.id, why, "the payment provider was not reached; nothing was charged");
                self.not_charged(payment, State::Voided, None).await?;
                return Ok(None);
            }
            Ok(Err(NoAnswer::Lost(_))) | Err(_) => {
                reach(Point::UnknownAsked).await?;
                self.payments.record_unknown(payment.id).await?;
                reach(Point::UnknownRecorded).await?;
                Outcome::Checking
            }
        };
        Ok(Some(outcome))
    }

    /// The money was taken: books the seats, or sends it back.
    pub(super) async fn captured(&self, payment: &Payment) -> Result<Outcome, Error> {
        if self.payments.record_captured(payment.id).await? {
            reach(Point::CaptureRecorded).await?;
            return self.confirm(payment).await;
        }
        match self.payments.by_id(payment.id).await? {
            Some(now) if matches!(now.state, State::Declined | State::Voided) => {
                self.late_capture(&now).await
            }
            Some(now) if now.state == State::Captured => self.confirm(&now).await,
            Some(now) => Ok(Outcome::of(&now)),
            None => Err(Error::Broken(format!("payment {} vanished", payment.id))),
        }
    }

    /// Records that nothing was charged, and gives the hold back to its buyer.
    pub(super) async fn not_charged(
        &self,
        payment: &Payment,
        state: State,
        reason: Option<&str>,
    ) -> Result<Outcome, Error> {
        reach(Point::NotChargedAsked).await?;
        self.payments
            .record_not_charged(payment.id, state, reason)
            .await?;
        reach(Point::NotChargedRecorded).await?;
        let running = Running {
            payment: payment.id.to_string(),
            hold: payment.hold.clone(),
        };
        let returned = async {
            self.holds
                .end_payment(&mut self.holds.connect().await?, payment.event_id, &running)
                .await
        }
        .await;
        if let Err(error) = returned {
            // The mark does not bind any more: whoever meets it asks PostgreSQL.
            tracing::warn!(payment = %payment.id, %error, "could not return the hold after a payment without a charge");
        }
        Ok(match reason {
            Some(reason) => Outcome::Declined(reason.to_owned()),
            None => Outcome::NotCharged,
        })
    }

    /// Turns a captured payment into a booking, or sends the money back when its seats are lost; then ends the hold.
    pub(super) async fn confirm(&self, payment: &Payment) -> Result<Outcome, Error> {
        match self.bookings.confirm(payment.id).await? {
            Confirmed::Booked { seats } => {
                reach(Point::ConfirmCommitted).await?;
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
                reach(Point::HoldFinished).await?;
                Ok(Outcome::Booked)
            }
            Confirmed::SeatsLost => {
                reach(Point::SeatsLost).await?;
                self.payments
                    .record_refunding(payment.id, &[State::Captured], "seats lost")
                    .await?;
                reach(Point::ReturnRecorded).await?;
                Ok(Outcome::Returned)
            }
            Confirmed::NotCaptured => match self.payments.by_id(payment.id).await? {
                Some(now) => Ok(Outcome::of(&now)),
                None => Err(Error::Broken(format!("payment {} vanished", payment.id))),
            },
        }
    }
}
