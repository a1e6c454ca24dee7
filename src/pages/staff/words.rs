//! What the pages of a booking say in more than one place.

use crate::{staff::SoldSeat, text};

/// A seat's place in words, with its category.
pub fn place(seat: &SoldSeat) -> String {
    let row = (!seat.row.is_empty()).then(|| text::t("row").with("row", &seat.row).to_string());
    let zone = Some(seat.zone.clone()).filter(|zone| !zone.is_empty());
    let label = text::t("seat").with("seat", &seat.label).to_string();
    zone.into_iter()
        .chain(row)
        .chain([label, seat.category.clone()])
        .collect::<Vec<_>>()
        .join(", ")
}
