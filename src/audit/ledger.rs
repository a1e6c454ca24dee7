//! What the provider's ledger, the outside witness, says of each payment.

use std::{collections::HashMap, path::PathBuf};

use uuid::Uuid;

use super::{Violation, books::Paid};
use crate::{
    Error,
    payment::{LedgerRow, Remote, Simulator},
};

/// How many rules [`check`] knows.
pub const CHECKS: usize = 5;

/// Where the ledger is.
#[derive(Clone)]
pub enum Ledger {
    /// In a file of ours.
    File(PathBuf),
    /// At the provider, who tells it.
    Remote(Remote),
}

impl Ledger {
    /// Reads the whole ledger; one that does not exist is an error, not an empty one.
    pub(super) async fn read(&self) -> Result<Vec<LedgerRow>, Error> {
        let read = match self {
            Self::File(file) if !file.is_file() => {
                return Err(Error::Broken(format!(
                    "there is no ledger at {}",
                    file.display()
                )));
            }
            Self::File(file) => match Simulator::open(file) {
                Ok(simulator) => simulator.ledger().await,
                Err(error) => Err(error),
            },
            Self::Remote(provider) => provider.ledger().await,
        };
        read.map_err(|e| Error::Broken(format!("ledger: {e}")))
    }
}

/// Compares the ledger with the payments.
pub fn check(charges: &[LedgerRow], payments: &HashMap<Uuid, Paid>) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut found = |invariant, what| violations.push(Violation { invariant, what });
    let captured: HashMap<&Uuid, (i64, i64)> = charges
        .iter()
        .filter(|row| row.state == "captured")
        .map(|row| (&row.key, (row.taken_minor, row.returned_minor)))
        .collect();

    for (key, (taken, returned)) in &captured {
        let Some(paid) = payments.get(key) else {
            found(13, format!("charge {key} of {taken} belongs to no payment"));
            continue;
        };
        if matches!(paid.state.as_str(), "declined" | "voided") {
            found(
                13,
                format!(
                    "charge {key} of {taken} was captured, but its payment is {}",
                    paid.state
                ),
            );
        }
        if *taken != paid.amount_minor {
            found(
                2,
                format!(
                    "charge {key} took {taken}, its payment is of {}",
                    paid.amount_minor
                ),
            );
        }
        // What is on its way back may have arrived already.
        if *returned < paid.returned_minor || *returned > paid.owed_minor {
            found(
                3,
                format!(
                    "charge {key}: {returned} went back, its refunds say {}",
                    paid.returned_minor
                ),
            );
        }
    }
    for (key, paid) in payments {
        let was_charged = matches!(
            paid.state.as_str(),
            "captured" | "booked" | "refunding" | "refunded"
        );
        if was_charged && !captured.contains_key(key) {
            found(
                2,
                format!(
                    "payment {key} is {}, but the ledger has no charge for it",
                    paid.state
                ),
            );
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(charge: (&str, i64, i64), paid: Option<(&str, i64, i64)>) -> Vec<u8> {
        let key = Uuid::new_v4();
        let (state, taken_minor, returned_minor) = charge;
        let payments = paid.map(|(state, amount_minor, refunded)| {
            (
                key,
                Paid {
                    state: state.to_owned(),
                    amount_minor,
                    returned_minor: refunded,
                    owed_minor: refunded,
                },
            )
        });
        let violations = check(
            &[LedgerRow {
                key,
                state: state.to_owned(),
                taken_minor,
                returned_minor,
            }],
            &payments.into_iter().collect(),
        );
        violations
            .iter()
            .map(|violation| violation.invariant)
            .collect()
    }

    #[test]
    fn the_ledger_and_the_books_must_agree() {
        assert!(found(("captured", 90, 0), Some(("booked", 90, 0))).is_empty());
        assert!(found(("captured", 90, 0), Some(("unknown", 90, 0))).is_empty());
        assert!(found(("captured", 90, 90), Some(("refunded", 90, 90))).is_empty());
        assert!(found(("declined", 0, 0), Some(("declined", 90, 0))).is_empty());
        assert!(found(("voided", 0, 0), None).is_empty());
    }

    #[test]
    fn each_disagreement_is_found() {
        assert_eq!(found(("captured", 90, 0), None), [13]);
        assert_eq!(found(("captured", 90, 0), Some(("declined", 90, 0))), [13]);
        assert_eq!(found(("captured", 80, 0), Some(("booked", 90, 0))), [2]);
        assert_eq!(found(("captured", 90, 0), Some(("refunded", 90, 90))), [3]);
        assert_eq!(found(("captured", 90, 90), Some(("booked", 90, 0))), [3]);
        assert_eq!(found(("voided", 0, 0), Some(("booked", 90, 0))), [2]);
    }
}
