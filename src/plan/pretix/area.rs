//! What is drawn beside the seats: the stage, a bar, an entrance. An area that cannot be drawn costs no seat.

use super::super::{
    Area, Mark, Oddity, PlanError, Shape,
    json::{At, Node},
    text,
};
use super::fields::Reader;

const AREA_KEYS: &[&str] = &[
    "shape",
    "color",
    "border_color",
    "rotation",
    "position",
    "uuid",
    "text",
    "rectangle",
    "circle",
    "ellipse",
    "polygon",
    "width",
    "height",
];
const TEXT_KEYS: &[&str] = &["text", "color", "size", "position"];

/// The size of letters if an area does not say (schema).
const TEXT_SIZE: f64 = 16.0;

impl Reader<'_> {
    pub(super) fn area(
        &mut self,
        node: &Node,
        zone: (f64, f64),
        at: &At<'_>,
    ) -> Result<Option<Area>, PlanError> {
        self.object(node, at, AREA_KEYS)?;
        let position = self.position(node, at)?;
        if position.is_none() {
            self.report.note(Oddity::MissingPosition, at);
        }
        let (x, y) = self.absolute(zone, position.unwrap_or_default(), at);
        let Some(shape) = self.shape(node, at)? else {
            let name = node.get("shape").map(|shape| {
                if let Node::Text(name) = shape {
                    name
                } else {
                    "?"
                }
            });
            self.report.name(
                Oddity::InvalidArea,
                at,
                &text::tidy(name.unwrap_or_default(), text::LONGEST_LABEL).0,
            );
            return Ok(None);
        };
        let (text, text_color) = self.words(node, (x, y), &shape, at)?;
        Ok(Some(Area {
            shape,
            x,
            y,
            rotation: self.number(node, "rotation", at)?.unwrap_or_default() % 360.0,
            fill: self.color(node, "color", at)?,
            border: self.color(node, "border_color", at)?,
            text,
            text_color,
        }))
    }

    /// The shape that is named, or the one that is there; the older dialect has rectangles only, and names none.
    fn shape(&mut self, node: &Node, at: &At<'_>) -> Result<Option<Shape>, PlanError> {
        let named = self.text(node, "shape", at, text::LONGEST_LABEL)?;
        let there = ["rectangle", "circle", "ellipse", "polygon"]
            .into_iter()
            .find(|shape| node.get(shape).is_some());
        Ok(match named.as_deref().or(there) {
            Some("rectangle") => {
                let (of, at) = node
                    .get("rectangle")
                    .map_or((node, *at), |of| (of, at.key("rectangle")));
                let size = self
                    .number(of, "width", &at)?
                    .zip(self.number(of, "height", &at)?);
                size.map(|(width, height)| Shape::Rectangle {
                    width: width.abs(),
                    height: height.abs(),
                })
            }
            Some("circle") => {
                let Some(of) = node.get("circle") else {
                    return Ok(None);
                };
                let radius = self.number(of, "radius", &at.key("circle"))?.map(f64::abs);
                radius.map(|radius| Shape::Ellipse {
                    rx: radius,
                    ry: radius,
                })
            }
            Some("ellipse") => {
                let Some(radius) = node.get("ellipse").and_then(|of| of.get("radius")) else {
                    return Ok(None);
                };
                let radius = self.point(radius, &at.key("ellipse").key("radius"))?;
                radius.map(|(rx, ry)| Shape::Ellipse {
                    rx: rx.abs(),
                    ry: ry.abs(),
                })
            }
            Some("polygon") => {
                let Some(of) = node.get("polygon") else {
                    return Ok(None);
                };
                let polygon = at.key("polygon");
                let list = polygon.key("points");
                let mut points = Vec::new();
                for (index, point) in self.list(of, "points", &polygon)?.iter().enumerate() {
                    points.extend(self.point(point, &list.index(index))?);
                }
                (points.len() > 1).then_some(Shape::Polygon { points })
            }
            Some("text") => Some(Shape::Text),
            Some(_) => None,
            None => {
                let size = self
                    .number(node, "width", at)?
                    .zip(self.number(node, "height", at)?);
                Some(
                    size.map_or(Shape::Text, |(width, height)| Shape::Rectangle {
                        width: width.abs(),
                        height: height.abs(),
                    }),
                )
            }
        })
    }

    /// The words on an area with their colour; those without a place stand in its middle.
    fn words(
        &mut self,
        node: &Node,
        origin: (f64, f64),
        shape: &Shape,
        at: &At<'_>,
    ) -> Result<(Option<Mark>, Option<String>), PlanError> {
        let text_at = at.key("text");
        let mark = |text: Option<String>, place: Option<(f64, f64)>, size: f64| {
            let (x, y) = place.unwrap_or_else(|| middle(shape));
            text.map(|text| Mark {
                text,
                x: origin.0 + x,
                y: origin.1 + y,
                size,
            })
        };
        match node.get("text") {
            Some(words @ Node::Object(_)) => {
                self.object(words, &text_at, TEXT_KEYS)?;
                let written = self.text(words, "text", &text_at, text::LONGEST_WORDS)?;
                let place = self.position(words, &text_at)?;
                let size = self
                    .number(words, "size", &text_at)?
                    .filter(|size| *size > 0.0)
                    .unwrap_or(TEXT_SIZE);
                Ok((
                    mark(written, place, size),
                    self.color(words, "color", &text_at)?,
                ))
            }
            _ => Ok((
                mark(
                    self.text(node, "text", at, text::LONGEST_WORDS)?,
                    None,
                    TEXT_SIZE,
                ),
                None,
            )),
        }
    }
}

fn middle(shape: &Shape) -> (f64, f64) {
    match shape {
        Shape::Rectangle { width, height } => (width / 2.0, height / 2.0),
        Shape::Ellipse { .. } | Shape::Text => (0.0, 0.0),
        Shape::Polygon { points } => {
            #[expect(
                clippy::cast_precision_loss,
                reason = "a file has fewer corners than a float is exact for"
            )]
            let count = points.len().max(1) as f64;
            let sum = points
                .iter()
                .fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
            (sum.0 / count, sum.1 / count)
        }
    }
}
