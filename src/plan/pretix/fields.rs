//! Reading one field: what is nearly right is taken and reported, what is wrong is an error with its path.

use super::super::{
    Oddity, PlanError, Report,
    color::{self, Color},
    json::{At, Node},
    text,
};

/// No place of a room is farther from its origin, in the file's own units.
const FARTHEST: f64 = 1_000_000.0;

/// Reads the fields of one file.
pub(super) struct Reader<'r> {
    pub(super) file: &'r str,
    pub(super) report: &'r mut Report,
}

impl Reader<'_> {
    /// Refuses what is no object, and reports the keys that nobody reads.
    pub(super) fn object(
        &mut self,
        node: &Node,
        at: &At<'_>,
        known: &[&str],
    ) -> Result<(), PlanError> {
        let Node::Object(entries) = node else {
            return Err(self.wrong(at, "an object"));
        };
        for (key, _) in entries
            .iter()
            .filter(|(key, _)| !known.contains(&key.as_str()))
        {
            self.report.name(
                Oddity::UnknownKey,
                at,
                &text::tidy(key, text::LONGEST_LABEL).0,
            );
        }
        Ok(())
    }

    /// A list; one that is missing is empty.
    pub(super) fn list<'n>(
        &self,
        of: &'n Node,
        key: &str,
        at: &At<'_>,
    ) -> Result<&'n [Node], PlanError> {
        match of.get(key) {
            None => Ok(&[]),
            Some(Node::List(items)) => Ok(items),
            Some(_) => Err(self.wrong(&at.key(key), "a list")),
        }
    }

    /// A text on one line; an empty one is none.
    pub(super) fn text(
        &mut self,
        of: &Node,
        key: &str,
        at: &At<'_>,
        longest: usize,
    ) -> Result<Option<String>, PlanError> {
        let at = at.key(key);
        let found = match of.get(key) {
            None => return Ok(None),
            Some(Node::Text(found)) => {
                let (tidy, untidy) = text::tidy(found, longest);
                if untidy {
                    self.report.note(Oddity::UntidyText, at);
                }
                tidy
            }
            Some(Node::Number(number)) => {
                self.report.note(Oddity::NumberForText, at);
                text::tidy(&number.to_string(), longest).0
            }
            Some(_) => return Err(self.wrong(&at, "a text")),
        };
        Ok(Some(found).filter(|found| !found.is_empty()))
    }

    /// A number within reason, also one that is written as text.
    pub(super) fn number(
        &mut self,
        of: &Node,
        key: &str,
        at: &At<'_>,
    ) -> Result<Option<f64>, PlanError> {
        let at = at.key(key);
        let number = match of.get(key) {
            None => return Ok(None),
            Some(Node::Number(number)) => Some(*number),
            Some(Node::Text(written)) => {
                self.report.note(Oddity::TextForNumber, at);
                written.trim().parse().ok()
            }
            Some(_) => None,
        };
        match number {
            Some(number) if number.is_finite() && number.abs() <= FARTHEST => Ok(Some(number)),
            Some(_) => Err(PlanError::at(
                self.file,
                at,
                "no place in a room is that far away",
            )),
            None => Err(self.wrong(&at, "a number")),
        }
    }

    /// The object's `position`; one that lacks a coordinate is none.
    pub(super) fn position(
        &mut self,
        of: &Node,
        at: &At<'_>,
    ) -> Result<Option<(f64, f64)>, PlanError> {
        of.get("position").map_or(Ok(None), |position| {
            self.point(position, &at.key("position"))
        })
    }

    /// A place in the room: what an origin and a position within it add up to.
    pub(super) fn absolute(
        &mut self,
        origin: (f64, f64),
        position: (f64, f64),
        at: &At<'_>,
    ) -> (f64, f64) {
        let (x, y) = (origin.0 + position.0, origin.1 + position.1);
        if x < 0.0 || y < 0.0 {
            self.report.note(Oddity::Negative, at);
        }
        (x, y)
    }

    /// `{"x": …, "y": …}`.
    pub(super) fn point(
        &mut self,
        node: &Node,
        at: &At<'_>,
    ) -> Result<Option<(f64, f64)>, PlanError> {
        self.object(node, at, &["x", "y"])?;
        let mut coordinate = |key| {
            let number = self.number(node, key, at)?;
            if number.is_some_and(|number| number.fract() != 0.0) {
                self.report.note(Oddity::Fraction, at.key(key));
            }
            Ok(number)
        };
        let (x, y) = (coordinate("x")?, coordinate("y")?);
        Ok(x.zip(y))
    }

    /// A colour, if there is one to paint.
    pub(super) fn color(
        &mut self,
        of: &Node,
        key: &str,
        at: &At<'_>,
    ) -> Result<Option<String>, PlanError> {
        let Some(written) = self.text(of, key, at, text::LONGEST_LABEL)? else {
            return Ok(None);
        };
        Ok(match color::read(&written) {
            Color::Solid(color) => Some(color),
            Color::Clear => None,
            Color::Unknown => {
                self.report.note(Oddity::InvalidColor, at.key(key));
                None
            }
        })
    }

    pub(super) fn wrong(&self, at: &At<'_>, wanted: &str) -> PlanError {
        PlanError::at(self.file, at, format!("{wanted} belongs here"))
    }
}
