//! The unit of a room: how far a seat is from its neighbour.

use super::RawPlan;

/// What neighbours are apart in plans that do not show it, in the file's own units: two and a half of pretix's seat radius.
const USUAL: f64 = 25.0;

/// At most so many seats of a row, or of a room, are measured; they are taken evenly.
const SAMPLE: usize = 300;

/// Distances that differ by less than this are one distance.
const SAME: f64 = 1.05;

/// The most common distance of a seat to its nearest neighbour in its row, or in the room if all rows have one seat.
pub(super) fn pitch(raw: &RawPlan) -> f64 {
    let rows = raw.zones.iter().flat_map(|zone| &zone.rows);
    let mut in_rows: Vec<f64> = rows
        .flat_map(|row| {
            nearest(
                &row.seats
                    .iter()
                    .filter_map(|seat| seat.position)
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    most_common(&mut in_rows)
        .or_else(|| most_common(&mut nearest(&positions(raw))))
        .unwrap_or(USUAL)
}

/// How wide a seat can be drawn, in seat pitches: at most 1, and less where rows stand closer than seats. A few seats that
/// are closer than all others do not count.
pub(super) fn seat(raw: &RawPlan) -> f64 {
    let mut distances = nearest(&positions(raw));
    distances.sort_by(f64::total_cmp);
    distances
        .get(distances.len() / 20)
        .map_or(1.0, |distance| distance.clamp(0.2, 1.0))
}

fn positions(raw: &RawPlan) -> Vec<(f64, f64)> {
    let seats = raw
        .zones
        .iter()
        .flat_map(|zone| &zone.rows)
        .flat_map(|row| &row.seats);
    seats.filter_map(|seat| seat.position).collect()
}

/// How far the nearest other place is, for a sample of places; those at the very same place do not count.
fn nearest(places: &[(f64, f64)]) -> Vec<f64> {
    let distance = |here: &(f64, f64)| {
        let others = places
            .iter()
            .map(|there| (here.0 - there.0).hypot(here.1 - there.1));
        others
            .filter(|distance| *distance > 1e-6)
            .min_by(f64::total_cmp)
    };
    places
        .iter()
        .step_by(places.len().div_ceil(SAMPLE).max(1))
        .filter_map(distance)
        .collect()
}

/// The middle of the most distances that are nearly the same.
fn most_common(distances: &mut [f64]) -> Option<f64> {
    distances.sort_by(f64::total_cmp);
    let mut best = 0..0;
    let mut end = 0;
    for (start, distance) in distances.iter().enumerate() {
        while distances
            .get(end)
            .is_some_and(|other| *other <= distance * SAME)
        {
            end += 1;
        }
        if end - start > best.len() {
            best = start..end;
        }
    }
    distances
        .get(usize::midpoint(best.start, best.end.saturating_sub(1)))
        .copied()
}
