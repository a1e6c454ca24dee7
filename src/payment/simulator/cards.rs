//! The simulator's cards: each number stands for one way in which a card, or the way to its bank, can behave.

use std::time::Duration;

/// A card number that selects a behaviour, listed on the checkout in demo mode.
#[derive(Debug, Clone, Copy)]
pub struct TestCard {
    /// Digits only.
    pub number: &'static str,
    /// The key of its description in the catalogue of texts.
    pub text: &'static str,
    manner: Manner,
}

/// How a card behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// Approved at once.
    Approved,
    /// Declined, for this reason.
    Declined(&'static str),
    /// Approved, but only after [`SLOWNESS`].
    Slow,
    /// Charged, and the answer never comes.
    AnswerLost,
    /// Declined, and charged after all a while later.
    CapturedLater,
    /// Approved; every refund fails the first two times.
    RefundsFail,
    /// Approved; its notice comes three times, late, and behind those of others.
    NoticesLate,
}

/// How long the slow card takes.
pub(super) const SLOWNESS: Duration = Duration::from_secs(5);

/// When the card that is charged after all is charged.
pub(super) const LATER: Duration = Duration::from_secs(5);

/// How often refunds to the card that refuses them fail.
pub(super) const FAILING_REFUNDS: u32 = 2;

/// Every card that the simulator knows; the first is approved.
pub const TEST_CARDS: [TestCard; 8] = [
    card("4242424242424242", "test-card-approved", Manner::Approved),
    card(
        "4000000000000002",
        "test-card-declined",
        Manner::Declined("declined"),
    ),
    card(
        "4000000000009995",
        "test-card-no-funds",
        Manner::Declined("insufficient_funds"),
    ),
    card("4000000000000101", "test-card-slow", Manner::Slow),
    card(
        "4000000000000119",
        "test-card-answer-lost",
        Manner::AnswerLost,
    ),
    card(
        "4000000000000127",
        "test-card-captured-later",
        Manner::CapturedLater,
    ),
    card(
        "4000000000005126",
        "test-card-refunds-fail",
        Manner::RefundsFail,
    ),
    card(
        "4000000000000036",
        "test-card-notices-late",
        Manner::NoticesLate,
    ),
];

const fn card(number: &'static str, text: &'static str, manner: Manner) -> TestCard {
    TestCard {
        number,
        text,
        manner,
    }
}

/// How the card of this number behaves; a number that is none of ours is declined.
pub(super) fn manner(number: &str) -> Manner {
    TEST_CARDS
        .iter()
        .find(|card| card.number == number)
        .map_or(Manner::Declined("not_a_test_card"), |card| card.manner)
}
