//! Pressing "pay": mark the hold, claim the seats, and only then ask the provider.

use std::fmt::Display;

use actix_web::{
    HttpRequest,
    http::StatusCode,
    web::{Data, Path},
};
use deadpool_redis::Connection;
use jiff::Timestamp;
use uuid::Uuid;

use super::{
    Form, Notice,
    change::gone_or_former,
    draw, ended,
    form::{self, Complaints, Typed},
    notice_of, told,
};
use crate::{
    Error,
    event::Event,
    hold::{BuyerId, Changed, Running},
    limit::{self, Use},
    pages::{Answer, App, buyer, error::Failure, forms},
    payment::{Card, Claimed, Order, Outcome, Payment},
    text,
};

/// Pays for the hold that the form names, once, however often it is pressed.
pub async fn pay(
    app: Data<App>,
    request: HttpRequest,
    slug: Path<String>,
    fields: forms::Fields,
) -> Answer {
    let event = app.events.by_slug(&slug).await?.ok_or(Failure::NotFound)?;
    let Some(buyer) = buyer::buyer(&app, &request) else {
        return ended(&app, &request, event).await;
    };
    if !buyer::is_form_token(&app, buyer.as_str(), forms::first(&fields, "token")) {
        return Err(Failure::ForeignOrigin);
    }
    let today = Timestamp::now().to_zoned(event.time_zone.clone()).date();
    let (typed, filled) = form::read(&fields, today);
    let redis = app.holds.connect().await?;
    let mut press = Press {
        app: &app,
        request: &request,
        buyer: &buyer,
        event,
        typed,
        redis,
    };
    let key = forms::payment(&fields);

    if let Some(seconds) = press.count().await? {
        let notice = Notice {
            retry_after: Some(seconds),
            ..Notice::new(
                StatusCode::TOO_MANY_REQUESTS,
                text::t("slow-down").count("seconds", seconds),
            )
        };
        return press.back(key, Complaints::default(), notice).await;
    }
    let filled = match filled {
        Ok(filled) => filled,
        // A form that was not complete does not use up its key.
        Err(complaints) => {
            let notice = Notice::new(StatusCode::UNPROCESSABLE_ENTITY, text::t("form-incomplete"));
            return press.back(key, complaints, notice).await;
        }
    };
    let (Some(key), Some(hold), Ok(shown_minor)) = (
        key,
        forms::hold(&fields),
        forms::first(&fields, "total").parse(),
    ) else {
        return press
            .refuse(StatusCode::UNPROCESSABLE_ENTITY, text::t("form-stale"))
            .await;
    };
    let order = Order {
        id: key,
        event_id: press.event.id,
        hold: hold.to_owned(),
        buyer: buyer.clone(),
        seats: Vec::new(),
        shown_minor,
        name: filled.name,
        email: filled.email,
        card_last4: filled.card.last4().to_owned(),
        card_expiry: filled.card.expiry.clone(),
    };
    match app.payments.by_id(key).await? {
        Some(known) => press.repeat(&order, known).await,
        None => press.mark(order, filled.card).await,
    }
}

/// One press of the button, with what every answer to it needs.
struct Press<'a> {
    app: &'a App,
    request: &'a HttpRequest,
    buyer: &'a BuyerId,
    event: Event,
    typed: Typed,
    redis: Connection,
}

