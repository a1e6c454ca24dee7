//! For machines: is it alive, is it ready, how is it doing; and one line of log for each request.

use std::time::Instant;

use actix_web::{
    HttpMessage, HttpResponse,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{HeaderName, HeaderValue},
    },
    middleware::Next,
    web::Data,
};
use tracing::Instrument;

use super::App;

/// Names one request in the log and on the page of a failure.
#[derive(Clone)]
pub struct RequestId(pub String);

/// Gives the request its id, and afterwards writes one line of log and counts it. Both name the route's pattern, never the
/// address: that may hold a booking's token.
pub async fn observe<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, actix_web::Error> {
    let start = Instant::now();
    let id = crate::random::token();
    request.extensions_mut().insert(RequestId(id.clone()));
    let method = method_label(request.method());
    let span = tracing::info_span!("request", id);
    let mut response = next.call(request).instrument(span.clone()).await?;
    let route = response
        .request()
        .match_pattern()
        .unwrap_or_else(|| "none".to_owned());
    let status = response.status().as_u16();
    let seconds = start.elapsed().as_secs_f64();
    span.in_scope(|| tracing::info!(method, route, status, ms = seconds * 1000.0, "answered"));
    let labels = [
        ("method", method.to_owned()),
        ("route", route),
        ("status", status.to_string()),
    ];
    metrics::histogram!("http_request_duration_seconds", &labels).record(seconds);
    if let Ok(value) = HeaderValue::from_str(&id) {
        response
            .headers_mut()
            .insert(HeaderName::from_static("x-request-id"), value);
    }
    Ok(response)
}

/// The method's name; one that nobody defined is `other`, since labels are kept for ever.
fn method_label(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    KNOWN
        .into_iter()
        .find(|known| *known == method.as_str())
        .unwrap_or("other")
}

/// The process answers.
pub async fn live() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/plain")
        .body("alive\n")
}

/// Both stores answer. The payment provider is told of, but without it all but paying goes on.
pub async fn ready(app: Data<App>) -> HttpResponse {
    let (database, redis) = futures_util::join!(app.events.ping(), app.holds.ping());
    let word = |ok: bool| if ok { "ready" } else { "away" };
    let text = format!(
        "postgresql {}\nredis {}\npayments {}\n",
        word(database.is_ok()),
        word(redis.is_ok()),
        word(app.cashier.is_available())
    );
    let mut answer = if database.is_ok() && redis.is_ok() {
        HttpResponse::Ok()
    } else {
        HttpResponse::ServiceUnavailable()
    };
    answer
        .insert_header(("cache-control", "no-store"))
        .content_type("text/plain")
        .body(text)
}

/// Counters in Prometheus's text format. Keep it from the public by the proxy in front.
pub async fn metrics(app: Data<App>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/plain; version=0.0.4")
        .body(app.metrics.render())
}
