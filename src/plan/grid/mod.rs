//! The CSV grid: a cell `label` or `zone:label` is a seat, `+` behind it an accessible one, a blank cell no seat.
//!
//! * **Geometry**: a cell is one seat pitch wide and high. Blank cells and blank lines are aisles.
//! * **Separators** are commas, semicolons or tabs, whichever the file has most of; cells may be quoted. Lines may differ in
//!   length.
//! * **Rows**: `C14`, `C-14`, `C 14` and `3-14` name row and seat. Where all labels of a zone do, rows are what the labels
//!   say, however the seats stand: `A1,B1` above `A2,B2` are two rows side by side. In other zones a line is a row: where all
//!   labels of the line share their row (`C1,C2,C14`), that is its label, else its number among the zone's lines, and the
//!   seats keep their whole labels.
//! * **Words** in a cell (`Stage`) are kept as a seat without a number, not for sale, and reported.
//! * **Categories**: one for each zone, in the order of the file; seats without a zone are `Standard`.

mod rows;

use std::collections::HashMap;

use super::{
    Category, MOST_SEATS, Oddity, PlanError, RawPlan, RawRow, RawSeat, RawZone, Report, text,
};
use rows::{Placed, rows};

/// The category of seats without a zone.
const STANDARD: &str = "Standard";

/// Colours for the categories, in turn: each legible with white text, and to be told from its neighbours.
const COLORS: [&str; 6] = [
    "#1f5f8b", "#8a3b12", "#3d6b35", "#7a3e8e", "#8f1d3f", "#4a5568",
];

pub(super) fn read(file: &str, text: &str, report: &mut Report) -> Result<RawPlan, PlanError> {
    if text.trim_start().starts_with('<') {
        return Err(PlanError::at(
            file,
            "line 1",
            "this is a web page or XML: neither pretix JSON nor a CSV grid",
        ));
    }
    let separator = separator(text);
    if separator != b',' {
        report.note(Oddity::Separator, "line 1");
    }
    let mut zones: Vec<(String, Vec<Placed>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut width = None;
    let mut count = 0;
    let text = text.replace("\r\n", "\n");
    for (line, text) in (1..)
        .zip(text.split(['\n', '\r']))
        .filter(|(_, text)| !text.trim().is_empty())
    {
        let record = cells(file, line, text, separator)?;
        if *width.get_or_insert(record.len()) != record.len() {
            report.note(Oddity::RaggedLine, format_args!("line {line}"));
        }
        for (column, cell) in record
            .iter()
            .enumerate()
            .filter(|(_, cell)| !cell.trim().is_empty())
        {
            let (zone, seat) = seat(cell, line, column, report);
            let at = *known.entry(zone.clone()).or_insert_with(|| {
                zones.push((zone, Vec::new()));
                zones.len() - 1
            });
            zones[at].1.push(Placed { line, seat });
            count += 1;
        }
        if count > MOST_SEATS {
            return Err(PlanError::at(
                file,
                format!("line {line}"),
                format!("it has more than {MOST_SEATS} seats up to here"),
            ));
        }
    }
    if zones
        .iter()
        .flat_map(|(_, seats)| seats)
        .all(|placed| placed.seat.label.is_empty())
        && !zones.is_empty()
    {
        return Err(PlanError::whole(
            file,
            "no cell has a seat's label: it is no seating plan",
        ));
    }
    let color = |at: usize| COLORS[at % COLORS.len()].to_owned();
    let categories = zones.iter().enumerate().map(|(at, (zone, _))| Category {
        name: category(zone),
        color: color(at),
    });
    Ok(RawPlan {
        categories: categories.collect(),
        zones: zones
            .into_iter()
            .map(|(name, seats)| RawZone {
                name,
                rows: rows(seats),
            })
            .collect(),
        pitch: Some(1.0),
        ..RawPlan::default()
    })
}

/// The cells of one line. A quote that it does not close would swallow the lines below.
fn cells(file: &str, line: u32, text: &str, separator: u8) -> Result<csv::StringRecord, PlanError> {
    let closed = format!("{text}\n.");
    let reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(closed.as_bytes());
    let place = format!("line {line}");
    match reader.into_records().collect::<Result<Vec<_>, _>>() {
        Ok(mut records) if records.len() == 2 => Ok(records.swap_remove(0)),
        Ok(_) => Err(PlanError::at(
            file,
            place,
            "a quote is opened on this line and never closed",
        )),
        Err(error) => Err(PlanError::at(
            file,
            place,
            format!("this is no CSV: {error}"),
        )),
    }
}

fn category(zone: &str) -> String {
    if zone.is_empty() {
        STANDARD.to_owned()
    } else {
        zone.to_owned()
    }
}

fn seat(cell: &str, line: u32, column: usize, report: &mut Report) -> (String, RawSeat) {
    let place = format!("line {line}, cell {}", column + 1);
    let cell = cell.trim();
    let (cell, accessible) = cell
        .strip_suffix('+')
        .map_or((cell, false), |rest| (rest, true));
    let (zone, label) = cell.split_once(':').unwrap_or(("", cell));
    let (zone, untidy_zone) = text::tidy(zone, text::LONGEST_LABEL);
    let (mut label, untidy_label) = text::tidy(label, text::LONGEST_LABEL);
    if untidy_zone || untidy_label {
        report.note(Oddity::UntidyText, &place);
    }
    let is_words = label.chars().filter(|c| c.is_alphabetic()).count() > 2
        && !label.chars().any(char::is_numeric);
    let mut name = None;
    if is_words {
        report.name(Oddity::Words, &place, &label);
        name = Some(std::mem::take(&mut label));
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "a line of 32 MB has fewer cells than a float is exact for"
    )]
    let position = Some((column as f64, f64::from(line)));
    let category = category(&zone);
    (
        zone,
        RawSeat {
            ids: [None, None],
            label,
            name,
            category,
            position,
            accessible,
            place,
        },
    )
}

/// The separator that the file has most of, outside of quotes.
fn separator(text: &str) -> u8 {
    let mut counts = [(b',', 0_usize), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for byte in text.bytes() {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts
            .iter_mut()
            .find(|(separator, _)| *separator == byte && !quoted)
        {
            *count += 1;
        }
    }
    counts
        .iter()
        .rev()
        .max_by_key(|(_, count)| *count)
        .map_or(b',', |(separator, _)| *separator)
}
