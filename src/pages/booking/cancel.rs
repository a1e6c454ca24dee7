//! Giving seats back after the sale: first a page that says what will happen, then the deed.

use std::collections::BTreeSet;

use actix_web::{
    HttpRequest,
    http::StatusCode,
    web::{Data, Path, Query},
};
use askama::Template;

use super::{
    super::{
        Answer, App, buyer,
        error::Failure,
        forms,
        frame::{self, Frame},
        let_go, page, see_other,
    },
    Sold, sold, words,
};
use crate::{
    booking::{Booking, By, Cancelled, Ticket, Wish},
    event::Event,
    payment::Payment,
    text::{self, Text},
};

#[derive(Template)]
#[template(path = "booking_cancel.html")]
struct ConfirmPage {
    frame: Frame,
    event: Event,
    payment: Payment,
    /// What goes.
    going: Vec<Ticket>,
    /// What stays.
    kept: Vec<String>,
    /// What goes back, in minor units.
    returned_minor: i64,
    form_token: String,
    notice: Option<Text>,
}

#[derive(Template)]
#[template(path = "booking_refused.html")]
struct RefusedPage {
    frame: Frame,
    event: Event,
    token: String,
    why: Text,
}

/// Says what cancelling these seats comes to; none named: all that are left.
pub async fn ask(
    app: Data<App>,
    request: HttpRequest,
    token: Path<String>,
    query: Query<Vec<(String, String)>>,
) -> Answer {
    let sold = sold(&app, &token).await?;
    let named = query.iter().filter(|(name, _)| name == "seat");
    let Some(seats) = ids(named.map(|(_, value)| value.as_str())) else {
        return refuse(&app, &request, sold, Why::Unknown).await;
    };
    if !sold.event.can_cancel && !sold.booking.tickets.is_empty() {
        return refuse(&app, &request, sold, Why::Rule).await;
    }
    confirm(&app, &request, sold, &seats, None).await
}

/// Cancels these seats; none named: all that are left.
pub async fn cancel(
    app: Data<App>,
    request: HttpRequest,
    token: Path<String>,
    fields: forms::Fields,
) -> Answer {
    let sold = sold(&app, &token).await?;
    if !buyer::is_form_token(&app, &sold.payment.token, forms::first(&fields, "token")) {
        return Err(Failure::ForeignOrigin);
    }
    let (Some(named), Ok(shown_minor)) = (
        ids(forms::all(&fields, "seat")),
        forms::first(&fields, "returns").parse(),
    ) else {
        return refuse(&app, &request, sold, Why::Unknown).await;
    };
    let seats: Vec<i64> = if named.is_empty() {
        sold.booking.tickets.iter().map(|t| t.seat_id).collect()
    } else {
        named.iter().copied().collect()
    };
    let wish = Wish {
        booking: sold.booking.id,
        seats: &seats,
        shown_minor,
    };
    match app.bookings.cancel(wish, By::Buyer).await? {
        Cancelled::Done { .. } => {
            let_go(&app, &sold.payment, &seats).await;
            Ok(back(&sold.payment))
        }
        Cancelled::Already => Ok(back(&sold.payment)),
        Cancelled::Changed { .. } => {
            // What the form was drawn from is no longer so: it is drawn anew.
            let sold = super::sold(&app, &token).await?;
            confirm(
                &app,
                &request,
                sold,
                &named,
                Some(text::t("cancel-changed")),
            )
            .await
        }
        Cancelled::Unknown => refuse(&app, &request, sold, Why::Unknown).await,
        Cancelled::TooLate | Cancelled::Off => refuse(&app, &request, sold, Why::Rule).await,
    }
}

/// The ids that a form names, each once; `None` when one is no id.
fn ids<'a>(values: impl Iterator<Item = &'a str>) -> Option<BTreeSet<i64>> {
    values.map(|id| id.trim().parse().ok()).collect()
}

fn back(payment: &Payment) -> actix_web::HttpResponse {
    see_other(&format!("/bookings/{}", payment.token))
}

/// The page that asks, with those of the seats that are still there to be cancelled.
async fn confirm(
    app: &App,
    request: &HttpRequest,
    sold: Sold,
    seats: &BTreeSet<i64>,
    notice: Option<Text>,
) -> Answer {
    if !seats.iter().all(|id| is_of(&sold.booking, *id)) {
        return refuse(app, request, sold, Why::Unknown).await;
    }
    let Sold {
        payment,
        event,
        booking,
    } = sold;
    let (going, kept): (Vec<_>, Vec<_>) = booking
        .tickets
        .into_iter()
        .partition(|ticket| seats.is_empty() || seats.contains(&ticket.seat_id));
    if going.is_empty() {
        return Ok(back(&payment));
    }
    let status = if notice.is_some() {
        StatusCode::CONFLICT
    } else {
        StatusCode::OK
    };
    let asked = ConfirmPage {
        frame: Frame::around(app, request, None).await,
        returned_minor: going.iter().map(|ticket| ticket.price_minor).sum(),
        form_token: buyer::form_token(app, &payment.token),
        going,
        kept: kept.into_iter().map(|ticket| ticket.seat).collect(),
        event,
        payment,
        notice,
    };
    page(&asked, status)
}

fn is_of(booking: &Booking, seat: i64) -> bool {
    booking.tickets.iter().any(|ticket| ticket.seat_id == seat)
        || booking
            .cancelled
            .iter()
            .any(|former| former.seat_id == seat)
}

/// Why nothing was cancelled.
enum Why {
    /// The event takes no seats back, or none any more.
    Rule,
    /// The form names what is not there.
    Unknown,
}

async fn refuse(app: &App, request: &HttpRequest, sold: Sold, why: Why) -> Answer {
    let (status, why) = match why {
        Why::Rule => (StatusCode::CONFLICT, words::no_more(&sold.event)),
        Why::Unknown => (StatusCode::UNPROCESSABLE_ENTITY, text::t("cancel-unknown")),
    };
    let refused = RefusedPage {
        frame: Frame::around(app, request, None).await,
        event: sold.event,
        token: sold.payment.token,
        why,
    };
    page(&refused, status)
}

impl ConfirmPage {
    fn money(&self, minor: i64) -> String {
        self.event.currency.show(minor).to_string()
    }

    fn heading(&self) -> Text {
        if self.kept.is_empty() {
            text::t("cancel-confirm-all")
        } else {
            text::t("cancel-confirm").count("n", self.going.len())
        }
    }

    fn press(&self) -> Text {
        let key = if self.returned_minor > 0 {
            "cancel-press"
        } else {
            "cancel-press-free"
        };
        text::t(key)
            .count("n", self.going.len())
            .with("amount", self.money(self.returned_minor))
    }
}