impl Press<'_> {
    /// Counts the press; the seconds to wait when it was one too many.
    async fn count(&mut self) -> Result<Option<u64>, Error> {
        let limits = &self.app.limits;
        let network = limit::network(buyer::address(&self.app.site, self.request));
        let buyer = self.buyer.as_str();
        let uses = [
            Use {
                scope: "pay-buyer",
                subject: buyer,
                cost: 1,
                rate: limits.pay_buyer,
            },
            Use {
                scope: "pay-network",
                subject: &network,
                cost: 1,
                rate: limits.pay_network,
            },
        ];
        let wait = limits.count(&mut self.redis, &uses).await?;
        Ok(wait.map(|wait| wait.as_secs() + 1))
    }

    /// Marks the hold as paying for this order.
    async fn mark(mut self, mut order: Order, card: Card) -> Answer {
        let (app, event) = (self.app, self.event.id);
        loop {
            let marked = app
                .holds
                .begin_payment(&mut self.redis, event, &order.hold, self.buyer, order.id)
                .await?;
            match marked {
                Changed::Done(seats) => {
                    order.seats = seats;
                    return self.claim(order, card).await;
                }
                Changed::Gone | Changed::Capped => {
                    return ended(app, self.request, self.event).await;
                }
                Changed::Former => {
                    let Self {
                        request,
                        buyer,
                        event,
                        mut redis,
                        ..
                    } = self;
                    return gone_or_former(app, request, &mut redis, event, buyer).await;
                }
                Changed::Paying(running) => {
                    let binding = app
                        .cashier
                        .binding(&mut self.redis, event, &running)
                        .await?;
                    if let Some(payment) = binding {
                        return Ok(told(&payment.token));
                    }
                }
            }
        }
    }

    /// Claims the seats in PostgreSQL and charges; when they cannot be claimed, nothing was charged.
    async fn claim(mut self, order: Order, card: Card) -> Answer {
        let words = match self.app.cashier.claim(&order).await {
            Ok(Claimed::Yours {
                token,
                amount_minor,
                currency,
            }) => {
                let outcome = self
                    .app
                    .cashier
                    .charge(order, amount_minor, currency, card)
                    .await;
                return self.tell(&token, &outcome).await;
            }
            Ok(Claimed::Running(payment)) if payment.id == order.id => {
                return self.repeat(&order, *payment).await;
            }
            Ok(Claimed::Running(payment)) => {
                // The hold is that payment's, not ours.
                self.unmark(&order).await?;
                if payment.state.binds() {
                    let (holds, event) = (&self.app.holds, self.event.id);
                    holds
                        .begin_payment(&mut self.redis, event, &order.hold, self.buyer, payment.id)
                        .await?;
                }
                return Ok(told(&payment.token));
            }
            Ok(Claimed::SeatsLost(_)) => text::t("seats-lost"),
            Ok(Claimed::PriceChanged(minor)) => {
                text::t("price-changed").with("total", self.event.currency.show(minor))
            }
            Ok(Claimed::NotOnSale) => text::t("sales-closed-notice"),
            Err(error) => {
                self.unmark(&order).await?;
                return Err(error.into());
            }
        };
        self.unmark(&order).await?;
        self.refuse(StatusCode::CONFLICT, words).await
    }

    /// Takes the order's mark off its hold: the order came to nothing.
    async fn unmark(&mut self, order: &Order) -> Result<(), Error> {
        let running = Running {
            payment: order.id.to_string(),
            hold: order.hold.clone(),
        };
        self.app
            .holds
            .end_payment(&mut self.redis, self.event.id, &running)
            .await
    }

    /// The key was used before: the same body gets the same answer, another body the form again with a new key.
    async fn repeat(self, order: &Order, known: Payment) -> Answer {
        if known.buyer.as_ref() == Some(self.buyer) && order.repeats(&known) {
            let token = known.token.clone();
            let outcome = self.app.cashier.await_outcome(known).await?;
            return self.tell(&token, &outcome).await;
        }
        self.refuse(StatusCode::UNPROCESSABLE_ENTITY, text::t("form-stale"))
            .await
    }

    /// A decline is told at the checkout, where the seats still are; everything else on the booking's page.
    async fn tell(self, token: &str, outcome: &Outcome) -> Answer {
        let Some(notice) = notice_of(outcome) else {
            return Ok(told(token));
        };
        // With Redis away the booking's page still tells of the decline.
        if self.app.holds.ping().await.is_err() {
            return Ok(told(token));
        }
        self.back(None, Complaints::default(), notice).await
    }

    async fn refuse(self, status: StatusCode, words: impl Display) -> Answer {
        self.back(None, Complaints::default(), Notice::new(status, words))
            .await
    }

    /// The checkout again, with what was typed; with `key` if that may be used again, else with a new one.
    async fn back(self, key: Option<Uuid>, complaints: Complaints, notice: Notice) -> Answer {
        let Self {
            app,
            request,
            buyer,
            event,
            typed,
            mut redis,
        } = self;
        let form = Form {
            typed,
            complaints,
            payment: key,
        };
        draw(app, request, &mut redis, event, buyer, form, Some(notice)).await
    }
}
