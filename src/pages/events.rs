//! The list of events on sale.

use actix_web::{HttpRequest, http::StatusCode, web::Data};
use askama::Template;

use super::{
    Answer, App,
    frame::{self, Frame},
};
use crate::{
    event::{Listed, Sales},
    text,
};

#[derive(Template)]
#[template(path = "events.html")]
struct EventsPage {
    frame: Frame,
    events: Vec<Listed>,
}

/// Shows what is on sale, the next event first.
pub async fn show(app: Data<App>, request: HttpRequest) -> Answer {
    let (events, frame) =
        futures_util::join!(app.events.list(false), Frame::around(&app, &request, None));
    super::page(
        &EventsPage {
            frame,
            events: events?,
        },
        StatusCode::OK,
    )
}

impl EventsPage {
    /// The day of the month, where the event is.
    fn day(listed: &Listed) -> i8 {
        listed
            .event
            .starts_at
            .to_zoned(listed.event.time_zone.clone())
            .day()
    }

    /// The month and the year, where the event is.
    fn month(listed: &Listed) -> String {
        listed
            .event
            .starts_at
            .to_zoned(listed.event.time_zone.clone())
            .strftime("%b %Y")
            .to_string()
    }

    fn prices(listed: &Listed) -> String {
        let show = |minor| listed.event.currency.show(minor).to_string();
        match listed.prices {
            Some((least, most)) if least < most => text::t("price-range")
                .with("least", show(least))
                .with("most", show(most))
                .to_string(),
            Some((price, _)) => show(price),
            None => String::new(),
        }
    }

    fn availability(listed: &Listed) -> text::Text {
        match listed.event.sales {
            Sales::Soon => text::t("sales-open-at")
                .with("time", listed.event.show_time(listed.event.sales_from)),
            Sales::Closed => text::t("sales-closed"),
            Sales::Open if listed.free == 0 => text::t("sold-out"),
            Sales::Open => text::t("seats-left").count("n", listed.free),
        }
    }
}
