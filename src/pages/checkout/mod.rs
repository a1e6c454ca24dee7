//! The checkout: where a hold becomes a booking, under the countdown that is the hold's own time left.

mod change;
mod form;
mod pay;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web::{Data, Path},
};
use askama::Template;
use deadpool_redis::Connection;
use uuid::Uuid;

use super::{
    Answer, App, buyer,
    error::Failure,
    frame::{self, Frame},
    see_other,
};
use crate::{
    event::Event,
    hold::{BuyerId, Hold},
    payment::{Outcome, TEST_CARDS, TestCard},
    seat_map::PricedSeat,
    text,
};
pub use change::{extend, release};
use form::{Complaints, Typed};
pub use pay::pay;

#[derive(Template)]
#[template(path = "checkout.html")]
struct CheckoutPage {
    frame: Frame,
    event: Event,
    hold: Hold,
    seats: Vec<PricedSeat>,
    total_minor: i64,
    /// The key of the next attempt to pay.
    payment: Uuid,
    form_token: String,
    typed: Typed,
    complaints: Complaints,
    /// What came of the last press, if it was not what was wished.
    notice: Option<Notice>,
    test_cards: &'static [TestCard],
}

/// What the page says above everything else.
struct Notice {
    status: StatusCode,
    text: String,
    /// Seconds until one may try again.
    retry_after: Option<u64>,
}

impl Notice {
    fn new(status: StatusCode, text: impl std::fmt::Display) -> Self {
        Self {
            status,
            text: text.to_string(),
            retry_after: None,
        }
    }
}

#[derive(Template)]
#[template(path = "hold_ended.html")]
struct HoldEndedPage {
    frame: Frame,
    event: Event,
    /// Whether this browser had a hold here.
    had: bool,
}

/// Shows what is held, what it costs, how long it is kept, and the form to pay.
pub async fn show(app: Data<App>, request: HttpRequest, slug: Path<String>) -> Answer {
    let event = app.events.by_slug(&slug).await?.ok_or(Failure::NotFound)?;
    let Some(buyer) = buyer::buyer(&app, &request) else {
        return ended(&app, &request, event).await;
    };
    let mut redis = app.holds.connect().await?;
    draw(
        &app,
        &request,
        &mut redis,
        event,
        &buyer,
        Form::default(),
        None,
    )
    .await
}

/// The payment form as it comes back to the one who sent it.
#[derive(Default)]
struct Form {
    typed: Typed,
    complaints: Complaints,
    /// The key that it carried, if it may be used again.
    payment: Option<Uuid>,
}

/// Draws the checkout of the hold that there is now, or says that there is none.
async fn draw(
    app: &App,
    request: &HttpRequest,
    redis: &mut Connection,
    event: Event,
    buyer: &BuyerId,
    form: Form,
    notice: Option<Notice>,
) -> Answer {
    let Some(hold) = app.holds.of_buyer(redis, event.id, buyer).await? else {
        return ended(app, request, event).await;
    };
    if let Some(id) = hold.payment {
        // A mark binds only while PostgreSQL knows its payment as unsettled or sold.
        if let Some(payment) = app
            .payments
            .by_id(id)
            .await?
            .filter(|payment| payment.hold == hold.id && payment.state.binds())
        {
            return Ok(see_other(&format!("/bookings/{}", payment.token)));
        }
    }
    let (frame, seats) = futures_util::join!(
        Frame::around(app, request, Some(&event.slug)),
        app.seat_maps.priced(event.id, &hold.seats)
    );
    let seats = seats?;
    let status = notice
        .as_ref()
        .map_or(StatusCode::OK, |notice| notice.status);
    let retry_after = notice.as_ref().and_then(|notice| notice.retry_after);
    let page = CheckoutPage {
        frame,
        total_minor: seats.iter().map(|seat| seat.price_minor).sum(),
        payment: form.payment.unwrap_or_else(Uuid::new_v4),
        form_token: buyer::form_token(app, buyer.as_str()),
        event,
        hold,
        seats,
        typed: form.typed,
        complaints: form.complaints,
        notice,
        test_cards: if app.site.demo { &TEST_CARDS } else { &[] },
    };
    let mut answer = super::page(&page, status)?;
    if let Some(seconds) = retry_after {
        answer
            .headers_mut()
            .insert(header::RETRY_AFTER, seconds.into());
    }
    Ok(answer)
}

/// Nothing is held any more: leads to the booking that the hold became, or says that it ended, and back to the map.
async fn ended(app: &App, request: &HttpRequest, event: Event) -> Answer {
    let last = buyer::holding(app, request)
        .into_iter()
        .find(|held| held.slug == event.slug);
    let had = last.is_some();
    if let Some(held) = last
        && let Some(payment) = app.payments.live_of_hold(&held.hold).await?
    {
        return Ok(see_other(&format!("/bookings/{}", payment.token)));
    }
    let frame = Frame::around(app, request, Some(&event.slug)).await;
    super::page(&HoldEndedPage { frame, event, had }, StatusCode::GONE)
}

impl CheckoutPage {
    /// Whether a press of "more time" gives any, now or before the hold ends: the page may stand open until then.
    fn can_extend(&self) -> bool {
        let ms = |seconds: i32| u64::try_from(seconds).unwrap_or(0) * 1000;
        let cap_left = ms(self.event.hold_cap_seconds).saturating_sub(self.hold.age_ms);
        cap_left > self.hold.time_left_ms + 1000
    }

    fn money(&self, minor: i64) -> String {
        self.event.currency.show(minor).to_string()
    }

    /// Whole seconds left, by which a browser without JavaScript counts.
    fn seconds(&self) -> u64 {
        self.hold.time_left_ms / 1000
    }

    /// Seconds after which a browser without JavaScript looks again.
    fn refresh_seconds(&self) -> u64 {
        self.seconds() + 1
    }
}

/// Where a payment's outcome is told.
fn told(token: &str) -> HttpResponse {
    see_other(&format!("/bookings/{token}"))
}

/// What a decline says, by the name of the provider's reason.
fn declined(reason: &str) -> text::Text {
    match reason {
        "insufficient_funds" => text::t("declined-no-funds"),
        "not_a_test_card" => text::t("declined-not-a-test-card"),
        _ => text::t("declined"),
    }
}

/// The notice for an outcome that leaves the buyer at the checkout; `None` when it is told on the booking's page.
fn notice_of(outcome: &Outcome) -> Option<Notice> {
    match outcome {
        Outcome::Declined(reason) => {
            Some(Notice::new(StatusCode::PAYMENT_REQUIRED, declined(reason)))
        }
        Outcome::NotCharged => Some(Notice::new(
            StatusCode::PAYMENT_REQUIRED,
            text::t("payment-not-charged"),
        )),
        Outcome::Booked | Outcome::Checking | Outcome::Returned => None,
    }
}
