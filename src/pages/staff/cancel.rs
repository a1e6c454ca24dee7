//! Cancelling seats of a booking for its buyer, at any time, with a reason.

use std::collections::BTreeSet;

use actix_web::{
    http::StatusCode,
    web::{Data, Path, Query},
};
use askama::Template;

use super::{
    super::{
        Answer, App,
        error::Failure,
        forms,
        frame::{self, Frame},
        let_go, page, see_other,
    },
    Bar, LONGEST_REASON,
    bookings::find,
    door::Clerk,
    reason, words,
};
use crate::{
    booking::{By, Cancelled, Wish},
    staff::{Sale, SoldSeat},
    text::{self, Text},
};

#[derive(Template)]
#[template(path = "staff/cancel.html")]
struct CancelPage {
    frame: Frame,
    bar: Bar,
    sale: Sale,
    /// What goes.
    going: BTreeSet<i64>,
    refusal: Refusal,
}

/// Why a form was refused, and what it had said.
#[derive(Default)]
struct Refusal {
    status: StatusCode,
    title: Option<Text>,
    complaint: Option<Text>,
    reason: String,
}

/// Says what cancelling these seats comes to; none named: all that are left.
pub async fn ask(
    app: Data<App>,
    clerk: Clerk,
    reference: Path<String>,
    query: Query<Vec<(String, String)>>,
) -> Answer {
    let sale = find(&app, &reference).await?;
    let named = query.iter().filter(|(name, _)| name == "seat");
    let seats = ids(named.map(|(_, value)| value.as_str()))?;
    draw(&app, &clerk, sale, &seats, Refusal::default())
}

/// Cancels these seats; none named: all that are left.
pub async fn cancel(
    app: Data<App>,
    clerk: Clerk,
    reference: Path<String>,
    fields: forms::Fields,
) -> Answer {
    clerk.check(&app, &fields)?;
    let sale = find(&app, &reference).await?;
    let named = ids(forms::all(&fields, "seat"))?;
    let shown_minor = forms::first(&fields, "returns")
        .parse()
        .map_err(|_| Failure::BadForm)?;
    let reason = match reason(&fields) {
        Ok(reason) => reason,
        Err(complaint) => {
            let refusal = Refusal {
                status: StatusCode::UNPROCESSABLE_ENTITY,
                title: Some(text::t("staff-nothing-changed")),
                complaint: Some(complaint),
                reason: forms::first(&fields, "reason").to_owned(),
            };
            return draw(&app, &clerk, sale, &named, refusal);
        }
    };
    let seats: Vec<i64> = if named.is_empty() {
        live(&sale).map(|seat| seat.id).collect()
    } else {
        named.iter().copied().collect()
    };
    let wish = Wish {
        booking: sale.id,
        seats: &seats,
        shown_minor,
    };
    let by = By::Staff {
        member: clerk.session.member.id,
        reason,
    };
    // Read before the deed, after which nothing must fail any more.
    let payment = app.payments.by_id(sale.payment_id).await?;
    match app.bookings.cancel(wish, by).await? {
        Cancelled::Done { .. } => {
            if let Some(payment) = payment {
                let_go(&app, &payment, &seats).await;
            }
            Ok(back(&sale, "cancelled"))
        }
        Cancelled::Already => Ok(back(&sale, "already")),
        Cancelled::Changed { .. } => {
            let refusal = Refusal {
                status: StatusCode::CONFLICT,
                title: Some(text::t("cancel-changed")),
                reason: reason.to_owned(),
                ..Refusal::default()
            };
            let sale = find(&app, &reference).await?;
            draw(&app, &clerk, sale, &named, refusal)
        }
        // No cut-off binds the box office.
        Cancelled::Unknown | Cancelled::TooLate | Cancelled::Off => Err(Failure::BadForm),
    }
}

/// The ids that a form names, each once.
fn ids<'a>(values: impl Iterator<Item = &'a str>) -> Result<BTreeSet<i64>, Failure> {
    values
        .map(|id| id.trim().parse().map_err(|_| Failure::BadForm))
        .collect()
}

fn live(sale: &Sale) -> impl Iterator<Item = &SoldSeat> {
    sale.seats.iter().filter(|seat| seat.cancelled_at.is_none())
}

fn back(sale: &Sale, done: &str) -> actix_web::HttpResponse {
    let reference = &sale.booking.reference;
    see_other(&format!("/staff/bookings/{reference}?done={done}"))
}

/// The page that asks, with those of the seats that are still there to be cancelled.
fn draw(app: &App, clerk: &Clerk, sale: Sale, seats: &BTreeSet<i64>, refusal: Refusal) -> Answer {
    if !seats
        .iter()
        .all(|id| sale.seats.iter().any(|seat| seat.id == *id))
    {
        return Err(Failure::BadForm);
    }
    let going: BTreeSet<i64> = live(&sale)
        .map(|seat| seat.id)
        .filter(|id| seats.is_empty() || seats.contains(id))
        .collect();
    if going.is_empty() {
        return Ok(back(&sale, "already"));
    }
    let status = refusal.status;
    let asked = CancelPage {
        frame: Frame::bare(app),
        bar: Bar::of(app, clerk),
        sale,
        going,
        refusal,
    };
    page(&asked, status)
}

impl CancelPage {
    fn going(&self) -> Vec<&SoldSeat> {
        let goes = |seat: &&SoldSeat| self.going.contains(&seat.id);
        self.sale.seats.iter().filter(goes).collect()
    }

    fn returned_minor(&self) -> i64 {
        self.going().iter().map(|seat| seat.price_minor).sum()
    }

    fn money(&self, minor: i64) -> String {
        self.sale.booking.currency.show(minor).to_string()
    }
}
