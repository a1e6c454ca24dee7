//! What the payment provider tells of its own accord. For a machine: no page, and no browser comes here.
//!
//! The invariant: a notice is only a reason to ask the provider; and it is answered so that the provider tells it again when
//! we could not act.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web::{Bytes, Data},
};

use super::App;
use crate::payment::{Heeded, Unheard};

/// 204: the books say what the provider says · 401: not signed by the provider · 400: signed, and not understood · 404: no
/// such payment, or no provider that tells us anything · 503: not now, tell us again.
pub async fn hear(app: Data<App>, request: HttpRequest, body: Bytes) -> HttpResponse {
    let Some(signer) = &app.notices else {
        return plain(StatusCode::NOT_FOUND, "No provider sends notices here.\n");
    };
    let header = |name: &str| {
        request
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
    };
    let key = match signer.read(header, &body) {
        Ok(key) => key,
        Err(Unheard::Forged) => {
            metrics::counter!("seathold_notices_forged_total").increment(1);
            return plain(
                StatusCode::UNAUTHORIZED,
                "The signature is not the provider's.\n",
            );
        }
        Err(Unheard::Unreadable) => {
            return plain(
                StatusCode::BAD_REQUEST,
                "A notice names the key of a charge.\n",
            );
        }
    };
    match app.cashier.heed(key).await {
        Ok(Heeded::Done) => plain(StatusCode::NO_CONTENT, ""),
        Ok(Heeded::Unknown) => plain(StatusCode::NOT_FOUND, "No payment has this key.\n"),
        Ok(Heeded::NotYet) => plain(StatusCode::SERVICE_UNAVAILABLE, "Not yet; tell us again.\n"),
        Err(error) => {
            tracing::warn!(payment = %key, %error, "a notice could not be heeded; it will be told again");
            plain(StatusCode::SERVICE_UNAVAILABLE, "Not now; tell us again.\n")
        }
    }
}

/// A line of text; to be kept by nobody, and so no page takes its place.
fn plain(status: StatusCode, text: &'static str) -> HttpResponse {
    let mut answer = HttpResponse::build(status);
    answer.insert_header((header::CACHE_CONTROL, "no-store"));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        answer.insert_header((header::RETRY_AFTER, "5"));
    }
    if text.is_empty() {
        return answer.finish();
    }
    answer.content_type("text/plain").body(text)
}
