//! Cancelling: seats of a booking go on sale again, and what they cost goes back.
//!
//! The invariant: a seat, its ticket, the refund and the message change together or not at all, and a seat is cancelled once:
//! to cancel it again is a success that changes nothing. All seats of the booking are locked first, in one order, and looked
//! at afterwards by a second statement; so two cancellations of one booking come one after the other, and the later one
//! knows what is left.

use deadpool_postgres::Transaction;
use serde_json::{Value, json};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::Bookings;
use crate::{
    Error, database,
    failpoint::{Point, reach},
    staff::{Action, write_audit},
};

/// What is to be cancelled.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    /// The booking's row.
    pub booking: i64,
    /// Its seats, each once.
    pub seats: &'a [i64],
    /// The sum that the page said would go back, in minor units: compared, never returned.
    pub shown_minor: i64,
}

/// Who cancels.
#[derive(Debug, Clone, Copy)]
pub enum By<'a> {
    /// Whoever has the booking's address; until the event's cut-off.
    Buyer,
    /// The box office, at any time.
    Staff {
        /// Who.
        member: i64,
        /// Why; kept in the audit.
        reason: &'a str,
    },
}

/// What became of the wish to cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancelled {
    /// The seats are for sale again.
    Done {
        /// What goes back, in minor units; may be nothing.
        returned_minor: i64,
    },
    /// Every named seat was cancelled before; nothing was written.
    Already,
    /// Nothing changed: it is too close to the start.
    TooLate,
    /// Nothing changed: this event's seats are not taken back.
    Off,
    /// Nothing changed: another sum would go back than was shown.
    Changed {
        /// That sum, in minor units.
        returned_minor: i64,
    },
    /// Nothing changed: not all of the seats are this booking's.
    Unknown,
}

/// A booking as it stands while its seats are locked.
struct Locked {
    event: i64,
    payment: Uuid,
    reference: String,
    currency: String,
    off: bool,
    too_late: bool,
    seats: Vec<Looked>,
}

/// One of its seats.
struct Looked {
    id: i64,
    name: String,
    price_minor: i64,
    live: bool,
}

const LOCK_SEATS: &str = "
    select seat.id
      from seat
      join booking_seat on booking_seat.event_id = seat.event_id and booking_seat.seat_id = seat.id
     where booking_seat.booking_id = $1
     order by seat.id
       for update of seat";

const LOOK_AT_SEATS: &str = "
    select seat.id, seat.name, booking_seat.price_minor, booking_seat.cancelled_at is null
      from booking_seat
      join seat on seat.event_id = booking_seat.event_id and seat.id = booking_seat.seat_id
     where booking_seat.booking_id = $1
     order by seat.position";

const LOOK_AT_BOOKING: &str = "
    select booking.event_id, booking.payment_id, booking.reference, booking.currency,
           event.cancel_before_seconds is null as off,
           coalesce(now() >= event.starts_at - event.cancel_before_seconds * interval '1 second', false) as too_late
      from booking
      join event on event.id = booking.event_id
     where booking.id = $1";

const WRITE_REFUND: &str = "
    insert into refund (id, payment_id, amount_minor, reason)
    values ($1, $2, $3, $4)";

/// A seat that was free of charge has no refund.
const CANCEL_TICKETS: &str = "
    update booking_seat
       set cancelled_at = now(),
           refund_id = case when price_minor > 0 then $3::uuid end
     where booking_id = $1 and seat_id = any($2) and cancelled_at is null";

const PUT_ON_SALE: &str = "
    update seat
       set status = 'available'
     where event_id = $1 and id = any($2) and status = 'booked'";

const WRITE_OUTBOX: &str = "insert into outbox (kind, booking_id, payload) values ($1, $2, $3)";

impl Bookings {
    /// Cancels seats of a booking, in one transaction.
    pub async fn cancel(&self, wish: Wish<'_>, by: By<'_>) -> Result<Cancelled, Error> {
        database::retry(|| self.try_cancel(wish, by)).await
    }

    async fn try_cancel(&self, wish: Wish<'_>, by: By<'_>) -> Result<Cancelled, Error> {
        let mut client = self.database.get().await?;
        let transaction = client.transaction().await?;
        let Some(booking) = lock_and_look(&transaction, wish.booking).await? else {
            return Ok(Cancelled::Unknown);
        };
        let going = match booking.allows(wish, by) {
            Ok(going) => going,
            Err(refused) => return Ok(refused),
        };
        let returned_minor = write(&transaction, wish.booking, &booking, &going, by).await?;
        if let By::Staff { member, reason } = by {
            let (event, detail) = (Some(booking.event), detail(&booking, &going));
            write_audit(
                &transaction,
                Some(member),
                Action::Cancel,
                event,
                reason,
                &detail,
            )
            .await?;
        }
        reach(Point::CancelWritten).await?;
        transaction.commit().await?;
        reach(Point::CancelCommitted).await?;
        Ok(Cancelled::Done { returned_minor })
    }
}

