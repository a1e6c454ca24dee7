//! What Redis must look like: every key ends, a hold is whole, and the map's set of held seats tells the truth.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use super::{
    Violation,
    books::EventRules,
    snapshot::{Ends, HoldKey, Snapshot},
};
use crate::hold::{Keys, LINGER, PAYMENT_GRACE};

/// How many rules [`check`] knows.
pub const CHECKS: usize = 14;

/// The longest window that a limit can be set to.
const LONGEST_LIMIT: Duration = Duration::from_hours(24);

/// Compares the keys with each other and with what their events allow.
pub fn check(snapshot: &Snapshot, events: &HashMap<i64, EventRules>) -> Vec<Violation> {
    let mut look = Look {
        snapshot,
        events,
        violations: Vec::new(),
    };
    for key in &snapshot.odd {
        look.found(5, format!("{key} is none of the keys that it looks like"));
    }
    for (key, ends) in &snapshot.limits {
        look.ends(key, *ends, snapshot.now_ms + ms(LONGEST_LIMIT));
    }
    look.holds();
    look.locks();
    look.buyers();
    look.held();
    look.violations
}

struct Look<'a> {
    snapshot: &'a Snapshot,
    events: &'a HashMap<i64, EventRules>,
    violations: Vec<Violation>,
}

