//! What comes of each thing that happens.
//!
//! The invariant: one happening is one script of Redis, one transaction, one message or one death; nothing comes between.

use super::{
    BoxOffice,
    happenings::Happening,
    state::{AT_REST, State, Status, Step, Worker, hold_id},
};

impl BoxOffice {
    /// Makes it happen; false when it changes nothing.
    pub fn happens(&self, state: &mut State, happening: Happening) -> bool {
        let rules = self.rules;
        match happening {
            Happening::Hold { buyer } => return state.acquire(buyer),
            Happening::GiveBack { buyer, number } => return state.release(buyer, number, rules),
            Happening::Press { key } => {
                let step = match self.scenario.presses {
                    2 => Step::Mark,
                    _ => self.take_step(state, key, Step::Mark).unwrap_or(Step::Idle),
                };
                state.chains[key][0] = step;
                return step != Step::Idle;
            }
            Happening::Cancel { key, seats } => {
                if self.locked(state) & self.party(key) != 0 {
                    return false;
                }
                state.left.cancels -= 1;
                state.cancel(key, seats);
            }
            Happening::Chain { key, press } => {
                let step = state.chains[key][press];
                match self.take_step(state, key, step) {
                    Some(next) => state.chains[key][press] = next,
                    None => return false,
                }
            }
            Happening::NotSent { key, press } => state.chains[key][press] = Step::RecordVoided,
            Happening::Unanswered { key, press } => state.chains[key][press] = Step::RecordUnknown,
            Happening::ChainDies { key, press } => state.chains[key][press] = Step::Idle,
            Happening::Delivered {
                key,
                approves,
                again,
                heard,
            } => {
                state.provider[key].charge_under_way = again;
                state.left.duplicates -= u8::from(again);
                let answer = if state.provider[key].deliver(approves, rules) {
                    Step::RecordCaptured
                } else {
                    Step::RecordDeclined
                };
                let waiting = state.chains[key]
                    .iter_mut()
                    .find(|step| **step == Step::AwaitAnswer);
                if let Some(step) = waiting
                    && heard
                {
                    *step = answer;
                }
            }
            Happening::ChangedItsMind { key } => {
                state.left.late -= 1;
                state.provider[key].change_its_mind();
            }
            Happening::Leased { key } => {
                if state.payments[key].status == Status::Captured && !rules.captured_is_recovered {
                    return false;
                }
                let step = match state.payments[key].status {
                    Status::Captured => Step::Confirm,
                    _ => Step::LookUp,
                };
                state.workers[0] = Worker { key, step };
            }
            Happening::LeasedToLookAgain { key } => {
                let step = Step::LookAgain;
                state.workers[0] = Worker { key, step };
            }
            Happening::Returned { key, refund } => {
                let amount = state.payments[key].refunds[refund].amount;
                state.provider[key].refund(refund, amount, rules);
                let step = Step::RecordReturned(refund);
                state.workers[0] = Worker { key, step };
            }
            Happening::Worker { worker } => {
                let Worker { key, step } = state.workers[worker];
                match self.take_step(state, key, step) {
                    Some(next) => state.workers[worker].step = next,
                    None => return false,
                }
            }
            Happening::WorkerDies { worker } => state.workers[worker] = AT_REST,
            Happening::RedisIsAway { worker } => state.workers[worker].step = Step::RecordTooLate,
            Happening::Expired { buyer, number } => {
                if !state.expire(buyer, number) {
                    return false;
                }
                if !rules.claims_stay {
                    state.drop_claims_of(hold_id(buyer, number));
                }
            }
            Happening::Wiped => {
                state.left.wipes -= 1;
                return state.wipe();
            }
        }
        true
    }
}

/// Makes one of states that differ in names only: which worker is which, which press was first, and which key a form that
/// came to nothing had.
pub fn tidy(state: &mut State) {
    for worker in &mut state.workers {
        if worker.step == Step::Idle {
            *worker = AT_REST;
        }
    }
    state.workers.sort_unstable();
    for (chains, payment) in state.chains.iter_mut().zip(&mut state.payments) {
        chains.sort_unstable();
        if payment.status == Status::Unwritten && *chains == [Step::Idle; 2] {
            payment.hold = 0;
        }
    }
}
