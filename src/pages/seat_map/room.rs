//! The room as the template draws it: zones, rows and seats in reading order, each where the plan has it.

use std::{collections::HashSet, fmt::Write};

use crate::{
    plan::ink,
    seat_map::{MapSeat, SeatMap, SeatState},
    text,
};

/// The narrowest circle that a seat is drawn in, in seat pitches, even if others lie on it.
const LEAST_GAP: f64 = 0.4;

/// A zone in reading order.
pub struct ZoneView {
    /// Its name; may be empty.
    pub name: String,
    /// Its rows.
    pub rows: Vec<RowView>,
}

/// A row in reading order.
pub struct RowView {
    /// Its label; may be empty.
    pub label: String,
    /// Its seats.
    pub seats: Vec<SeatView>,
}

/// A seat as a checkbox.
pub struct SeatView {
    /// What the form names.
    pub id: i64,
    /// What is written on it: the printed label, without the row that stands at the row's ends.
    pub face: String,
    /// What a screen reader says: `Row C, seat 14, Stalls, €45.00, available`.
    pub spoken: String,
    /// Its state, as the style sheet names it.
    pub state: &'static str,
    /// Which category.
    pub category: usize,
    /// In minor units, for the running total.
    pub price_minor: i64,
    /// For a wheelchair, or without steps.
    pub accessible: bool,
    /// Whether it is ticked.
    pub ticked: bool,
    /// Whether it cannot be ticked.
    pub disabled: bool,
}

/// Groups the seats of a map as it is read.
pub fn zones(map: &SeatMap, ticked: &HashSet<i64>, closed: bool) -> Vec<ZoneView> {
    let prices: Vec<String> = map
        .categories
        .iter()
        .map(|category| map.event.currency.show(category.price_minor).to_string())
        .collect();
    let mut zones: Vec<ZoneView> = Vec::new();
    for seat in &map.seats {
        if zones.last().is_none_or(|zone| zone.name != seat.zone) {
            zones.push(ZoneView {
                name: seat.zone.clone(),
                rows: Vec::new(),
            });
        }
        let Some(zone) = zones.last_mut() else {
            continue;
        };
        if zone.rows.last().is_none_or(|row| row.label != seat.row) {
            zone.rows.push(RowView {
                label: seat.row.clone(),
                seats: Vec::new(),
            });
        }
        let Some(row) = zone.rows.last_mut() else {
            continue;
        };
        let free = matches!(seat.state, SeatState::Open | SeatState::Yours);
        row.seats.push(SeatView {
            id: seat.id,
            face: seat.face().to_owned(),
            spoken: spoken(seat, prices.get(seat.category).map_or("", String::as_str)),
            state: state_class(seat.state),
            category: seat.category,
            price_minor: map.price(seat),
            accessible: seat.accessible,
            ticked: free && ticked.contains(&seat.id),
            disabled: !free || closed,
        });
    }
    zones
}

fn state_class(state: SeatState) -> &'static str {
    match state {
        SeatState::Open => "open",
        SeatState::Yours => "yours",
        SeatState::Held => "held",
        SeatState::Booked => "booked",
        SeatState::Blocked => "blocked",
    }
}

fn spoken(seat: &MapSeat, price: &str) -> String {
    let state = match seat.state {
        SeatState::Open => text::t("state-open"),
        SeatState::Yours => text::t("state-yours"),
        SeatState::Held => text::t("state-held"),
        SeatState::Booked => text::t("state-booked"),
        SeatState::Blocked => text::t("state-blocked"),
    };
    let mut words = Vec::with_capacity(6);
    if !seat.row.is_empty() {
        words.push(text::t("row").with("row", &seat.row).to_string());
    }
    words.push(text::t("seat").with("seat", &seat.label).to_string());
    if !seat.zone.is_empty() {
        words.push(seat.zone.clone());
    }
    if seat.accessible {
        words.push(text::t("accessible").to_string());
    }
    words.push(price.to_owned());
    words.push(state.to_string());
    words.join(", ")
}

/// Where every seat stands, in seat pitches, and every category's colour with the text colour that is legible on it.
pub fn style(map: &SeatMap) -> String {
    let places: Vec<_> = map.seats.iter().map(|seat| (seat.x, seat.y)).collect();
    let gaps = gaps(&places);
    let gap = usual_gap(&gaps);
    let mut css = format!(
        ".room {{ --width: {}; --height: {}; --gap: {gap:.3}; }}\n",
        map.drawing.width, map.drawing.height
    );
    for (index, category) in map.categories.iter().enumerate() {
        let ink = ink(&category.color);
        let _ = writeln!(
            css,
            ".category-{index} {{ --category: {}; --category-ink: {ink}; }}",
            category.color
        );
    }
    for (seat, own) in map.seats.iter().zip(gaps) {
        let _ = write!(
            css,
            "#p{} {{ --x: {:.3}; --y: {:.3};",
            seat.id, seat.x, seat.y
        );
        if own < gap {
            let _ = write!(css, " --gap: {own:.3};");
        }
        css.push_str(" }\n");
    }
    css
}

/// How wide a circle each seat can fill, in seat pitches, before it touches another's: at most one.
fn gaps(places: &[(f64, f64)]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|a, b| places[*a].1.total_cmp(&places[*b].1));
    let mut gaps = vec![1.0_f64; places.len()];
    for (at, &one) in order.iter().enumerate() {
        for &other in &order[at + 1..] {
            let dy = places[other].1 - places[one].1;
            if dy >= 1.0 {
                break;
            }
            let apart = dy.hypot(places[other].0 - places[one].0);
            gaps[one] = gaps[one].min(apart);
            gaps[other] = gaps[other].min(apart);
        }
    }
    gaps.into_iter().map(|gap| gap.max(LEAST_GAP)).collect()
}

/// What most seats have at least: some misplaced seats do not change the scale of its room.
fn usual_gap(gaps: &[f64]) -> f64 {
    let mut sorted = gaps.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 20).copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_fills_no_more_than_its_neighbours_leave() {
        assert_eq!(gaps(&[(1.0, 1.0), (2.0, 1.0), (1.0, 1.8)]), [0.8, 1.0, 0.8]);
        assert_eq!(gaps(&[(1.0, 1.0), (1.0, 1.0)]), [LEAST_GAP, LEAST_GAP]);
    }

    #[test]
    fn a_misplaced_seat_does_not_change_the_scale_of_its_room() {
        let mut gaps = vec![1.0; 60];
        gaps[7] = LEAST_GAP;
        assert!(usual_gap(&gaps) > 0.99);
    }
}
