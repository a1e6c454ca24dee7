//! A late capture: money that arrives for a payment that had ended without a sale.
//!
//! The invariant: it is honoured when all its seats are still to be had, under claims written anew, and goes back otherwise;
//! it is never kept without a seat.

use uuid::Uuid;

use super::{Cashier, Outcome, Payment, Payments, State};
use crate::{
    Error, database,
    failpoint::{Point, reach},
};

/// States that a late capture comes from.
const ENDED: [State; 2] = [State::Declined, State::Voided];

const LOCK_SEATS: &str = "
    select seat.id
      from seat
      join payment_seat on payment_seat.event_id = seat.event_id and payment_seat.seat_id = seat.id
     where payment_seat.payment_id = $1
     order by seat.id
       for update of seat";

const COUNT_FREE: &str = "
    select count(*)
      from payment_seat
      join seat on seat.event_id = payment_seat.event_id and seat.id = payment_seat.seat_id
     where payment_seat.payment_id = $1
       and seat.status = 'available' and seat.blocked_reason is null
       and not exists (select from seat_claim
                        where seat_claim.event_id = seat.event_id and seat_claim.seat_id = seat.id)";

const CLAIM_ANEW: &str = "
    with late as (
        update payment
           set state = 'captured', decline_reason = null, settled_at = null, look_again_at = null,
               next_try_at = now() + interval '10 seconds'
         where id = $1 and state in ('declined', 'voided')
     returning id
    )
    insert into seat_claim (event_id, seat_id, payment_id)
    select payment_seat.event_id, payment_seat.seat_id, late.id
      from late
      join payment_seat on payment_seat.payment_id = late.id";

impl Cashier {
    /// Books the seats of a payment that was charged after all, or sends its money back.
    pub(super) async fn late_capture(&self, payment: &Payment) -> Result<Outcome, Error> {
        reach(Point::LateAsked).await?;
        // When Redis cannot say, somebody may be choosing these seats: the money goes back.
        let free = self.nobody_else_holds(payment).await.unwrap_or_else(|error| {
            tracing::warn!(payment = %payment.id, %error, "Redis cannot say who holds the seats of a late capture");
            false
        });
        if free && self.payments.claim_anew(payment.id).await? {
            reach(Point::LateCommitted).await?;
            return self.confirm(payment).await;
        }
        self.payments
            .record_refunding(payment.id, &ENDED, "charged late, seats gone")
            .await?;
        // Another worker may have booked it meanwhile.
        match self.payments.by_id(payment.id).await? {
            Some(now) if now.state == State::Captured => self.confirm(&now).await,
            Some(now) => Ok(Outcome::of(&now)),
            None => Err(Error::Broken(format!("payment {} vanished", payment.id))),
        }
    }

    async fn nobody_else_holds(&self, payment: &Payment) -> Result<bool, Error> {
        let seats = self.payments.seats(payment.id).await?;
        self.holds
            .are_free_for(
                payment.event_id,
                &seats,
                &payment.hold,
                payment.buyer.as_ref(),
            )
            .await
    }
}

impl Payments {
    /// The seats that a payment is for.
    async fn seats(&self, id: Uuid) -> Result<Vec<i64>, Error> {
        let client = self.database.get().await?;
        let statement = client
            .prepare_cached("select seat_id from payment_seat where payment_id = $1")
            .await?;
        let rows = client.query(&statement, &[&id]).await?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// Claims the seats of an ended payment once more and records its capture, in one transaction; false, and nothing
    /// written, when a seat is not to be had, when the hold has another live payment, or when the payment is not ended.
    async fn claim_anew(&self, id: Uuid) -> Result<bool, Error> {
        match database::retry(|| self.try_claim_anew(id)).await {
            Err(e) if e.constraint() == Some("payment_one_live_per_hold") => Ok(false),
            done => done,
        }
    }

    async fn try_claim_anew(&self, id: Uuid) -> Result<bool, Error> {
        let mut client = self.database.get().await?;
        let transaction = client.transaction().await?;
        let lock = transaction.prepare_cached(LOCK_SEATS).await?;
        let seats = transaction.query(&lock, &[&id]).await?.len();
        let look = transaction.prepare_cached(COUNT_FREE).await?;
        let free: i64 = transaction.query_one(&look, &[&id]).await?.get(0);
        if seats == 0 || usize::try_from(free) != Ok(seats) {
            return Ok(false);
        }
        let write = transaction.prepare_cached(CLAIM_ANEW).await?;
        let claimed = transaction.execute(&write, &[&id]).await?;
        if usize::try_from(claimed) != Ok(seats) {
            return Ok(false);
        }
        reach(Point::LateWritten).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
