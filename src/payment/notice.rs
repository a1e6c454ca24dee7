//! Notices: what the provider tells of its own accord. Signed and checked by the rules of Standard Webhooks
//! (<https://www.standardwebhooks.com>): an HMAC-SHA256 of id, time and body, no older than five minutes.
//!
//! The invariant: a notice is only a reason to look. What counts is what the provider answers when it is asked.

use hmac::{Hmac, Mac};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use sha2::Sha256;
use standardwebhooks::{
    HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook,
};
use uuid::Uuid;

use super::{Cashier, Seen, State, recovery::ask};
use crate::Error;

const HEADERS: [&str; 3] = [
    HEADER_WEBHOOK_ID,
    HEADER_WEBHOOK_TIMESTAMP,
    HEADER_WEBHOOK_SIGNATURE,
];

/// Signs notices, and tells true ones from forged ones. Cheap to clone.
#[derive(Clone)]
pub struct Signer {
    key: Vec<u8>,
}

/// What a body says: of which key something is told. The rest is for people who read logs.
#[derive(Deserialize)]
struct Body {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    key: Uuid,
}

/// Why a notice is not heeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unheard {
    /// Nobody who knows the secret signed it, or too long ago.
    Forged,
    /// It was signed, but says nothing that can be understood.
    Unreadable,
}

/// What came of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heeded {
    /// The books say what the provider says.
    Done,
    /// No payment has this key.
    Unknown,
    /// Not yet: the provider has to tell it again.
    NotYet,
}

impl Signer {
    /// Of the secret that we share with the provider; a key of its own is drawn from it.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        // A key of any length will do.
        let key = Hmac::<Sha256>::new_from_slice(secret.as_bytes())
            .map(|mut mac| {
                mac.update(b"notices");
                mac.finalize().into_bytes().to_vec()
            })
            .unwrap_or_default();
        Self { key }
    }

    /// The headers that go with this body.
    #[must_use]
    pub fn sign(&self, id: &str, at: jiff::Timestamp, body: &str) -> [(&'static str, String); 3] {
        let at = at.as_second();
        let signature = Webhook::from_bytes(self.key.clone())
            .and_then(|webhook| webhook.sign(id, at, body.as_bytes()))
            .unwrap_or_default();
        [
            (HEADER_WEBHOOK_ID, id.to_owned()),
            (HEADER_WEBHOOK_TIMESTAMP, at.to_string()),
            (HEADER_WEBHOOK_SIGNATURE, signature),
        ]
    }

    /// The key that a notice tells of; `header` answers a header's text.
    pub fn read<'a>(
        &self,
        header: impl Fn(&str) -> Option<&'a str>,
        body: &[u8],
    ) -> Result<Uuid, Unheard> {
        let headers: HeaderMap = HEADERS
            .into_iter()
            .filter_map(|name| {
                let value = HeaderValue::from_str(header(name)?).ok()?;
                Some((HeaderName::from_static(name), value))
            })
            .collect();
        Webhook::from_bytes(self.key.clone())
            .and_then(|webhook| webhook.verify(body, &headers))
            .map_err(|_| Unheard::Forged)?;
        serde_json::from_slice(body)
            .map(|body: Body| body.data.key)
            .map_err(|_| Unheard::Unreadable)
    }
}

impl Cashier {
    /// The provider says that something happened to a key: looks, and brings its payment as far as it can be brought. However
    /// often, late or out of order it says so, the outcome is the same.
    pub async fn heed(&self, key: Uuid) -> Result<Heeded, Error> {
        let Some(payment) = self.payments.by_id(key).await? else {
            return Ok(Heeded::Unknown);
        };
        let waits = matches!(payment.state, State::Pending | State::Unknown);
        if matches!(
            payment.state,
            State::Booked | State::Refunding | State::Refunded
        ) {
            return Ok(Heeded::Done);
        }
        match ask(self.provider.look_up(key)).await {
            Ok(Seen::Captured) => {
                self.captured(&payment).await?;
            }
            Ok(Seen::Declined(reason)) if waits => {
                self.not_charged(&payment, State::Declined, Some(&reason))
                    .await?;
            }
            Ok(Seen::Declined(_) | Seen::Voided) => {}
            // What it tells of it does not know, or it does not answer.
            Ok(Seen::Nothing) | Err(_) => return Ok(Heeded::NotYet),
        }
        Ok(Heeded::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str =
        r#"{"type":"charge.captured","data":{"key":"00000000-0000-0000-0000-000000000007"}}"#;

    fn read(signer: &Signer, headers: &[(&str, String)], body: &str) -> Result<Uuid, Unheard> {
        let header = |name: &str| {
            let found = headers.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.as_str())
        };
        signer.read(header, body.as_bytes())
    }

    #[test]
    fn a_signed_notice_names_its_key() {
        let signer = Signer::new("a secret");
        let headers = signer.sign("one", jiff::Timestamp::now(), BODY);
        assert_eq!(read(&signer, &headers, BODY), Ok(Uuid::from_u128(7)));
    }

    #[test]
    fn a_notice_is_forged_when_anything_of_it_is_not_what_was_signed() {
        let signer = Signer::new("a secret");
        let now = jiff::Timestamp::now();
        let headers = signer.sign("one", now, BODY);
        let other = BODY.replace("captured", "declined");
        assert_eq!(read(&signer, &headers, &other), Err(Unheard::Forged));
        let stranger = Signer::new("another secret");
        assert_eq!(read(&stranger, &headers, BODY), Err(Unheard::Forged));
        let mut renamed = headers.clone();
        renamed[0].1 = "two".to_owned();
        assert_eq!(read(&signer, &renamed, BODY), Err(Unheard::Forged));
        assert_eq!(read(&signer, &headers[..2], BODY), Err(Unheard::Forged));
        let long_ago = now - std::time::Duration::from_mins(6);
        let old = signer.sign("one", long_ago, BODY);
        assert_eq!(read(&signer, &old, BODY), Err(Unheard::Forged));
    }

    #[test]
    fn a_signed_notice_that_names_no_key_is_unreadable() {
        let signer = Signer::new("a secret");
        for body in ["", "{}", r#"{"data":{"key":"seven"}}"#] {
            let headers = signer.sign("one", jiff::Timestamp::now(), body);
            assert_eq!(read(&signer, &headers, body), Err(Unheard::Unreadable));
        }
    }
}
