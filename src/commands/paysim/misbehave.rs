//! Misbehaving on purpose: slow, failing, and with answers that get lost after everything was done.

use std::time::Duration;

use actix_web::{
    HttpResponse,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
    web::{Bytes, Data},
};
use futures_util::stream;
use seathold::random;

use super::Paysim;

/// Behaves towards this request as it was told to. Charges, questions, voids and refunds only: whoever sets the behaviour or
/// reads the ledger gets an answer.
pub async fn misbehave(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let behaviour = match request.app_data::<Data<Paysim>>() {
        Some(paysim) if request.path().starts_with("/v1/charges") => paysim.simulator.behaviour(),
        _ => return Ok(next.call(request).await?.map_into_boxed_body()),
    };
    tokio::time::sleep(Duration::from_millis(behaviour.latency_ms)).await;
    if is_struck(behaviour.error_percent) {
        return Ok(request.into_response(HttpResponse::InternalServerError()));
    }
    let response = next.call(request).await?;
    Ok(if is_struck(behaviour.lost_answer_percent) {
        response.into_response(cut())
    } else {
        response.map_into_boxed_body()
    })
}

/// In so many of a hundred cases.
fn is_struck(percent: u8) -> bool {
    let dice = u16::from_be_bytes(random::bytes());
    dice % 100 < u16::from(percent)
}

/// An answer that breaks off in the middle, as when the line is cut.
pub fn cut() -> HttpResponse {
    let broken = stream::iter([Err::<Bytes, _>(std::io::Error::other("cut on purpose"))]);
    HttpResponse::Ok().streaming(broken)
}
