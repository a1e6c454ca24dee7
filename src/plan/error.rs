//! Why a file is not a plan, and where.

use std::fmt;

/// A file that cannot be read as a plan. Nothing was changed by it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {what}", place.as_ref().map(|place| format!(", {place}")).unwrap_or_default())]
pub struct PlanError {
    file: String,
    place: Option<String>,
    what: String,
}

impl PlanError {
    /// Where in the file: a path such as `zones[0].rows`, or a line with its column or cell; nothing if it is the whole file.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// The whole file is wrong.
    pub(super) fn whole(file: &str, what: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            place: None,
            what: what.into(),
        }
    }

    /// One place of it is.
    pub(super) fn at(file: &str, place: impl fmt::Display, what: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            place: Some(place.to_string()),
            what: what.into(),
        }
    }
}
