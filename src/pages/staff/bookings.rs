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
    words,
};
use crate::{
    booking::{Progress, Refund},
    staff::{Found, Sale},
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
    refunds: Vec<Refund>,
    done: Option<text::Text>,
}

/// What may have been done before the booking is shown; each has its sentence in the catalogue.
const DONE: [&str; 2] = ["cancelled", "already"];

/// What is searched for.
#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    q: String,
}

/// What a booking's address may say.
#[derive(Deserialize)]
pub struct View {
    #[serde(default)]
    done: String,
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
pub async fn show(
    app: Data<App>,
    clerk: Clerk,
    reference: Path<String>,
    view: Query<View>,
) -> Answer {
    let sale = find(&app, &reference).await?;
    let done = DONE
        .contains(&view.done.as_str())
        .then(|| text::t(format!("staff-done-{}", view.done)));
    page(
        &SalePage {
            frame: Frame::bare(&app),
            bar: Bar::of(&app, &clerk),
            refunds: app.bookings.refunds(sale.payment_id).await?,
            sale,
            done,
        },
        StatusCode::OK,
    )
}

/// The booking with this reference, however it is typed.
pub async fn find(app: &App, reference: &str) -> Result<Sale, Failure> {
    if !reference.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(Failure::NotFound);
    }
    let sale = app.staff.sale(&reference.to_ascii_uppercase()).await?;
    sale.ok_or(Failure::NotFound)
}

impl SalePage {
    fn payment(&self) -> text::Text {
        text::t(format!("staff-payment-{}", self.sale.payment))
    }

    fn money(&self, minor: i64) -> String {
        self.sale.booking.currency.show(minor).to_string()
    }

    /// How far a refund is, with what staff may tell a buyer who asks.
    fn progress(&self, refund: &Refund) -> text::Text {
        let event = &self.sale.booking.event;
        match refund.progress {
            Progress::Done(at) => text::t("staff-refund-done").with("time", event.show_time(at)),
            Progress::OnItsWay | Progress::Slow if refund.attempts > 0 => {
                text::t("staff-refund-tried").count("n", refund.attempts)
            }
            Progress::OnItsWay | Progress::Slow => text::t("staff-refund-pending"),
        }
    }

    /// What is in the way of a refund that is not through.
    fn problem(refund: &Refund) -> Option<&str> {
        let problem = refund.problem.as_deref();
        problem.filter(|_| !matches!(refund.progress, Progress::Done(_)))
    }
}
