//! Bookings: the sale, in PostgreSQL, for ever.
//!
//! The invariant: a booking is made of exactly the seats that its payment claimed, all of them or none; a seat is in at most
//! one live booking; and what was cancelled stays in the books, with what went back for it.

mod cancel;
mod confirm;
mod refund;

use jiff::Timestamp;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::{Error, database::Database};
pub use cancel::{By, Cancelled, Wish};
pub use confirm::Confirmed;
pub use refund::{Progress, Refund};

/// One ticket.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// The seat's row.
    pub seat_id: i64,
    /// Zone; may be empty.
    pub zone: String,
    /// Row; may be empty.
    pub row: String,
    /// Printed label within the row.
    pub label: String,
    /// What people call the seat.
    pub seat: String,
    /// Category's name.
    pub category: String,
    /// What it cost, in minor units.
    pub price_minor: i64,
    /// What the QR code holds.
    pub code: String,
}

/// A seat that was given back after the sale. Its ticket admits nobody, so its code is not read.
#[derive(Debug, Clone)]
pub struct CancelledSeat {
    /// The seat's row.
    pub seat_id: i64,
    /// Zone; may be empty.
    pub zone: String,
    /// Row; may be empty.
    pub row: String,
    /// Printed label within the row.
    pub label: String,
    /// What people call the seat.
    pub seat: String,
    /// When it was cancelled.
    pub at: Timestamp,
}

/// A booking with its tickets.
#[derive(Debug, Clone)]
pub struct Booking {
    /// Its row.
    pub id: i64,
    /// Short, to be read out.
    pub reference: String,
    /// Who bought.
    pub name: String,
    /// Their address for mail.
    pub email: String,
    /// What was paid, in minor units.
    pub total_minor: i64,
    /// When.
    pub created_at: Timestamp,
    /// The event's slug.
    pub event_slug: String,
    /// One for each live seat, in reading order.
    pub tickets: Vec<Ticket>,
    /// The seats that were cancelled, in reading order.
    pub cancelled: Vec<CancelledSeat>,
    /// What goes or went back for them, the oldest first.
    pub refunds: Vec<Refund>,
}

/// The bookings of all events.
#[derive(Clone)]
pub struct Bookings {
    database: Database,
}

const BOOKING: &str = "
    select booking.id, booking.reference, booking.name, booking.email, booking.total_minor, booking.created_at, event.slug
      from booking
      join event on event.id = booking.event_id
     where booking.payment_id = $1";

/// The code of a ticket that was cancelled stays unread.
const SEATS: &str = "
    select seat.id, seat.zone, seat.row_label, seat.label, seat.name, category.name, booking_seat.price_minor,
           booking_seat.cancelled_at,
           case when booking_seat.cancelled_at is null then booking_seat.ticket_code else '' end
      from booking
      join booking_seat on booking_seat.booking_id = booking.id
      join seat on seat.id = booking_seat.seat_id
      join category on category.id = seat.category_id
     where booking.payment_id = $1
     order by seat.position";

impl Bookings {
    /// Bookings that live behind this pool.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// The booking that a payment became.
    pub async fn of_payment(&self, payment: Uuid) -> Result<Option<Booking>, Error> {
        let client = self.database.get().await?;
        let (booking, seats, refunds) = futures_util::try_join!(
            client.prepare_cached(BOOKING),
            client.prepare_cached(SEATS),
            client.prepare_cached(refund::OF_PAYMENT)
        )?;
        let key: [&(dyn ToSql + Sync); 1] = [&payment];
        let (booking, seats, refunds) = futures_util::try_join!(
            client.query_opt(&booking, &key),
            client.query(&seats, &key),
            client.query(&refunds, &key)
        )?;
        let (live, cancelled): (Vec<_>, Vec<_>) = seats
            .iter()
            .partition(|row| row.get::<_, Option<Timestamp>>(7).is_none());
        Ok(booking.map(|row| Booking {
            id: row.get(0),
            reference: row.get(1),
            name: row.get(2),
            email: row.get(3),
            total_minor: row.get(4),
            created_at: row.get(5),
            event_slug: row.get(6),
            tickets: live
                .iter()
                .map(|row| Ticket {
                    seat_id: row.get(0),
                    zone: row.get(1),
                    row: row.get(2),
                    label: row.get(3),
                    seat: row.get(4),
                    category: row.get(5),
                    price_minor: row.get(6),
                    code: row.get(8),
                })
                .collect(),
            cancelled: cancelled
                .iter()
                .map(|row| CancelledSeat {
                    seat_id: row.get(0),
                    zone: row.get(1),
                    row: row.get(2),
                    label: row.get(3),
                    seat: row.get(4),
                    at: row.get(7),
                })
                .collect(),
            refunds: refunds.iter().map(Refund::from_row).collect(),
        }))
    }
}
