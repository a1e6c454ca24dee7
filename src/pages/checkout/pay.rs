//! Pressing "pay": mark the hold, claim the seats, and only then ask the provider.

use actix_web::{
    HttpRequest,
    http::StatusCode,
    web::{Data, Path},
};
use deadpool_redis::Connection;
use jiff::Timestamp;

use super::{Form, Notice, change::gone_or_former, draw, ended, form, notice_of, told};
use crate::{
    event::Event,
    hold::{BuyerId, Changed, Running},
    limit::{self, Use},
    pages::{Answer, App, buyer, error::Failure, forms},
    payment::{Claimed, Order, Outcome, Payment},
    text,
};

/// Pays for the hold that the form names, once, however often it is pressed.
pub async fn pay(app: Data<App>, request: HttpRequest, slug: Path<String>, fields: forms::Fields) -> Answer {
    let event = app.events.by_slug(&slug).await?.ok_or(Failure::NotFound)?;
    let Some(buyer) = buyer::buyer(&app, &request) else { return ended(&app, &request, event).await };
    if !buyer::is_form_token(&app, buyer.as_str(), forms::first(&fields, "token")) {
        return Err(Failure::ForeignOrigin);
    }
    let mut redis = app.holds.connect().await?;
    let today = Timestamp::now().to_zoned(event.time_zone.clone()).date();
    let (typed, filled) = form::read(&fields, today);
    let key = forms::payment(&fields);
    let again = |key, complaints| Form { typed, complaints, payment: key };

    if let Some(wait) = count(&app, &request, &mut redis, &buyer).await? {
        let notice = Notice {
            retry_after: Some(wait),
            ..Notice::new(StatusCode::TOO_MANY_REQUESTS, text::t("slow-down").count("seconds", wait))
        };
        return draw(&app, &request, &mut redis, event, &buyer, again(key, form::Complaints::default()), Some(notice)).await;
    }
    let filled = match filled {
        Ok(filled) => filled,
        // A form that was not complete does not use up its key.
        Err(complaints) => {
            let notice = Notice::new(StatusCode::UNPROCESSABLE_ENTITY, text::t("form-incomplete"));
            return draw(&app, &request, &mut redis, event, &buyer, again(key, complaints), Some(notice)).await;
        }
    };
    let (Some(key), Some(hold), Ok(shown_minor)) =
        (key, forms::hold(&fields), forms::first(&fields, "total").parse())
    else {
        let notice = Notice::new(StatusCode::UNPROCESSABLE_ENTITY, text::t("form-stale"));
        return draw(&app, &request, &mut redis, event, &buyer, again(None, form::Complaints::default()), Some(notice)).await;
    };
    let mut order = Order {
        id: key,
        event_id: event.id,
        hold: hold.to_owned(),
        buyer: buyer.clone(),
        seats: Vec::new(),
        shown_minor,
        name: filled.name,
        email: filled.email,
        card_last4: filled.card.last4().to_owned(),
        card_expiry: filled.card.expiry.clone(),
    };
    let retry = Retry { app: &app, request: &request, buyer: &buyer };

    if let Some(known) = app.payments.by_id(key).await? {
        return retry.repeat(&mut redis, event, again(None, form::Complaints::default()), &order, known).await;
    }
    loop {
        match app.holds.begin_payment(&mut redis, event.id, hold, &buyer, key).await? {
            Changed::Done(seats) => {
                order.seats = seats;
                break;
            }
            Changed::Gone | Changed::Capped => return ended(&app, &request, event).await,
            Changed::Former => return gone_or_former(&app, &request, &mut redis, event, &buyer).await,
            Changed::Paying(running) => {
                if let Some(payment) = app.cashier.binding(&mut redis, event.id, &running).await? {
                    return Ok(told(&payment.token));
                }
            }
        }
    }

    let claimed = app.cashier.claim(&order).await;
    let running = Running { payment: key.to_string(), hold: hold.to_owned() };
    let (notice, status) = match claimed {
        Ok(Claimed::Yours { token, amount_minor, currency }) => {
            drop(redis);
            let outcome = app.cashier.charge(order, amount_minor, currency, filled.card).await;
            let form = again(None, form::Complaints::default());
            return retry.tell(event, form, &token, &outcome).await;
        }
        Ok(Claimed::Running(payment)) if payment.id == key => {
            return retry.repeat(&mut redis, event, again(None, form::Complaints::default()), &order, *payment).await;
        }
        Ok(Claimed::Running(payment)) => {
            // The hold is that payment's, not ours.
            app.holds.end_payment(&mut redis, event.id, &running).await?;
            if payment.state.binds() {
                app.holds.begin_payment(&mut redis, event.id, hold, &buyer, payment.id).await?;
            }
            return Ok(told(&payment.token));
        }
        Ok(Claimed::SeatsLost(_)) => (text::t("seats-lost"), StatusCode::CONFLICT),
        Ok(Claimed::PriceChanged(minor)) => {
            (text::t("price-changed").with("total", event.currency.show(minor)), StatusCode::CONFLICT)
        }
        Ok(Claimed::NotOnSale) => (text::t("sales-closed-notice"), StatusCode::CONFLICT),
        Err(error) => {
            // Nothing was charged: the provider was not asked.
            let _ = app.holds.end_payment(&mut redis, event.id, &running).await;
            return Err(error.into());
        }
    };
    app.holds.end_payment(&mut redis, event.id, &running).await?;
    let notice = Notice::new(status, notice);
    draw(&app, &request, &mut redis, event, &buyer, again(None, form::Complaints::default()), Some(notice)).await
}

/// Counts the press; the seconds to wait when it was one too many.
async fn count(
    app: &App,
    request: &HttpRequest,
    redis: &mut Connection,
    buyer: &BuyerId,
) -> Result<Option<u64>, Failure> {
    let network = limit::network(buyer::address(&app.site, request));
    let uses = [
        Use { scope: "pay-buyer", subject: buyer.as_str(), cost: 1, rate: app.limits.pay_buyer },
        Use { scope: "pay-network", subject: &network, cost: 1, rate: app.limits.pay_network },
    ];
    Ok(app.limits.count(redis, &uses).await?.map(|wait| wait.as_secs() + 1))
}

struct Retry<'a> {
    app: &'a App,
    request: &'a HttpRequest,
    buyer: &'a BuyerId,
}

impl Retry<'_> {
    /// The key was used before: the same body gets the same answer, another body the form again with a new key.
    async fn repeat(
        &self,
        redis: &mut Connection,
        event: Event,
        form: Form,
        order: &Order,
        known: Payment,
    ) -> Answer {
        if known.buyer.as_ref() == Some(self.buyer) && order.repeats(&known) {
            let token = known.token.clone();
            let outcome = self.app.cashier.await_outcome(known).await?;
            return self.tell(event, form, &token, &outcome).await;
        }
        let notice = Notice::new(StatusCode::UNPROCESSABLE_ENTITY, text::t("form-stale"));
        draw(self.app, self.request, redis, event, self.buyer, form, Some(notice)).await
    }

    /// A decline is told at the checkout, where the seats still are; everything else on the booking's page.
    async fn tell(&self, event: Event, form: Form, token: &str, outcome: &Outcome) -> Answer {
        match notice_of(outcome) {
            None => Ok(told(token)),
            Some(notice) => {
                // With Redis away the booking's page still tells of the decline.
                let Ok(mut redis) = self.app.holds.connect().await else { return Ok(told(token)) };
                draw(self.app, self.request, &mut redis, event, self.buyer, form, Some(notice)).await
            }
        }
    }
}
