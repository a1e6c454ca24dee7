//! What was odd about a file: one line for each kind, with its count and the first place.

use std::fmt;

/// All that was odd.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many seats were read.
    pub seats: usize,
    /// How many of them are not for sale until someone repairs them.
    pub blocked: usize,
    /// One for each kind, in the order in which they were met.
    pub notes: Vec<Note>,
}

/// One kind of oddity in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Which.
    pub oddity: Oddity,
    /// How often.
    pub count: usize,
    /// Where first.
    pub place: String,
    /// Which keys, categories or seats are meant, as far as they fit a line.
    pub names: Vec<String>,
}

macro_rules! oddities {
    ($($name:ident => $words:literal,)*) => {
        /// The kinds of oddity.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Oddity {
            $(#[doc = $words] $name,)*
        }

        impl Oddity {
            /// The kind in words.
            #[must_use]
            pub fn words(self) -> &'static str {
                match self {
                    $(Self::$name => $words,)*
                }
            }
        }
    };
}

oddities! {
    ByteOrderMark => "byte-order mark, skipped",
    Windows1252 => "text that is not UTF-8, read as Windows-1252",
    Separator => "cells separated by something else than commas",
    RaggedLine => "line with fewer or more cells than the first",
    Words => "cell with words where a seat's label belongs",
    UnknownKey => "unknown key, ignored",
    UnusedWording => "wording for rows or seats, not used",
    TextForNumber => "number written as text",
    NumberForText => "text written as a number",
    UntidyText => "text that is too long or has control characters, tidied",
    Fraction => "coordinate with a fraction",
    Negative => "place at negative coordinates",
    MissingPosition => "missing position, drawn beside its neighbours",
    NamelessZone => "zone without a name",
    NumberlessRow => "row without a number",
    EmptyRow => "row without seats",
    MissingUuid => "seat without a uuid",
    RepeatedUuid => "uuid that another seat has too",
    RepeatedGuid => "guid that another seat has too",
    NoCategory => "seat without a category",
    UndeclaredCategory => "seat of a category that is not declared, made up in grey",
    RepeatedCategory => "category that is declared again, merged",
    UnusedCategory => "category that no seat has, left out",
    InvalidColor => "colour that is missing or not understood",
    InvalidArea => "area that cannot be drawn",
    SameSpot => "seat at the very place of another",
    NumberlessSeat => "seat without a number, not for sale until renamed",
    DuplicateLabel => "seat with the label of another in its zone and row, not for sale until renamed",
}

impl Oddity {
    /// How many names a line has: all the seats that someone must rename, within reason, and some examples of the rest.
    fn most_names(self) -> usize {
        if matches!(self, Self::NumberlessSeat | Self::DuplicateLabel) {
            40
        } else {
            6
        }
    }
}

impl Report {
    /// Notes one more of a kind.
    pub(super) fn note(&mut self, oddity: Oddity, place: impl fmt::Display) {
        self.name(oddity, place, "");
    }

    /// Notes one more of a kind, with what it is called.
    pub(super) fn name(&mut self, oddity: Oddity, place: impl fmt::Display, name: &str) {
        let at = self
            .notes
            .iter()
            .position(|note| note.oddity == oddity)
            .unwrap_or_else(|| {
                self.notes.push(Note {
                    oddity,
                    count: 0,
                    place: place.to_string(),
                    names: Vec::new(),
                });
                self.notes.len() - 1
            });
        let note = &mut self.notes[at];
        note.count += 1;
        if !name.is_empty()
            && note.names.len() <= oddity.most_names()
            && !note.names.iter().any(|known| known == name)
        {
            note.names.push(name.to_owned());
        }
    }

    /// How often a kind was noted.
    #[must_use]
    pub fn count(&self, oddity: Oddity) -> usize {
        self.notes
            .iter()
            .find(|note| note.oddity == oddity)
            .map_or(0, |note| note.count)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}",
            self.seats,
            if self.seats == 1 { "seat" } else { "seats" }
        )?;
        if self.blocked > 0 {
            write!(f, ", {} of them not for sale until renamed", self.blocked)?;
        }
        for note in &self.notes {
            write!(f, "\n  {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} × {} (first: {})",
            self.count,
            self.oddity.words(),
            self.place
        )?;
        let most = self.oddity.most_names();
        for (at, name) in self.names.iter().take(most).enumerate() {
            write!(f, "{}{name}", if at == 0 { ": " } else { ", " })?;
        }
        if self.names.len() > most {
            write!(f, "…")
        } else {
            Ok(())
        }
    }
}
