//! Holds: seats kept for one buyer until a time. They live in Redis only.
//!
//! The invariant: a hold is the whole party or nothing, and only its own buyer can change it. Redis decides who may try;
//! what a hold promises is made good by PostgreSQL when it is paid for. Every rule stands in a script beside this file,
//! because only a script sees and changes several keys at one instant.

mod keys;
mod reply;
mod store;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::limit::Rate;
pub use keys::Keys;
pub use store::Holds;

/// At a hold's first Pay, at least this much time is left. Once.
pub const PAYMENT_GRACE: Duration = Duration::from_mins(1);

/// How long a sold seat's lock lives on: longer than any request does.
pub const LINGER: Duration = Duration::from_secs(15);

/// Who holds: a browser, known by the id in its cookie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuyerId(String);

impl BuyerId {
    /// A buyer that nobody has been before.
    #[must_use]
    pub fn new() -> Self {
        Self(crate::random::token())
    }

    /// The buyer that a cookie names, if it has a buyer's form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        crate::random::is_token(text).then(|| Self(text.to_owned()))
    }

    /// As it stands in the cookie, in Redis and in PostgreSQL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for BuyerId {
    fn default() -> Self {
        Self::new()
    }
}

/// What one buyer holds at one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// Names the hold and just this selection of seats: changing the seats changes the id.
    pub id: String,
    /// Seat ids.
    pub seats: Vec<i64>,
    /// Time left, in milliseconds: the smallest `PTTL` over the hold's keys.
    pub time_left_ms: u64,
    /// How many extensions it has had.
    pub extensions: u32,
    /// Milliseconds since the first seat was held.
    pub age_ms: u64,
    /// The payment that is running for it, if one is.
    pub payment: Option<Uuid>,
}

/// What the form of the map, or of the checkout, asks for.
pub struct Wish<'a> {
    /// The hold that the form was drawn with.
    pub hold: Option<&'a str>,
    /// The named seats.
    pub seats: &'a [i64],
    /// From which network, and how many seats it may take in which window; `None` for no limit.
    pub network: Option<(&'a str, Rate)>,
    /// Whether another present hold than `hold` refuses (`Former`) instead of being added to.
    pub exact: bool,
}

/// What became of an attempt to hold.
#[derive(Debug, PartialEq, Eq)]
pub enum Acquired {
    /// All of them are held, under this id.
    Held(String),
    /// Nothing changed: this network has taken too many lately; how long until it may again.
    SlowDown(Duration),
    /// Nothing changed: these seats are in others' hands.
    Taken(Vec<i64>),
    /// Nothing changed: more seats than one hold may have.
    TooMany,
    /// Nothing changed, and nothing may while this payment runs.
    Paying(Running),
    /// Nothing changed: the form named a former hold.
    Former,
    /// Nothing changed: there is no hold any more.
    Gone,
}

/// What became of a hold that someone wanted to release, to extend, or to pay for.
#[derive(Debug, PartialEq, Eq)]
pub enum Changed {
    /// It was done, or had been done before. The seat ids that it was done to.
    Done(Vec<i64>),
    /// No later deadline is allowed.
    Capped,
    /// Nothing may change while this payment runs.
    Paying(Running),
    /// The form named a former hold; the buyer has another by now.
    Former,
    /// There is no such hold any more.
    Gone,
}

/// The payment that a hold is marked with. The mark binds only while PostgreSQL knows that payment as unsettled or sold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// The payment's id, as the hold names it.
    pub payment: String,
    /// The hold that is marked.
    pub hold: String,
}

/// One held seat as staff see it.
#[derive(Debug, Clone)]
pub struct HeldSeat {
    /// The seat.
    pub seat: i64,
    /// The hold.
    pub hold: String,
    /// Time left, in milliseconds.
    pub time_left_ms: u64,
    /// Whether a payment is running for it.
    pub paying: bool,
}
