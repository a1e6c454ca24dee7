//! The first page of the box office: its events, and what staff did lately.

use actix_web::{http::StatusCode, web::Data};
use askama::Template;

use super::{
    super::{
        Answer, App,
        frame::{self, Frame},
        page,
    },
    Bar,
    door::Clerk,
};
use crate::{
    event::{Listed, Sales},
    staff::Entry,
    text,
};

/// How many rows of the audit are shown.
const RECENT: i64 = 20;

#[derive(Template)]
#[template(path = "staff/home.html")]
struct HomePage {
    frame: Frame,
    bar: Bar,
    events: Vec<Listed>,
    audit: Vec<Entry>,
}

/// Shows all events, past ones too.
pub async fn show(app: Data<App>, clerk: Clerk) -> Answer {
    let (events, audit) =
        futures_util::try_join!(app.events.list(true), app.staff.recent(None, RECENT))?;
    page(
        &HomePage {
            frame: Frame::bare(&app),
            bar: Bar::of(&app, &clerk),
            events,
            audit,
        },
        StatusCode::OK,
    )
}

impl HomePage {
    fn sales(listed: &Listed) -> text::Text {
        match listed.event.sales {
            Sales::Soon => text::t("sales-open-at")
                .with("time", listed.event.show_time(listed.event.sales_from)),
            Sales::Closed => text::t("sales-closed"),
            Sales::Open => text::t("staff-on-sale"),
        }
    }

    fn action(entry: &Entry) -> text::Text {
        text::t(format!("staff-action-{}", entry.action.replace('.', "-")))
    }

    fn time(entry: &Entry) -> String {
        entry.at.strftime("%-d %B %Y, %H:%M UTC").to_string()
    }
}
