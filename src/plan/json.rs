//! JSON with places: every value can say where it stands, and no key is there twice unseen.

use std::{cell::Cell, collections::HashSet, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::PlanError;

/// Most values of a file: a hundred thousand seats with everything a seat can have stay below this.
const MOST_VALUES: usize = 4_000_000;

/// A value.
#[derive(Debug, PartialEq)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    /// What an object has under a key; `null` is nothing.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        let Self::Object(entries) = self else {
            return None;
        };
        entries
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| value)
            .filter(|value| **value != Self::Null)
    }
}

/// A place in a file: `zones[1].rows[0].seats[5].position.x`.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'a> {
    up: Option<&'a At<'a>>,
    step: Step<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> At<'a> {
    pub(super) const ROOT: At<'static> = At {
        up: None,
        step: Step::Root,
    };

    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self {
            up: Some(self),
            step: Step::Key(key),
        }
    }

    pub(super) fn index(&'a self, index: usize) -> Self {
        Self {
            up: Some(self),
            step: Step::Index(index),
        }
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nested = self.up.is_some_and(|up| !matches!(up.step, Step::Root));
        if let Some(up) = self.up.filter(|_| nested) {
            write!(f, "{up}")?;
        }
        match self.step {
            Step::Root => f.write_str("top level"),
            Step::Key(key) if nested => write!(f, ".{key}"),
            Step::Key(key) => f.write_str(key),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// Reads a whole text. Broken JSON says its line and column; a key that is there twice says its path.
pub(super) fn parse(file: &str, text: &str) -> Result<Node, PlanError> {
    let count = Cell::new(0);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Seed(&count)
        .deserialize(&mut deserializer)
        .and_then(|node| deserializer.end().map(|()| node));
    let node = parsed.map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        let words = error.to_string();
        let words = words
            .rsplit_once(" at line ")
            .map_or(words.as_str(), |(words, _)| words);
        if error.is_eof() {
            PlanError::at(file, place, "the file ends in the middle: it is truncated")
        } else {
            PlanError::at(
                file,
                place,
                format!("this is no JSON that a plan can be read from: {words}"),
            )
        }
    })?;
    refuse_repeated_keys(file, &node, &At::ROOT)?;
    Ok(node)
}

fn refuse_repeated_keys(file: &str, node: &Node, at: &At<'_>) -> Result<(), PlanError> {
    match node {
        Node::List(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| refuse_repeated_keys(file, item, &at.index(index))),
        Node::Object(entries) => {
            let mut known = HashSet::new();
            entries.iter().try_for_each(|(key, value)| {
                if known.insert(key) {
                    refuse_repeated_keys(file, value, &at.key(key))
                } else {
                    Err(PlanError::at(
                        file,
                        at.key(key),
                        "this key is there twice: which one counts?",
                    ))
                }
            })
        }
        _ => Ok(()),
    }
}

/// Makes nodes and counts them.
#[derive(Clone, Copy)]
struct Seed<'c>(&'c Cell<usize>);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        self.0.set(self.0.get() + 1);
        if self.0.get() > MOST_VALUES {
            return Err(D::Error::custom(format!(
                "it has more than {MOST_VALUES} values"
            )));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Number(value))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "coordinates that floats cannot hold are refused anyway"
    )]
    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value as f64))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "coordinates that floats cannot hold are refused anyway"
    )]
    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value as f64))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut object = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            object.push((key, entries.next_value_seed(self)?));
        }
        Ok(Node::Object(object))
    }
}
