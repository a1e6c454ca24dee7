//! The steps of a chain (`src/pages/checkout/pay.rs`, `src/payment/cashier.rs`) and of a recovery worker
//! (`src/payment/{recovery,late,refund}.rs`).
//!
//! The invariant: both go the same ways once they know what became of the money, and know nothing but what their step says.

use super::{
    BoxOffice,
    books::Confirmed,
    state::{Ledger, State, Status, Step},
};

/// What a record of the outcome may start from.
const WAITING: [Status; 2] = [Status::Pending, Status::Unknown];
const ENDED: [Status; 2] = [Status::Declined, Status::Voided];

impl BoxOffice {
    /// Takes the step; what comes next, or `None` when it cannot be taken now: rows are locked, or an answer is awaited.
    pub fn take_step(&self, state: &mut State, key: usize, step: Step) -> Option<Step> {
        let rules = self.rules;
        let (buyer, party) = (self.buyer(key), self.party(key));
        let hold = state.payments[key].hold;
        if matches!(
            step,
            Step::Lock | Step::LockAsLooked | Step::Confirm | Step::ClaimAnew
        ) && self.locked(state) & party != 0
        {
            return None;
        }
        Some(match step {
            Step::Idle | Step::AwaitAnswer => return None,
            Step::Mark => self.mark(state, key),
            Step::Lock if !rules.intent_first => Step::Send,
            Step::Lock if !rules.lock_first && state.free(party) == party => Step::LockAsLooked,
            Step::Lock if !rules.lock_first => Step::Unmark,
            Step::Lock => Step::Write,
            Step::LockAsLooked => Step::WriteAsLooked,
            Step::Write | Step::WriteAsLooked => {
                let looked = step == Step::WriteAsLooked;
                if state.claim(key, party, hold, looked, rules) {
                    Step::Send
                } else if state.payments[key].status != Status::Unwritten {
                    // Another press was faster: the same answer.
                    Step::Idle
                } else if let Some(other) = state.live_of_hold(hold) {
                    Step::UnmarkFor(other)
                } else {
                    Step::Unmark
                }
            }
            Step::Send => {
                state.provider[key].charge_under_way = true;
                Step::AwaitAnswer
            }
            Step::RecordUnknown => {
                state.record(key, &[Status::Pending], Status::Unknown, rules);
                Step::Idle
            }
            Step::RecordCaptured => self.record_captured(state, key),
            Step::RecordDeclined | Step::RecordVoided => {
                let to = match step {
                    Step::RecordDeclined => Status::Declined,
                    _ => Status::Voided,
                };
                if state.payments[key].status != Status::Unwritten {
                    state.record_not_charged(key, to, rules);
                }
                Step::Unmark
            }
            Step::Unmark => {
                state.end_payment(buyer, hold, key);
                Step::Idle
            }
            Step::UnmarkFor(other) => {
                state.end_payment(buyer, hold, key);
                Step::MarkFor(other)
            }
            Step::MarkFor(other) => {
                if state.present(buyer) == hold {
                    state.begin_payment(buyer, other);
                }
                Step::Idle
            }
            Step::Confirm => match state.confirm(key, party, rules) {
                Confirmed::Booked => Step::Finish,
                Confirmed::SeatsLost => Step::RecordSeatsLost,
                Confirmed::NotCaptured => Step::Idle,
            },
            Step::Finish => {
                state.finish(buyer, hold);
                Step::Idle
            }
            Step::RecordSeatsLost => {
                state.record_refunding(key, party, &[Status::Captured], rules);
                Step::Idle
            }
            Step::AskRedis if state.is_held_by_nobody_else(buyer, hold) => Step::ClaimAnew,
            Step::ClaimAnew if state.claim_anew(key, party, rules) => Step::Confirm,
            Step::AskRedis | Step::ClaimAnew => Step::RecordTooLate,
            Step::RecordTooLate => {
                state.record_refunding(key, party, &ENDED, rules);
                match state.payments[key].status {
                    Status::Captured => Step::Confirm,
                    _ => Step::Idle,
                }
            }
            Step::LookUp => match state.provider[key].ledger {
                Ledger::Captured => Step::RecordCaptured,
                Ledger::Declined | Ledger::DeclinedForGood => Step::RecordDeclined,
                Ledger::Nothing | Ledger::Voided if rules.void_first => Step::Void,
                Ledger::Nothing | Ledger::Voided => Step::RecordVoided,
            },
            Step::Void if state.provider[key].void() => Step::RecordVoided,
            Step::Void => Step::RecordCaptured,
            Step::LookAgain => look_again(state, key),
            Step::RecordReturned(refund) => {
                state.record_returned(key, refund);
                Step::Idle
            }
        })
    }

    fn mark(&self, state: &mut State, key: usize) -> Step {
        let buyer = self.buyer(key);
        if !state.begin_payment(buyer, key) {
            return Step::Idle;
        }
        if state.payments[key].status == Status::Unwritten {
            state.payments[key].hold = state.present(buyer);
        }
        Step::Lock
    }

    fn record_captured(&self, state: &mut State, key: usize) -> Step {
        let (rules, party) = (self.rules, self.party(key));
        if state.payments[key].status == Status::Unwritten {
            // Only without the intent: all is written now.
            let hold = state.payments[key].hold;
            if !state.claim(key, party, hold, false, rules) {
                return Step::Unmark;
            }
        }
        if state.record(key, &WAITING, Status::Captured, rules) {
            return Step::Confirm;
        }
        match state.payments[key].status {
            Status::Declined | Status::Voided => Step::AskRedis,
            Status::Captured => Step::Confirm,
            _ => Step::Idle,
        }
    }
}

/// Asks once more. A decline that stands two minutes later stands for good: this is what the protocol trusts the provider in.
fn look_again(state: &mut State, key: usize) -> Step {
    let account = &mut state.provider[key];
    if account.ledger == Ledger::Captured {
        return Step::RecordCaptured;
    }
    if account.ledger == Ledger::Declined {
        account.ledger = Ledger::DeclinedForGood;
    }
    state.payments[key].look_again = false;
    Step::Idle
}
