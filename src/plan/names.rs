//! What people call a seat: `C14`.

use std::collections::{HashMap, HashSet};

use super::PlanSeat;

/// Whether a label begins with its row: `1-4` in row 1 and `A4` in row A do, `14` in row 1 and `A` in row A do not.
pub(super) fn begins_with(label: &str, row: &str) -> bool {
    let ends_in_digit = row.ends_with(|c: char| c.is_ascii_digit());
    let rest = label
        .strip_prefix(row)
        .filter(|rest| !row.is_empty() && !rest.is_empty());
    rest.is_some_and(|rest| !(ends_in_digit && rest.starts_with(|c: char| c.is_ascii_digit())))
}

/// `C14`, `1-14`, `Box 3`, or the label alone where it names its row already.
pub(super) fn name(row: &str, label: &str, row_in_labels: bool) -> String {
    let kind = |c: Option<char>| c.map(|c| (c.is_alphabetic(), c.is_ascii_digit()));
    // `1A` in row 1 names its row if its neighbours do too; alone it may be a seat of that number.
    let clear = begins_with(label, row)
        && (row_in_labels
            || label
                .chars()
                .nth(row.chars().count())
                .is_some_and(|c| !c.is_alphabetic()));
    if row.is_empty() || clear {
        label.to_owned()
    } else if row.chars().filter(|c| c.is_alphabetic()).count() > 2 {
        format!("{row} {label}")
    } else if kind(row.chars().last()) == kind(label.chars().next()) {
        format!("{row}-{label}")
    } else {
        format!("{row}{label}")
    }
}

/// Where two rows of a zone have seats of one name, names keep row and seat apart; where two zones have, names say the zone.
pub(super) fn distinguish(seats: &mut [PlanSeat]) {
    let mut places: HashMap<(String, String), HashSet<(String, String)>> = HashMap::new();
    for seat in seats.iter() {
        let place = (seat.row.clone(), seat.label.clone());
        places
            .entry((seat.zone.clone(), seat.name.clone()))
            .or_default()
            .insert(place);
    }
    for seat in seats.iter_mut() {
        if places
            .get(&(seat.zone.clone(), seat.name.clone()))
            .is_some_and(|places| places.len() > 1)
        {
            seat.name = format!("{}-{}", seat.row, seat.label);
        }
    }
    let mut zones: HashMap<String, HashSet<String>> = HashMap::new();
    for seat in seats.iter() {
        zones
            .entry(seat.name.clone())
            .or_default()
            .insert(seat.zone.clone());
    }
    for seat in seats.iter_mut().filter(|seat| !seat.zone.is_empty()) {
        if zones.get(&seat.name).is_some_and(|zones| zones.len() > 1) {
            seat.name = format!("{} {}", seat.zone, seat.name);
        }
    }
}
