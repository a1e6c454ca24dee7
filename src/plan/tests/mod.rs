//! What the importer takes, what it reports, and what it refuses: one test for each trait of the files that theatres have.

mod grid;
mod names;
mod odd;
mod refusals;
mod room;

use super::{
    DUPLICATE_LABEL, Drawing, NO_LABEL, Oddity, Plan, PlanError, Report, Shape, color, natural_cmp,
    order, read,
};

const CURRENT: &[u8] = include_bytes!("../../../tests/plans/current.json");
const OLD: &[u8] = include_bytes!("../../../tests/plans/old-dialect.json");
const ODD: &[u8] = include_bytes!("../../../tests/plans/odd.json");
const GRID: &[u8] = include_bytes!("../../../tests/plans/grid.csv");
const SPREADSHEET: &[u8] = include_bytes!("../../../tests/plans/spreadsheet.csv");
const WINDOWS_1252: &[u8] = include_bytes!("../../../tests/plans/windows-1252.csv");
const STUDIO: &[u8] = include_bytes!("../../../plans/studio.json");
const CONCERT_HALL: &[u8] = include_bytes!("../../../plans/concert-hall.json");

fn plan(bytes: &[u8]) -> Plan {
    read("plan", bytes).expect("a plan").0
}

fn report(bytes: &[u8]) -> Report {
    read("plan", bytes).expect("a plan").1
}

fn refusal(bytes: &[u8]) -> PlanError {
    read("plan", bytes).expect_err("no plan")
}

/// Count, first place and names of one kind in the odd plan.
fn odd(oddity: Oddity) -> (usize, String, String) {
    let report = report(ODD);
    let note = report
        .notes
        .iter()
        .find(|note| note.oddity == oddity)
        .expect("a note");
    (note.count, note.place.clone(), note.names.join(", "))
}

fn names(bytes: &[u8]) -> Vec<String> {
    plan(bytes)
        .seats
        .into_iter()
        .map(|seat| seat.name)
        .collect()
}

/// A plan of one zone with these rows.
fn rows(rows: &str) -> Vec<u8> {
    format!(r#"{{"zones":[{{"name":"Z","position":{{"x":0,"y":0}},"rows":{rows}}}]}}"#).into_bytes()
}

/// A plan of one row with seats of these labels.
fn row(row: &str, labels: &[&str]) -> Vec<u8> {
    let seats: Vec<String> = labels
        .iter()
        .map(|label| format!(r#"{{"seat_number":"{label}"}}"#))
        .collect();
    rows(&format!(
        r#"[{{"row_number":"{row}","seats":[{}]}}]"#,
        seats.join(",")
    ))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.003
}
