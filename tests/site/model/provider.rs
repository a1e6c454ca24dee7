//! The payment provider, with a ledger of its own: slow, forgetful of its answers, and sometimes of two minds.
//!
//! The invariant: what is under one key happens once. That no more is returned than was taken it does not check here, so that
//! it is our books that are put to the test.

use super::{
    rules::Rules,
    state::{Account, Ledger},
};

impl Account {
    /// A charge arrives; true when the answer is that the money was taken.
    pub fn deliver(&mut self, approves: bool, rules: Rules) -> bool {
        match self.ledger {
            Ledger::Nothing if approves => {
                self.ledger = Ledger::Captured;
                self.captures += 1;
            }
            Ledger::Nothing => self.ledger = Ledger::Declined,
            Ledger::Captured if !rules.charges_have_keys => self.captures += 1,
            _ => {}
        }
        self.ledger == Ledger::Captured
    }

    /// What was declined is charged after all.
    pub fn change_its_mind(&mut self) {
        self.ledger = Ledger::Captured;
        self.captures += 1;
    }

    /// Never to be charged from now on; false when it was.
    pub fn void(&mut self) -> bool {
        if self.ledger == Ledger::Nothing {
            self.ledger = Ledger::Voided;
        }
        self.ledger != Ledger::Captured
    }

    pub fn refund(&mut self, refund: usize, amount: u8, rules: Rules) {
        let returned = &mut self.returned[refund];
        if *returned == 0 || !rules.refunds_have_keys {
            *returned += amount;
        }
    }
}
