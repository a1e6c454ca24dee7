//! The provider: whoever moves the money. A neighbour that can be slow, can fail, and can lose its answer.

use std::fmt;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A card as it was typed. Lives only as long as the charge, and never shows itself.
#[derive(Clone, Serialize, Deserialize)]
pub struct Card {
    /// Digits only.
    pub number: String,
    /// `MM/YY`.
    pub expiry: String,
    /// Three or four digits.
    pub cvc: String,
}

impl Card {
    /// The last four digits, which may be stored.
    #[must_use]
    pub fn last4(&self) -> &str {
        &self.number[self.number.len().saturating_sub(4)..]
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Card(…)")
    }
}

/// What is to be charged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Charge {
    /// The payment's id: the provider charges at most once for one key.
    pub key: Uuid,
    /// In minor units.
    pub amount_minor: i64,
    /// ISO 4217.
    pub currency: String,
    /// From what.
    pub card: Card,
}

/// The provider's answer to a charge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", content = "reason", rename_all = "snake_case")]
pub enum Charged {
    /// The money was taken.
    Captured,
    /// It was not, and this key never will be; the name of the reason, such as `insufficient_funds`.
    Declined(String),
}

/// What the provider knows of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", content = "reason", rename_all = "snake_case")]
pub enum Seen {
    /// It has never seen the key, or is still at it.
    Nothing,
    /// The money was taken.
    Captured,
    /// It was not, for this reason.
    Declined(String),
    /// The key was made void.
    Voided,
}

/// The provider's answer to a void.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Voided {
    /// A later charge with this key fails.
    Voided,
    /// Too late: the money was taken.
    AlreadyCaptured,
}

/// The provider's answer to a refund.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", content = "reason", rename_all = "snake_case")]
pub enum Returned {
    /// The money is on its way to the buyer's account, now or already before.
    Done,
    /// It will not, not now at least, for this reason.
    Refused(String),
}

/// A call that came to no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// The call surely never reached the provider: nothing can have come of it.
    #[error("the payment provider cannot be reached: {0}")]
    NotSent(String),
    /// It may have: what became of it is unknown.
    #[error("the payment provider did not answer: {0}")]
    Lost(String),
}

/// Whoever moves the money. Every call bounds its own time; every call may be repeated, since each has its key.
pub trait Provider: Send + Sync {
    /// Whether it makes sense to ask just now: not while it has failed so often that a pause is due.
    fn is_available(&self) -> bool {
        true
    }
    /// Takes the money, at most once for one key: a repeat answers as the first did.
    fn charge(&self, charge: Charge) -> BoxFuture<'_, Result<Charged, NoAnswer>>;
    /// What became of a key.
    fn look_up(&self, key: Uuid) -> BoxFuture<'_, Result<Seen, NoAnswer>>;
    /// Makes sure that a key is never charged from now on.
    fn void(&self, key: Uuid) -> BoxFuture<'_, Result<Voided, NoAnswer>>;
    /// Returns money taken under `key`; `refund` is this return's own key, so that a repeat returns nothing more.
    fn refund(
        &self,
        key: Uuid,
        refund: Uuid,
        amount_minor: i64,
    ) -> BoxFuture<'_, Result<Returned, NoAnswer>>;
}
