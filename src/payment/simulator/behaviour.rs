//! How the simulator misbehaves towards everybody, whatever the card: set while it runs, forgotten when it ends.

use serde::{Deserialize, Serialize};

/// Everything off is a provider that works. What is not named when it is set is off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Behaviour {
    /// Milliseconds before each answer, at most a minute.
    pub latency_ms: u64,
    /// Of a hundred calls, so many fail before anything is done.
    pub error_percent: u8,
    /// Of a hundred calls, so many are done, and their answers lost.
    pub lost_answer_percent: u8,
    /// The first so many tries of each refund fail.
    pub failing_refunds: u32,
    /// Each notice is sent so many times more, at most ten.
    pub duplicate_notices: u8,
    /// Milliseconds before each notice, at most an hour.
    pub notice_delay_ms: u64,
    /// Notices are sent in any order.
    pub shuffle_notices: bool,
    /// Beside each notice goes one that says the opposite, with a signature that is none.
    pub forged_notices: bool,
}

impl Behaviour {
    /// Itself, if every number is in its range; else which is not.
    pub fn checked(self) -> Result<Self, &'static str> {
        let ranges = [
            (self.latency_ms <= 60_000, "latency_ms: 0 to 60000"),
            (self.error_percent <= 100, "error_percent: 0 to 100"),
            (
                self.lost_answer_percent <= 100,
                "lost_answer_percent: 0 to 100",
            ),
            (self.duplicate_notices <= 10, "duplicate_notices: 0 to 10"),
            (
                self.notice_delay_ms <= 3_600_000,
                "notice_delay_ms: 0 to 3600000",
            ),
        ];
        match ranges.iter().find(|(fits, _)| !fits) {
            Some((_, range)) => Err(range),
            None => Ok(self),
        }
    }
}
