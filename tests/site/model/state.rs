//! What there is at one moment: Redis, the books in PostgreSQL, the provider, and who is in the middle of what.
//!
//! The invariant: what no store and no process knows (a ghost) is named as such. Every seat costs one, so that sums are
//! numbers of seats.

/// Seats as bits.
pub type Seats = u8;

/// Seat 1 is wanted by both buyers.
pub const PARTIES: [Seats; 2] = [0b011, 0b110];

/// So many seats are in the room.
pub const SEATS: usize = 3;

/// So many keys of payments there are at most.
pub const KEYS: usize = 3;

/// The id of a hold; 0 is none.
pub type HoldId = u8;

/// The buyer's `number`th hold, counted from one.
pub fn hold_id(buyer: usize, number: u8) -> HoldId {
    match buyer {
        0 => number,
        _ => 0x10 | number,
    }
}

/// How many seats these are, and so what they cost.
pub fn worth(seats: Seats) -> u8 {
    match seats & 0b111 {
        0b000 => 0,
        0b001 | 0b010 | 0b100 => 1,
        0b111 => 3,
        _ => 2,
    }
}

/// What the hold's hash says; its buyer's present one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    Gone,
    Held,
    Paying(usize),
}

/// A payment's row; `Unwritten` when there is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    Unwritten,
    Pending,
    Unknown,
    Captured,
    Declined,
    Voided,
    Booked,
    Refunding,
    Refunded,
}

impl Status {
    pub fn is_unsettled(self) -> bool {
        matches!(self, Self::Pending | Self::Unknown | Self::Captured)
    }

    pub fn is_ended(self) -> bool {
        matches!(self, Self::Declined | Self::Voided)
    }

    /// As the index `payment_one_live_per_hold` has it.
    pub fn is_live(self) -> bool {
        self.is_unsettled() || self == Self::Booked
    }
}

/// A refund's row: what it returns (0: there is no row), and whether it is done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Refund {
    pub amount: u8,
    pub done: bool,
}

/// A payment in the books, with all rows that name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Payment {
    pub status: Status,
    /// Of an unwritten one: the hold that the form with its key names.
    pub hold: HoldId,
    pub claims: Seats,
    /// Live tickets of its booking.
    pub tickets: Seats,
    pub refunds: [Refund; 2],
    /// It is to be asked about once more.
    pub look_again: bool,
    /// Its money came late (a ghost).
    pub late: bool,
}

/// What the provider knows of a key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ledger {
    Nothing,
    Captured,
    /// Declined; it may still change its mind.
    Declined,
    /// Declined, and the time to change its mind is over (a ghost: nobody can tell it from `Declined`).
    DeclinedForGood,
    Voided,
}

/// A key at the provider.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Account {
    /// A charge is on its way there.
    pub charge_under_way: bool,
    pub ledger: Ledger,
    /// How often the money was taken.
    pub captures: u8,
    /// What went back, by refund.
    pub returned: [u8; 2],
}

/// Where a chain or a worker is, named by what it does next or waits for. All that it knows is in here, and gone with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    Idle,
    /// A press found no payment with its key, and is going to mark the hold.
    Mark,
    /// The hold is marked; the seats' rows are to be locked.
    Lock,
    /// Only with the test before the lock: the seats looked free.
    LockAsLooked,
    /// The rows are locked; then one looks, writes and commits.
    Write,
    /// The same, but one has looked before.
    WriteAsLooked,
    /// The claim is committed; the charge is to be sent.
    Send,
    AwaitAnswer,
    RecordUnknown,
    RecordCaptured,
    RecordDeclined,
    RecordVoided,
    /// Returns the hold to its buyer.
    Unmark,
    /// The same, and then marks the hold for the payment that it has.
    UnmarkFor(usize),
    MarkFor(usize),
    Confirm,
    /// Ends the hold of a booking.
    Finish,
    RecordSeatsLost,
    /// A late capture: who holds its seats?
    AskRedis,
    ClaimAnew,
    RecordTooLate,
    LookUp,
    Void,
    LookAgain,
    RecordReturned(usize),
}

/// A recovery worker: what it is at, and for which payment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Worker {
    pub key: usize,
    pub step: Step,
}

pub const AT_REST: Worker = Worker {
    key: 0,
    step: Step::Idle,
};

/// How much more may happen of what happens rarely.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Budget {
    /// Redis loses everything.
    pub wipes: u8,
    /// A charge is delivered twice.
    pub duplicates: u8,
    /// A declined charge is captured after all.
    pub late: u8,
    /// A buyer cancels.
    pub cancels: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// Redis: whose each seat's lock is.
    pub locks: [HoldId; SEATS],
    /// Redis: the present hold of each buyer.
    pub marks: [Mark; 2],
    /// How many holds each buyer has had; the last one's number.
    pub holds: [u8; 2],
    /// PostgreSQL: seats with `status = 'booked'`.
    pub booked: Seats,
    pub payments: [Payment; KEYS],
    pub provider: [Account; KEYS],
    /// The chain of each key's first and second press.
    pub chains: [[Step; 2]; KEYS],
    pub workers: [Worker; 2],
    pub left: Budget,
}

impl State {
    pub fn at_the_start(left: Budget) -> Self {
        Self {
            locks: [0; SEATS],
            marks: [Mark::Gone; 2],
            holds: [0; 2],
            booked: 0,
            payments: [Payment {
                status: Status::Unwritten,
                hold: 0,
                claims: 0,
                tickets: 0,
                refunds: [Refund::default(); 2],
                look_again: false,
                late: false,
            }; KEYS],
            provider: [Account {
                charge_under_way: false,
                ledger: Ledger::Nothing,
                captures: 0,
                returned: [0; 2],
            }; KEYS],
            chains: [[Step::Idle; 2]; KEYS],
            workers: [AT_REST; 2],
            left,
        }
    }

    /// The id of the buyer's present (or last) hold.
    pub fn present(&self, buyer: usize) -> HoldId {
        hold_id(buyer, self.holds[buyer])
    }

    /// Nobody is in the middle of anything, and nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.chains == [[Step::Idle; 2]; KEYS]
            && self.workers == [AT_REST; 2]
            && !self.provider.iter().any(|account| account.charge_under_way)
    }

    /// Nothing is left for anybody to do, unless a buyer wants more.
    pub fn is_settled(&self) -> bool {
        self.is_idle() && !self.payments.iter().any(is_due)
    }
}

/// Whether a worker would take this up.
pub fn is_due(payment: &Payment) -> bool {
    payment.status.is_unsettled() || payment.look_again || payment.refunds.into_iter().any(is_owed)
}

pub fn is_owed(refund: Refund) -> bool {
    refund.amount > 0 && !refund.done
}