impl Look<'_> {
    fn found(&mut self, invariant: u8, what: String) {
        self.violations.push(Violation { invariant, what });
    }

    /// Every key ends, and not later than it may.
    fn ends(&mut self, key: &str, ends: Ends, latest: i64) {
        match ends {
            None => self.found(4, format!("{key} never ends")),
            Some(at) if at > latest => {
                self.found(4, format!("{key} lives longer than it may: until {at}"));
            }
            Some(_) => {}
        }
    }

    /// The latest end of a key of this event that was made at `from`.
    fn latest(&mut self, key: &str, event: i64, from: i64) -> i64 {
        let Some(rules) = self.events.get(&event) else {
            self.found(4, format!("{key} is of an event that does not exist"));
            return i64::MAX;
        };
        from + i64::from(rules.hold_cap_seconds) * 1000 + ms(PAYMENT_GRACE)
    }

    fn holds(&mut self) {
        for ((event, id), hold) in &self.snapshot.holds {
            let key = Keys::of(*event).hold(id);
            let latest = self.latest(&key, *event, hold.acquired_ms);
            self.ends(&key, hold.ends, latest);
            if let Some(rules) = self.events.get(event)
                && hold.seats.len() > usize::try_from(rules.max_seats).unwrap_or(0)
            {
                self.found(
                    11,
                    format!(
                        "{key} has {} seats, the event allows {}",
                        hold.seats.len(),
                        rules.max_seats
                    ),
                );
            }
            self.whole(&key, *event, id, hold);
        }
    }

    /// All of the hold's locks are its own and end with it, or none is.
    fn whole(&mut self, key: &str, event: i64, id: &str, hold: &HoldKey) {
        let locks = &self.snapshot.locks;
        let lock = |seat: &i64| locks.get(&(event, *seat)).filter(|(owner, _)| owner == id);
        let lost: Vec<_> = hold
            .seats
            .iter()
            .filter(|seat| lock(seat).is_none())
            .collect();
        if lost.len() == hold.seats.len() {
            return;
        }
        if !lost.is_empty() {
            self.found(
                5,
                format!(
                    "{key} has seats {:?}, but not the locks of {lost:?}",
                    hold.seats
                ),
            );
        }
        for seat in &hold.seats {
            if let Some((_, ends)) = lock(seat)
                && *ends != hold.ends
            {
                let (whole, lock) = (shown(hold.ends), shown(*ends));
                self.found(
                    5,
                    format!("{key} ends {whole}, but its lock of seat {seat} {lock}"),
                );
            }
        }
        let named = self.snapshot.buyers.get(&(event, hold.buyer.clone()));
        if named.is_none_or(|(named, _)| named != id) {
            self.found(
                5,
                format!("{key} is not the hold that its buyer's key names"),
            );
        }
    }

    /// Every lock is its hold's, or lingers after a sale.
    fn locks(&mut self) {
        let now = self.snapshot.now_ms;
        for ((event, seat), (id, ends)) in &self.snapshot.locks {
            let key = Keys::of(*event).lock(*seat);
            let latest = self.latest(&key, *event, now);
            self.ends(&key, *ends, latest);
            let hold = self.snapshot.holds.get(&(*event, id.clone()));
            let lingers = ends.is_some_and(|at| at <= now + ms(LINGER));
            match hold {
                Some(hold) if !hold.seats.contains(seat) => {
                    self.found(
                        5,
                        format!("{key} names hold {id}, which is not for that seat"),
                    );
                }
                None if !lingers => {
                    self.found(5, format!("{key} names hold {id}, which does not exist"));
                }
                _ => {}
            }
        }
    }

    fn buyers(&mut self) {
        for ((event, buyer), (id, ends)) in &self.snapshot.buyers {
            // The buyer's id is in a cookie: enough of it to find the key, not enough to be the buyer.
            let key = format!(
                "buyer:{}:{}…",
                Keys::of(*event).tag(),
                buyer.chars().take(8).collect::<String>()
            );
            let latest = self.latest(&key, *event, self.snapshot.now_ms);
            self.ends(&key, *ends, latest);
            match self.snapshot.holds.get(&(*event, id.clone())) {
                None => self.found(5, format!("{key} names hold {id}, which does not exist")),
                Some(hold) if hold.buyer != *buyer => {
                    self.found(6, format!("{key} names hold {id}, which is another's"));
                }
                Some(_) => {}
            }
        }
    }

    /// The set says of each seat what its lock says. Entries whose deadline has passed count as free.
    fn held(&mut self) {
        let mut locked: BTreeMap<i64, BTreeMap<i64, (&str, Ends)>> = BTreeMap::new();
        for ((event, seat), (id, ends)) in &self.snapshot.locks {
            locked.entry(*event).or_default().insert(*seat, (id, *ends));
        }
        let nobody = (HashMap::new(), None);
        for (event, locks) in &locked {
            let (scores, _) = self.snapshot.held.get(event).unwrap_or(&nobody);
            for (seat, (id, ends)) in locks {
                if *ends != scores.get(seat).copied() {
                    let key = Keys::of(*event).held();
                    let score = scores
                        .get(seat)
                        .map_or_else(|| "lacks".to_owned(), |at| format!("has until {at}"));
                    self.found(
                        12,
                        format!(
                            "{key} {score} seat {seat}, whose lock by hold {id} ends {}",
                            shown(*ends)
                        ),
                    );
                }
            }
        }
        for (event, (scores, ends)) in &self.snapshot.held {
            let key = Keys::of(*event).held();
            let latest = self.latest(&key, *event, self.snapshot.now_ms);
            self.ends(&key, *ends, latest);
            let live: BTreeMap<_, _> = scores
                .iter()
                .filter(|(_, deadline)| **deadline > self.snapshot.now_ms)
                .collect();
            for (seat, deadline) in &live {
                if !locked
                    .get(event)
                    .is_some_and(|locks| locks.contains_key(seat))
                {
                    self.found(
                        12,
                        format!("{key} has seat {seat} until {deadline}, but nobody locks it"),
                    );
                }
            }
            if let (Some(at), Some(last)) = (ends, live.values().max())
                && at < last
            {
                self.found(
                    12,
                    format!("{key} ends at {at}, before its last entry at {last}"),
                );
            }
        }
    }
}

fn shown(ends: Ends) -> String {
    ends.map_or_else(|| "never".to_owned(), |at| format!("at {at}"))
}

fn ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
