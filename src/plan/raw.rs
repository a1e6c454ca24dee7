//! A plan between reading and putting in order.

use super::{Area, Category};

/// A plan as it stands in a file, before it is put in order. Lengths are the file's own.
#[derive(Debug, Default)]
pub(super) struct RawPlan {
    pub(super) name: Option<String>,
    pub(super) categories: Vec<Category>,
    pub(super) zones: Vec<RawZone>,
    pub(super) areas: Vec<Area>,
    /// The distance of two neighbours, where the file's kind fixes it.
    pub(super) pitch: Option<f64>,
}

/// A zone as it stands in a file.
#[derive(Debug, Default)]
pub(super) struct RawZone {
    pub(super) name: String,
    pub(super) rows: Vec<RawRow>,
}

/// A row as it stands in a file.
#[derive(Debug, Default)]
pub(super) struct RawRow {
    pub(super) label: String,
    /// Where its first seat stands if the seat does not say.
    pub(super) origin: Option<(f64, f64)>,
    /// Whether the label is drawn before the first seat, and after the last.
    pub(super) marks: (bool, bool),
    pub(super) seats: Vec<RawSeat>,
}

/// A seat as it stands in a file.
#[derive(Debug, Default)]
pub(super) struct RawSeat {
    /// Ids of the file's own, the better one first; either may be missing or repeated.
    pub(super) ids: [Option<String>; 2],
    pub(super) label: String,
    /// What people call it, where that is not row and label.
    pub(super) name: Option<String>,
    pub(super) category: String,
    pub(super) position: Option<(f64, f64)>,
    pub(super) accessible: bool,
    /// Where it stands in the file.
    pub(super) place: String,
}
