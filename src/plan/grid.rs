//! The CSV grid: a cell `label` or `zone:label` is a seat, `+` behind it an accessible one, a blank cell no seat.
//!
//! A line of the grid is a row. Where all labels of a zone's line share their letters (`C1, C2, C14`), these are the row's
//! label and the rest is the seat's; else the row is called by its line's number. Commas, semicolons and tabs separate cells,
//! whichever the file has most of. A file with zones has a category for each zone, one without has `Standard`.

use super::{Category, PlanError, RawPlan, RawRow, RawSeat, RawZone, Report};

/// What seats without a zone belong to.
const STANDARD: &str = "Standard";

/// A label longer than this is no label: the file is something else.
const LONGEST_LABEL: usize = 40;

/// Colours for the categories, in turn.
const COLORS: [&str; 6] = [
    "#2f6f8f", "#8a5a9e", "#b5651d", "#3b7d4f", "#a23e48", "#5b5f97",
];

pub(super) fn read(file: &str, text: &str, _report: &mut Report) -> Result<RawPlan, PlanError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let mut plan = RawPlan::default();
    for record in reader.records() {
        let record = record.map_err(|e| PlanError::whole(file, format!("this is no CSV: {e}")))?;
        let line = record.position().map_or(0, csv::Position::line);
        let mut of_line: Vec<(String, Vec<RawSeat>)> = Vec::new();
        for (column, cell) in record
            .iter()
            .enumerate()
            .filter(|(_, cell)| !cell.trim().is_empty())
        {
            let place = format!("line {line}, cell {}", column + 1);
            let (zone, seat) = seat(file, cell, line, column, place)?;
            match of_line.iter_mut().find(|(name, _)| *name == zone) {
                Some((_, seats)) => seats.push(seat),
                None => of_line.push((zone, vec![seat])),
            }
        }
        for (zone, seats) in of_line {
            let row = row(seats, line);
            match plan.zones.iter_mut().find(|known| known.name == zone) {
                Some(known) => known.rows.push(row),
                None => plan.zones.push(RawZone {
                    name: zone,
                    rows: vec![row],
                }),
            }
        }
    }
    let categories = plan.zones.iter().map(|zone| {
        if zone.name.is_empty() {
            STANDARD
        } else {
            &zone.name
        }
    });
    plan.categories = categories
        .enumerate()
        .map(|(at, name)| Category {
            name: name.to_owned(),
            color: COLORS[at % COLORS.len()].to_owned(),
        })
        .collect();
    Ok(plan)
}

fn seat(
    file: &str,
    cell: &str,
    line: u64,
    column: usize,
    place: String,
) -> Result<(String, RawSeat), PlanError> {
    let cell = cell.trim();
    let (cell, accessible) = cell
        .strip_suffix('+')
        .map_or((cell, false), |rest| (rest.trim_end(), true));
    let (zone, label) = cell
        .split_once(':')
        .map_or(("", cell), |(zone, label)| (zone.trim(), label.trim()));
    if label.chars().count() > LONGEST_LABEL
        || zone.chars().count() > LONGEST_LABEL
        || label.starts_with('<')
    {
        return Err(PlanError::at(
            file,
            place,
            "this does not look like a seat's label: the file is no seating plan",
        ));
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "lines and cells of a file of 32 MB are exact"
    )]
    let (x, y) = (column as f64, line as f64);
    let category = if zone.is_empty() { STANDARD } else { zone };
    let seat = RawSeat {
        ids: [None, None],
        label: label.to_owned(),
        category: category.to_owned(),
        x,
        y,
        accessible,
        place,
    };
    Ok((zone.to_owned(), seat))
}

fn row(mut seats: Vec<RawSeat>, line: u64) -> RawRow {
    let letters =
        |label: &str| -> String { label.chars().take_while(|c| c.is_alphabetic()).collect() };
    let prefix = seats
        .first()
        .map(|seat| letters(&seat.label))
        .unwrap_or_default();
    let shared = !prefix.is_empty()
        && seats
            .iter()
            .all(|seat| letters(&seat.label) == prefix && seat.label.len() > prefix.len());
    if shared {
        for seat in &mut seats {
            seat.label = seat.label[prefix.len()..]
                .trim_start_matches([' ', '-'])
                .to_owned();
        }
    }
    RawRow {
        label: if shared { prefix } else { line.to_string() },
        marks: (true, true),
        seats,
    }
}

/// The separator that the first lines have most of, outside of quotes.
fn delimiter(text: &str) -> u8 {
    let head: String = text.lines().take(20).collect();
    let count = |wanted: char| {
        let mut quoted = false;
        head.chars()
            .filter(|c| {
                quoted ^= *c == '"';
                *c == wanted && !quoted
            })
            .count()
    };
    *[b',', b';', b'\t']
        .iter()
        .max_by_key(|c| (count(char::from(**c)), **c == b','))
        .unwrap_or(&b',')
}
