//! How much room things take.

use super::{Area, Mark, RawRow, Shape};

/// How wide a letter is, for its height.
const LETTER: f64 = 0.6;

/// What the seats of some rows fill.
pub(super) fn seats_of<'r>(rows: impl Iterator<Item = &'r RawRow>) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    for (x, y) in rows
        .flat_map(|row| &row.seats)
        .filter_map(|seat| seat.position)
    {
        bounds.take(x, y, 0.5, 0.5);
    }
    bounds
}

/// What an area fills, turned as it is.
pub(super) fn area_bounds(area: &Area) -> Bounds {
    let mut corners = match &area.shape {
        Shape::Rectangle { width, height } => {
            vec![(0.0, 0.0), (*width, 0.0), (0.0, *height), (*width, *height)]
        }
        Shape::Ellipse { rx, ry } => vec![(-rx, -ry), (*rx, -ry), (-rx, *ry), (*rx, *ry)],
        Shape::Polygon { points } => points.clone(),
        Shape::Text => Vec::new(),
    };
    if let Some(text) = &area.text {
        let (x, y, half) = (text.x - area.x, text.y - area.y, letters(text) / 2.0);
        corners.extend([
            (x - half, y - text.size / 2.0),
            (x + half, y + text.size / 2.0),
        ]);
    }
    let (sin, cos) = area.rotation.to_radians().sin_cos();
    let mut bounds = Bounds::EMPTY;
    for (x, y) in corners {
        bounds.take(
            area.x + x * cos - y * sin,
            area.y + x * sin + y * cos,
            0.0,
            0.0,
        );
    }
    bounds
}

/// How wide words are.
pub(super) fn letters(mark: &Mark) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "texts are short")]
    let count = mark.text.chars().count() as f64;
    count * mark.size * LETTER
}

/// A rectangle around things; an empty one is inside out.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Bounds {
    pub(super) const EMPTY: Self = Self {
        left: f64::INFINITY,
        top: f64::INFINITY,
        right: f64::NEG_INFINITY,
        bottom: f64::NEG_INFINITY,
    };

    pub(super) fn take(&mut self, x: f64, y: f64, half_width: f64, half_height: f64) {
        self.join(Self {
            left: x - half_width,
            top: y - half_height,
            right: x + half_width,
            bottom: y + half_height,
        });
    }

    pub(super) fn join(&mut self, other: Self) {
        self.left = self.left.min(other.left);
        self.top = self.top.min(other.top);
        self.right = self.right.max(other.right);
        self.bottom = self.bottom.max(other.bottom);
    }
}
