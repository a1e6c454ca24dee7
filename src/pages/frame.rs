//! The frame around every page: the site's name and links, and what the browser holds, wherever it looks.

use std::sync::Arc;

use actix_web::HttpRequest;
use futures_util::future::join_all;

use super::{App, buyer};
use crate::{Error, config, event::Event, hold::Hold, seat_map::PricedSeat};

/// What every template needs.
pub struct Frame {
    /// The site's name and links.
    pub site: Arc<config::Site>,
    /// Where the static files stand.
    pub statics: String,
    /// What this browser holds, the soonest to end first.
    pub holding: Vec<Holding>,
}

/// Seats that this browser holds at one event.
pub struct Holding {
    /// The event's slug.
    pub slug: String,
    /// The event's name.
    pub event: String,
    /// What people call the seats, in reading order.
    pub seats: String,
    /// Time left, in milliseconds.
    pub time_left_ms: u64,
}

impl Holding {
    /// What one hold looks like from elsewhere.
    pub fn new(event: &Event, hold: &Hold, seats: &[PricedSeat]) -> Self {
        let names: Vec<_> = seats.iter().map(|seat| seat.name.as_str()).collect();
        Self {
            slug: event.slug.clone(),
            event: event.name.clone(),
            seats: names.join(", "),
            time_left_ms: hold.time_left_ms,
        }
    }

    /// Whole seconds left, by which a browser without JavaScript counts.
    pub fn seconds(&self) -> u64 {
        self.time_left_ms / 1000
    }
}

impl Frame {
    /// A frame that asks no store.
    pub fn bare(app: &App) -> Self {
        Self {
            site: Arc::clone(&app.site),
            statics: app.statics.root(),
            holding: Vec::new(),
        }
    }

    /// The frame with what the browser holds, but for the event that the page itself is about.
    pub async fn around(app: &App, request: &HttpRequest, but: Option<&str>) -> Self {
        let mut frame = Self::bare(app);
        let held = buyer::holding(app, request);
        let looks = held.iter().filter(|held| Some(held.slug.as_str()) != but);
        let found = join_all(looks.map(|held| look(app, request, &held.slug))).await;
        // A store that is away must not take the page with it: the hold shows again when it is back.
        frame.holding = found.into_iter().filter_map(Result::ok).flatten().collect();
        frame.holding.sort_by_key(|holding| holding.time_left_ms);
        frame
    }
}

async fn look(app: &App, request: &HttpRequest, slug: &str) -> Result<Option<Holding>, Error> {
    let Some(buyer) = buyer::buyer(app, request) else {
        return Ok(None);
    };
    let Some(event) = app.events.by_slug(slug).await? else {
        return Ok(None);
    };
    let Some(hold) = app
        .holds
        .of_buyer(&mut app.holds.connect().await?, event.id, &buyer)
        .await?
    else {
        return Ok(None);
    };
    let seats = app.seat_maps.priced(event.id, &hold.seats).await?;
    Ok(Some(Holding::new(&event, &hold, &seats)))
}

/// Time left as people read it, `4:10`.
pub fn clock(time_left_ms: u64) -> String {
    let seconds = time_left_ms / 1000;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
