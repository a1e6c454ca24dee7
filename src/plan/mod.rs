//! Seating plans: the drawing of a room, read from the files that theatres have.
//!
//! Two kinds of file are read, told apart by what they hold: pretix's seating-plan JSON in its current and its older dialect
//! (`pretix`), and the plain CSV grid that theatres keep in spreadsheets (`grid`, which says how rows and labels are found).
//! The importer is tolerant and honest. The invariant: no seat is lost silently. What is odd becomes a line of the
//! [`Report`]; what cannot be sold without confusion is kept, but blocked; what is no plan at all is an error that says where.
//!
//! * **Text** is UTF-8 with or without a byte-order mark, or UTF-16 with one, as spreadsheets write it. A grid that is not
//!   UTF-8 is read as Windows-1252, which older spreadsheets write, and reported; JSON that is not UTF-8 is refused.
//! * **Keys** are the file's `uuid` where no other seat has it, else its `seat_guid` where no other has that, else
//!   `zone/row/label`, with `#2`, `#3`… when that is taken too. The same file always gives the same keys.
//! * **Reading order** is zone as in the file, row and seat in natural order; row `Z` comes before row `AA`.
//! * **Lengths** are in seat pitches: the most common distance of a seat to its nearest neighbour in its row. A cell of a grid
//!   is one pitch. The room's top left corner is 0, 0; it is as large as what is drawn in it, whatever `size` a file declares.
//! * **Accessible seats** have `"accessible": true` in JSON, which is our addition to pretix's schema, and `+` in a grid.

mod bounds;
mod color;
mod draw;
mod error;
mod finish;
mod grid;
mod json;
mod keys;
mod names;
mod order;
mod pretix;
mod raw;
mod report;
#[cfg(test)]
mod tests;
mod text;
mod unit;

use serde::{Deserialize, Serialize};

pub use color::ink;
pub use error::PlanError;
pub use order::natural_cmp;
use raw::{RawPlan, RawRow, RawSeat, RawZone};
pub use report::{Note, Oddity, Report};

/// Most bytes of a file.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// Most seats of a plan.
const MOST_SEATS: usize = 100_000;

/// Most categories of a plan: each has a price of its own.
const MOST_CATEGORIES: usize = 1_000;

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
    /// Where the zones are, in the file's order; those without seats are left out.
    #[serde(default)]
    pub zones: Vec<ZoneMark>,
    /// How wide a seat can be drawn without covering others: 1 unless rows stand closer than seats.
    #[serde(default = "one")]
    pub seat: f64,
}

/// The rectangle that a zone's seats fill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ZoneMark {
    /// The zone's name; may be empty.
    pub name: String,
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
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
    /// Height of its letters.
    #[serde(default = "one")]
    pub size: f64,
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
    /// Degrees, clockwise around its origin, for shape and text alike.
    pub rotation: f64,
    /// `#rrggbb`; nothing when transparent.
    pub fill: Option<String>,
    /// `#rrggbb`; nothing when there is none.
    pub border: Option<String>,
    /// What is written on it, at its place in the room before the rotation.
    pub text: Option<Mark>,
    /// `#rrggbb`; nothing when the file does not say.
    #[serde(default)]
    pub text_color: Option<String>,
}

impl Area {
    /// The colour in which words on it are legible, as an SVG paint.
    #[must_use]
    pub fn ink(&self) -> &'static str {
        match self.shape {
            // Nothing is painted beneath: the page's own colour, which suits light and dark.
            Shape::Text => "currentColor",
            _ => self.fill.as_deref().map_or("currentColor", ink),
        }
    }
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
    let text = text::decode(file_name, bytes, &mut report)?;
    let raw = match text.trim_start().chars().next() {
        None => return Err(PlanError::whole(file_name, "it is empty")),
        Some('{' | '[') => pretix::read(file_name, &text, &mut report)?,
        Some(_) => grid::read(file_name, &text, &mut report)?,
    };
    let plan = finish::finish(file_name, raw, &mut report)?;
    Ok((plan, report))
}

/// What lengths are when a drawing of an earlier version does not say them.
fn one() -> f64 {
    1.0
}
