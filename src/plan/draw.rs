//! One unit for every room: lengths in seat pitches, the room's top left corner at 0, 0, a margin all around.

use super::{Drawing, Mark, RawPlan, RawRow, Shape};

/// Around everything, in seat pitches.
const MARGIN: f64 = 1.0;

/// Brings seats and areas to the common unit and corner, and says what is drawn around the seats.
pub(super) fn normalise(raw: &mut RawPlan) -> Drawing {
    let pitch = pitch(raw);
    let mut corners = Corners::default();
    let mut rows = Vec::new();
    for row in raw.zones.iter_mut().flat_map(|zone| &mut zone.rows) {
        for seat in &mut row.seats {
            seat.x /= pitch;
            seat.y /= pitch;
            corners.take(seat.x - 0.5, seat.y - 0.5);
            corners.take(seat.x + 0.5, seat.y + 0.5);
        }
        rows.extend(marks(row));
    }
    for area in &mut raw.areas {
        area.x /= pitch;
        area.y /= pitch;
        match &mut area.shape {
            Shape::Rectangle { width, height } => {
                *width /= pitch;
                *height /= pitch;
                for (x, y) in [(0.0, 0.0), (*width, 0.0), (0.0, *height), (*width, *height)] {
                    let (x, y) = turn((x, y), area.rotation);
                    corners.take(area.x + x, area.y + y);
                }
            }
            Shape::Ellipse { rx, ry } => {
                *rx /= pitch;
                *ry /= pitch;
                let reach = rx.max(*ry);
                corners.take(area.x - reach, area.y - reach);
                corners.take(area.x + reach, area.y + reach);
            }
            Shape::Polygon { points } => {
                for point in points.iter_mut() {
                    *point = (point.0 / pitch, point.1 / pitch);
                    let (x, y) = turn(*point, area.rotation);
                    corners.take(area.x + x, area.y + y);
                }
            }
            Shape::Text => {}
        }
        if let Some(text) = &mut area.text {
            text.x /= pitch;
            text.y /= pitch;
            corners.take(text.x, text.y);
        }
    }
    for mark in &rows {
        corners.take(mark.x, mark.y);
    }

    let (left, top) = (corners.left - MARGIN, corners.top - MARGIN);
    for seat in raw
        .zones
        .iter_mut()
        .flat_map(|zone| &mut zone.rows)
        .flat_map(|row| &mut row.seats)
    {
        seat.x -= left;
        seat.y -= top;
    }
    for area in &mut raw.areas {
        area.x -= left;
        area.y -= top;
        if let Some(text) = &mut area.text {
            text.x -= left;
            text.y -= top;
        }
    }
    for mark in &mut rows {
        mark.x -= left;
        mark.y -= top;
    }
    Drawing {
        width: corners.right + MARGIN - left,
        height: corners.bottom + MARGIN - top,
        areas: std::mem::take(&mut raw.areas),
        rows,
    }
}

/// The usual distance of two neighbours: the median over all rows.
fn pitch(raw: &RawPlan) -> f64 {
    let rows = raw.zones.iter().flat_map(|zone| &zone.rows);
    let mut distances: Vec<f64> = rows
        .flat_map(|row| {
            row.seats
                .windows(2)
                .map(|two| (two[0].x - two[1].x).hypot(two[0].y - two[1].y))
        })
        .filter(|distance| *distance > f64::EPSILON)
        .collect();
    distances.sort_by(f64::total_cmp);
    distances.get(distances.len() / 2).copied().unwrap_or(1.0)
}

/// The row's label, one pitch outside of its first and its last seat.
fn marks(row: &RawRow) -> Vec<Mark> {
    let seats = &row.seats;
    let mut marks = Vec::new();
    let mut outside = |end: usize, next: usize, wanted: bool| {
        let (Some(end), Some(next)) = (seats.get(end), seats.get(next)) else {
            return;
        };
        let (dx, dy) = (end.x - next.x, end.y - next.y);
        let length = dx.hypot(dy);
        let (dx, dy) = if length > f64::EPSILON {
            (dx / length, dy / length)
        } else {
            (-1.0, 0.0)
        };
        if wanted && !row.label.is_empty() {
            marks.push(Mark {
                text: row.label.clone(),
                x: end.x + dx,
                y: end.y + dy,
            });
        }
    };
    outside(0, 1.min(seats.len().saturating_sub(1)), row.marks.0);
    if seats.len() > 1 {
        outside(seats.len() - 1, seats.len() - 2, row.marks.1);
    }
    marks
}

fn turn((x, y): (f64, f64), degrees: f64) -> (f64, f64) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    (x * cos - y * sin, x * sin + y * cos)
}

struct Corners {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Default for Corners {
    fn default() -> Self {
        Self {
            left: f64::INFINITY,
            top: f64::INFINITY,
            right: f64::NEG_INFINITY,
            bottom: f64::NEG_INFINITY,
        }
    }
}

impl Corners {
    fn take(&mut self, x: f64, y: f64) {
        self.left = self.left.min(x);
        self.top = self.top.min(y);
        self.right = self.right.max(x);
        self.bottom = self.bottom.max(y);
    }
}
