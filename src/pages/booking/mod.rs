//! The booking's page: while the payment is checked, then the tickets, or what became of it. Its token is the only key to it.

mod calendar;
mod cancel;
mod qr;
mod words;

use actix_web::{
    HttpRequest,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;

use super::{
    Answer, App, buyer,
    error::Failure,
    frame::{self, Frame},
    page,
};
use crate::{
    Error,
    booking::{Booking, Progress, Refund},
    event::{Event, Sales},
    payment::{Outcome, Payment},
    text,
};
pub use calendar::calendar;
pub use cancel::{ask, cancel};
use qr::Qr;

/// After how many seconds the page of a payment that is being checked looks again.
const CHECK_SECONDS: u32 = 2;

#[derive(Template)]
#[template(path = "booking.html")]
struct BookingPage {
    frame: Frame,
    event: Event,
    booking: Booking,
    payment: Payment,
    codes: Vec<Qr>,
}

#[derive(Template)]
#[template(path = "booking_cancelled.html")]
struct CancelledPage {
    frame: Frame,
    event: Event,
    booking: Booking,
    payment: Payment,
}

#[derive(Template)]
#[template(path = "payment.html")]
struct PaymentPage {
    frame: Frame,
    event: Event,
    payment: Payment,
    outcome: Outcome,
    /// What goes or went back; nothing unless the seats were lost.
    refund: Option<Refund>,
    /// Time left of the hold, in milliseconds, when it can be tried again.
    time_left_ms: Option<u64>,
}

/// A booking with what it is for and what it was paid by.
struct Sold {
    payment: Payment,
    event: Event,
    booking: Booking,
}

/// Shows what has become of a payment.
pub async fn show(app: Data<App>, request: HttpRequest, token: Path<String>) -> Answer {
    let payment = find(&app, &token).await?;
    let event = app
        .events
        .by_id(payment.event_id)
        .await?
        .ok_or(Failure::NotFound)?;
    if Outcome::of(&payment) != Outcome::Booked {
        return unsold(&app, &request, event, payment).await;
    }
    let (booking, frame) = futures_util::join!(
        app.bookings.of_payment(payment.id),
        Frame::around(&app, &request, None)
    );
    let booking =
        booking?.ok_or_else(|| Error::Broken(format!("payment {} has no booking", payment.id)))?;
    if booking.tickets.is_empty() {
        let gone = CancelledPage {
            frame,
            event,
            booking,
            payment,
        };
        return page(&gone, StatusCode::OK);
    }
    let codes = booking
        .tickets
        .iter()
        .map(|ticket| Qr::of(&ticket.code))
        .collect::<Result<_, _>>()?;
    let tickets = BookingPage {
        frame,
        event,
        booking,
        payment,
        codes,
    };
    page(&tickets, StatusCode::OK)
}

async fn unsold(app: &App, request: &HttpRequest, event: Event, payment: Payment) -> Answer {
    let outcome = Outcome::of(&payment);
    let frame = Frame::around(app, request, Some(&event.slug)).await;
    let time_left_ms = time_left(app, request, &event, &payment).await;
    let refund = match outcome {
        Outcome::Returned => app.bookings.refunds(payment.id).await?.pop(),
        _ => None,
    };
    let status = if outcome == Outcome::Checking {
        StatusCode::ACCEPTED
    } else {
        StatusCode::OK
    };
    let told = PaymentPage {
        frame,
        event,
        payment,
        outcome,
        refund,
        time_left_ms,
    };
    page(&told, status)
}

async fn find(app: &App, token: &str) -> Result<Payment, Failure> {
    if !crate::random::is_token(token) {
        return Err(Failure::NotFound);
    }
    app.payments.by_token(token).await?.ok_or(Failure::NotFound)
}

/// The booking that this token opens, if its payment has become one.
async fn sold(app: &App, token: &str) -> Result<Sold, Failure> {
    let payment = find(app, token).await?;
    let (event, booking) = futures_util::try_join!(
        app.events.by_id(payment.event_id),
        app.bookings.of_payment(payment.id)
    )?;
    let (event, booking) = event.zip(booking).ok_or(Failure::NotFound)?;
    Ok(Sold {
        payment,
        event,
        booking,
    })
}

/// How long this browser still has the seats that the payment was for.
async fn time_left(
    app: &App,
    request: &HttpRequest,
    event: &Event,
    payment: &Payment,
) -> Option<u64> {
    let buyer = buyer::buyer(app, request)?;
    let mut redis = app.holds.connect().await.ok()?;
    let hold = app
        .holds
        .of_buyer(&mut redis, event.id, &buyer)
        .await
        .ok()??;
    (hold.id == payment.hold).then_some(hold.time_left_ms)
}

impl PaymentPage {
    fn seconds_left(&self) -> Option<String> {
        self.time_left_ms.map(frame::clock)
    }

    fn returned_title(&self) -> text::Text {
        text::t(match self.refund.as_ref().map(|refund| refund.progress) {
            Some(Progress::Done(_)) => "returned-title",
            Some(_) => "returning-title",
            None => "not-kept-title",
        })
    }

    fn returned_advice(&self) -> text::Text {
        let Some(refund) = &self.refund else {
            return text::t("not-kept-advice");
        };
        let said = match refund.progress {
            Progress::OnItsWay => text::t("returning-advice"),
            Progress::Slow => text::t("returning-slow"),
            Progress::Done(at) => text::t("returned-advice").with("time", self.event.show_time(at)),
        };
        said.with("total", self.event.currency.show(refund.amount_minor))
            .with("last4", &self.payment.card_last4)
    }
}
