//! The desk: every seat of an event with its state now, who has it, and what was taken.
//!
//! The invariant: each seat shows one state, by precedence booked, claimed, blocked, held, open, all read by one statement;
//! so the counts add up to the seats, and the takings are the prices of just the seats that count as booked.

use std::collections::HashMap;

use tokio_postgres::Row;

use super::Staff;
use crate::{
    Error,
    hold::HeldSeat,
    seat_map::{MapSeat, SeatMap},
};

/// The state of a seat, as staff tell it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeskState {
    /// To be had.
    Open,
    /// Someone has it in their hands.
    Held,
    /// Someone's payment for it is not settled.
    Claimed,
    /// Sold.
    Booked,
    /// Not for sale.
    Blocked,
}

impl DeskState {
    /// In the order in which they are counted.
    pub const ALL: [Self; 5] = [
        Self::Open,
        Self::Held,
        Self::Claimed,
        Self::Booked,
        Self::Blocked,
    ];
}

/// One seat on the desk.
#[derive(Debug, Clone)]
pub struct DeskSeat {
    /// Where it is, and what it is called.
    pub seat: MapSeat,
    /// Its state.
    pub state: DeskState,
    /// The hold that has it.
    pub hold: Option<HeldSeat>,
    /// The hold that its running payment is for.
    pub paying_hold: Option<String>,
    /// Why it is not for sale; also where it is sold meanwhile.
    pub blocked_reason: Option<String>,
    /// The booking's reference, and the buyer's name and address.
    pub booking: Option<(String, String, String)>,
}

/// One hold, with its seats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeskHold {
    /// Its id.
    pub id: String,
    /// What people call its seats, in reading order.
    pub seats: Vec<String>,
    /// The smallest time left of its seats, in milliseconds.
    pub time_left_ms: u64,
    /// Whether it is marked as paying.
    pub paying: bool,
}

/// How many seats have a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// The state.
    pub state: DeskState,
    /// How many.
    pub seats: usize,
}

/// An event as staff see it.
#[derive(Debug)]
pub struct Desk {
    /// Every seat, in reading order.
    pub seats: Vec<DeskSeat>,
    /// Every hold, the first to end first.
    pub holds: Vec<DeskHold>,
    /// Every state; they add up to the seats.
    pub counts: Vec<Count>,
    /// The prices of all booked seats, in minor units.
    pub takings_minor: i64,
}

/// Only what is not simply open: of a large room at the start of its sale, little.
const FACTS: &str = "
    select seat.id,
           case
               when seat.status = 'booked' then 'booked'
               when seat_claim.seat_id is not null then 'claimed'
               else 'blocked'
           end as state,
           seat.blocked_reason, payment.hold_id, booking.reference, booking.name, booking.email,
           booking_seat.price_minor
      from seat
      left join seat_claim on seat_claim.event_id = seat.event_id and seat_claim.seat_id = seat.id
      left join payment on payment.id = seat_claim.payment_id
      left join booking_seat on booking_seat.event_id = seat.event_id and booking_seat.seat_id = seat.id
                            and booking_seat.cancelled_at is null
      left join booking on booking.id = booking_seat.booking_id
     where seat.event_id = $1
       and (seat.status = 'booked' or seat.blocked_reason is not null or seat_claim.seat_id is not null)";

impl Staff {
    /// The desk of an event: `map` says where its seats are, `held` which of them are held.
    pub async fn desk(&self, map: &SeatMap, held: &[HeldSeat]) -> Result<Desk, Error> {
        let client = self.database.get().await?;
        let statement = client.prepare_cached(FACTS).await?;
        let rows = client.query(&statement, &[&map.event.id]).await?;
        let facts: HashMap<i64, &Row> = rows.iter().map(|row| (row.get(0), row)).collect();
        let locks: HashMap<i64, &HeldSeat> = held.iter().map(|held| (held.seat, held)).collect();
        let seats: Vec<_> = map
            .seats
            .iter()
            .map(|seat| {
                DeskSeat::new(
                    seat,
                    facts.get(&seat.id).copied(),
                    locks.get(&seat.id).copied(),
                )
            })
            .collect();
        let takings_minor = rows
            .iter()
            .filter_map(|row| row.get::<_, Option<i64>>("price_minor"))
            .sum();
        Ok(Desk {
            holds: holds(&seats),
            counts: count(&seats),
            seats,
            takings_minor,
        })
    }
}

