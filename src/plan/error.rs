//! Why a file is not a plan, and where.

/// A file that cannot be read as a plan. Nothing was changed by it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {what}", place.as_ref().map(|place| format!(", {place}")).unwrap_or_default())]
pub struct PlanError {
    file: String,
    place: Option<String>,
    what: String,
}

impl PlanError {
    /// The whole file is wrong.
    pub(super) fn whole(file: &str, what: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            place: None,
            what: what.into(),
        }
    }

    /// One place of it is.
    pub(super) fn at(file: &str, place: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            place: Some(place.into()),
            what: what.into(),
        }
    }
}
