//! pretix's seating-plan JSON: a plan has zones, a zone has rows and areas, a row has seats.
//!
//! The schema is public: `src/pretix/static/seating/seating-plan.schema.json` in the repository pretix/pretix. Its older
//! dialect has no `uuid`, `zone_id` or `row_number_position`, gives areas a plain `width`, `height` and `text`, and rows a
//! `seats_spacing`. Positions nest: a seat stands at the sum of its zone's, its row's and its own.
//!
//! Two things are ours. A seat may have `"accessible": true`. And a zone without a name stays without one, unless there are
//! several of them with seats: these are called `Zone 1`, `Zone 2`… by their place in the file, so that they can be told apart.

mod area;
mod fields;

use super::{
    Category, MOST_CATEGORIES, Oddity, PlanError, RawPlan, RawRow, RawSeat, RawZone, Report, color,
    json, text,
};
use fields::Reader;
use json::{At, Node};

const PLAN_KEYS: &[&str] = &["name", "categories", "zones", "size"];
const CATEGORY_KEYS: &[&str] = &["name", "color"];
const ZONE_KEYS: &[&str] = &[
    "name",
    "zone_id",
    "uuid",
    "position",
    "rows",
    "areas",
    "displayed",
];
const ROW_KEYS: &[&str] = &[
    "row_number",
    "row_number_position",
    "row_label",
    "seat_label",
    "uuid",
    "position",
    "seats",
    "number_of_seats",
    "seats_spacing",
];
const SEAT_KEYS: &[&str] = &[
    "seat_guid",
    "uuid",
    "seat_number",
    "position",
    "category",
    "radius",
    "start_direction",
    "accessible",
];

/// An id longer than this keys no seat.
const LONGEST_ID: usize = 200;

pub(super) fn read(file: &str, text: &str, report: &mut Report) -> Result<RawPlan, PlanError> {
    let root = json::parse(file, text)?;
    let mut reader = Reader { file, report };
    let at = At::ROOT;
    if root.get("zones").is_none() {
        return Err(PlanError::at(
            file,
            at,
            "there is no list of zones here: this is no seating plan",
        ));
    }
    reader.object(&root, &at, PLAN_KEYS)?;
    let mut plan = RawPlan {
        name: reader.text(&root, "name", &at, text::LONGEST_WORDS)?,
        ..RawPlan::default()
    };
    let categories = at.key("categories");
    if reader.list(&root, "categories", &at)?.len() > MOST_CATEGORIES {
        return Err(PlanError::at(
            file,
            categories,
            format!("at most {MOST_CATEGORIES} categories can have prices"),
        ));
    }
    for (index, category) in reader.list(&root, "categories", &at)?.iter().enumerate() {
        reader.category(category, &categories.index(index), &mut plan.categories)?;
    }
    let zones = at.key("zones");
    for (index, zone) in reader.list(&root, "zones", &at)?.iter().enumerate() {
        let zone = reader.zone(zone, &zones.index(index), &mut plan)?;
        plan.zones.push(zone);
    }
    tell_apart(&mut plan.zones);
    Ok(plan)
}

/// Numbers zones without a name, if several have seats.
fn tell_apart(zones: &mut [RawZone]) {
    let nameless =
        |zone: &RawZone| zone.name.is_empty() && zone.rows.iter().any(|row| !row.seats.is_empty());
    if zones.iter().filter(|zone| nameless(zone)).count() > 1 {
        for (index, zone) in zones
            .iter_mut()
            .enumerate()
            .filter(|(_, zone)| nameless(zone))
        {
            zone.name = format!("Zone {}", index + 1);
        }
    }
}

