//! Giving back seats, and asking for more time.

use std::time::Duration;

use actix_web::{
    HttpRequest,
    http::StatusCode,
    web::{Data, Path},
};
use deadpool_redis::Connection;

use super::{Form, Notice, draw, ended};
use crate::{
    event::Event,
    hold::{Acquired, BuyerId, Changed, Wish},
    pages::{Answer, App, buyer, error::Failure, forms, see_other},
    payment::Payment,
    text,
};

/// Gives back one seat of the hold, or all of them.
pub async fn release(
    app: Data<App>,
    request: HttpRequest,
    slug: Path<String>,
    fields: forms::Fields,
) -> Answer {
    let event = app.events.by_slug(&slug).await?.ok_or(Failure::NotFound)?;
    let map = format!("/events/{slug}");
    let (Some(buyer), Some(hold)) = (buyer::buyer(&app, &request), forms::hold(&fields)) else {
        return Ok(see_other(&map));
    };
    let mut redis = app.holds.connect().await?;
    let seat: Option<i64> = match forms::first(&fields, "seat") {
        "" => None,
        text => Some(text.parse().map_err(|_| Failure::BadForm)?),
    };

    // Giving back the last seat is giving back the hold.
    let kept: Option<Vec<i64>> = match seat {
        None => None,
        Some(seat) => {
            let present = app
                .holds
                .of_buyer(&mut redis, event.id, &buyer)
                .await?
                .filter(|present| present.id == hold);
            let kept = present.map(|present| {
                present
                    .seats
                    .into_iter()
                    .filter(|other| *other != seat)
                    .collect()
            });
            match kept {
                None => return gone_or_former(&app, &request, &mut redis, event, &buyer).await,
                Some(kept) => Some(kept).filter(|kept: &Vec<i64>| !kept.is_empty()),
            }
        }
    };
    loop {
        let changed = match &kept {
            None => {
                app.holds
                    .release(&mut redis, event.id, hold, Some(&buyer))
                    .await?
            }
            Some(seats) => {
                let wish = Wish {
                    hold: Some(hold),
                    seats,
                    network: None,
                    exact: true,
                };
                // An amend keeps the deadline that the hold has.
                let ttl = Duration::from_secs(1);
                match app
                    .holds
                    .acquire(&mut redis, event.id, &buyer, &wish, ttl, event.max_seats)
                    .await?
                {
                    Acquired::Held(hold) => {
                        let mut answer = see_other(&format!("/events/{slug}/checkout"));
                        buyer::remember_holding(&app, &request, &mut answer, &slug, &hold);
                        return Ok(answer);
                    }
                    Acquired::Paying(running) => Changed::Paying(running),
                    Acquired::Former => Changed::Former,
                    Acquired::Gone
                    | Acquired::Taken(_)
                    | Acquired::TooMany
                    | Acquired::SlowDown(_) => Changed::Gone,
                }
            }
        };
        match changed {
            Changed::Done(_) | Changed::Capped => return Ok(see_other(&map)),
            Changed::Gone if seat.is_none() => return Ok(see_other(&map)),
            Changed::Gone | Changed::Former => {
                return gone_or_former(&app, &request, &mut redis, event, &buyer).await;
            }
            Changed::Paying(running) => {
                if let Some(payment) = app.cashier.binding(&mut redis, event.id, &running).await? {
                    return Ok(paying(&payment));
                }
            }
        }
    }
}

/// Gives the hold more time, if its cap allows; a repeat of the same press gives nothing more.
pub async fn extend(
    app: Data<App>,
    request: HttpRequest,
    slug: Path<String>,
    fields: forms::Fields,
) -> Answer {
    let event = app.events.by_slug(&slug).await?.ok_or(Failure::NotFound)?;
    let Some(buyer) = buyer::buyer(&app, &request) else {
        return ended(&app, &request, event).await;
    };
    let mut redis = app.holds.connect().await?;
    let Some(hold) = forms::hold(&fields) else {
        return gone_or_former(&app, &request, &mut redis, event, &buyer).await;
    };
    // A form that does not say which extension it wants asks for the next one.
    let number = match forms::first(&fields, "extension").parse() {
        Ok(number) => number,
        Err(_) => match app.holds.of_buyer(&mut redis, event.id, &buyer).await? {
            Some(present) => present.extensions + 1,
            None => return ended(&app, &request, event).await,
        },
    };
    let seconds = |n: i32| Duration::from_secs(u64::try_from(n).unwrap_or(0));
    let (ttl, cap) = (seconds(event.hold_seconds), seconds(event.hold_cap_seconds));
    loop {
        match app
            .holds
            .extend(&mut redis, event.id, hold, &buyer, number, ttl, cap)
            .await?
        {
            Changed::Done(_) => return Ok(see_other(&format!("/events/{slug}/checkout"))),
            Changed::Capped => {
                let notice = Notice::new(StatusCode::CONFLICT, text::t("extend-capped"));
                return draw(
                    &app,
                    &request,
                    &mut redis,
                    event,
                    &buyer,
                    Form::default(),
                    Some(notice),
                )
                .await;
            }
            Changed::Gone | Changed::Former => {
                return gone_or_former(&app, &request, &mut redis, event, &buyer).await;
            }
            Changed::Paying(running) => {
                if let Some(payment) = app.cashier.binding(&mut redis, event.id, &running).await? {
                    return Ok(paying(&payment));
                }
            }
        }
    }
}

/// A form from an old tab meets the present selection, or the end of the hold.
pub(super) async fn gone_or_former(
    app: &App,
    request: &HttpRequest,
    redis: &mut Connection,
    event: Event,
    buyer: &BuyerId,
) -> Answer {
    let notice = Notice::new(StatusCode::CONFLICT, text::t("selection-changed"));
    draw(
        app,
        request,
        redis,
        event,
        buyer,
        Form::default(),
        Some(notice),
    )
    .await
}

/// A payment is running: its page tells how it goes.
fn paying(payment: &Payment) -> actix_web::HttpResponse {
    super::told(&payment.token)
}
