//! Putting a plan in order, whatever file it came from: categories, reading order, keys, names, doubtful seats.

use std::collections::{HashMap, HashSet};

use super::{
    Category, DUPLICATE_LABEL, MOST_SEATS, NO_LABEL, Oddity, Plan, PlanError, PlanSeat, RawPlan,
    RawSeat, Report, color, draw, natural_cmp, order,
};

/// The category of seats for which the file has none.
const STANDARD: &str = "Standard";

/// What a seat without a number is called.
const NUMBERLESS: &str = "?";

/// A seat with what it stands in.
struct Standing<'r> {
    zone: &'r str,
    /// The first zone of that name.
    zone_at: usize,
    row: &'r str,
    /// Whether the labels of its row all begin with the row's.
    row_in_labels: bool,
    seat: &'r RawSeat,
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
    let standing = in_reading_order(&raw);
    let keys = keys(&standing, report);
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
                        .unwrap_or_else(|| name(row, label, *row_in_labels)),
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
    distinguish(&mut seats);
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
    for (at, unused) in raw
        .categories
        .iter()
        .enumerate()
        .filter(|(_, category)| !used.contains(&category.name))
    {
        report.name(
            Oddity::UnusedCategory,
            format_args!("categories[{at}]"),
            &unused.name,
        );
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
                .all(|seat| seat.label.is_empty() || begins_with(&seat.label, &row.label));
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

/// One key for each seat: the file's own id where it is the only one of its kind, else zone, row and label.
fn keys(standing: &[Standing<'_>], report: &mut Report) -> Vec<String> {
    let mut counts: [HashMap<&str, usize>; 2] = Default::default();
    for Standing { seat, .. } in standing {
        for ((id, counts), oddity) in seat
            .ids
            .iter()
            .zip(&mut counts)
            .zip([Oddity::RepeatedUuid, Oddity::RepeatedGuid])
        {
            let Some(id) = id else { continue };
            let count = counts.entry(id).or_default();
            *count += 1;
            if *count > 1 {
                report.name(oddity, &seat.place, id);
            }
        }
    }
    let mut taken: HashSet<String> = HashSet::new();
    let own: Vec<Option<String>> = standing
        .iter()
        .map(|Standing { seat, .. }| {
            let single = seat.ids.iter().zip(&counts).filter_map(|(id, counts)| {
                id.as_ref().filter(|id| counts.get(id.as_str()) == Some(&1))
            });
            let own = single.into_iter().find(|id| !taken.contains(*id)).cloned();
            taken.extend(own.clone());
            own
        })
        .collect();
    let mut next: HashMap<String, usize> = HashMap::new();
    let described = |Standing {
                         zone, row, seat, ..
                     }: &Standing<'_>| {
        let plain = format!("{zone}/{row}/{}", seat.label);
        let ordinal = next.entry(plain.clone()).or_insert(1);
        loop {
            let key = if *ordinal == 1 {
                plain.clone()
            } else {
                format!("{plain}#{ordinal}")
            };
            *ordinal += 1;
            if taken.insert(key.clone()) {
                return key;
            }
        }
    };
    let mut described = described;
    own.into_iter()
        .zip(standing)
        .map(|(own, seat)| own.unwrap_or_else(|| described(seat)))
        .collect()
}

/// Whether a label begins with its row: `1-4` in row 1 and `A4` in row A do, `14` in row 1 and `A` in row A do not.
fn begins_with(label: &str, row: &str) -> bool {
    let ends_in_digit = row.ends_with(|c: char| c.is_ascii_digit());
    let rest = label
        .strip_prefix(row)
        .filter(|rest| !row.is_empty() && !rest.is_empty());
    rest.is_some_and(|rest| !(ends_in_digit && rest.starts_with(|c: char| c.is_ascii_digit())))
}

/// `C14`, `1-14`, `Box 3`, or the label alone where it names its row already.
fn name(row: &str, label: &str, row_in_labels: bool) -> String {
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
fn distinguish(seats: &mut [PlanSeat]) {
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
