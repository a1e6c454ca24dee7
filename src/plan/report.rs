//! What was odd about a file: one line for each kind, with its count and the first place.

use std::fmt;

/// All that was odd.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many seats were read.
    pub seats: usize,
    /// How many of them are not for sale until someone repairs them.
    pub blocked: usize,
    /// One for each kind, in the order of their first places.
    pub notes: Vec<Note>,
}

/// One kind of oddity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What was odd, in words.
    pub what: String,
    /// How often.
    pub count: usize,
    /// Where first.
    pub place: String,
}

impl Report {
    /// Notes one more of a kind.
    pub(super) fn note(&mut self, what: impl Into<String>, place: impl Into<String>) {
        let what = what.into();
        match self.notes.iter_mut().find(|note| note.what == what) {
            Some(note) => note.count += 1,
            None => self.notes.push(Note {
                what,
                count: 1,
                place: place.into(),
            }),
        }
    }

    /// How often a kind was noted.
    #[must_use]
    pub fn count(&self, what: &str) -> usize {
        self.notes
            .iter()
            .filter(|note| note.what.starts_with(what))
            .map(|note| note.count)
            .sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} seats", self.seats)?;
        if self.blocked > 0 {
            write!(
                f,
                ", {} of them not for sale until they are repaired",
                self.blocked
            )?;
        }
        for note in &self.notes {
            write!(
                f,
                "\n  {} × {} (first: {})",
                note.count, note.what, note.place
            )?;
        }
        Ok(())
    }
}
