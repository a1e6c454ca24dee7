//! The books in PostgreSQL: what `src/payment/{claim,record,late}.rs` and `src/booking/{confirm,cancel}.rs` write, each
//! transaction in one step; only the claim shows its locks, since it may look before it has them.
//!
//! The invariant: a transaction writes all or nothing, and waits while a claim holds the rows of its seats.

use super::{
    rules::Rules,
    state::{HoldId, KEYS, PARTIES, Refund, Seats, State, Status, Step, worth},
};

/// What became of a wish to confirm.
pub enum Confirmed {
    Booked,
    SeatsLost,
    NotCaptured,
}

impl State {
    /// Seats whose rows a claim has locked just now.
    pub fn locked(&self, owners: &[usize]) -> Seats {
        let mut locked = 0;
        for (chains, owner) in self.chains.iter().zip(owners) {
            if chains.contains(&Step::Write) || chains.contains(&Step::WriteAsLooked) {
                locked |= PARTIES[*owner];
            }
        }
        locked
    }

    /// Those of the seats that are available and unclaimed.
    pub fn free(&self, seats: Seats) -> Seats {
        self.payments
            .iter()
            .fold(seats & !self.booked, |free, payment| free & !payment.claims)
    }

    /// Writes payment and claims, unless the seats are not to be had; `looked`: they were free a while ago.
    pub fn claim(
        &mut self,
        key: usize,
        party: Seats,
        hold: HoldId,
        looked: bool,
        rules: Rules,
    ) -> bool {
        let claimed = self.payments.iter().fold(0, |all, one| all | one.claims);
        let takes = match (rules.postgres_decides, looked) {
            (false, _) => party,
            // What is left then is the primary key of `seat_claim`.
            (true, true) => party & !claimed,
            (true, false) => self.free(party),
        };
        let is_whole = takes == party || !rules.rows_are_counted && takes != 0;
        if !is_whole
            || self.payments[key].status != Status::Unwritten
            || self.live_of_hold(hold).is_some()
        {
            return false;
        }
        let payment = &mut self.payments[key];
        payment.status = Status::Pending;
        payment.hold = hold;
        payment.claims = takes;
        true
    }

    /// `Payments::claim_anew`.
    pub fn claim_anew(&mut self, key: usize, party: Seats, rules: Rules) -> bool {
        let payment = self.payments[key];
        let takes = self.free(party);
        let is_whole = takes == party || !rules.rows_are_counted && takes != 0;
        if (rules.postgres_decides && !is_whole)
            || !payment.status.is_ended()
            || self.live_of_hold(payment.hold).is_some()
        {
            return false;
        }
        let payment = &mut self.payments[key];
        payment.status = Status::Captured;
        payment.claims = if rules.postgres_decides { takes } else { party };
        payment.look_again = false;
        payment.late = true;
        true
    }

    /// `Bookings::confirm`.
    pub fn confirm(&mut self, key: usize, party: Seats, rules: Rules) -> Confirmed {
        let payment = &mut self.payments[key];
        match payment.status {
            Status::Captured => {}
            _ if !rules.compare_and_set => {}
            Status::Booked => return Confirmed::Booked,
            _ => return Confirmed::NotCaptured,
        }
        let sells = if rules.postgres_decides {
            payment.claims & !self.booked
        } else {
            party
        };
        if sells == 0 || sells != party && rules.rows_are_counted {
            return Confirmed::SeatsLost;
        }
        payment.status = Status::Booked;
        payment.tickets = sells;
        payment.claims = 0;
        self.booked |= sells;
        Confirmed::Booked
    }

    /// Moves a payment that is in one of these states.
    pub fn record(&mut self, key: usize, from: &[Status], to: Status, rules: Rules) -> bool {
        let payment = &mut self.payments[key];
        if rules.compare_and_set && !from.contains(&payment.status) {
            return false;
        }
        payment.status = to;
        true
    }

    /// `Payments::record_not_charged`.
    pub fn record_not_charged(&mut self, key: usize, to: Status, rules: Rules) {
        if self.record(key, &[Status::Pending, Status::Unknown], to, rules) {
            self.payments[key].claims = 0;
            self.payments[key].look_again = rules.look_again;
        }
    }

    /// `Payments::record_refunding`: the whole sum is owed.
    pub fn record_refunding(&mut self, key: usize, party: Seats, from: &[Status], rules: Rules) {
        if self.record(key, from, Status::Refunding, rules) {
            self.payments[key].claims = 0;
            self.payments[key].look_again = false;
            self.payments[key].late |= from.contains(&Status::Voided);
            self.owe(key, worth(party));
        }
    }

    /// `Bookings::cancel`.
    pub fn cancel(&mut self, key: usize, seats: Seats) {
        self.payments[key].tickets &= !seats;
        self.booked &= !seats;
        self.owe(key, worth(seats));
    }

    /// `Payments::record_returned`.
    pub fn record_returned(&mut self, key: usize, refund: usize) {
        let payment = &mut self.payments[key];
        if !payment.refunds[refund].done && payment.status == Status::Refunding {
            payment.status = Status::Refunded;
        }
        payment.refunds[refund].done = true;
    }

    /// What nothing in the protocol does.
    pub fn drop_claims_of(&mut self, hold: HoldId) {
        for payment in &mut self.payments {
            if payment.hold == hold {
                payment.claims = 0;
            }
        }
    }

    fn owe(&mut self, key: usize, amount: u8) {
        let refunds = &mut self.payments[key].refunds;
        if let Some(row) = refunds.iter_mut().find(|refund| refund.amount == 0) {
            *row = Refund {
                amount,
                done: false,
            };
        }
    }

    /// The index `payment_one_live_per_hold`, and `Payments::live_of_hold`.
    pub fn live_of_hold(&self, hold: HoldId) -> Option<usize> {
        (0..KEYS)
            .find(|key| self.payments[*key].hold == hold && self.payments[*key].status.is_live())
    }
}
