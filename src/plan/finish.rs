//! Putting a plan in order, whatever file it came from: categories, reading order, keys, names, doubtful seats, one unit.

use std::collections::{HashMap, HashSet};

use super::{
    Category, DUPLICATE_LABEL, MOST_SEATS, NO_LABEL, Plan, PlanError, PlanSeat, RawPlan, RawRow,
    RawSeat, Report, draw, natural_cmp,
};

/// The colour of a category that the file does not declare.
const UNDECLARED: &str = "#6b7280";

pub(super) fn finish(file: &str, mut raw: RawPlan, report: &mut Report) -> Result<Plan, PlanError> {
    let count: usize = raw
        .zones
        .iter()
        .flat_map(|zone| &zone.rows)
        .map(|row| row.seats.len())
        .sum();
    if count == 0 {
        return Err(PlanError::whole(file, "it has no seats"));
    }
    if count > MOST_SEATS {
        return Err(PlanError::whole(
            file,
            format!("it has {count} seats: at most {MOST_SEATS} can be read"),
        ));
    }
    for zone in &mut raw.zones {
        zone.rows.sort_by(|a, b| natural_cmp(&a.label, &b.label));
        for row in &mut zone.rows {
            row.seats.sort_by(|a, b| natural_cmp(&a.label, &b.label));
        }
    }
    let categories = categories(&mut raw, report);
    let drawing = draw::normalise(&mut raw);
    let mut seats = Vec::with_capacity(count);
    let mut keys = Keys::of(&raw, report);
    for zone in &raw.zones {
        for row in &zone.rows {
            for seat in &row.seats {
                seats.push(PlanSeat {
                    key: keys.take(&zone.name, &row.label, seat),
                    zone: zone.name.clone(),
                    row: row.label.clone(),
                    name: name(row, seat),
                    label: seat.label.clone(),
                    category: categories
                        .iter()
                        .position(|known| known.name == seat.category)
                        .unwrap_or(0),
                    x: seat.x,
                    y: seat.y,
                    accessible: seat.accessible,
                    blocked: None,
                });
            }
        }
    }
    let places: Vec<&str> = raw
        .zones
        .iter()
        .flat_map(|z| &z.rows)
        .flat_map(|r| &r.seats)
        .map(|s| s.place.as_str())
        .collect();
    doubt(&mut seats, &places, report);
    distinguish(&mut seats);
    report.seats = seats.len();
    report.blocked = seats.iter().filter(|seat| seat.blocked.is_some()).count();
    Ok(Plan {
        name: raw.name.filter(|name| !name.is_empty()),
        categories,
        seats,
        drawing,
    })
}

/// The categories that seats have, in the file's order; undeclared ones are made up, unused ones left out.
fn categories(raw: &mut RawPlan, report: &mut Report) -> Vec<Category> {
    let mut used = HashSet::new();
    for seat in raw
        .zones
        .iter_mut()
        .flat_map(|zone| &mut zone.rows)
        .flat_map(|row| &mut row.seats)
    {
        if seat.category.is_empty() {
            report.note("seat without a category", &seat.place);
            "Standard".clone_into(&mut seat.category);
        }
        if !raw
            .categories
            .iter()
            .any(|known| known.name == seat.category)
        {
            report.note(
                format!("category {:?} that is not declared, made up", seat.category),
                &seat.place,
            );
            raw.categories.push(Category {
                name: seat.category.clone(),
                color: UNDECLARED.to_owned(),
            });
        }
        used.insert(seat.category.clone());
    }
    let all = std::mem::take(&mut raw.categories);
    let (kept, unused): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|category| used.contains(&category.name));
    for category in unused {
        report.note(
            "category that no seat has, left out",
            format!("{:?}", category.name),
        );
    }
    kept
}

/// Gives each seat a key: the file's own id where it is the only one of its kind, else zone, row and label.
struct Keys {
    counts: HashMap<String, usize>,
    taken: HashSet<String>,
}

