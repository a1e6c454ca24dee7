//! The desk's seats as the template draws them: zones and rows in reading order, once as a room and once as a list.

use std::collections::HashSet;

use super::super::frame;
use crate::{
    staff::{DeskSeat, DeskState},
    text,
};

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
    /// Its seats, as boxes to be ticked.
    pub seats: Vec<BoxView>,
    /// The labels of its open seats, in reading order; empty when there are none.
    pub open: String,
    /// Its other seats, a line for each.
    pub lines: Vec<LineView>,
}

/// A seat in the room.
pub struct BoxView {
    /// What the form names.
    pub id: i64,
    /// What is written on it.
    pub face: String,
    /// What a screen reader says: `Row C, seat 14, Stalls, not for sale, pillar`.
    pub spoken: String,
    /// Its state, as the style sheet names it.
    pub state: &'static str,
    /// Which category.
    pub category: usize,
    /// For a wheelchair, or without steps.
    pub accessible: bool,
    /// Whether it is ticked.
    pub ticked: bool,
    /// Whether it cannot be ticked.
    pub disabled: bool,
}

/// A seat that is not simply open, in the list.
pub struct LineView {
    /// Its row in the database.
    pub id: i64,
    /// What people call it.
    pub name: String,
    /// Its state, as the style sheet names it.
    pub state: &'static str,
    /// Its state in words.
    pub words: text::Text,
    /// Who holds it, until when; why it is blocked.
    pub detail: String,
    /// The booking's reference, and the buyer's name and address.
    pub booking: Option<(String, String, String)>,
}

/// Groups the seats as they are read.
pub fn zones(seats: &[DeskSeat], ticked: &HashSet<i64>) -> Vec<ZoneView> {
    let zones = seats
        .chunk_by(|a, b| a.seat.zone == b.seat.zone)
        .map(|zone| ZoneView {
            name: zone
                .first()
                .map(|seat| seat.seat.zone.clone())
                .unwrap_or_default(),
            rows: zone
                .chunk_by(|a, b| a.seat.row == b.seat.row)
                .map(|row| RowView::new(row, ticked))
                .collect(),
        });
    zones.collect()
}

impl RowView {
    fn new(row: &[DeskSeat], ticked: &HashSet<i64>) -> Self {
        let open: Vec<_> = row
            .iter()
            .filter(|seat| seat.state == DeskState::Open)
            .map(|seat| seat.seat.label.as_str())
            .collect();
        Self {
            label: row
                .first()
                .map(|seat| seat.seat.row.clone())
                .unwrap_or_default(),
            seats: row.iter().map(|seat| BoxView::new(seat, ticked)).collect(),
            open: open.join(", "),
            lines: row
                .iter()
                .filter(|seat| seat.state != DeskState::Open)
                .map(LineView::new)
                .collect(),
        }
    }
}

impl BoxView {
    fn new(seat: &DeskSeat, ticked: &HashSet<i64>) -> Self {
        // What is sold or being paid for cannot be taken off sale.
        let disabled = matches!(seat.state, DeskState::Booked | DeskState::Claimed);
        Self {
            id: seat.seat.id,
            face: seat.seat.face().to_owned(),
            spoken: spoken(seat),
            state: class(seat.state),
            category: seat.seat.category,
            accessible: seat.seat.accessible,
            ticked: !disabled && ticked.contains(&seat.seat.id),
            disabled,
        }
    }
}

impl LineView {
    fn new(seat: &DeskSeat) -> Self {
        Self {
            id: seat.seat.id,
            name: seat.seat.name.clone(),
            state: class(seat.state),
            words: words(seat.state),
            detail: detail(seat),
            booking: seat.booking.clone(),
        }
    }
}

/// The state in words.
pub fn words(state: DeskState) -> text::Text {
    match state {
        DeskState::Open => text::t("staff-state-open"),
        DeskState::Held => text::t("staff-state-held"),
        DeskState::Claimed => text::t("staff-state-claimed"),
        DeskState::Booked => text::t("staff-state-booked"),
        DeskState::Blocked => text::t("staff-state-blocked"),
    }
}

/// The start of a hold's id, enough to tell it from the others.
pub fn short(hold: &str) -> &str {
    hold.get(..8).unwrap_or(hold)
}

/// The state as the map's style sheet names it, to which a claimed seat is a held one.
pub fn class(state: DeskState) -> &'static str {
    match state {
        DeskState::Open => "open",
        DeskState::Held | DeskState::Claimed => "held",
        DeskState::Booked => "booked",
        DeskState::Blocked => "blocked",
    }
}

fn detail(seat: &DeskSeat) -> String {
    let hold = seat.hold.as_ref().map(|hold| {
        let left = frame::clock(hold.time_left_ms);
        let key = if hold.paying {
            "staff-hold-paying"
        } else {
            "staff-hold-left"
        };
        text::t(key)
            .with("hold", short(&hold.hold))
            .with("left", left)
            .to_string()
    });
    // The hold may have ended while its payment is still to be settled.
    let paying = seat.paying_hold.as_deref().filter(|_| hold.is_none());
    let paying = paying.map(|hold| {
        text::t("staff-hold-claims")
            .with("hold", short(hold))
            .to_string()
    });
    seat.blocked_reason
        .clone()
        .into_iter()
        .chain(hold)
        .chain(paying)
        .collect::<Vec<_>>()
        .join(" · ")
}

fn spoken(seat: &DeskSeat) -> String {
    let place = &seat.seat;
    let mut said = Vec::with_capacity(6);
    if !place.row.is_empty() {
        said.push(text::t("row").with("row", &place.row).to_string());
    }
    said.push(text::t("seat").with("seat", &place.label).to_string());
    if !place.zone.is_empty() {
        said.push(place.zone.clone());
    }
    if place.accessible {
        said.push(text::t("accessible").to_string());
    }
    said.push(words(seat.state).to_string());
    said.extend(seat.blocked_reason.clone());
    said.extend(
        seat.booking
            .as_ref()
            .map(|(reference, ..)| reference.clone()),
    );
    said.join(", ")
}
