//! Pressing "hold" on the map: all of the ticked seats, or none, and then the map again with every reason.

use std::time::Duration;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};

use super::{super::see_other, Refusal, draw};
use crate::{
    event::{Event, Sales},
    hold::{Acquired, BuyerId, Wish},
    limit::{self, Use},
    pages::{Answer, App, buyer, error::Failure, forms},
    seat_map::AskedSeat,
    text,
};

/// Holds the ticked seats, or says why none of them is held.
pub async fn hold(
    app: Data<App>,
    request: HttpRequest,
    slug: Path<String>,
    fields: forms::Fields,
) -> Answer {
    let mut seats: Vec<i64> = forms::all(&fields, "seat")
        .map(|id| id.parse().unwrap_or(0))
        .collect();
    seats.sort_unstable();
    seats.dedup();
    let known = buyer::buyer(&app, &request);
    let outcome = match &known {
        Some(buyer) => try_hold(&app, &request, &slug, buyer, &seats, forms::hold(&fields)).await?,
        None => Err(Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            text::t("cookies-off"),
        )),
    };
    match outcome {
        Ok(hold) => Ok(held(&app, &request, &slug, &hold)),
        Err(refusal) => draw(&app, &request, &slug, known.as_ref(), &seats, Some(refusal)).await,
    }
}

/// Leads to the checkout, and notes for every page which hold the browser has.
pub(super) fn held(app: &App, request: &HttpRequest, slug: &str, hold: &str) -> HttpResponse {
    let mut answer = see_other(&format!("/events/{slug}/checkout"));
    buyer::remember_holding(app, request, &mut answer, slug, hold);
    answer
}

/// The id of the hold that was made, or why there is none.
pub(super) async fn try_hold(
    app: &App,
    request: &HttpRequest,
    slug: &str,
    buyer: &BuyerId,
    seats: &[i64],
    drawn_with: Option<&str>,
) -> Result<Result<String, Refusal>, Failure> {
    let network = limit::network(buyer::address(&app.site, request));
    let (limits, subject) = (&app.limits, buyer.as_str());
    let press = Use {
        scope: "hold-buyer",
        subject,
        cost: 1,
        rate: limits.hold_buyer,
    };
    // The press is counted while PostgreSQL is asked; its seats are when they are taken, by the same script.
    let (counted, asked) = futures_util::join!(
        async {
            let mut redis = app.holds.connect().await?;
            let wait = limits.count(&mut redis, &[press]).await?;
            Ok::<_, crate::Error>((redis, wait))
        },
        app.seat_maps.ask(slug, seats)
    );
    let (event, known) = asked?.ok_or(Failure::NotFound)?;
    let (mut redis, wait) = counted?;
    if let Some(wait) = wait {
        return Ok(Err(slow_down(wait)));
    }
    if let Some(refusal) = refuse(&event, &known, seats) {
        return Ok(Err(refusal));
    }

    let ttl = Duration::from_secs(u64::try_from(event.hold_seconds).unwrap_or(0));
    let wish = Wish {
        hold: drawn_with,
        seats,
        network: limits.on.then_some((network.as_str(), limits.hold_network)),
        exact: false,
    };
    loop {
        let acquired = app
            .holds
            .acquire(&mut redis, event.id, buyer, &wish, ttl, event.max_seats)
            .await?;
        return Ok(match acquired {
            Acquired::Held(hold) => Ok(hold),
            Acquired::SlowDown(wait) => Err(slow_down(wait)),
            Acquired::Taken(_) => Err(Refusal::new(StatusCode::CONFLICT, text::t("refused-taken"))),
            Acquired::TooMany => Err(too_many(&event)),
            Acquired::Paying(running) => {
                match app.cashier.binding(&mut redis, event.id, &running).await? {
                    Some(payment) => Err(Refusal {
                        payment: Some(format!("/bookings/{}", payment.token)),
                        ..Refusal::new(StatusCode::CONFLICT, text::t("payment-running"))
                    }),
                    // The mark did not bind and is gone: once more.
                    None => continue,
                }
            }
            Acquired::Former | Acquired::Gone => {
                return Err(crate::Error::Broken(
                    "a hold from the map was refused as former".to_owned(),
                )
                .into());
            }
        });
    }
}

/// What PostgreSQL alone can refuse.
fn refuse(event: &Event, known: &[AskedSeat], seats: &[i64]) -> Option<Refusal> {
    match event.sales {
        Sales::Soon => {
            let opens = text::t("sales-open-at").with("time", event.show_time(event.sales_from));
            return Some(Refusal::new(StatusCode::CONFLICT, opens));
        }
        Sales::Closed => {
            return Some(Refusal::new(
                StatusCode::CONFLICT,
                text::t("sales-closed-notice"),
            ));
        }
        Sales::Open => {}
    }
    if seats.is_empty() {
        return Some(Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            text::t("refused-none"),
        ));
    }
    if seats.len() > usize::try_from(event.max_seats).unwrap_or(0) {
        return Some(too_many(event));
    }
    if known.len() != seats.len() {
        return Some(Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            text::t("refused-unknown"),
        ));
    }
    known
        .iter()
        .any(|seat| !seat.open)
        .then(|| Refusal::new(StatusCode::CONFLICT, text::t("refused-taken")))
}

fn too_many(event: &Event) -> Refusal {
    Refusal::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        text::t("refused-too-many").count("most", event.max_seats),
    )
}

fn slow_down(wait: Duration) -> Refusal {
    let seconds = wait.as_secs() + 1;
    Refusal {
        retry_after: Some(seconds),
        ..Refusal::new(
            StatusCode::TOO_MANY_REQUESTS,
            text::t("slow-down").count("seconds", seconds),
        )
    }
}
