//! The desk: an event's seats as they are now, who has them, and the forms by which staff step in.

use std::collections::HashSet;

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
    rows::{self, ZoneView},
};
use crate::{
    plan::Shape,
    seat_map::SeatMap,
    staff::{Desk, DeskHold, DeskState},
    text,
};

/// After how many seconds a browser without JavaScript looks again: rarely, because it forgets what was ticked.
const REFRESH_SECONDS: u32 = 30;

/// What may have been done before the desk is shown; each has its sentence in the catalogue.
const DONE: [&str; 4] = ["released", "gone", "blocked", "unblocked"];

#[derive(Template)]
#[template(path = "staff/desk.html")]
struct DeskPage {
    frame: Frame,
    bar: Bar,
    map: SeatMap,
    desk: Desk,
    zones: Vec<ZoneView>,
    /// Live holds could not be read.
    away: bool,
    /// Whether it waits for the person instead of looking again by itself.
    still: bool,
    done: Option<text::Text>,
    refusal: Refusal,
}

/// Why a form was refused, and what it had said.
#[derive(Default)]
pub struct Refusal {
    /// The answer's status; OK when nothing was refused.
    pub status: StatusCode,
    /// One sentence.
    pub title: Option<text::Text>,
    /// Seats by name, with what is in the way.
    pub seats: Vec<(String, text::Text)>,
    /// What is wrong with the reason.
    pub complaint: Option<text::Text>,
    /// The reason as it was typed.
    pub reason: String,
    /// The hold whose form it was; none: the form of seats.
    pub hold: Option<String>,
    /// The seats that were ticked.
    pub ticked: HashSet<i64>,
}

/// What the desk's address may say.
#[derive(Deserialize)]
pub struct View {
    #[serde(default)]
    done: String,
    #[serde(default)]
    still: bool,
}

/// Shows the desk.
pub async fn show(app: Data<App>, clerk: Clerk, slug: Path<String>, view: Query<View>) -> Answer {
    let done = DONE
        .contains(&view.done.as_str())
        .then(|| text::t(format!("staff-done-{}", view.done)));
    draw(&app, &clerk, &slug, view.still, done, Refusal::default()).await
}

/// Draws the desk as it is now.
pub async fn draw(
    app: &App,
    clerk: &Clerk,
    slug: &str,
    still: bool,
    done: Option<text::Text>,
    refusal: Refusal,
) -> Answer {
    let map = app
        .seat_maps
        .of_event(slug)
        .await?
        .ok_or(Failure::NotFound)?;
    let listed = app.holds.list(map.event.id).await;
    let away = listed.is_err();
    let held = listed.unwrap_or_else(|error| {
        tracing::warn!(%error, "the desk is drawn without live holds");
        Vec::new()
    });
    let desk = app.staff.desk(&map, &held).await?;
    let zones = rows::zones(&desk.seats, &refusal.ticked);
    let status = refusal.status;
    let (frame, bar) = (Frame::bare(app), Bar::of(app, clerk));
    // A form that is shown again must not vanish under the one who corrects it.
    let still = still || status != StatusCode::OK;
    page(
        &DeskPage {
            frame,
            bar,
            map,
            desk,
            zones,
            away,
            still,
            done,
            refusal,
        },
        status,
    )
}

impl DeskPage {
    fn takings(&self) -> String {
        self.map
            .event
            .currency
            .show(self.desk.takings_minor)
            .to_string()
    }

    /// Whether the refused form is the one of this hold.
    fn refused(&self, hold: &DeskHold) -> bool {
        self.refusal.hold.as_deref() == Some(hold.id.as_str())
    }
}
