//! Seating plans: the drawing of a room, read from the files that theatres have.
//!
//! Two kinds of file are read: pretix's seating-plan JSON in its present and its older dialect ([`pretix`]), and the plain
//! CSV grid that theatres keep in spreadsheets ([`grid`]). The importer is tolerant and honest. The invariant: no seat is lost
//! silently. What is odd becomes a line of the [`Report`]; what cannot be sold without confusion is kept, but blocked; what is
//! no plan at all is an error that says where.

mod draw;
mod error;
mod finish;
mod grid;
mod pretix;
mod report;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use error::PlanError;
pub use report::{Note, Report};

/// Most bytes of a file.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// Most seats of a plan.
const MOST_SEATS: usize = 100_000;

/// Why a seat is not for sale when another in its zone and row has the same printed label.
pub const DUPLICATE_LABEL: &str = "duplicate label";

/// Why a seat is not for sale when nothing is printed on it.
pub const NO_LABEL: &str = "no label";

/// A room with its seats.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What the file calls it.
    pub name: Option<String>,
    /// Price categories, in the file's order; unused ones are left out.
    pub categories: Vec<Category>,
    /// Seats in reading order: zone as in the file, row and seat in natural order.
    pub seats: Vec<PlanSeat>,
    /// What is drawn around them.
    pub drawing: Drawing,
}

/// A price category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// Its name.
    pub name: String,
    /// `#rrggbb`, in lower case.
    pub color: String,
}

/// A seat.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSeat {
    /// Unique in the plan, and the same after every import of the same file.
    pub key: String,
    /// The zone's name; may be empty.
    pub zone: String,
    /// The row's label; may be empty.
    pub row: String,
    /// What is printed on the seat.
    pub label: String,
    /// What people call it, unique in the room where labels allow: `C14`, or `Balcony C14` where another zone has a C14.
    pub name: String,
    /// Index into [`Plan::categories`].
    pub category: usize,
    /// Centre, in seat pitches from the room's left edge.
    pub x: f64,
    /// Centre, in seat pitches from the room's top edge.
    pub y: f64,
    /// For a wheelchair, or without steps.
    pub accessible: bool,
    /// Why it is not for sale, if it is not.
    pub blocked: Option<String>,
}

/// A room without its seats. All lengths are in seat pitches: the usual distance of two neighbours.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Drawing {
    /// Width, with a margin.
    pub width: f64,
    /// Height, with a margin.
    pub height: f64,
    /// Shapes behind the seats, from the back to the front.
    #[serde(default)]
    pub areas: Vec<Area>,
    /// Row labels at the rows' ends.
    #[serde(default)]
    pub rows: Vec<Mark>,
}

/// A word at a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// The word.
    pub text: String,
    /// Its middle, from the left.
    pub x: f64,
    /// Its middle, from the top.
    pub y: f64,
}

/// A shape, such as the stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Area {
    /// What it looks like.
    pub shape: Shape,
    /// Its origin, from the left.
    pub x: f64,
    /// Its origin, from the top.
    pub y: f64,
    /// Degrees, clockwise around its origin.
    pub rotation: f64,
    /// `#rrggbb`.
    pub fill: Option<String>,
    /// `#rrggbb`.
    pub border: Option<String>,
    /// What is written on it, at a place in the room.
    pub text: Option<Mark>,
}

/// What an area looks like, seen from its origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Shape {
    /// Its origin is the top left corner.
    Rectangle {
        /// Width.
        width: f64,
        /// Height.
        height: f64,
    },
    /// Its origin is the centre.
    Ellipse {
        /// Half the width.
        rx: f64,
        /// Half the height.
        ry: f64,
    },
    /// Corners as seen from the origin.
    Polygon {
        /// Each corner's place.
        points: Vec<(f64, f64)>,
    },
    /// Nothing but its text.
    Text,
}

/// Reads a plan. `file_name` decides nothing: what the file holds does, and the name is for the messages.
pub fn read(file_name: &str, bytes: &[u8]) -> Result<(Plan, Report), PlanError> {
    if bytes.len() > MOST_BYTES {
        return Err(PlanError::whole(
            file_name,
            "it is larger than 32 MB: no seating plan is",
        ));
    }
    let mut report = Report::default();
    let text = decode(file_name, bytes, &mut report)?;
    let raw = match text.trim_start().chars().next() {
        None => return Err(PlanError::whole(file_name, "it is empty")),
        Some('{' | '[') => pretix::read(file_name, &text, &mut report)?,
        Some(_) => grid::read(file_name, &text, &mut report)?,
    };
    let plan = finish::finish(file_name, raw, &mut report)?;
    Ok((plan, report))
}

/// Natural order: `2` before `10`, `A9` before `A10`.
#[must_use]
pub fn natural_cmp(a: &str, b: &str) -> std::cmp::Ordering {
    alphanumeric_sort::compare_str(a, b).then_with(|| a.cmp(b))
}

/// UTF-8 with or without a byte-order mark, or UTF-16 with one, as spreadsheets write it.
fn decode(file_name: &str, bytes: &[u8], report: &mut Report) -> Result<String, PlanError> {
    let units = |pair: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..]
            .chunks_exact(2)
            .map(|two| pair([two[0], two[1]]))
            .collect();
        String::from_utf16(&units)
            .map_err(|_| PlanError::whole(file_name, "it is no whole UTF-16 text"))
    };
    let text = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => {
            report.note("byte-order mark", "at the start of the file");
            std::str::from_utf8(rest)
                .map(ToOwned::to_owned)
                .map_err(|e| not_utf8(file_name, rest, &e))?
        }
        [0xFF, 0xFE, ..] => units(u16::from_le_bytes)?,
        [0xFE, 0xFF, ..] => units(u16::from_be_bytes)?,
        _ => std::str::from_utf8(bytes)
            .map(ToOwned::to_owned)
            .map_err(|e| not_utf8(file_name, bytes, &e))?,
    };
    match text.find('\0') {
        Some(_) => Err(PlanError::whole(
            file_name,
            "it is not text: neither pretix JSON nor a CSV grid",
        )),
        None => Ok(text),
    }
}

fn not_utf8(file_name: &str, bytes: &[u8], error: &std::str::Utf8Error) -> PlanError {
    let line = bytes[..error.valid_up_to()]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1;
    PlanError::at(
        file_name,
        format!("line {line}"),
        "this is not UTF-8 text: save the file as UTF-8",
    )
}

/// A plan as it stands in a file, before it is put in order.
#[derive(Debug, Default)]
struct RawPlan {
    name: Option<String>,
    categories: Vec<Category>,
    zones: Vec<RawZone>,
    areas: Vec<Area>,
}

#[derive(Debug, Default)]
struct RawZone {
    name: String,
    rows: Vec<RawRow>,
}

#[derive(Debug, Default)]
struct RawRow {
    label: String,
    /// Whether the label is drawn before the first seat, and after the last.
    marks: (bool, bool),
    seats: Vec<RawSeat>,
}

#[derive(Debug, Default)]
struct RawSeat {
    /// Ids of the file's own, the better one first; either may be missing or repeated.
    ids: [Option<String>; 2],
    label: String,
    category: String,
    x: f64,
    y: f64,
    accessible: bool,
    /// Where it stands in the file.
    place: String,
}
