//! Why an event was not made or not changed.

use crate::Error;

/// Why an event was not made or not changed: in words for the one who asked.
#[derive(Debug, thiserror::Error)]
pub enum OfferError {
    /// Another event has this slug.
    #[error("another event has the slug {0:?}: give another with --slug")]
    SlugTaken(String),
    /// There is no event with this slug.
    #[error("there is no event {0:?}: `seathold event list` names them all")]
    NoEvent(String),
    /// The event has no such category.
    #[error("the event has no category {0:?}; it has {1}")]
    NoCategory(String, String),
    /// The rules of the event contradict each other.
    #[error("{0}")]
    Contradiction(&'static str),
    /// Something broke.
    #[error(transparent)]
    Fault(#[from] Error),
}

impl From<tokio_postgres::Error> for OfferError {
    fn from(error: tokio_postgres::Error) -> Self {
        Error::from(error).into()
    }
}

/// The rule that a statement ran into, by the name of its constraint.
pub(super) fn understand(error: tokio_postgres::Error, slug: &str) -> OfferError {
    let error = Error::from(error);
    match error.constraint() {
        Some("event_slug_key") => OfferError::SlugTaken(slug.to_owned()),
        Some("event_slug_form") => OfferError::Contradiction(
            "a slug has lower-case letters, digits and single hyphens, such as the-tempest",
        ),
        Some("event_hold_cap") => {
            OfferError::Contradiction("--hold-cap-seconds must not be less than --hold-seconds")
        }
        Some("event_hold_seconds_check") => {
            OfferError::Contradiction("--hold-seconds must be between 1 and 86400")
        }
        Some("event_max_seats_check") => {
            OfferError::Contradiction("--max-seats must be between 1 and 100")
        }
        Some("event_sales_order") => {
            OfferError::Contradiction("--sales-until must be after --sales-from")
        }
        Some("event_cancel_before") => {
            OfferError::Contradiction("--cancel-until must be at most 365d before the start")
        }
        Some("event_name_check") => {
            OfferError::Contradiction("--name must have between 1 and 200 characters")
        }
        Some("event_venue_check") => {
            OfferError::Contradiction("--venue must have between 1 and 200 characters")
        }
        _ => error.into(),
    }
}
