//! The situations in which the protocol is checked: who is there, and how much may go wrong.
//!
//! The invariant: each is small enough to be looked at in full, and names what must be met with in it.

use super::{
    sights::Sight::{self, *},
    state::Budget,
};

/// A situation. Chains and workers that die, holds that expire and workers that sleep past their lease are never counted: they
/// may happen at any time, any number of times.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    pub name: &'static str,
    /// Whose each key of a payment is.
    pub keys: &'static [usize],
    /// How many holds each buyer takes at most.
    pub holds: [u8; 2],
    /// How often a form's button is pressed at the same time.
    pub presses: usize,
    /// How many recovery workers there are.
    pub workers: usize,
    /// Whether the provider may decline.
    pub declines: bool,
    /// Whether a charge may not be sent, be late, or lose its answer.
    pub losses: bool,
    /// Whether seats are cancelled one by one as well.
    pub single_seats: bool,
    /// How much more may go wrong.
    pub budget: Budget,
    /// What must be met with, so that nothing is proven of nothing.
    pub sights: &'static [Sight],
}

const CALM: Scenario = Scenario {
    name: "calm",
    keys: &[0, 1],
    holds: [1, 1],
    presses: 1,
    workers: 1,
    declines: false,
    losses: false,
    single_seats: false,
    budget: Budget {
        wipes: 0,
        duplicates: 0,
        late: 0,
        cancels: 0,
    },
    sights: &[Booked],
};

/// Both buyers want seat 1, one holds twice, and a booking is cancelled, while Redis forgets everything once.
pub const RIVALS: Scenario = Scenario {
    name: "rivals",
    holds: [2, 1],
    budget: Budget {
        wipes: 1,
        cancels: 1,
        ..CALM.budget
    },
    sights: &[
        Booked,
        BookedThoughRedisForgot,
        Refused,
        CancelledAndReturned,
        SoldAgain,
    ],
    ..CALM
};

/// Both buyers pay, and charges are not sent, late, delivered twice or not answered.
pub const LOST_ANSWERS: Scenario = Scenario {
    name: "lost answers",
    losses: true,
    budget: Budget {
        wipes: 1,
        duplicates: 1,
        ..CALM.budget
    },
    sights: &[Booked, BookedThoughRedisForgot, Refused, Voided],
    ..CALM
};

/// A declined charge is captured after all, while the other buyer goes for the seats.
pub const LATE_CAPTURE: Scenario = Scenario {
    name: "late capture",
    declines: true,
    budget: Budget {
        late: 1,
        cancels: 1,
        ..CALM.budget
    },
    sights: &[
        Booked,
        Refused,
        Declined,
        LateHonoured,
        LateReturned,
        SoldAgain,
    ],
    ..CALM
};

/// One payment, two workers at it, and everything that a provider can do; seats are cancelled one by one.
pub const TWO_WORKERS: Scenario = Scenario {
    name: "two workers",
    keys: &[0],
    workers: 2,
    declines: true,
    losses: true,
    single_seats: true,
    budget: Budget {
        wipes: 1,
        duplicates: 1,
        late: 1,
        cancels: 2,
    },
    sights: &[
        Booked,
        Declined,
        Voided,
        LateHonoured,
        LateReturned,
        CancelledAndReturned,
        OneSeatCancelled,
        TwoAtTheSame,
    ],
    ..CALM
};

/// A buyer whose card was declined tries again with a new key, while the first charge may arrive after all.
pub const SECOND_TRY: Scenario = Scenario {
    name: "second try",
    keys: &[0, 0],
    holds: [1, 0],
    declines: true,
    losses: true,
    budget: Budget {
        wipes: 1,
        late: 1,
        ..CALM.budget
    },
    sights: &[
        Booked,
        Declined,
        Voided,
        SoldAtTheSecondTry,
        LateHonoured,
        LateReturned,
    ],
    ..CALM
};

/// A form is pressed twice at the same time.
pub const TWO_PRESSES: Scenario = Scenario {
    name: "two presses",
    keys: &[0],
    presses: 2,
    workers: 2,
    declines: true,
    losses: true,
    budget: Budget {
        wipes: 1,
        late: 1,
        ..CALM.budget
    },
    sights: &[
        Booked,
        Declined,
        Voided,
        LateHonoured,
        LateReturned,
        TwoAtTheSame,
    ],
    ..CALM
};

/// Those that are looked at every time.
pub const QUICK: [Scenario; 6] = [
    RIVALS,
    LOST_ANSWERS,
    LATE_CAPTURE,
    TWO_WORKERS,
    SECOND_TRY,
    TWO_PRESSES,
];

/// Both buyers pay, and anything goes wrong once.
const EVERYTHING: Scenario = Scenario {
    name: "everything",
    declines: true,
    losses: true,
    budget: Budget {
        wipes: 1,
        duplicates: 1,
        late: 1,
        cancels: 1,
    },
    sights: &[
        Booked,
        BookedThoughRedisForgot,
        Refused,
        Declined,
        Voided,
        LateHonoured,
        LateReturned,
        CancelledAndReturned,
        SoldAgain,
    ],
    ..CALM
};

/// Both buyers hold twice and two bookings are cancelled.
const LONG_RIVALS: Scenario = Scenario {
    name: "long rivals",
    holds: [2, 2],
    budget: Budget {
        cancels: 2,
        ..RIVALS.budget
    },
    ..RIVALS
};

/// A buyer tries again with a new key and presses both forms twice.
const TWO_FORMS: Scenario = Scenario {
    name: "two forms",
    presses: 2,
    losses: false,
    budget: Budget {
        wipes: 1,
        ..CALM.budget
    },
    sights: &[Booked, Declined, SoldAtTheSecondTry],
    ..SECOND_TRY
};

/// Those that are looked at when there is time.
pub const SLOW: [Scenario; 3] = [EVERYTHING, LONG_RIVALS, TWO_FORMS];
