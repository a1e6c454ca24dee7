//! What the booking's pages say in more than one place.

use crate::{
    booking::{CancelledSeat, Progress, Refund, Ticket},
    event::Event,
    text::{self, Text},
};

/// A ticket's place in words: `Stalls, Row C, seat 14`.
pub fn place(ticket: &Ticket) -> String {
    spoken(&ticket.zone, &ticket.row, &ticket.label)
}

/// The place of a seat that was given back.
pub fn former_place(seat: &CancelledSeat) -> String {
    spoken(&seat.zone, &seat.row, &seat.label)
}

fn spoken(zone: &str, row: &str, label: &str) -> String {
    let row = (!row.is_empty()).then(|| text::t("row").with("row", row).to_string());
    let zone = (!zone.is_empty()).then(|| zone.to_owned());
    let seat = text::t("seat").with("seat", label).to_string();
    zone.into_iter()
        .chain(row)
        .chain([seat])
        .collect::<Vec<_>>()
        .join(", ")
}

/// How far the money is that goes back to the card with these last digits.
pub fn refund(event: &Event, refund: &Refund, last4: &str) -> Text {
    let said = match refund.progress {
        Progress::OnItsWay => text::t("refund-on-its-way"),
        Progress::Slow => text::t("refund-slow"),
        Progress::Done(at) => text::t("refund-done").with("time", event.show_time(at)),
    };
    said.with("amount", event.currency.show(refund.amount_minor))
        .with("last4", last4.to_owned())
}

/// Until when seats can be given back, or why they cannot.
pub fn cut_off(event: &Event) -> Text {
    match event.cancel_until {
        Some(until) if event.can_cancel => {
            text::t("cancel-until").with("time", event.show_time(until))
        }
        _ => no_more(event),
    }
}

/// Why seats cannot be given back.
pub fn no_more(event: &Event) -> Text {
    event.cancel_until.map_or_else(
        || text::t("cancel-off"),
        |until| text::t("cancel-over").with("time", event.show_time(until)),
    )
}
