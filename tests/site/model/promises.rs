//! What must hold always.
//!
//! The invariant: it is the same in every scenario. What is said of settled money is said when nobody is in the middle of
//! anything and nothing is due; that this comes about is a promise too.

use stateright::Property;

use super::{
    BoxOffice,
    happenings::Happening,
    redis::each,
    sights::{Sight, any},
    state::{AT_REST, Mark, PARTIES, State, Status, Step, is_due, is_owed, worth},
};

pub const ONE_BOOKING: &str = "a seat is in one live booking at most";
pub const NO_MORE_BACK: &str = "no more goes back than was taken, and each refund once";
pub const NO_BOOKING_AND_REFUND: &str = "no payment in refunding or refunded has a booking";
pub const WHOLE_HOLD: &str = "a hold is a whole party or nothing";
pub const WHOLE_BOOKING: &str = "a booking is a whole party or nothing";
pub const CLAIM_WHILE_UNSETTLED: &str =
    "a payment has the claims of its whole party while it is unsettled, and none after";
pub const CLAIMED_SEAT_IS_SAFE: &str = "nobody is charged for a seat that is another's";
pub const INTENT: &str = "nobody is charged without a payment in the books";
pub const ONE_CAPTURE: &str = "a purchase is charged once";
pub const BALANCE: &str = "once settled, captured minus refunded is the price of the live seats";
pub const NOT_STUCK: &str = "once settled, every payment has come to its end";
pub const RECOVERY_SETTLES: &str = "whatever is left behind, recovery settles it";

/// Told from one state.
pub type Condition = fn(&BoxOffice, &State) -> bool;

/// What must hold always.
const PROMISES: [(&str, Condition); 12] = [
    (ONE_BOOKING, one_booking),
    (NO_MORE_BACK, no_more_back),
    (NO_BOOKING_AND_REFUND, no_booking_and_refund),
    (WHOLE_HOLD, whole_hold),
    (WHOLE_BOOKING, whole_booking),
    (CLAIM_WHILE_UNSETTLED, claim_while_unsettled),
    (CLAIMED_SEAT_IS_SAFE, claimed_seat_is_safe),
    (INTENT, intent),
    (ONE_CAPTURE, one_capture),
    (BALANCE, |office, state| {
        !state.is_settled() || is_balanced(office, state)
    }),
    (NOT_STUCK, |_, state| {
        !state.is_settled() || is_at_its_end(state)
    }),
    (RECOVERY_SETTLES, recovery_settles),
];

pub fn properties(sights: &[Sight]) -> Vec<Property<BoxOffice>> {
    let promises = PROMISES
        .iter()
        .map(|(name, holds)| Property::always(name, *holds));
    let sights = sights.iter().map(|sight| {
        let (name, is_seen) = sight.property();
        Property::sometimes(name, is_seen)
    });
    promises.chain(sights).collect()
}

fn one_booking(_: &BoxOffice, state: &State) -> bool {
    let mut sold = 0;
    for payment in &state.payments {
        if sold & payment.tickets != 0 {
            return false;
        }
        sold |= payment.tickets;
    }
    sold == state.booked
}

fn no_more_back(office: &BoxOffice, state: &State) -> bool {
    office.keys().all(|key| {
        let (payment, account) = (&state.payments[key], &state.provider[key]);
        let once = (0..2).all(|row| account.returned[row] <= payment.refunds[row].amount);
        once && account.returned.iter().sum::<u8>() <= account.captures * worth(office.party(key))
    })
}

fn no_booking_and_refund(_: &BoxOffice, state: &State) -> bool {
    !any(state, |payment| {
        payment.tickets != 0 && matches!(payment.status, Status::Refunding | Status::Refunded)
    })
}

fn whole_hold(_: &BoxOffice, state: &State) -> bool {
    (0..PARTIES.len()).all(|buyer| {
        state.marks[buyer] == Mark::Gone
            || each(PARTIES[buyer]).all(|seat| state.locks[seat] == state.present(buyer))
    })
}

/// Tickets and what was returned for cancelled ones make up the party.
fn whole_booking(office: &BoxOffice, state: &State) -> bool {
    office.keys().all(|key| {
        let payment = &state.payments[key];
        let cancelled: u8 = payment.refunds.iter().map(|refund| refund.amount).sum();
        payment.status != Status::Booked
            || worth(payment.tickets) + cancelled == worth(office.party(key))
    })
}

fn claim_while_unsettled(office: &BoxOffice, state: &State) -> bool {
    office.keys().all(|key| {
        let payment = &state.payments[key];
        payment.claims
            == if payment.status.is_unsettled() {
                office.party(key)
            } else {
                0
            }
    })
}

/// Not while it is unsettled, that is: who was charged late finds out afterwards, and has the money back.
fn claimed_seat_is_safe(office: &BoxOffice, state: &State) -> bool {
    let mut taken = state.booked;
    office.keys().all(|key| {
        let party = office.party(key);
        if !state.payments[key].status.is_unsettled() {
            return true;
        }
        let is_safe = taken & party == 0;
        taken |= party;
        is_safe
    })
}

fn intent(office: &BoxOffice, state: &State) -> bool {
    office.keys().all(|key| {
        let account = &state.provider[key];
        state.payments[key].status != Status::Unwritten
            || !account.charge_under_way && account.captures == 0
    })
}

fn one_capture(_: &BoxOffice, state: &State) -> bool {
    state.provider.iter().all(|account| account.captures <= 1)
}

fn is_balanced(office: &BoxOffice, state: &State) -> bool {
    office.keys().all(|key| {
        let account = &state.provider[key];
        let taken = account.captures * worth(office.party(key));
        let returned: u8 = account.returned.iter().sum();
        taken == returned + worth(state.payments[key].tickets)
    })
}

fn is_at_its_end(state: &State) -> bool {
    state.payments.iter().all(|payment| {
        !payment.status.is_unsettled()
            && payment.status != Status::Refunding
            && !payment.refunds.into_iter().any(is_owed)
    })
}

/// When all that was under way has died, one worker that nothing disturbs brings all to its end. (Asked where nobody is in the
/// middle of anything: anybody may die at any step.)
fn recovery_settles(office: &BoxOffice, state: &State) -> bool {
    if !state.is_idle() || state.is_settled() {
        return true;
    }
    let mut state = *state;
    // Each payment is taken for at most: settling, looking again, two refunds.
    for _ in 0..4 {
        for key in office.keys() {
            if is_due(&state.payments[key]) {
                office.recover(&mut state, key);
            }
        }
    }
    state.is_settled() && is_at_its_end(&state) && is_balanced(office, &state)
}

impl BoxOffice {
    /// One worker takes what is due of a payment and works until it rests.
    fn recover(&self, state: &mut State, key: usize) {
        let payment = &state.payments[key];
        let happening = if payment.status.is_unsettled() {
            Happening::Leased { key }
        } else if payment.look_again {
            Happening::LeasedToLookAgain { key }
        } else {
            let refund = usize::from(!is_owed(payment.refunds[0]));
            Happening::Returned { key, refund }
        };
        self.happens(state, happening);
        while state.workers[0].step != Step::Idle
            && self.happens(state, Happening::Worker { worker: 0 })
        {}
        state.workers[0] = AT_REST;
    }
}
