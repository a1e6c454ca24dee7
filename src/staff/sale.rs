//! Finding a sale again: by the buyer's name or address, or by the reference that they read out.
//!
//! The invariant: what staff see of a booking opens nothing; neither its page's token nor a ticket's code is ever read here.

use jiff::Timestamp;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::Staff;
use crate::{
    Error,
    event::{EVENT_COLUMNS, Event},
    money::Currency,
};

/// The most bookings that a search shows.
const MOST_FOUND: i64 = 50;

/// A booking that was found.
#[derive(Debug)]
pub struct Found {
    /// Short, to be read out.
    pub reference: String,
    /// Who bought.
    pub name: String,
    /// Their address for mail.
    pub email: String,
    /// For which event.
    pub event: Event,
    /// When.
    pub created_at: Timestamp,
    /// How many of its seats are not cancelled.
    pub seats: i64,
    /// What was paid, in minor units.
    pub total_minor: i64,
    /// In what.
    pub currency: Currency,
}

/// A booking with its seats.
#[derive(Debug)]
pub struct Sale {
    /// The booking.
    pub booking: Found,
    /// Its row.
    pub id: i64,
    /// Its payment's key.
    pub payment_id: Uuid,
    /// The state of that payment, as the database names it.
    pub payment: String,
    /// The last four digits of the card that paid.
    pub card_last4: String,
    /// All seats that it ever had, in reading order.
    pub seats: Vec<SoldSeat>,
}

/// A seat of a booking.
#[derive(Debug)]
pub struct SoldSeat {
    /// Its row.
    pub id: i64,
    /// Zone; may be empty.
    pub zone: String,
    /// Row; may be empty.
    pub row: String,
    /// Printed label within the row.
    pub label: String,
    /// What people call it.
    pub name: String,
    /// Its category's name.
    pub category: String,
    /// What it cost, in minor units.
    pub price_minor: i64,
    /// When it was cancelled, if it was.
    pub cancelled_at: Option<Timestamp>,
}

/// The columns of [`Found`] that are not the event's.
const BOOKING_COLUMNS: &str = "
    booking.reference, booking.name as buyer_name, booking.email as buyer_email, booking.created_at as booked_at,
    booking.total_minor, booking.currency as paid_currency,
    (select count(*) from booking_seat where booking_seat.booking_id = booking.id and booking_seat.cancelled_at is null)
        as live_seats";

const SEATS: &str = "
    select seat.zone, seat.row_label, seat.label, seat.name, category.name, booking_seat.price_minor,
           booking_seat.cancelled_at, seat.id
      from booking
      join booking_seat on booking_seat.booking_id = booking.id
      join seat on seat.id = booking_seat.seat_id
      join category on category.id = seat.category_id
     where booking.reference = $1
     order by seat.position, booking_seat.id";

impl Found {
    fn from_row(row: &tokio_postgres::Row) -> Result<Self, Error> {
        Ok(Self {
            reference: row.get("reference"),
            name: row.get("buyer_name"),
            email: row.get("buyer_email"),
            event: Event::from_row(row)?,
            created_at: row.get("booked_at"),
            seats: row.get("live_seats"),
            total_minor: row.get("total_minor"),
            currency: Currency::parse(row.get("paid_currency"))
                .map_err(|e| Error::Broken(e.to_string()))?,
        })
    }
}

impl Staff {
    /// At most 50 bookings whose reference is `words`, or whose name or address contains it, in any case, the newest first;
    /// the newest of all when there are no words.
    pub async fn search(&self, words: &str) -> Result<Vec<Found>, Error> {
        let client = self.database.get().await?;
        let sql = format!(
            "select {BOOKING_COLUMNS}, {EVENT_COLUMNS}
               from booking
               join event on event.id = booking.event_id
              where booking.reference = upper($1)
                 or strpos(lower(booking.name), lower($1)) > 0
                 or strpos(lower(booking.email), lower($1)) > 0
              order by booking.id desc
              limit $2"
        );
        let statement = client.prepare_cached(&sql).await?;
        client
            .query(&statement, &[&words, &MOST_FOUND])
            .await?
            .iter()
            .map(Found::from_row)
            .collect()
    }

    /// The booking with this reference.
    pub async fn sale(&self, reference: &str) -> Result<Option<Sale>, Error> {
        let client = self.database.get().await?;
        let sql = format!(
            "select {BOOKING_COLUMNS}, {EVENT_COLUMNS}, booking.id as booking_id, payment.id as payment_id,
                    payment.state as payment_state, payment.card_last4
               from booking
               join event on event.id = booking.event_id
               join payment on payment.id = booking.payment_id
              where booking.reference = $1"
        );
        let (booking, seats) =
            futures_util::try_join!(client.prepare_cached(&sql), client.prepare_cached(SEATS))?;
        let key: [&(dyn ToSql + Sync); 1] = [&reference];
        let (booking, seats) =
            futures_util::try_join!(client.query_opt(&booking, &key), client.query(&seats, &key))?;
        let Some(row) = booking else { return Ok(None) };
        let seats = seats.iter().map(|row| SoldSeat {
            zone: row.get(0),
            row: row.get(1),
            label: row.get(2),
            name: row.get(3),
            category: row.get(4),
            price_minor: row.get(5),
            cancelled_at: row.get(6),
            id: row.get(7),
        });
        Ok(Some(Sale {
            booking: Found::from_row(&row)?,
            id: row.get("booking_id"),
            payment_id: row.get("payment_id"),
            payment: row.get("payment_state"),
            card_last4: row.get("card_last4"),
            seats: seats.collect(),
        }))
    }
}