impl Reader<'_> {
    fn category(
        &mut self,
        node: &Node,
        at: &At<'_>,
        known: &mut Vec<Category>,
    ) -> Result<(), PlanError> {
        self.object(node, at, CATEGORY_KEYS)?;
        let name = self
            .text(node, "name", at, text::LONGEST_LABEL)?
            .unwrap_or_default();
        let color = match color::read(
            &self
                .text(node, "color", at, text::LONGEST_LABEL)?
                .unwrap_or_default(),
        ) {
            color::Color::Solid(color) => color,
            color::Color::Clear | color::Color::Unknown => {
                self.report.note(Oddity::InvalidColor, at.key("color"));
                color::NEUTRAL.to_owned()
            }
        };
        if known.iter().any(|category| category.name == name) {
            self.report.name(Oddity::RepeatedCategory, at, &name);
        } else {
            known.push(Category { name, color });
        }
        Ok(())
    }

    fn zone(&mut self, node: &Node, at: &At<'_>, plan: &mut RawPlan) -> Result<RawZone, PlanError> {
        self.object(node, at, ZONE_KEYS)?;
        let name = self
            .text(node, "name", at, text::LONGEST_LABEL)?
            .unwrap_or_default();
        if name.is_empty() {
            self.report.note(Oddity::NamelessZone, at);
        }
        let position = self.position(node, at)?;
        if position.is_none() {
            self.report.note(Oddity::MissingPosition, at);
        }
        let origin = position.unwrap_or_default();
        let areas = at.key("areas");
        for (index, area) in self.list(node, "areas", at)?.iter().enumerate() {
            let area = self.area(area, origin, &areas.index(index))?;
            plan.areas.extend(area);
        }
        let rows_at = at.key("rows");
        let mut rows = Vec::new();
        for (index, row) in self.list(node, "rows", at)?.iter().enumerate() {
            rows.push(self.row(row, origin, &rows_at.index(index))?);
        }
        Ok(RawZone { name, rows })
    }

    fn row(&mut self, node: &Node, zone: (f64, f64), at: &At<'_>) -> Result<RawRow, PlanError> {
        self.object(node, at, ROW_KEYS)?;
        let described = self.text(node, "row_label", at, text::LONGEST_LABEL)?;
        let label = self.text(node, "row_number", at, text::LONGEST_LABEL)?;
        if label.is_none() {
            self.report.note(Oddity::NumberlessRow, at);
        }
        if (label.is_some() && described.is_some()) || node.get("seat_label").is_some() {
            self.report.note(Oddity::UnusedWording, at);
        }
        // Schema: shown at `start`, `end` or `both`, not at all if null. Where it says nothing, people still look for the row.
        let marks = match node.get("row_number_position") {
            None => (
                !has_null(node, "row_number_position"),
                !has_null(node, "row_number_position"),
            ),
            Some(Node::Text(ends)) => (
                matches!(ends.as_str(), "start" | "both"),
                matches!(ends.as_str(), "end" | "both"),
            ),
            Some(_) => return Err(self.wrong(&at.key("row_number_position"), "a text")),
        };
        let position = self.position(node, at)?;
        let origin = position.map(|(x, y)| (zone.0 + x, zone.1 + y));
        let seats_at = at.key("seats");
        let mut seats = Vec::new();
        for (index, seat) in self.list(node, "seats", at)?.iter().enumerate() {
            seats.push(self.seat(seat, origin.unwrap_or(zone), &seats_at.index(index))?);
        }
        if seats.is_empty() {
            self.report.note(Oddity::EmptyRow, at);
        }
        Ok(RawRow {
            label: label.or(described).unwrap_or_default(),
            origin,
            marks,
            seats,
        })
    }

    fn seat(&mut self, node: &Node, row: (f64, f64), at: &At<'_>) -> Result<RawSeat, PlanError> {
        self.object(node, at, SEAT_KEYS)?;
        let ids = [self.id(node, "uuid", at)?, self.id(node, "seat_guid", at)?];
        if ids[0].is_none() {
            self.report.note(Oddity::MissingUuid, at);
        }
        let position = self.position(node, at)?;
        if position.is_none() {
            self.report.note(Oddity::MissingPosition, at);
        }
        let accessible = match node.get("accessible") {
            None => false,
            Some(Node::Bool(accessible)) => *accessible,
            Some(_) => return Err(self.wrong(&at.key("accessible"), "true or false")),
        };
        Ok(RawSeat {
            ids,
            label: self
                .text(node, "seat_number", at, text::LONGEST_LABEL)?
                .unwrap_or_default(),
            name: None,
            category: self
                .text(node, "category", at, text::LONGEST_LABEL)?
                .unwrap_or_default(),
            position: position.map(|position| self.absolute(row, position, at)),
            accessible,
            place: at.to_string(),
        })
    }

    /// An id as it stands; one that cannot be a key is none.
    fn id(&mut self, node: &Node, key: &str, at: &At<'_>) -> Result<Option<String>, PlanError> {
        let whole = self.text(node, key, at, LONGEST_ID + 1)?;
        Ok(whole.filter(|id| id.chars().count() <= LONGEST_ID))
    }
}

fn has_null(node: &Node, key: &str) -> bool {
    matches!(node, Node::Object(entries) if entries.iter().any(|(known, value)| known == key && *value == Node::Null))
}
