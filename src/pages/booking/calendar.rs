//! A booking as a calendar file (RFC 5545).

use actix_web::{
    HttpResponse,
    http::header,
    web::{Data, Path},
};
use icalendar::{Calendar, Component, EventLike};

use super::{
    super::{Answer, App, error::Failure},
    sold, words,
};
use crate::text;

/// How long an event is taken to last in a calendar, since its end is not known.
const CALENDAR_HOURS: i64 = 2;

/// The event as a calendar entry, for who holds the token and still has a seat.
pub async fn calendar(app: Data<App>, token: Path<String>) -> Answer {
    let sold = sold(&app, &token).await?;
    let (event, booking) = (sold.event, sold.booking);
    if booking.tickets.is_empty() {
        return Err(Failure::NotFound);
    }
    let seats: Vec<_> = booking.tickets.iter().map(words::place).collect();
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
