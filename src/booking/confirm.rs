//! Confirming: a captured payment becomes a booking.
//!
//! The invariant: seats, tickets, message and payment change together, all of them or none, under the payment's own claims.

use serde_json::json;
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

/// Sells the seats that the payment both paid for and still claims; the number of rows must be the party's.
const SELL_SEATS: &str = "
    update seat
       set status = 'booked'
      from seat_claim
     where seat_claim.payment_id = $1
       and seat.event_id = seat_claim.event_id and seat.id = seat_claim.seat_id
       and seat.id = any($2)
       and seat.status = 'available' and seat.blocked_reason is null";

const WRITE_BOOKING: &str = "
    insert into booking (event_id, payment_id, reference, name, email, total_minor, currency)
    select event_id, id, $2, name, email, amount_minor, currency
      from payment
     where id = $1
 returning id, event_id, total_minor, currency";

const WRITE_TICKETS: &str = "
    insert into booking_seat (booking_id, event_id, seat_id, price_minor, ticket_code)
    select $2, payment_seat.event_id, payment_seat.seat_id, payment_seat.price_minor, ticket.code
      from payment_seat
      join unnest($3::bigint[], $4::text[]) as ticket (seat_id, code) on ticket.seat_id = payment_seat.seat_id
     where payment_seat.payment_id = $1";

const WRITE_OUTBOX: &str =
    "insert into outbox (kind, booking_id, payload) values ('booking.confirmed', $1, $2)";

const SETTLE_PAYMENT: &str = "
    update payment
       set state = 'booked', settled_at = now()
     where id = $1 and state = 'captured'";

const DROP_CLAIMS: &str = "delete from seat_claim where payment_id = $1";

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
        let (lock, sell, booking, tickets, outbox, settle, drop_claims) = futures_util::try_join!(
            transaction.prepare_cached(LOCK_SEATS),
            transaction.prepare_cached(SELL_SEATS),
            transaction.prepare_cached(WRITE_BOOKING),
            transaction.prepare_cached(WRITE_TICKETS),
            transaction.prepare_cached(WRITE_OUTBOX),
            transaction.prepare_cached(SETTLE_PAYMENT),
            transaction.prepare_cached(DROP_CLAIMS)
        )?;
        let rows = transaction.query(&lock, &[&payment]).await?;
        let seats: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();

        // First the compare-and-set: of two that confirm at once, the one that waited for the locks finds it done.
        if transaction.execute(&settle, &[&payment]).await? != 1 {
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
        let sold = transaction.execute(&sell, &[&payment, &seats]).await?;
        if usize::try_from(sold) != Ok(seats.len()) || seats.is_empty() {
            return Ok(Confirmed::SeatsLost);
        }
        let row = transaction
            .query_one(&booking, &[&payment, &crate::random::reference()])
            .await?;
        let (id, event): (i64, i64) = (row.get(0), row.get(1));
        let codes: Vec<String> = seats.iter().map(|_| crate::random::token()).collect();
        let payload = json!({
            "booking": id,
            "event": event,
            "seats": seats,
            "total_minor": row.get::<_, i64>(2),
            "currency": row.get::<_, String>(3),
        });
        let sold: [&(dyn ToSql + Sync); 4] = [&payment, &id, &seats, &codes];
        let told: [&(dyn ToSql + Sync); 2] = [&id, &payload];
        let paid: [&(dyn ToSql + Sync); 1] = [&payment];
        let (written, _, _) = futures_util::try_join!(
            transaction.execute(&tickets, &sold),
            transaction.execute(&outbox, &told),
            transaction.execute(&drop_claims, &paid)
        )?;
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
