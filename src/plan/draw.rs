//! One unit for every room: lengths in seat pitches, the room's top left corner at 0, 0, a margin all around.

use super::{
    Drawing, Mark, PlanError, RawPlan, RawRow, Shape, ZoneMark,
    bounds::{Bounds, area_bounds, letters, seats_of},
    unit,
};

/// Around everything, in seat pitches.
const MARGIN: f64 = 0.5;

/// From a row's last seat to its label.
const MARK_DISTANCE: f64 = 1.0;

/// The height of a row label's letters.
const MARK_SIZE: f64 = 0.5;

/// No room is larger.
const LARGEST: f64 = 5_000.0;

/// Brings seats and areas to the common unit and corner, and says what is drawn around the seats.
pub(super) fn normalise(file: &str, raw: &mut RawPlan) -> Result<Drawing, PlanError> {
    let pitch = raw.pitch.unwrap_or_else(|| unit::pitch(raw));
    place_the_placeless(raw, pitch);
    scale(raw, pitch);
    let mut marks: Vec<Mark> = raw
        .zones
        .iter()
        .flat_map(|zone| &zone.rows)
        .flat_map(row_marks)
        .collect();

    let mut room = Bounds::EMPTY;
    for zone in &raw.zones {
        room.join(seats_of(zone.rows.iter()));
    }
    for mark in &marks {
        room.take(mark.x, mark.y, letters(mark) / 2.0, mark.size / 2.0);
    }
    for area in &raw.areas {
        room.join(area_bounds(area));
    }
    let (left, top) = (room.left - MARGIN, room.top - MARGIN);
    let (width, height) = (room.right + MARGIN - left, room.bottom + MARGIN - top);
    if !(width <= LARGEST && height <= LARGEST) {
        let what = format!(
            "its room would be {width:.0} seats wide and {height:.0} deep: that is no room"
        );
        return Err(PlanError::whole(file, what));
    }

    shift(raw, &mut marks, left, top);
    let zones = raw.zones.iter().filter_map(|zone| {
        let bounds = seats_of(zone.rows.iter());
        let mark = |name| ZoneMark {
            name,
            x: round(bounds.left),
            y: round(bounds.top),
            width: round(bounds.right - bounds.left),
            height: round(bounds.bottom - bounds.top),
        };
        (bounds.left <= bounds.right).then(|| mark(zone.name.clone()))
    });
    Ok(Drawing {
        width: round(width),
        height: round(height),
        zones: zones.collect(),
        seat: round(unit::seat(raw)),
        rows: marks,
        areas: std::mem::take(&mut raw.areas),
    })
}

/// Gives seats that say no place one: beside the seat before, at the row's start, or on a line below everything.
fn place_the_placeless(raw: &mut RawPlan, pitch: f64) {
    let bounds = seats_of(raw.zones.iter().flat_map(|zone| &zone.rows));
    let left = if bounds.left <= bounds.right {
        bounds.left + 0.5
    } else {
        0.0
    };
    let mut below = if bounds.left <= bounds.right {
        bounds.bottom - 0.5
    } else {
        -pitch
    };
    for row in raw.zones.iter_mut().flat_map(|zone| &mut zone.rows) {
        let mut next = row.origin;
        for seat in &mut row.seats {
            let here = seat.position.or(next).unwrap_or_else(|| {
                below += pitch;
                (left, below)
            });
            below = below.max(here.1);
            seat.position = Some(here);
            next = Some((here.0 + pitch, here.1));
        }
    }
}

fn scale(raw: &mut RawPlan, pitch: f64) {
    for seat in raw
        .zones
        .iter_mut()
        .flat_map(|zone| &mut zone.rows)
        .flat_map(|row| &mut row.seats)
    {
        seat.position = seat.position.map(|(x, y)| (x / pitch, y / pitch));
    }
    for area in &mut raw.areas {
        area.x /= pitch;
        area.y /= pitch;
        match &mut area.shape {
            Shape::Rectangle {
                width: a,
                height: b,
            }
            | Shape::Ellipse { rx: a, ry: b } => {
                *a /= pitch;
                *b /= pitch;
            }
            Shape::Polygon { points } => points
                .iter_mut()
                .for_each(|(x, y)| (*x, *y) = (*x / pitch, *y / pitch)),
            Shape::Text => {}
        }
        if let Some(text) = &mut area.text {
            (text.x, text.y, text.size) = (text.x / pitch, text.y / pitch, text.size / pitch);
        }
    }
}

/// Moves everything so that the room begins at 0, 0, and rounds lengths to a thousandth.
fn shift(raw: &mut RawPlan, marks: &mut [Mark], left: f64, top: f64) {
    for seat in raw
        .zones
        .iter_mut()
        .flat_map(|zone| &mut zone.rows)
        .flat_map(|row| &mut row.seats)
    {
        seat.position = seat
            .position
            .map(|(x, y)| (round(x - left), round(y - top)));
    }
    for area in &mut raw.areas {
        (area.x, area.y) = (round(area.x - left), round(area.y - top));
        match &mut area.shape {
            Shape::Rectangle {
                width: a,
                height: b,
            }
            | Shape::Ellipse { rx: a, ry: b } => (*a, *b) = (round(*a), round(*b)),
            Shape::Polygon { points } => points
                .iter_mut()
                .for_each(|(x, y)| (*x, *y) = (round(*x), round(*y))),
            Shape::Text => {}
        }
    }
    for mark in marks
        .iter_mut()
        .chain(raw.areas.iter_mut().filter_map(|area| area.text.as_mut()))
    {
        (mark.x, mark.y, mark.size) = (round(mark.x - left), round(mark.y - top), round(mark.size));
    }
}

/// To a thousandth of a seat pitch.
fn round(length: f64) -> f64 {
    (length * 1000.0).round() / 1000.0
}

/// The row's label, outside of its first and its last seat.
fn row_marks(row: &RawRow) -> Vec<Mark> {
    let places: Vec<_> = row.seats.iter().filter_map(|seat| seat.position).collect();
    let beyond = |end: Option<&(f64, f64)>, next: Option<&(f64, f64)>, alone: f64| {
        let end = end?;
        let (dx, dy) = next.map_or((0.0, 0.0), |next| (end.0 - next.0, end.1 - next.1));
        let length = dx.hypot(dy);
        let (dx, dy) = if length > 1e-6 {
            (dx / length, dy / length)
        } else {
            (alone, 0.0)
        };
        let (x, y) = (end.0 + dx * MARK_DISTANCE, end.1 + dy * MARK_DISTANCE);
        Some(Mark {
            text: row.label.clone(),
            x,
            y,
            size: MARK_SIZE,
        })
    };
    let start = beyond(places.first(), places.get(1), -1.0).filter(|_| row.marks.0);
    let end = beyond(places.last(), places.iter().nth_back(1), 1.0).filter(|_| row.marks.1);
    start
        .into_iter()
        .chain(end)
        .filter(|_| !row.label.is_empty())
        .collect()
}