impl DeskSeat {
    fn new(seat: &MapSeat, fact: Option<&Row>, lock: Option<&HeldSeat>) -> Self {
        let state = match (fact.map(|row| row.get("state")), lock) {
            (Some("booked"), _) => DeskState::Booked,
            (Some("claimed"), _) => DeskState::Claimed,
            (Some(_), _) => DeskState::Blocked,
            (None, Some(_)) => DeskState::Held,
            (None, None) => DeskState::Open,
        };
        Self {
            seat: seat.clone(),
            state,
            // A sold seat's lock lingers for a moment; it is nobody's hold any more.
            hold: lock.filter(|_| state != DeskState::Booked).cloned(),
            paying_hold: fact.and_then(|row| row.get("hold_id")),
            blocked_reason: fact.and_then(|row| row.get("blocked_reason")),
            booking: fact.and_then(|row| {
                Some((
                    row.get::<_, Option<_>>("reference")?,
                    row.get("name"),
                    row.get("email"),
                ))
            }),
        }
    }
}

fn count(seats: &[DeskSeat]) -> Vec<Count> {
    let count = |state| Count {
        state,
        seats: seats.iter().filter(|seat| seat.state == state).count(),
    };
    DeskState::ALL.into_iter().map(count).collect()
}

fn holds(seats: &[DeskSeat]) -> Vec<DeskHold> {
    let mut holds: HashMap<&str, DeskHold> = HashMap::new();
    for (name, lock) in seats
        .iter()
        .filter_map(|seat| Some((&seat.seat.name, seat.hold.as_ref()?)))
    {
        let hold = holds.entry(&lock.hold).or_insert_with(|| DeskHold {
            id: lock.hold.clone(),
            seats: Vec::new(),
            time_left_ms: u64::MAX,
            paying: false,
        });
        hold.seats.push(name.clone());
        hold.time_left_ms = hold.time_left_ms.min(lock.time_left_ms);
        hold.paying |= lock.paying;
    }
    let mut holds: Vec<_> = holds.into_values().collect();
    holds.sort_by(|a, b| (a.time_left_ms, &a.id).cmp(&(b.time_left_ms, &b.id)));
    holds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(name: &str, hold: Option<(&str, u64)>) -> DeskSeat {
        let seat = MapSeat {
            id: 1,
            zone: String::new(),
            row: String::new(),
            label: name.to_owned(),
            name: name.to_owned(),
            category: 0,
            x: 0.0,
            y: 0.0,
            accessible: false,
            state: crate::seat_map::SeatState::Open,
        };
        let lock = hold.map(|(hold, time_left_ms)| HeldSeat {
            seat: 1,
            hold: hold.to_owned(),
            time_left_ms,
            paying: false,
        });
        DeskSeat::new(&seat, None, lock.as_ref())
    }

    #[test]
    fn the_counts_add_up_to_the_seats() {
        let seats = [
            seat("A1", None),
            seat("A2", Some(("x", 5))),
            seat("A3", Some(("x", 5))),
        ];
        let counts = count(&seats);
        assert_eq!(
            counts.iter().map(|count| count.seats).sum::<usize>(),
            seats.len()
        );
        assert_eq!(
            counts[0],
            Count {
                state: DeskState::Open,
                seats: 1
            }
        );
        assert_eq!(
            counts[1],
            Count {
                state: DeskState::Held,
                seats: 2
            }
        );
    }

    #[test]
    fn seats_of_one_hold_stand_together_and_the_first_to_end_comes_first() {
        let seats = [
            seat("A1", Some(("x", 9))),
            seat("A2", Some(("y", 4))),
            seat("A3", Some(("x", 8))),
        ];
        let holds = holds(&seats);
        let told: Vec<_> = holds
            .iter()
            .map(|hold| (hold.id.as_str(), hold.seats.join(" "), hold.time_left_ms))
            .collect();
        assert_eq!(
            told,
            [("y", "A2".to_owned(), 4), ("x", "A1 A3".to_owned(), 8)]
        );
    }
}
