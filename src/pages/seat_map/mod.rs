//! The seat map: one form of native checkboxes, drawn as the room.

mod best;
mod hold;
mod room;

use std::collections::HashSet;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web::{Data, Path},
};
use askama::Template;

use super::{
    Answer, App, buyer,
    error::Failure,
    frame::{self, Frame, Holding},
};
use crate::{
    event::Sales,
    hold::{BuyerId, Hold},
    plan::Shape,
    seat_map::{PricedSeat, SeatMap, SeatState},
    text,
};
pub use best::find;
pub use hold::hold;
use room::ZoneView;

#[derive(Template)]
#[template(path = "seat_map.html")]
struct SeatMapPage {
    frame: Frame,
    map: SeatMap,
    zones: Vec<ZoneView>,
    /// The hold that the map is drawn with.
    hold: Option<Hold>,
    /// Live holds could not be read: buying is paused.
    paused: bool,
    /// Why the form was refused, if it was.
    refusal: Option<Refusal>,
}

/// Why nothing was held.
struct Refusal {
    status: StatusCode,
    /// One sentence.
    title: String,
    /// Seats by name, each with its reason.
    seats: Vec<(String, text::Text)>,
    /// The page of a payment that is running.
    payment: Option<String>,
    /// Seconds until one may try again.
    retry_after: Option<u64>,
}

impl Refusal {
    fn new(status: StatusCode, title: impl std::fmt::Display) -> Self {
        Self {
            status,
            title: title.to_string(),
            seats: Vec::new(),
            payment: None,
            retry_after: None,
        }
    }
}

/// Shows the map.
pub async fn show(app: Data<App>, request: HttpRequest, slug: Path<String>) -> Answer {
    let known = buyer::buyer(&app, &request);
    draw(&app, &request, &slug, known.as_ref(), &[], None).await
}

/// The map as it is now for one who looks.
struct Seen {
    map: SeatMap,
    hold: Option<Hold>,
    /// Live holds could not be read.
    paused: bool,
}

async fn read(app: &App, slug: &str, buyer: Option<&BuyerId>) -> Result<Seen, Failure> {
    let map = app.seat_maps.of_event(slug).await?;
    let mut map = map.ok_or(Failure::NotFound)?;
    let holds = &app.holds;
    let looked = async {
        holds
            .of_event(&mut holds.connect().await?, map.event.id, buyer)
            .await
    }
    .await;
    let paused = looked.is_err();
    let (hold, held) = looked.unwrap_or_else(|error| {
        tracing::warn!(%error, "the map is drawn without live holds");
        (None, Vec::new())
    });
    map.lay_holds(hold.as_ref(), &held);
    Ok(Seen { map, hold, paused })
}

/// Draws the map as it is now for this buyer, with `ticked` seats ticked as far as they can be had.
async fn draw(
    app: &App,
    request: &HttpRequest,
    slug: &str,
    buyer: Option<&BuyerId>,
    ticked: &[i64],
    refusal: Option<Refusal>,
) -> Answer {
    let (seen, mut frame) = futures_util::join!(
        read(app, slug, buyer),
        Frame::around(app, request, Some(slug))
    );
    let Seen { map, hold, paused } = seen?;

    let mut refusal = refusal;
    if let Some(refusal) = refusal
        .as_mut()
        .filter(|refusal| refusal.status == StatusCode::CONFLICT)
    {
        refusal.seats = ticked.iter().filter_map(|id| reason(&map, *id)).collect();
    }
    if let Some(hold) = &hold {
        let mine: Vec<PricedSeat> = map
            .seats
            .iter()
            .filter(|seat| hold.seats.contains(&seat.id))
            .map(|seat| priced(&map, seat))
            .collect();
        frame
            .holding
            .insert(0, Holding::new(&map.event, hold, &mine));
    }
    let ticked: HashSet<i64> = match (&refusal, &hold) {
        (None, Some(hold)) => hold.seats.iter().copied().collect(),
        _ => ticked.iter().copied().collect(),
    };
    let zones = room::zones(&map, &ticked, paused || map.event.sales != Sales::Open);
    let status = refusal
        .as_ref()
        .map_or(StatusCode::OK, |refusal| refusal.status);
    let retry_after = refusal.as_ref().and_then(|refusal| refusal.retry_after);
    let mut answer = super::page(
        &SeatMapPage {
            frame,
            map,
            zones,
            hold,
            paused,
            refusal,
        },
        status,
    )?;
    if let Some(seconds) = retry_after {
        answer
            .headers_mut()
            .insert(header::RETRY_AFTER, seconds.into());
    }
    if buyer.is_none() {
        buyer::remember_buyer(app, &mut answer, &BuyerId::new());
    }
    Ok(answer)
}

/// The seat's name, and why it cannot be had; `None` when it can.
fn reason(map: &SeatMap, id: i64) -> Option<(String, text::Text)> {
    let seat = map.seats.iter().find(|seat| seat.id == id)?;
    let why = match seat.state {
        SeatState::Open | SeatState::Yours => return None,
        SeatState::Held => text::t("state-held"),
        SeatState::Booked => text::t("state-booked"),
        SeatState::Blocked => text::t("state-blocked"),
    };
    Some((seat.name.clone(), why))
}

fn priced(map: &SeatMap, seat: &crate::seat_map::MapSeat) -> PricedSeat {
    PricedSeat {
        id: seat.id,
        zone: seat.zone.clone(),
        row: seat.row.clone(),
        label: seat.label.clone(),
        name: seat.name.clone(),
        category: map
            .categories
            .get(seat.category)
            .map(|c| c.name.clone())
            .unwrap_or_default(),
        price_minor: map.price(seat),
    }
}

/// The places and colours of an event's seats, as a style sheet: nothing in a page is inline.
pub async fn style(app: Data<App>, slug: Path<String>) -> Result<HttpResponse, Failure> {
    let map = app
        .seat_maps
        .of_event(&slug)
        .await?
        .ok_or(Failure::NotFound)?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/css; charset=utf-8"))
        // The address names the drawing's version.
        .insert_header((header::CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .body(room::style(&map)))
}

impl SeatMapPage {
    /// Why nothing can be bought now, if so.
    fn notice(&self) -> Option<text::Text> {
        let event = &self.map.event;
        match event.sales {
            Sales::Soon => {
                Some(text::t("sales-open-at").with("time", event.show_time(event.sales_from)))
            }
            Sales::Closed => Some(text::t("sales-closed-notice")),
            Sales::Open if self.paused => Some(text::t("buying-paused")),
            Sales::Open => self.sold_out(),
        }
    }

    fn sold_out(&self) -> Option<text::Text> {
        let count = |state| {
            self.map
                .seats
                .iter()
                .filter(|seat| seat.state == state)
                .count()
        };
        if count(SeatState::Open) + count(SeatState::Yours) > 0 {
            return None;
        }
        let held = count(SeatState::Held);
        Some(if held == 0 {
            text::t("sold-out")
        } else {
            text::t("sold-out-some-held").count("n", held)
        })
    }

    fn has_accessible(&self) -> bool {
        self.map.seats.iter().any(|seat| seat.accessible)
    }

    fn can_hold(&self) -> bool {
        self.map.event.sales == Sales::Open && !self.paused
    }
}
