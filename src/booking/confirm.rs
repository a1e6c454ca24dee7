//! Confirming: a captured payment becomes a booking.
//!
//! The invariant: seats, tickets, message and payment change together, all of them or none, under the payment's own claims.

use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::Bookings;
use crate::{
    Error, database,
    failpoint::{Point, reach},
};

/// What became of the wish to turn a captured payment into a booking.
#[derive(Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// It is sold, now or already before.
    Booked {
        /// The seats, by id.
        seats: Vec<i64>,
    },
    /// Not every seat could be sold; nothing was written.
    SeatsLost,
    /// The payment is not captured (any more).
    NotCaptured,
}

const LOCK_SEATS: &str = "
    select seat.id
      from seat
      join payment_seat on payment_seat.event_id = seat.event_id and payment_seat.seat_id = seat.id
     where payment_seat.payment_id = $1
     order by seat.id
       for update of seat";

/// The compare-and-set: of two that confirm at once, the one that waited for the locks finds it done.
const SETTLE_PAYMENT: &str = "
    update payment
       set state = 'booked', settled_at = now()
     where id = $1 and state = 'captured'";

/// Sells the seats that the payment both paid for and still claims; the number of rows must be the party's.
const SELL_SEATS: &str = "
    update seat
       set status = 'booked'
      from seat_claim
      join payment_seat on payment_seat.payment_id = seat_claim.payment_id and payment_seat.seat_id = seat_claim.seat_id
     where seat_claim.payment_id = $1
       and seat.event_id = seat_claim.event_id and seat.id = seat_claim.seat_id
       and seat.status = 'available' and seat.blocked_reason is null";

const WRITE_BOOKING: &str = "
    with sold as (
        insert into booking (event_id, payment_id, reference, name, email, total_minor, currency)
        select event_id, id, $2, name, email, amount_minor, currency
          from payment
         where id = $1
     returning id, event_id, total_minor, currency
    ), tickets as (
        insert into booking_seat (booking_id, event_id, seat_id, price_minor, ticket_code)
        select sold.id, payment_seat.event_id, payment_seat.seat_id, payment_seat.price_minor, ticket.code
          from sold
          join payment_seat on payment_seat.payment_id = $1
          join unnest($3::bigint[], $4::text[]) as ticket (seat_id, code) on ticket.seat_id = payment_seat.seat_id
     returning seat_id
    ), told as (
        insert into outbox (kind, booking_id, payload)
        select 'booking.confirmed', id,
               jsonb_build_object('booking', id, 'event', event_id, 'seats', $3::bigint[], 'total_minor', total_minor,
                                  'currency', currency)
          from sold
    ), dropped as (
        delete from seat_claim where payment_id = $1
    )
    select count(*) from tickets";

impl Bookings {
    /// Turns a captured payment into a booking, in one transaction.
    pub async fn confirm(&self, payment: Uuid) -> Result<Confirmed, Error> {
        loop {
            match database::retry(|| self.try_confirm(payment)).await {
                // Two bookings with one reference, once in a hundred thousand million.
                Err(e) if e.constraint() == Some("booking_reference_key") => {}
                done => return done,
            }
        }
    }

    async fn try_confirm(&self, payment: Uuid) -> Result<Confirmed, Error> {
        let mut client = self.database.get().await?;
        let transaction = client.transaction().await?;
        let (lock, settle, sell, write) = futures_util::try_join!(
            transaction.prepare_cached(LOCK_SEATS),
            transaction.prepare_cached(SETTLE_PAYMENT),
            transaction.prepare_cached(SELL_SEATS),
            transaction.prepare_cached(WRITE_BOOKING)
        )?;
        // Sent together, run one after the other, each on its own snapshot; what must not be is rolled back.
        let key: [&(dyn ToSql + Sync); 1] = [&payment];
        let (rows, settled, sold) = futures_util::try_join!(
            transaction.query(&lock, &key),
            transaction.execute(&settle, &key),
            transaction.execute(&sell, &key)
        )?;
        let seats: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
        if settled != 1 {
            let state = transaction
                .query_opt("select state from payment where id = $1", &[&payment])
                .await?;
            let booked = state.is_some_and(|row| row.get::<_, &str>(0) == "booked");
            return Ok(if booked {
                Confirmed::Booked { seats }
            } else {
                Confirmed::NotCaptured
            });
        }
        if usize::try_from(sold) != Ok(seats.len()) || seats.is_empty() {
            return Ok(Confirmed::SeatsLost);
        }
        let reference = crate::random::reference();
        let codes: Vec<String> = seats.iter().map(|_| crate::random::token()).collect();
        let written: i64 = transaction
            .query_one(&write, &[&payment, &reference, &seats, &codes])
            .await?
            .get(0);
        if usize::try_from(written) != Ok(seats.len()) {
            return Err(Error::Broken(format!(
                "payment {payment}: {written} tickets for {} seats",
                seats.len()
            )));
        }
        reach(Point::ConfirmWritten).await?;
        transaction.commit().await?;
        Ok(Confirmed::Booked { seats })
    }
}