impl Keys {
    fn of(raw: &RawPlan, report: &mut Report) -> Self {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for seat in raw
            .zones
            .iter()
            .flat_map(|zone| &zone.rows)
            .flat_map(|row| &row.seats)
        {
            for (id, kind) in seat.ids.iter().zip(["uuid", "seat_guid"]) {
                let Some(id) = id else { continue };
                let count = counts.entry(format!("{kind} {id}")).or_default();
                *count += 1;
                if *count > 1 {
                    report.note(format!("repeated {kind}"), &seat.place);
                }
            }
        }
        Self {
            counts,
            taken: HashSet::new(),
        }
    }

    fn take(&mut self, zone: &str, row: &str, seat: &RawSeat) -> String {
        let [uuid, guid] = &seat.ids;
        let own = [("uuid", uuid), ("seat_guid", guid)]
            .into_iter()
            .find_map(|(kind, id)| {
                id.clone().filter(|id| {
                    self.counts.get(&format!("{kind} {id}")) == Some(&1) && !self.taken.contains(id)
                })
            });
        let key = own.unwrap_or_else(|| {
            let plain = format!("{zone}/{row}/{}", seat.label);
            let numbered = (2..).map(|n| format!("{plain}#{n}"));
            std::iter::once(plain.clone())
                .chain(numbered)
                .find(|key| !self.taken.contains(key))
                .unwrap_or(plain)
        });
        self.taken.insert(key.clone());
        key
    }
}

/// `C14`, `1-14`, or the label alone where it names its row already.
fn name(row: &RawRow, seat: &RawSeat) -> String {
    let (row, label) = (row.label.as_str(), seat.label.as_str());
    let rest = label.strip_prefix(row).filter(|_| !row.is_empty());
    let ends_in_digit = row.chars().last().is_some_and(|c| c.is_ascii_digit());
    let starts_with_digit = label.chars().next().is_some_and(|c| c.is_ascii_digit());
    match rest {
        // `1-4` in row 1 and `A4` in row A, but not `14` in row 1.
        Some(rest)
            if !rest.is_empty()
                && !(ends_in_digit && rest.starts_with(|c: char| c.is_ascii_digit())) =>
        {
            label.to_owned()
        }
        _ if row.is_empty() => label.to_owned(),
        _ if ends_in_digit && starts_with_digit => format!("{row}-{label}"),
        _ => format!("{row}{label}"),
    }
}

/// Keeps from sale what two people could both take for theirs, and what has no label to find it by.
fn doubt(seats: &mut [PlanSeat], places: &[&str], report: &mut Report) {
    let mut labels: HashMap<(String, String, String), usize> = HashMap::new();
    let mut spots: HashSet<(i64, i64)> = HashSet::new();
    for seat in seats.iter() {
        *labels
            .entry((seat.zone.clone(), seat.row.clone(), seat.label.clone()))
            .or_default() += 1;
    }
    for (seat, place) in seats.iter_mut().zip(places) {
        let twins = labels
            .get(&(seat.zone.clone(), seat.row.clone(), seat.label.clone()))
            .copied()
            .unwrap_or(0);
        if seat.label.is_empty() {
            report.note(
                "seat without a number, not for sale until it is renamed",
                format!("{place}, key {}", seat.key),
            );
            seat.blocked = Some(NO_LABEL.to_owned());
        } else if twins > 1 {
            let what =
                "seat whose label another in its zone and row has too, not for sale until renamed";
            report.note(what, format!("{} at {place}, key {}", seat.name, seat.key));
            seat.blocked = Some(DUPLICATE_LABEL.to_owned());
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "coordinates are bounded; a hundredth of a pitch is one spot"
        )]
        let spot = (
            (seat.x * 100.0).round() as i64,
            (seat.y * 100.0).round() as i64,
        );
        if !spots.insert(spot) {
            report.note("seat at the very place of another", *place);
        }
    }
}

/// Where two zones have a seat of one name, each name says its zone.
fn distinguish(seats: &mut [PlanSeat]) {
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
