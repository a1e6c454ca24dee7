//! pretix's seating-plan JSON: zones → rows → seats, whose positions nest; areas as shapes with text; categories with colours.
//!
//! Source: the JSON schema that pretix publishes with its seating plans. Its older dialect has no `uuid`, no
//! `row_number_position` and no areas; both are read. One key of our own is understood on a seat: `"accessible": true`.

use serde_json::{Map, Value};

use super::{Area, Category, Mark, PlanError, RawPlan, RawRow, RawSeat, RawZone, Report, Shape};

/// A coordinate beyond this is a mistake.
const FARTHEST: f64 = 1e7;

/// What a seat's neighbour is away by when the file does not say where it is.
const STEP: f64 = 30.0;

const ROOT_KEYS: &[&str] = &["name", "categories", "zones", "size"];
const ZONE_KEYS: &[&str] = &["name", "position", "rows", "areas", "uuid", "zone_id"];
const ROW_KEYS: &[&str] = &[
    "row_number",
    "row_number_position",
    "row_label",
    "seat_label",
    "position",
    "seats",
    "uuid",
];
const SEAT_KEYS: &[&str] = &[
    "seat_guid",
    "seat_number",
    "seat_label",
    "position",
    "category",
    "uuid",
    "radius",
    "start_text",
    "accessible",
];
const AREA_KEYS: &[&str] = &[
    "shape",
    "color",
    "border_color",
    "rotation",
    "position",
    "text",
    "rectangle",
    "circle",
    "ellipse",
    "polygon",
    "uuid",
];

struct Reading<'a> {
    file: &'a str,
    report: &'a mut Report,
}

pub(super) fn read(file: &str, text: &str, report: &mut Report) -> Result<RawPlan, PlanError> {
    let value: Value = serde_json::from_str(text).map_err(|e| {
        let what = if e.is_eof() {
            "the file ends in the middle: it is truncated"
        } else {
            "this is not JSON"
        };
        PlanError::at(
            file,
            format!("line {}, column {}", e.line(), e.column()),
            format!("{what} ({e})"),
        )
    })?;
    let mut reading = Reading { file, report };
    reading.plan(&value)
}

