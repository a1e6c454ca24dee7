//! Finding a booking, and looking at it.

use actix_web::{
    http::StatusCode,
    web::{Data, Path, Query},
};
use askama::Template;
use serde::Deserialize;

use super::{
    super::{
        Answer, App,
        error::Failure,
        frame::{self, Frame},
        page,
    },
    Bar,
    door::Clerk,
};
use crate::{
    staff::{Found, Sale, SoldSeat},
    text,
};

/// The longest search that is read, in characters: as long as an address may be.
const LONGEST: usize = 254;

#[derive(Template)]
#[template(path = "staff/bookings.html")]
struct SearchPage {
    frame: Frame,
    bar: Bar,
    words: String,
    found: Vec<Found>,
}

#[derive(Template)]
#[template(path = "staff/booking.html")]
struct SalePage {
    frame: Frame,
    bar: Bar,
    sale: Sale,
}

/// What is searched for.
#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    q: String,
}

/// Shows the bookings that fit, the newest first.
pub async fn search(app: Data<App>, clerk: Clerk, asked: Query<Asked>) -> Answer {
    // PostgreSQL's texts have no zero bytes.
    let words: String = asked
        .q
        .trim()
        .chars()
        .filter(|c| *c != '\0')
        .take(LONGEST)
        .collect();
    let found = app.staff.search(&words).await?;
    page(
        &SearchPage {
            frame: Frame::bare(&app),
            bar: Bar::of(&app, &clerk),
            words,
            found,
        },
        StatusCode::OK,
    )
}

/// Shows one booking.
pub async fn show(app: Data<App>, clerk: Clerk, reference: Path<String>) -> Answer {
    if !reference.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(Failure::NotFound);
    }
    let sale = app
        .staff
        .sale(&reference.to_ascii_uppercase())
        .await?
        .ok_or(Failure::NotFound)?;
    page(
        &SalePage {
            frame: Frame::bare(&app),
            bar: Bar::of(&app, &clerk),
            sale,
        },
        StatusCode::OK,
    )
}

impl SalePage {
    fn payment(&self) -> text::Text {
        text::t(format!("staff-payment-{}", self.sale.payment))
    }

    fn place(seat: &SoldSeat) -> String {
        let row = (!seat.row.is_empty()).then(|| text::t("row").with("row", &seat.row).to_string());
        let zone = Some(seat.zone.clone()).filter(|zone| !zone.is_empty());
        let label = text::t("seat").with("seat", &seat.label).to_string();
        zone.into_iter()
            .chain(row)
            .chain([label, seat.category.clone()])
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn money(&self, minor: i64) -> String {
        self.sale.booking.currency.show(minor).to_string()
    }
}
