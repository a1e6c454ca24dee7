//! The simulator's API. Every answer that means something is JSON with a `state`; a status alone never means that a key was
//! or was not charged.
//!
//! * `POST /v1/charges`: `{"key", "amount_minor", "currency", "card": {"number", "expiry", "cvc"}}` → 200 captured, 402
//!   declined, 409 the key was charged another amount. A repeat of the key answers as the first did.
//! * `GET /v1/charges/{key}` → 200: captured, declined, voided, or nothing
//! * `POST /v1/charges/{key}/void` → 200: voided or `already_captured`
//! * `POST /v1/charges/{key}/refunds`: `{"amount_minor"}` with an `Idempotency-Key` of its own → 200 done, 422 refused
//! * `GET /v1/ledger`: every key, what was taken, what went back
//! * `GET`, `PUT /v1/behaviour`: how it misbehaves towards everybody
//! * `GET /health`

use actix_web::{
    HttpRequest, HttpResponse,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    error::{ErrorUnauthorized, ErrorUnprocessableEntity},
    middleware::Next,
    web::{self, Data, Json, Path},
};
use seathold::{
    payment::{Behaviour, Charge, Charged, NoAnswer, Provider, Returned},
    random,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{Paysim, misbehave::cut};

/// Every address.
pub fn routes(service: &mut web::ServiceConfig) {
    service
        .route("/health", web::get().to(health))
        .route("/v1/charges", web::post().to(charge))
        .route("/v1/charges/{key}", web::get().to(look_up))
        .route("/v1/charges/{key}/void", web::post().to(void))
        .route("/v1/charges/{key}/refunds", web::post().to(refund))
        .route("/v1/ledger", web::get().to(ledger))
        .route("/v1/behaviour", web::get().to(behaviour))
        .route("/v1/behaviour", web::put().to(behave));
}

/// Lets in whoever knows the secret, and anybody who only asks whether we are alive.
pub async fn authorized(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let known = request.app_data::<Data<Paysim>>().is_some_and(|paysim| {
        let header = request.headers().get("authorization");
        let token = header
            .and_then(|value| value.to_str().ok())
            .and_then(|text| text.strip_prefix("Bearer "));
        token.is_some_and(|token| random::same(token, &paysim.secret))
    });
    if known || request.path() == "/health" {
        next.call(request).await
    } else {
        Err(ErrorUnauthorized("Say the secret as a bearer token.\n"))
    }
}

async fn health() -> &'static str {
    "alive\n"
}

async fn charge(paysim: Data<Paysim>, charge: Json<Charge>) -> HttpResponse {
    match paysim.simulator.charge(charge.into_inner()).await {
        Ok(Charged::Captured) => HttpResponse::Ok().json(Charged::Captured),
        Ok(declined) => HttpResponse::PaymentRequired().json(declined),
        Err(error) => fault(&error),
    }
}

async fn look_up(paysim: Data<Paysim>, key: Path<Uuid>) -> HttpResponse {
    answer(paysim.simulator.look_up(*key).await)
}

async fn void(paysim: Data<Paysim>, key: Path<Uuid>) -> HttpResponse {
    answer(paysim.simulator.void(*key).await)
}

#[derive(Deserialize)]
struct Refund {
    amount_minor: i64,
}

async fn refund(
    paysim: Data<Paysim>,
    key: Path<Uuid>,
    request: HttpRequest,
    refund: Json<Refund>,
) -> Result<HttpResponse, actix_web::Error> {
    let header = request.headers().get("idempotency-key");
    let own: Uuid = header
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| {
            ErrorUnprocessableEntity(r#"{"state":"refused","reason":"no Idempotency-Key"}"#)
        })?;
    if refund.amount_minor <= 0 {
        let refused = Returned::Refused("the amount must be above zero".to_owned());
        return Ok(HttpResponse::UnprocessableEntity().json(refused));
    }
    let returned = paysim
        .simulator
        .refund(*key, own, refund.amount_minor)
        .await;
    Ok(match returned {
        Ok(Returned::Done) => HttpResponse::Ok().json(Returned::Done),
        Ok(refused) => HttpResponse::UnprocessableEntity().json(refused),
        Err(error) => fault(&error),
    })
}

async fn ledger(paysim: Data<Paysim>) -> HttpResponse {
    answer(paysim.simulator.ledger().await)
}

async fn behaviour(paysim: Data<Paysim>) -> HttpResponse {
    HttpResponse::Ok().json(paysim.simulator.behaviour())
}

async fn behave(paysim: Data<Paysim>, wanted: Json<Behaviour>) -> HttpResponse {
    match wanted.checked() {
        Ok(behaviour) => {
            paysim.simulator.behave(behaviour);
            HttpResponse::Ok().json(behaviour)
        }
        Err(range) => HttpResponse::UnprocessableEntity().json(json!({"error": range})),
    }
}

fn answer(done: Result<impl Serialize, NoAnswer>) -> HttpResponse {
    match done {
        Ok(answer) => HttpResponse::Ok().json(answer),
        Err(error) => fault(&error),
    }
}

/// A key that was charged another amount is a conflict; what got lost on the way is an answer that breaks off.
fn fault(error: &NoAnswer) -> HttpResponse {
    match error {
        NoAnswer::NotSent(why) => HttpResponse::Conflict().json(json!({"error": why})),
        NoAnswer::Lost(_) => cut(),
    }
}
