//! Pressing "pay": mark the hold, claim the seats, and only then ask the provider.

use std::{fmt::Display, time::Duration};

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
    payment::{Card, Order, Outcome, Paid, Payment, Refused},
    text,
};

/// When it makes sense to press "pay" again after the provider could not be reached.
const UNAVAILABLE_SECONDS: u64 = 10;

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
    let press = Press {
        app: &app,
        request: &request,
        buyer: &buyer,
        event,
        typed,
    };
    let key = forms::payment(&fields);

    let mut redis = app.holds.connect().await?;
    if let Some(seconds) = press.count(&mut redis).await? {
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
        Some(known) => {
            drop(redis);
            press.repeat(&order, known).await
        }
        None => press.mark(redis, order, filled.card).await,
    }
}

/// One press of the button, with what every answer to it needs.
struct Press<'a> {
    app: &'a App,
    request: &'a HttpRequest,
    buyer: &'a BuyerId,
    event: Event,
    typed: Typed,
}

impl Press<'_> {
    /// Counts the press; the seconds to wait when it was one too many.
    async fn count(&self, redis: &mut Connection) -> Result<Option<u64>, Error> {
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
        let wait = limits.count(redis, &uses).await?;
        Ok(wait.map(|wait| wait.as_secs() + 1))
    }

    /// Marks the hold as paying for this order, and goes on to pay. No connection is held while it does.
    async fn mark(self, mut redis: Connection, mut order: Order, card: Card) -> Answer {
        let (app, event) = (self.app, self.event.id);
        if !app.cashier.is_available() {
            return self.unavailable(Some(order.id)).await;
        }
        let marked = loop {
            let holds = &app.holds;
            let marked = holds
                .begin_payment(&mut redis, event, &order.hold, self.buyer, order.id)
                .await?;
            let Changed::Paying(running) = marked else {
                break marked;
            };
            if let Some(payment) = app.cashier.binding(&mut redis, event, &running).await? {
                if payment.id == order.id {
                    drop(redis);
                    return self.repeat(&order, payment).await;
                }
                return Ok(told(&payment.token));
            }
        };
        match marked {
            Changed::Done(seats) => {
                drop(redis);
                order.seats = seats;
                self.pay(order, card).await
            }
            Changed::Former => {
                let Self {
                    request,
                    buyer,
                    event,
                    ..
                } = self;
                gone_or_former(app, request, &mut redis, event, buyer).await
            }
            Changed::Gone | Changed::Capped | Changed::Paying(_) => {
                ended(app, self.request, self.event).await
            }
        }
    }

    /// Claims the seats and charges; when they cannot be claimed, nothing was charged.
    async fn pay(self, order: Order, card: Card) -> Answer {
        let refused = match self.app.cashier.pay(order.clone(), card).await {
            Ok(Paid::Claimed { token, outcome }) => return self.tell(&token, &outcome).await,
            Ok(Paid::Refused(refused)) => refused,
            // It may be running still.
            Err(Error::Lost) => return Err(Error::Lost.into()),
            Err(error) => {
                self.unmark(&order).await?;
                return Err(error.into());
            }
        };
        let words = match refused {
            Refused::Running(payment) if payment.hold == order.hold => {
                if payment.id == order.id {
                    return self.repeat(&order, *payment).await;
                }
                // The hold is that payment's, not ours.
                self.unmark(&order).await?;
                self.mark_for(&order.hold, &payment).await?;
                return Ok(told(&payment.token));
            }
            // The key is another buyer's.
            Refused::Running(_) => {
                self.unmark(&order).await?;
                return self
                    .refuse(StatusCode::UNPROCESSABLE_ENTITY, text::t("form-stale"))
                    .await;
            }
            Refused::SeatsLost(lost) => {
                let lost = self.app.seat_maps.priced(self.event.id, &lost).await?;
                let names: Vec<_> = lost.iter().map(|seat| seat.name.as_str()).collect();
                text::t("seats-lost").with("seats", names.join(", "))
            }
            Refused::PriceChanged(minor) => {
                text::t("price-changed").with("total", self.event.currency.show(minor))
            }
            Refused::NotOnSale => text::t("sales-closed-notice"),
            Refused::Unavailable => return self.unavailable(None).await,
        };
        self.unmark(&order).await?;
        self.refuse(StatusCode::CONFLICT, words).await
    }

    /// Takes the order's mark off its hold: the order came to nothing.
    async fn unmark(&self, order: &Order) -> Result<(), Error> {
        let running = Running {
            payment: order.id.to_string(),
            hold: order.hold.clone(),
        };
        let holds = &self.app.holds;
        holds
            .end_payment(&mut holds.connect().await?, self.event.id, &running)
            .await
    }

    /// Marks the hold as paying for the payment that it has.
    async fn mark_for(&self, hold: &str, payment: &Payment) -> Result<(), Error> {
        if payment.state.binds() {
            let holds = &self.app.holds;
            let mut redis = holds.connect().await?;
            holds
                .begin_payment(&mut redis, self.event.id, hold, self.buyer, payment.id)
                .await?;
        }
        Ok(())
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

    /// The provider cannot be reached: says until when the seats stay the buyer's.
    async fn unavailable(self, key: Option<Uuid>) -> Answer {
        let mut redis = self.app.holds.connect().await?;
        let held = self
            .app
            .holds
            .of_buyer(&mut redis, self.event.id, self.buyer)
            .await?;
        drop(redis);
        let left_ms = held.map_or(0, |hold| hold.time_left_ms);
        let until = Timestamp::now() + Duration::from_millis(left_ms);
        let words = text::t("payments-unavailable").with("time", self.event.show_clock(until));
        let notice = Notice {
            retry_after: Some(UNAVAILABLE_SECONDS),
            ..Notice::new(StatusCode::SERVICE_UNAVAILABLE, words)
        };
        self.back(key, Complaints::default(), notice).await
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
        } = self;
        let form = Form {
            typed,
            complaints,
            payment: key,
        };
        let mut redis = app.holds.connect().await?;
        draw(app, request, &mut redis, event, buyer, form, Some(notice)).await
    }
}
