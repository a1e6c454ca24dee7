//! Holds: what the scripts in `src/hold/` do, each in one step.
//!
//! The invariant: a hold's keys have one deadline, so they end together.

use super::{
    rules::Rules,
    state::{HoldId, Mark, PARTIES, SEATS, Seats, State, hold_id},
};

/// The single seats of these.
pub fn each(seats: Seats) -> impl Iterator<Item = usize> {
    (0..SEATS).filter(move |seat| seats >> seat & 1 == 1)
}

impl State {
    /// `acquire.lua`: every seat or none. PostgreSQL was asked before, and may have been wrong by now: so it is not asked here.
    pub fn acquire(&mut self, buyer: usize) -> bool {
        if self.marks[buyer] != Mark::Gone || each(PARTIES[buyer]).any(|seat| self.locks[seat] != 0)
        {
            return false;
        }
        self.holds[buyer] += 1;
        self.marks[buyer] = Mark::Held;
        for seat in each(PARTIES[buyer]) {
            self.locks[seat] = self.present(buyer);
        }
        true
    }

    /// `release.lua`, for the `number`th hold of this buyer: an old form may name a former one.
    pub fn release(&mut self, buyer: usize, number: u8, rules: Rules) -> bool {
        let hold = hold_id(buyer, number);
        if !rules.release_compares {
            for seat in each(PARTIES[buyer]) {
                self.locks[seat] = 0;
            }
        }
        if hold != self.present(buyer)
            || self.marks[buyer] == Mark::Gone
            || self.is_bound(buyer, None)
        {
            return !rules.release_compares;
        }
        self.marks[buyer] = Mark::Gone;
        self.unlock(hold);
        true
    }

    /// `begin_payment.lua`, and `Cashier::binding` when the hold is marked for another payment.
    pub fn begin_payment(&mut self, buyer: usize, key: usize) -> bool {
        let hold = self.present(buyer);
        if self.marks[buyer] == Mark::Gone
            || each(PARTIES[buyer]).any(|seat| self.locks[seat] != hold)
            || self.is_bound(buyer, Some(key))
        {
            return false;
        }
        self.marks[buyer] = Mark::Paying(key);
        true
    }

    /// `end_payment.lua`.
    pub fn end_payment(&mut self, buyer: usize, hold: HoldId, key: usize) {
        if self.present(buyer) == hold && self.marks[buyer] == Mark::Paying(key) {
            self.marks[buyer] = Mark::Held;
        }
    }

    /// `finish.lua`: the hold ends, its locks linger until they expire.
    pub fn finish(&mut self, buyer: usize, hold: HoldId) {
        if self.present(buyer) == hold {
            self.marks[buyer] = Mark::Gone;
        }
    }

    /// Whether nobody but this payment's own hold and this buyer's present one is in the way (`Holds::are_free_for`).
    pub fn is_held_by_nobody_else(&self, buyer: usize, hold: HoldId) -> bool {
        let present = match self.marks[buyer] {
            Mark::Gone => hold,
            _ => self.present(buyer),
        };
        each(PARTIES[buyer]).all(|seat| [0, hold, present].contains(&self.locks[seat]))
    }

    /// Time is up for a hold, or for the locks that linger of it.
    pub fn expire(&mut self, buyer: usize, number: u8) -> bool {
        let hold = hold_id(buyer, number);
        if !self.locks.contains(&hold) {
            return false;
        }
        self.unlock(hold);
        if hold == self.present(buyer) {
            self.marks[buyer] = Mark::Gone;
        }
        true
    }

    /// `FLUSHALL`.
    pub fn wipe(&mut self) -> bool {
        if self.locks == [0; SEATS] {
            return false;
        }
        self.locks = [0; SEATS];
        self.marks = [Mark::Gone; 2];
        true
    }

    fn unlock(&mut self, hold: HoldId) {
        for lock in &mut self.locks {
            if *lock == hold {
                *lock = 0;
            }
        }
    }

    /// Whether the hold is marked for another payment, one that binds. PostgreSQL tells; a payment that is not written yet
    /// does not bind either, when its claim takes longer than a moment.
    fn is_bound(&self, buyer: usize, own: Option<usize>) -> bool {
        match self.marks[buyer] {
            Mark::Paying(key) => Some(key) != own && self.payments[key].status.is_live(),
            _ => false,
        }
    }
}
