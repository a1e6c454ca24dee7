//! Which rows the seats of a zone stand in, as far as their labels and lines tell.

use std::collections::HashMap;

use super::{RawRow, RawSeat};

/// A seat on a line of the grid.
pub(super) struct Placed {
    pub(super) line: u32,
    pub(super) seat: RawSeat,
}

/// The rows of a zone, as the description of the grid says.
pub(super) fn rows(seats: Vec<Placed>) -> Vec<RawRow> {
    let by_label = seats
        .iter()
        .all(|placed| placed.seat.label.is_empty() || split(&placed.seat.label).is_some());
    let mut lines: Vec<Vec<RawSeat>> = Vec::new();
    let mut last = None;
    for Placed { line, seat } in seats {
        if last.replace(line) != Some(line) {
            lines.push(Vec::new());
        }
        if let Some(of_line) = lines.last_mut() {
            of_line.push(seat);
        }
    }
    let mut rows: Vec<RawRow> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (at, line) in lines.into_iter().enumerate() {
        let shared = shared_row(&line);
        for mut seat in line {
            let own = split(&seat.label).filter(|_| by_label || shared.is_some());
            let (row, label) = match own {
                Some((row, label)) => (row.to_owned(), label.to_owned()),
                None => (
                    shared.clone().unwrap_or_else(|| (at + 1).to_string()),
                    seat.label.clone(),
                ),
            };
            if own.is_none() && seat.name.is_none() && label.chars().any(char::is_alphabetic) {
                seat.name = Some(label.clone());
            }
            seat.label = label;
            let at = *known.entry(row.clone()).or_insert_with(|| {
                rows.push(RawRow {
                    label: row,
                    origin: None,
                    marks: (true, true),
                    seats: Vec::new(),
                });
                rows.len() - 1
            });
            rows[at].seats.push(seat);
        }
    }
    rows
}

/// The row that all labels of a line name.
fn shared_row(line: &[RawSeat]) -> Option<String> {
    let mut named = line
        .iter()
        .filter(|seat| !seat.label.is_empty())
        .map(|seat| split(&seat.label));
    let (first, _) = named.next()??;
    named
        .all(|other| other.is_some_and(|(row, _)| row == first))
        .then(|| first.to_owned())
}

/// `C14`, `C-14` and `C 14` as `C` and `14`; `3-14` as `3` and `14`.
fn split(label: &str) -> Option<(&str, &str)> {
    let seat = label.trim_start_matches(|c: char| !c.is_ascii_digit());
    let (row, seat) = match label.rsplit_once(['-', ' ', '/', '.']) {
        Some((row, seat)) => (row.trim_end(), seat),
        None => (&label[..label.len() - seat.len()], seat),
    };
    let is_row = !row.is_empty() && row.chars().all(char::is_alphanumeric);
    let is_seat =
        seat.starts_with(|c: char| c.is_ascii_digit()) && seat.chars().all(char::is_alphanumeric);
    (is_row && is_seat).then_some((row, seat))
}