impl Reading<'_> {
    fn plan(&mut self, value: &Value) -> Result<RawPlan, PlanError> {
        let root = self.object(value, "$")?;
        if !root.contains_key("zones") {
            return Err(PlanError::at(
                self.file,
                "$",
                "there are no zones: this is no seating plan",
            ));
        }
        self.unknown_keys(root, ROOT_KEYS, "$");
        let mut plan = RawPlan {
            name: text(root, "name"),
            ..RawPlan::default()
        };
        for (at, category) in self.list(root, "categories", "$")?.iter().enumerate() {
            let place = format!("$.categories[{at}]");
            let category = self.object(category, &place)?;
            let name = text(category, "name").unwrap_or_default();
            if name.is_empty() {
                self.report.note("category without a name", &place);
            }
            if plan.categories.iter().any(|known| known.name == name) {
                self.report.note("category that is declared twice", &place);
                continue;
            }
            let color = self.color(category, "color", &place);
            plan.categories.push(Category {
                name,
                color: color.unwrap_or_else(|| "#6b7280".to_owned()),
            });
        }
        for (at, zone) in self.list(root, "zones", "$")?.iter().enumerate() {
            let zone = self.zone(zone, &format!("$.zones[{at}]"), &mut plan.areas)?;
            plan.zones.push(zone);
        }
        Ok(plan)
    }

    fn zone(
        &mut self,
        value: &Value,
        place: &str,
        areas: &mut Vec<Area>,
    ) -> Result<RawZone, PlanError> {
        let zone = self.object(value, place)?;
        self.unknown_keys(zone, ZONE_KEYS, place);
        let name = text(zone, "name").unwrap_or_default();
        if name.is_empty() {
            self.report.note("zone without a name", place);
        }
        let origin = self.position(zone, place)?.unwrap_or((0.0, 0.0));
        for (at, area) in self.list(zone, "areas", place)?.iter().enumerate() {
            let area = self.area(area, origin, &format!("{place}.areas[{at}]"))?;
            areas.push(area);
        }
        let mut rows = Vec::new();
        for (at, row) in self.list(zone, "rows", place)?.iter().enumerate() {
            rows.push(self.row(row, origin, &format!("{place}.rows[{at}]"))?);
        }
        Ok(RawZone { name, rows })
    }

    fn row(&mut self, value: &Value, zone: (f64, f64), place: &str) -> Result<RawRow, PlanError> {
        let row = self.object(value, place)?;
        self.unknown_keys(row, ROW_KEYS, place);
        let label = text(row, "row_number").unwrap_or_default();
        if label.is_empty() {
            self.report.note("row without a number", place);
        }
        let marks = match row.get("row_number_position") {
            None => (true, true),
            Some(position) => match position.as_str() {
                Some("both") => (true, true),
                Some("start") => (true, false),
                Some("end") => (false, true),
                _ => (false, false),
            },
        };
        let (x, y) = self.position(row, place)?.unwrap_or((0.0, 0.0));
        let origin = (zone.0 + x, zone.1 + y);
        let mut seats = Vec::new();
        for (at, seat) in self.list(row, "seats", place)?.iter().enumerate() {
            seats.push(self.seat(seat, origin, at, format!("{place}.seats[{at}]"))?);
        }
        if seats.is_empty() {
            self.report.note("row without seats", place);
        }
        Ok(RawRow {
            label,
            marks,
            seats,
        })
    }

    fn seat(
        &mut self,
        value: &Value,
        row: (f64, f64),
        at: usize,
        place: String,
    ) -> Result<RawSeat, PlanError> {
        let seat = self.object(value, &place)?;
        self.unknown_keys(seat, SEAT_KEYS, &place);
        let label = text(seat, "seat_number").unwrap_or_default();
        let uuid = text(seat, "uuid").filter(|id| !id.is_empty());
        if uuid.is_none() {
            self.report.note("seat without uuid", &place);
        }
        let (x, y) = match self.position(seat, &place)? {
            Some(position) => position,
            None => {
                self.report.note(
                    "seat without a position, drawn beside its neighbour",
                    &place,
                );
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "a row has far fewer seats than a float is exact for"
                )]
                let x = at as f64 * STEP;
                (x, 0.0)
            }
        };
        Ok(RawSeat {
            ids: [uuid, text(seat, "seat_guid").filter(|id| !id.is_empty())],
            label,
            category: text(seat, "category").unwrap_or_default(),
            x: row.0 + x,
            y: row.1 + y,
            accessible: seat
                .get("accessible")
                .and_then(Value::as_bool)
                .unwrap_or(false),
            place,
        })
    }

    fn area(&mut self, value: &Value, zone: (f64, f64), place: &str) -> Result<Area, PlanError> {
        let area = self.object(value, place)?;
        self.unknown_keys(area, AREA_KEYS, place);
        let (x, y) = self.position(area, place)?.unwrap_or((0.0, 0.0));
        let (x, y) = (zone.0 + x, zone.1 + y);
        let of = |this: &mut Self, part: &str, key: &str| -> Result<f64, PlanError> {
            let part_value = area.get(part).unwrap_or(&Value::Null);
            Ok(this
                .number(part_value.get(key), &format!("{place}.{part}.{key}"))?
                .unwrap_or(0.0)
                .abs())
        };
        let shape = match area.get("shape").and_then(Value::as_str) {
            Some("rectangle") => Shape::Rectangle {
                width: of(self, "rectangle", "width")?,
                height: of(self, "rectangle", "height")?,
            },
            Some("circle") => {
                let radius = of(self, "circle", "radius")?;
                Shape::Ellipse {
                    rx: radius,
                    ry: radius,
                }
            }
            Some("ellipse") => {
                let radius = area
                    .get("ellipse")
                    .and_then(|ellipse| ellipse.get("radius"))
                    .unwrap_or(&Value::Null);
                let rx = self
                    .number(radius.get("x"), &format!("{place}.ellipse.radius.x"))?
                    .unwrap_or(0.0)
                    .abs();
                let ry = self
                    .number(radius.get("y"), &format!("{place}.ellipse.radius.y"))?
                    .unwrap_or(0.0)
                    .abs();
                Shape::Ellipse { rx, ry }
            }
            Some("polygon") => Shape::Polygon {
                points: self.points(area, place)?,
            },
            Some("text") | None => Shape::Text,
            Some(other) => {
                self.report.note(
                    format!("area of the unknown shape {other:?}, not drawn"),
                    place,
                );
                Shape::Text
            }
        };
        let text = match area.get("text").and_then(Value::as_object) {
            Some(written) => self.written(written, (x, y), place)?,
            None => None,
        };
        Ok(Area {
            shape,
            x,
            y,
            rotation: self
                .number(area.get("rotation"), &format!("{place}.rotation"))?
                .unwrap_or(0.0),
            fill: self.color(area, "color", place),
            border: self.color(area, "border_color", place),
            text,
        })
    }

    fn points(
        &mut self,
        area: &Map<String, Value>,
        place: &str,
    ) -> Result<Vec<(f64, f64)>, PlanError> {
        let points = area
            .get("polygon")
            .and_then(|polygon| polygon.get("points"))
            .and_then(Value::as_array);
        let mut corners = Vec::new();
        for (at, point) in points.into_iter().flatten().enumerate() {
            let place = format!("{place}.polygon.points[{at}]");
            let x = self.number(point.get("x"), &place)?.unwrap_or(0.0);
            let y = self.number(point.get("y"), &place)?.unwrap_or(0.0);
            corners.push((x, y));
        }
        Ok(corners)
    }

    fn written(
        &mut self,
        written: &Map<String, Value>,
        origin: (f64, f64),
        place: &str,
    ) -> Result<Option<Mark>, PlanError> {
        let Some(words) = text(written, "text").filter(|words| !words.trim().is_empty()) else {
            return Ok(None);
        };
        let (x, y) = self
            .position(written, &format!("{place}.text"))?
            .unwrap_or((0.0, 0.0));
        Ok(Some(Mark {
            text: words,
            x: origin.0 + x,
            y: origin.1 + y,
        }))
    }

    fn object<'v>(
        &self,
        value: &'v Value,
        place: &str,
    ) -> Result<&'v Map<String, Value>, PlanError> {
        value.as_object().ok_or_else(|| {
            PlanError::at(
                self.file,
                place,
                "an object belongs here: this is no seating plan",
            )
        })
    }

    fn list<'v>(
        &self,
        of: &'v Map<String, Value>,
        key: &str,
        place: &str,
    ) -> Result<&'v [Value], PlanError> {
        match of.get(key) {
            None | Some(Value::Null) => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(PlanError::at(
                self.file,
                format!("{place}.{key}"),
                "a list belongs here",
            )),
        }
    }

    fn position(
        &mut self,
        of: &Map<String, Value>,
        place: &str,
    ) -> Result<Option<(f64, f64)>, PlanError> {
        let Some(position) = of.get("position").filter(|position| !position.is_null()) else {
            return Ok(None);
        };
        let place = format!("{place}.position");
        let x = self.number(position.get("x"), &format!("{place}.x"))?;
        let y = self.number(position.get("y"), &format!("{place}.y"))?;
        Ok(x.zip(y))
    }

    /// A number, also as text; negative ones and fractions are as good as any.
    fn number(&mut self, value: Option<&Value>, place: &str) -> Result<Option<f64>, PlanError> {
        let number = match value {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) => {
                self.report.note("number that is written as text", place);
                text.trim().parse().ok()
            }
            Some(_) => None,
        };
        match number {
            Some(number) if number.is_finite() && number.abs() <= FARTHEST => Ok(Some(number)),
            _ => Err(PlanError::at(
                self.file,
                place,
                "this is no number that a place in a room can have",
            )),
        }
    }

    /// `#rgb` and `#rrggbb` as `#rrggbb`; other colours are reported and left out.
    fn color(&mut self, of: &Map<String, Value>, key: &str, place: &str) -> Option<String> {
        let given = text(of, key)?.trim().to_ascii_lowercase();
        let digits = given.strip_prefix('#').unwrap_or_default();
        if digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            match digits.len() {
                6 => return Some(given),
                3 => {
                    return Some(format!(
                        "#{}",
                        digits.chars().flat_map(|c| [c, c]).collect::<String>()
                    ));
                }
                _ => {}
            }
        }
        if !given.is_empty() && given != "transparent" && given != "none" {
            self.report
                .note("colour that is not #rrggbb", format!("{place}.{key}"));
        }
        None
    }

    fn unknown_keys(&mut self, of: &Map<String, Value>, known: &[&str], place: &str) {
        for key in of.keys().filter(|key| !known.contains(&key.as_str())) {
            self.report
                .note(format!("unknown key {key:?}, ignored"), place);
        }
    }
}

/// A text, or a number as text.
fn text(of: &Map<String, Value>, key: &str) -> Option<String> {
    match of.get(key)? {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
