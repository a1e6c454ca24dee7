//! What can happen next: what buyers do, what chains, workers and the provider go on with, and what goes wrong.
//!
//! The invariant: whatever is not counted in the state's budget may happen at any time.

use stateright::{Model, Property};

use super::{
    BoxOffice,
    effects::tidy,
    promises::properties,
    redis::each,
    state::{AT_REST, Ledger, PARTIES, Seats, State, Status, Step, is_owed},
};

/// One thing that happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Happening {
    Hold {
        buyer: usize,
    },
    GiveBack {
        buyer: usize,
        number: u8,
    },
    Press {
        key: usize,
    },
    Cancel {
        key: usize,
        seats: Seats,
    },
    /// A chain takes its next step.
    Chain {
        key: usize,
        press: usize,
    },
    NotSent {
        key: usize,
        press: usize,
    },
    Unanswered {
        key: usize,
        press: usize,
    },
    ChainDies {
        key: usize,
        press: usize,
    },
    /// A charge arrives at the provider. `again`: it will arrive once more. `heard`: the answer reaches whoever waits.
    Delivered {
        key: usize,
        approves: bool,
        again: bool,
        heard: bool,
    },
    ChangedItsMind {
        key: usize,
    },
    /// A worker leases an unsettled payment.
    Leased {
        key: usize,
    },
    LeasedToLookAgain {
        key: usize,
    },
    /// A worker leases a refund and has the provider return it.
    Returned {
        key: usize,
        refund: usize,
    },
    Worker {
        worker: usize,
    },
    WorkerDies {
        worker: usize,
    },
    /// A worker cannot ask who holds the seats of a late capture.
    RedisIsAway {
        worker: usize,
    },
    Expired {
        buyer: usize,
        number: u8,
    },
    Wiped,
}

impl Model for BoxOffice {
    type State = State;
    type Action = Happening;

    fn init_states(&self) -> Vec<State> {
        vec![State::at_the_start(self.scenario.budget)]
    }

    fn actions(&self, state: &State, happenings: &mut Vec<Happening>) {
        self.of_buyers(state, happenings);
        self.of_chains(state, happenings);
        self.of_the_provider(state, happenings);
        self.of_workers(state, happenings);
        for (buyer, number) in holds_had(state) {
            happenings.push(Happening::Expired { buyer, number });
        }
        if state.left.wipes > 0 {
            happenings.push(Happening::Wiped);
        }
    }

    fn next_state(&self, last: &State, happening: Happening) -> Option<State> {
        let mut state = *last;
        if !self.happens(&mut state, happening) {
            return None;
        }
        tidy(&mut state);
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties(self.scenario.sights)
    }
}

impl BoxOffice {
    fn of_buyers(&self, state: &State, happenings: &mut Vec<Happening>) {
        for buyer in 0..PARTIES.len() {
            if state.holds[buyer] < self.scenario.holds[buyer] {
                happenings.push(Happening::Hold { buyer });
            }
        }
        for (buyer, number) in holds_had(state) {
            happenings.push(Happening::GiveBack { buyer, number });
        }
        for key in self.keys() {
            let payment = &state.payments[key];
            let spare = state.chains[key][0] == Step::Idle;
            let alone = state.chains[key] == [Step::Idle; 2];
            if payment.status == Status::Unwritten
                && (alone || spare && self.scenario.presses == 2)
                && [0, state.present(self.buyer(key))].contains(&payment.hold)
            {
                happenings.push(Happening::Press { key });
            }
            if payment.tickets != 0 && state.left.cancels > 0 {
                let all = payment.tickets;
                happenings.push(Happening::Cancel { key, seats: all });
                if self.scenario.single_seats && all == self.party(key) {
                    happenings.extend(each(all).map(|seat| Happening::Cancel {
                        key,
                        seats: 1 << seat,
                    }));
                }
            }
        }
    }

    fn of_chains(&self, state: &State, happenings: &mut Vec<Happening>) {
        for key in self.keys() {
            for press in 0..2 {
                let step = state.chains[key][press];
                if step == Step::Idle {
                    continue;
                }
                if step == Step::AwaitAnswer {
                    if self.scenario.losses {
                        happenings.push(Happening::Unanswered { key, press });
                    }
                } else {
                    happenings.push(Happening::Chain { key, press });
                }
                if step == Step::Send && self.scenario.losses {
                    happenings.push(Happening::NotSent { key, press });
                }
                happenings.push(Happening::ChainDies { key, press });
            }
        }
    }

    fn of_the_provider(&self, state: &State, happenings: &mut Vec<Happening>) {
        for key in self.keys() {
            let account = &state.provider[key];
            if account.ledger == Ledger::Declined && state.left.late > 0 {
                happenings.push(Happening::ChangedItsMind { key });
            }
            if !account.charge_under_way {
                continue;
            }
            let may_decline = self.scenario.declines && account.ledger == Ledger::Nothing;
            let is_awaited = state.chains[key].contains(&Step::AwaitAnswer);
            let may_be_lost = self.scenario.losses && is_awaited;
            for approves in either(may_decline) {
                for heard in either(may_be_lost) {
                    for once in either(state.left.duplicates > 0) {
                        happenings.push(Happening::Delivered {
                            key,
                            approves,
                            again: !once,
                            heard,
                        });
                    }
                }
            }
        }
    }

    fn of_workers(&self, state: &State, happenings: &mut Vec<Happening>) {
        for worker in 0..2 {
            if state.workers[worker] != AT_REST {
                happenings.push(Happening::Worker { worker });
                happenings.push(Happening::WorkerDies { worker });
            }
            if state.workers[worker].step == Step::AskRedis {
                happenings.push(Happening::RedisIsAway { worker });
            }
        }
        // The first in order is at rest when any is.
        if state.workers[0] != AT_REST || self.scenario.workers == 1 && state.workers[1] != AT_REST
        {
            return;
        }
        for key in self.keys() {
            let payment = &state.payments[key];
            if payment.status.is_unsettled() {
                happenings.push(Happening::Leased { key });
            }
            if payment.look_again {
                happenings.push(Happening::LeasedToLookAgain { key });
            }
            for refund in 0..2 {
                if is_owed(payment.refunds[refund]) {
                    happenings.push(Happening::Returned { key, refund });
                }
            }
        }
    }
}

/// Yes, and if it may be, no.
fn either(may_not: bool) -> impl Iterator<Item = bool> {
    [true, false].into_iter().take(1 + usize::from(may_not))
}

fn holds_had(state: &State) -> impl Iterator<Item = (usize, u8)> {
    let holds = state.holds;
    (0..PARTIES.len()).flat_map(move |buyer| (1..=holds[buyer]).map(move |number| (buyer, number)))
}
