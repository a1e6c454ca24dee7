//! The names of an event's keys in Redis. All share one hash tag, so that one script may touch them all on a cluster.

use super::BuyerId;

/// The keys of one event.
pub struct Keys {
    tag: String,
}

impl Keys {
    /// The keys of the event with this id.
    #[must_use]
    pub fn of(event: i64) -> Self {
        Self {
            tag: format!("{{event:{event}}}"),
        }
    }

    /// The hash tag, `{event:ID}`.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// A seat's lock, which holds the id of the hold that has it. Its name is the seat, nothing else.
    #[must_use]
    pub fn lock(&self, seat: i64) -> String {
        format!("lock:{}:seat:{seat}", self.tag)
    }

    /// The hash that describes a hold.
    #[must_use]
    pub fn hold(&self, hold: &str) -> String {
        format!("hold:{}:{hold}", self.tag)
    }

    /// The id of the one hold that this buyer has at the event.
    #[must_use]
    pub fn buyer(&self, buyer: &BuyerId) -> String {
        format!("buyer:{}:{}", self.tag, buyer.as_str())
    }

    /// How many seats were taken from one network lately.
    #[must_use]
    pub fn network(&self, network: &str) -> String {
        format!("limit:hold-network:{}:{network}", self.tag)
    }

    /// The sorted set of held seats, scored by deadline in milliseconds.
    #[must_use]
    pub fn held(&self) -> String {
        format!("{}:held", self.tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a Redis cluster hashes: the text between the first `{` and the next `}`.
    fn slot_text(key: &str) -> &str {
        key.split_once('{')
            .and_then(|(_, rest)| rest.split_once('}'))
            .map_or(key, |(tag, _)| tag)
    }

    #[test]
    fn all_keys_of_an_event_live_in_one_slot_of_a_cluster() {
        let keys = Keys::of(7);
        for key in [
            keys.lock(3),
            keys.hold("ab"),
            keys.buyer(&BuyerId::new()),
            keys.held(),
            keys.network("192.0.2.1"),
        ] {
            assert_eq!(slot_text(&key), "event:7", "{key}");
        }
        assert_ne!(slot_text(&Keys::of(70).held()), slot_text(&keys.held()));
    }
}
