//! The audit: looks at a live system from outside and says which of the box office's promises do not hold.
//!
//! The invariant: it only reads, and it reports only what it has seen twice. The three witnesses (PostgreSQL, Redis, the
//! provider's ledger) cannot be read at one instant, so what one look finds may be a sale under way; what is really broken
//! is still there, word for word, a moment later.
//!
//! The promises that can be seen from outside, by number:
//!
//! * 1: a seat is in at most one live booking
//! * 2: once settled, captured minus refunded is the price of the payment's live seats, and what goes back is the price of
//!   those that were cancelled
//! * 3: no booking comes from a payment whose money goes back, and never goes back more than was captured
//! * 4: every lock, hold and limit in Redis ends, and not later than it may; every claim belongs to an unsettled payment
//! * 5: a hold, a claim and a booking are the whole party or nothing
//! * 6: a hold is its buyer's alone
//! * 8: every booking and every cancellation has its message in the outbox
//! * 9: what was cancelled stays cancelled
//! * 10: the price charged is the price that the server stored
//! * 11: no party is larger than the event allows
//! * 12: what is counted agrees with the rows
//! * 13: nobody is charged for a payment that ended without a sale
//! * 16: nothing stays unsettled for long

mod books;
mod holds;
mod ledger;
mod snapshot;
mod statements;

use std::{collections::HashSet, fmt, time::Duration};

use crate::{Error, database::Database};
pub use ledger::Ledger;

/// How long after the first look the second one is taken: longer than one purchase takes between two of its steps.
const SECOND_LOOK: Duration = Duration::from_millis(500);

/// A promise that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Violation {
    /// Which promise, by its number above.
    pub invariant: u8,
    /// The rows or keys, and what is wrong with them, on one line.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invariant {}: {}", self.invariant, self.what)
    }
}

/// What is looked at.
#[derive(Clone)]
pub struct Witnesses {
    /// Who owns.
    pub database: Database,
    /// Who tries.
    pub redis: deadpool_redis::Pool,
    /// The provider's ledger, which knows what was really charged; without it that is not checked.
    pub ledger: Option<Ledger>,
    /// How long a payment may stay unsettled before it counts as stuck.
    pub stuck_after: Duration,
}

impl Witnesses {
    /// How many rules are checked.
    #[must_use]
    pub fn checks(&self) -> usize {
        statements::CHECKS.len()
            + holds::CHECKS
            + if self.ledger.is_some() {
                ledger::CHECKS
            } else {
                0
            }
    }
}

/// Every violation that two looks agree on, in order.
pub async fn run(witnesses: &Witnesses) -> Result<Vec<Violation>, Error> {
    let first = look(witnesses).await?;
    if first.is_empty() {
        return Ok(first);
    }
    tokio::time::sleep(SECOND_LOOK).await;
    let again: HashSet<_> = look(witnesses).await?.into_iter().collect();
    let mut both: Vec<_> = first
        .into_iter()
        .filter(|violation| again.contains(violation))
        .collect();
    both.sort();
    both.dedup();
    Ok(both)
}

async fn look(witnesses: &Witnesses) -> Result<Vec<Violation>, Error> {
    // One after the other: no transaction is open while anything but PostgreSQL is asked.
    let charges = match &witnesses.ledger {
        Some(ledger) => Some(ledger.read().await?),
        None => None,
    };
    let books = books::read(&witnesses.database, witnesses.stuck_after).await?;
    let snapshot = snapshot::read(&witnesses.redis).await?;

    let mut violations = holds::check(&snapshot, &books.events);
    if let Some(charges) = charges {
        violations.extend(ledger::check(&charges, &books.payments));
    }
    violations.extend(books.violations);
    Ok(violations)
}