async fn lock_and_look(
    transaction: &Transaction<'_>,
    booking: i64,
) -> Result<Option<Locked>, Error> {
    let (lock, seats, facts) = futures_util::try_join!(
        transaction.prepare_cached(LOCK_SEATS),
        transaction.prepare_cached(LOOK_AT_SEATS),
        transaction.prepare_cached(LOOK_AT_BOOKING)
    )?;
    let key: [&(dyn ToSql + Sync); 1] = [&booking];
    transaction.execute(&lock, &key).await?;
    let (seats, facts) = futures_util::try_join!(
        transaction.query(&seats, &key),
        transaction.query_opt(&facts, &key)
    )?;
    Ok(facts.map(|row| Locked {
        event: row.get("event_id"),
        payment: row.get("payment_id"),
        reference: row.get("reference"),
        currency: row.get("currency"),
        off: row.get("off"),
        too_late: row.get("too_late"),
        seats: seats
            .iter()
            .map(|row| Looked {
                id: row.get(0),
                name: row.get(1),
                price_minor: row.get(2),
                live: row.get(3),
            })
            .collect(),
    }))
}

impl Locked {
    /// The live seats that the wish names, or why none is cancelled.
    fn allows(&self, wish: Wish<'_>, by: By<'_>) -> Result<Vec<&Looked>, Cancelled> {
        let named = self
            .seats
            .iter()
            .filter(|seat| wish.seats.contains(&seat.id));
        let named: Vec<_> = named.collect();
        if named.len() != wish.seats.len() {
            return Err(Cancelled::Unknown);
        }
        let going: Vec<_> = named.into_iter().filter(|seat| seat.live).collect();
        if going.is_empty() {
            return Err(Cancelled::Already);
        }
        if matches!(by, By::Buyer) && self.off {
            return Err(Cancelled::Off);
        }
        if matches!(by, By::Buyer) && self.too_late {
            return Err(Cancelled::TooLate);
        }
        let returned_minor = worth(&going);
        if returned_minor != wish.shown_minor {
            return Err(Cancelled::Changed { returned_minor });
        }
        Ok(going)
    }
}

/// Writes refund, tickets, seats and message; what goes back, in minor units.
async fn write(
    transaction: &Transaction<'_>,
    booking: i64,
    locked: &Locked,
    going: &[&Looked],
    by: By<'_>,
) -> Result<i64, Error> {
    let (refund, cancel, put_on_sale, tell) = futures_util::try_join!(
        transaction.prepare_cached(WRITE_REFUND),
        transaction.prepare_cached(CANCEL_TICKETS),
        transaction.prepare_cached(PUT_ON_SALE),
        transaction.prepare_cached(WRITE_OUTBOX)
    )?;
    let returned_minor = worth(going);
    let key = (returned_minor > 0).then(Uuid::new_v4);
    if let Some(key) = key {
        let why = match by {
            By::Buyer => "cancelled by the buyer",
            By::Staff { .. } => "cancelled by the box office",
        };
        transaction
            .execute(&refund, &[&key, &locked.payment, &returned_minor, &why])
            .await?;
    }
    let live = locked.seats.iter().filter(|seat| seat.live).count();
    let kind = if going.len() < live {
        "seats.cancelled"
    } else {
        "booking.cancelled"
    };
    let seats: Vec<i64> = going.iter().map(|seat| seat.id).collect();
    let payload = json!({
        "booking": booking,
        "event": locked.event,
        "seats": seats,
        "returned_minor": returned_minor,
        "currency": locked.currency,
    });
    let tickets: [&(dyn ToSql + Sync); 3] = [&booking, &seats, &key];
    let freed: [&(dyn ToSql + Sync); 2] = [&locked.event, &seats];
    let told: [&(dyn ToSql + Sync); 3] = [&kind, &booking, &payload];
    let (tickets, freed, _) = futures_util::try_join!(
        transaction.execute(&cancel, &tickets),
        transaction.execute(&put_on_sale, &freed),
        transaction.execute(&tell, &told)
    )?;
    if [tickets, freed].map(usize::try_from) != [Ok(seats.len()); 2] {
        return Err(Error::Broken(format!(
            "booking {booking}: {tickets} tickets and {freed} seats for {} cancelled",
            seats.len()
        )));
    }
    Ok(returned_minor)
}

fn worth(seats: &[&Looked]) -> i64 {
    seats.iter().map(|seat| seat.price_minor).sum()
}

/// What the audit keeps.
fn detail(locked: &Locked, going: &[&Looked]) -> Value {
    let seats: Vec<_> = going
        .iter()
        .map(|seat| json!({ "id": seat.id, "name": seat.name }))
        .collect();
    json!({ "reference": locked.reference, "seats": seats, "returned_minor": worth(going) })
}
