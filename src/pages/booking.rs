//! The booking's page: while the payment is checked, then the tickets, or what became of it. Its token is the only key to it.

use std::fmt::Write;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web::{Data, Path},
};
use askama::Template;
use icalendar::{Calendar, Component, EventLike};
use qrcode::{Color, QrCode};

use super::{
    Answer, App, buyer,
    error::Failure,
    frame::{self, Frame},
};
use crate::{
    Error,
    booking::{Booking, Ticket},
    event::Event,
    payment::{Outcome, Payment},
    text,
};

/// After how many seconds the page of a payment that is being checked looks again.
const CHECK_SECONDS: u32 = 2;

/// How long an event is taken to last in a calendar, since its end is not known.
const CALENDAR_HOURS: i64 = 2;

#[derive(Template)]
#[template(path = "booking.html")]
struct BookingPage {
    frame: Frame,
    event: Event,
    booking: Booking,
    token: String,
    codes: Vec<Qr>,
}

#[derive(Template)]
#[template(path = "payment.html")]
struct PaymentPage {
    frame: Frame,
    event: Event,
    payment: Payment,
    outcome: Outcome,
    /// Time left of the hold, in milliseconds, when it can be tried again.
    time_left_ms: Option<u64>,
}

/// A QR code as one SVG path.
struct Qr {
    size: usize,
    path: String,
}

/// Shows what has become of a payment.
pub async fn show(app: Data<App>, request: HttpRequest, token: Path<String>) -> Answer {
    let payment = find(&app, &token).await?;
    let event = app
        .events
        .by_id(payment.event_id)
        .await?
        .ok_or(Failure::NotFound)?;
    let outcome = Outcome::of(&payment);
    if outcome == Outcome::Booked {
        let (booking, frame) = futures_util::join!(
            app.bookings.of_payment(payment.id),
            Frame::around(&app, &request, None)
        );
        let booking = booking?
            .ok_or_else(|| Error::Broken(format!("payment {} has no booking", payment.id)))?;
        let codes = booking
            .tickets
            .iter()
            .map(|ticket| qr(&ticket.code))
            .collect::<Result<_, _>>()?;
        let page = BookingPage {
            frame,
            event,
            booking,
            token: payment.token,
            codes,
        };
        return super::page(&page, StatusCode::OK);
    }
    let frame = Frame::around(&app, &request, Some(&event.slug)).await;
    let time_left_ms = time_left(&app, &request, &event, &payment).await;
    let status = if outcome == Outcome::Checking {
        StatusCode::ACCEPTED
    } else {
        StatusCode::OK
    };
    super::page(
        &PaymentPage {
            frame,
            event,
            payment,
            outcome,
            time_left_ms,
        },
        status,
    )
}

async fn find(app: &App, token: &str) -> Result<Payment, Failure> {
    if !crate::random::is_token(token) {
        return Err(Failure::NotFound);
    }
    app.payments.by_token(token).await?.ok_or(Failure::NotFound)
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

/// The event as a calendar entry (RFC 5545), for who holds the token.
pub async fn calendar(app: Data<App>, token: Path<String>) -> Answer {
    let payment = find(&app, &token).await?;
    let event = app
        .events
        .by_id(payment.event_id)
        .await?
        .ok_or(Failure::NotFound)?;
    let booking = app
        .bookings
        .of_payment(payment.id)
        .await?
        .ok_or(Failure::NotFound)?;
    let seats: Vec<_> = booking.tickets.iter().map(BookingPage::spoken).collect();
    let utc = |time: jiff::Timestamp| time.strftime("%Y%m%dT%H%M%SZ").to_string();
    let end = event.starts_at + jiff::SignedDuration::from_hours(CALENDAR_HOURS);
    let entry = icalendar::Event::new()
        .uid(&format!("{}@{}", booking.reference, event.slug))
        .summary(&event.name)
        .location(&event.venue)
        .description(
            &text::t("calendar-description")
                .with("seats", seats.join("; "))
                .with("reference", &booking.reference)
                .to_string(),
        )
        .append_property(icalendar::Property::new("DTSTAMP", utc(booking.created_at)))
        .append_property(icalendar::Property::new("DTSTART", utc(event.starts_at)))
        .append_property(icalendar::Property::new("DTEND", utc(end)))
        .done();
    let calendar = Calendar::new().push(entry).done();
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/calendar; charset=utf-8"))
        .insert_header((
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{}.ics\"", event.slug),
        ))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(calendar.to_string()))
}

/// The code as dark squares on a light ground, one unit each, without the quiet zone, which the style sheet gives.
fn qr(code: &str) -> Result<Qr, Error> {
    let code = QrCode::new(code.as_bytes()).map_err(|e| Error::Broken(format!("QR code: {e}")))?;
    let size = code.width();
    let dark = code
        .to_colors()
        .into_iter()
        .enumerate()
        .filter(|(_, color)| *color == Color::Dark);
    let path = dark.fold(String::new(), |mut path, (at, _)| {
        let _ = write!(path, "M{} {}h1v1h-1z", at % size, at / size);
        path
    });
    Ok(Qr { size, path })
}

impl BookingPage {
    /// A ticket's place in words: `Stalls, Row C, seat 14`.
    fn spoken(ticket: &Ticket) -> String {
        let row =
            (!ticket.row.is_empty()).then(|| text::t("row").with("row", &ticket.row).to_string());
        let zone = Some(ticket.zone.clone()).filter(|zone| !zone.is_empty());
        let seat = text::t("seat").with("seat", &ticket.label).to_string();
        zone.into_iter()
            .chain(row)
            .chain([seat])
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl PaymentPage {
    fn seconds_left(&self) -> Option<String> {
        self.time_left_ms.map(frame::clock)
    }
}
