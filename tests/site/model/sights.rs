//! What must be met with some time, lest the promises be kept by nothing ever happening.
//!
//! The invariant: each is told from one state alone; the ghosts of `state` are there for that.

use super::{
    promises::Condition,
    state::{Ledger, Mark, Payment, State, Status, Step},
};

/// What a scenario may have to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    Booked,
    BookedThoughRedisForgot,
    Declined,
    SoldAtTheSecondTry,
    Voided,
    LateHonoured,
    LateReturned,
    CancelledAndReturned,
    OneSeatCancelled,
    Refused,
    SoldAgain,
    TwoAtTheSame,
}

impl Sight {
    pub fn property(self) -> (&'static str, Condition) {
        match self {
            Self::Booked => ("booked", |_, state| {
                any(state, |payment| payment.tickets != 0)
            }),
            Self::BookedThoughRedisForgot => ("booked though Redis forgot the hold", |_, state| {
                state.left.wipes == 0
                    && state.marks == [Mark::Gone; 2]
                    && state
                        .chains
                        .iter()
                        .flatten()
                        .any(|step| *step == Step::Finish)
            }),
            Self::Declined => ("declined", |_, state| {
                any(state, |payment| payment.status == Status::Declined)
            }),
            Self::SoldAtTheSecondTry => {
                ("declined, and sold at the second try", |office, state| {
                    office.keys().any(|first| {
                        office.keys().any(|second| {
                            office.buyer(first) == office.buyer(second)
                                && state.payments[first].status == Status::Declined
                                && state.payments[second].status == Status::Booked
                                && state.payments[first].hold == state.payments[second].hold
                        })
                    })
                })
            }
            Self::Voided => ("made void", |_, state| {
                state
                    .provider
                    .iter()
                    .any(|account| account.ledger == Ledger::Voided)
                    && any(state, |payment| payment.status == Status::Voided)
            }),
            Self::LateHonoured => ("a late capture is honoured", |_, state| {
                any(state, |payment| payment.late && payment.tickets != 0)
            }),
            Self::LateReturned => ("a late capture goes back", |_, state| {
                any(state, |payment| {
                    payment.late && payment.status == Status::Refunded
                })
            }),
            Self::CancelledAndReturned => ("cancelled, and the money back", |_, state| {
                any(state, |payment| {
                    payment.status == Status::Booked && payment.refunds[0].done
                })
            }),
            Self::OneSeatCancelled => ("one seat cancelled, then the other", |_, state| {
                any(state, |payment| {
                    payment.status == Status::Booked && payment.refunds.iter().all(|one| one.done)
                })
            }),
            Self::Refused => (
                "not charged, since the seats are another's",
                |office, state| {
                    office.keys().any(|key| {
                        state.payments[key].status == Status::Unwritten
                            && state.chains[key].contains(&Step::Unmark)
                            && state.free(office.party(key)) != office.party(key)
                    })
                },
            ),
            Self::SoldAgain => ("cancelled, and sold to the other buyer", |office, state| {
                office.keys().any(|first| {
                    office.keys().any(|second| {
                        office.buyer(first) != office.buyer(second)
                            && state.payments[first].status == Status::Booked
                            && state.payments[first].tickets == 0
                            && state.payments[second].tickets != 0
                    })
                })
            }),
            Self::TwoAtTheSame => ("two workers at the same payment", |_, state| {
                let [one, two] = state.workers;
                one.step != Step::Idle && one.step != two.step && one.key == two.key
            }),
        }
    }
}

pub fn any(state: &State, is_so: impl Fn(&Payment) -> bool) -> bool {
    state.payments.iter().any(is_so)
}
