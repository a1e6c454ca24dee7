//! Putting a plan in order, whatever file it came from: categories, reading order, doubtful seats.

use std::collections::{HashMap, HashSet};

use super::{
    Category, DUPLICATE_LABEL, MOST_CATEGORIES, MOST_SEATS, NO_LABEL, Oddity, Plan, PlanError,
    PlanSeat, RawPlan, RawSeat, Report, color, draw, keys, names, natural_cmp, order,
};

/// The category of seats for which the file has none.
const STANDARD: &str = "Standard";

/// What a seat without a number is called.
const NUMBERLESS: &str = "?";

/// A seat with what it stands in.
pub(super) struct Standing<'r> {
    pub(super) zone: &'r str,
    /// The first zone of that name.
    pub(super) zone_at: usize,
    pub(super) row: &'r str,
    /// Whether the labels of its row all begin with the row's.
    pub(super) row_in_labels: bool,
    pub(super) seat: &'r RawSeat,
}

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
    let drawing = draw::normalise(file, &mut raw)?;
    let (categories, category_of) = categories(&mut raw, report);
    if categories.len() > MOST_CATEGORIES {
        let what = format!(
            "it has {} categories: at most {MOST_CATEGORIES} can have prices",
            categories.len()
        );
        return Err(PlanError::whole(file, what));
    }
    let standing = in_reading_order(&raw);
    let keys = keys::of(&standing, report);
    let mut seats: Vec<PlanSeat> = standing
        .iter()
        .zip(keys)
        .map(
            |(
                Standing {
                    zone,
                    row,
                    row_in_labels,
                    seat,
                    ..
                },
                key,
            )| {
                let label = if seat.label.is_empty() {
                    NUMBERLESS
                } else {
                    &seat.label
                };
                let (x, y) = seat.position.unwrap_or_default();
                PlanSeat {
                    key,
                    zone: (*zone).to_owned(),
                    row: (*row).to_owned(),
                    name: seat
                        .name
                        .clone()
                        .unwrap_or_else(|| names::name(row, label, *row_in_labels)),
                    label: label.to_owned(),
                    category: category_of.get(&seat.category).copied().unwrap_or_default(),
                    x,
                    y,
                    accessible: seat.accessible,
                    blocked: None,
                }
            },
        )
        .collect();
    names::distinguish(&mut seats);
    doubt(&mut seats, &standing, report);
    report.seats = seats.len();
    report.blocked = seats.iter().filter(|seat| seat.blocked.is_some()).count();
    Ok(Plan {
        name: raw.name,
        categories,
        seats,
        drawing,
    })
}

/// The categories that seats have, in the file's order, and where each is; undeclared ones are made up, unused ones left out.
fn categories(raw: &mut RawPlan, report: &mut Report) -> (Vec<Category>, HashMap<String, usize>) {
    let declared: HashSet<String> = raw
        .categories
        .iter()
        .map(|category| category.name.clone())
        .collect();
    let mut used: HashSet<String> = HashSet::new();
    for seat in raw
        .zones
        .iter_mut()
        .flat_map(|zone| &mut zone.rows)
        .flat_map(|row| &mut row.seats)
    {
        if seat.category.is_empty() {
            report.note(Oddity::NoCategory, &seat.place);
            STANDARD.clone_into(&mut seat.category);
        } else if !declared.contains(&seat.category) {
            report.name(Oddity::UndeclaredCategory, &seat.place, &seat.category);
        }
        if used.insert(seat.category.clone()) && !declared.contains(&seat.category) {
            raw.categories.push(Category {
                name: seat.category.clone(),
                color: color::NEUTRAL.to_owned(),
            });
        }
    }
    for unused in raw
        .categories
        .iter()
        .filter(|category| !used.contains(&category.name))
    {
        report.name(Oddity::UnusedCategory, "categories", &unused.name);
    }
    let kept: Vec<Category> = std::mem::take(&mut raw.categories)
        .into_iter()
        .filter(|category| used.contains(&category.name))
        .collect();
    let category_of = kept
        .iter()
        .enumerate()
        .map(|(at, category)| (category.name.clone(), at))
        .collect();
    (kept, category_of)
}

fn in_reading_order(raw: &RawPlan) -> Vec<Standing<'_>> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    let mut standing: Vec<Standing<'_>> = Vec::new();
    for (at, zone) in raw.zones.iter().enumerate() {
        let zone_at = *first.entry(&zone.name).or_insert(at);
        for row in &zone.rows {
            let row_in_labels = row
                .seats
                .iter()
                .all(|seat| seat.label.is_empty() || names::begins_with(&seat.label, &row.label));
            standing.extend(row.seats.iter().map(|seat| Standing {
                zone: &zone.name,
                zone_at,
                row: &row.label,
                row_in_labels,
                seat,
            }));
        }
    }
    standing.sort_by(|a, b| {
        let rows = || order::row_cmp(a.row, b.row);
        a.zone_at
            .cmp(&b.zone_at)
            .then_with(rows)
            .then_with(|| natural_cmp(&a.seat.label, &b.seat.label))
    });
    standing
}

/// Keeps from sale what two people could both take for theirs, and what has no label to find it by.
fn doubt(seats: &mut [PlanSeat], standing: &[Standing<'_>], report: &mut Report) {
    let mut twins: HashMap<(&str, &str, &str), usize> = HashMap::new();
    for Standing {
        zone, row, seat, ..
    } in standing
    {
        *twins.entry((*zone, *row, seat.label.as_str())).or_default() += 1;
    }
    let mut spots: HashSet<(i64, i64)> = HashSet::new();
    for (
        seat,
        Standing {
            zone,
            row,
            seat: read,
            ..
        },
    ) in seats.iter_mut().zip(standing)
    {
        let called = || format!("{} (key {})", seat.name, seat.key);
        if read.label.is_empty() {
            report.name(Oddity::NumberlessSeat, &read.place, &called());
            seat.blocked = Some(NO_LABEL.to_owned());
        } else if twins
            .get(&(*zone, *row, read.label.as_str()))
            .is_some_and(|twins| *twins > 1)
        {
            report.name(Oddity::DuplicateLabel, &read.place, &called());
            seat.blocked = Some(DUPLICATE_LABEL.to_owned());
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "rooms are bounded; a hundredth of a pitch is one spot"
        )]
        let spot = (
            (seat.x * 100.0).round() as i64,
            (seat.y * 100.0).round() as i64,
        );
        if !spots.insert(spot) {
            report.note(Oddity::SameSpot, &read.place);
        }
    }
}
