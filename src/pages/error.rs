//! Failures: the one file that turns a fault into a page. A title, a sentence of advice, one link back, a request id; never
//! the source's text.

use std::fmt;

use actix_web::{
    HttpMessage, HttpResponse, ResponseError,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    error::UrlencodedError,
    http::{StatusCode, header},
    middleware::Next,
    web,
};
use askama::Template;

use super::{
    App,
    frame::{self, Frame},
    health::RequestId,
};
use crate::{Error, text};

/// After how many seconds a browser may try again when a store is away.
const RETRY_AFTER: &str = "5";

/// Why there is no page.
#[derive(Debug)]
pub enum Failure {
    /// Nothing has this address.
    NotFound,
    /// The form is not one of ours, or incomplete.
    BadForm,
    /// The form is larger than any of ours.
    TooLarge,
    /// The form took too long to arrive.
    TooSlow,
    /// The form was not sent from our own pages.
    ForeignOrigin,
    /// Something broke.
    Fault(Error),
}

impl Failure {
    /// What an unreadable form comes to.
    #[must_use]
    pub fn form(error: &UrlencodedError) -> Self {
        match error {
            UrlencodedError::Overflow { .. } => Self::TooLarge,
            _ => Self::BadForm,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Fault(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(error) => error.fmt(f),
            refusal => write!(f, "{refusal:?}"),
        }
    }
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::BadForm => StatusCode::BAD_REQUEST,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::ForeignOrigin => StatusCode::FORBIDDEN,
            Self::Fault(error) if error.is_passing() => StatusCode::SERVICE_UNAVAILABLE,
            Self::Fault(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}

/// Answers an address that nothing has.
pub async fn not_found() -> Result<HttpResponse, Failure> {
    Err(Failure::NotFound)
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    frame: Frame,
    /// Chooses the title and the advice in the catalogue.
    kind: &'static str,
    request_id: String,
}

/// Gives every failed answer its page, whoever failed it: a handler, an extractor, the router; logs each fault once.
pub async fn show(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let app = request.app_data::<web::Data<App>>().cloned();
    let request_id = request
        .extensions()
        .get::<RequestId>()
        .map(|id| id.0.clone())
        .unwrap_or_default();
    let response = next.call(request).await?.map_into_boxed_body();
    let status = response.status();
    let bare = (status.is_client_error() || status.is_server_error())
        && !response.headers().contains_key(header::CACHE_CONTROL);
    let (true, Some(app)) = (bare, app) else {
        return Ok(response);
    };

    let mut lost = false;
    if let Some(Failure::Fault(error)) = response
        .response()
        .error()
        .and_then(|e| e.as_error::<Failure>())
    {
        lost = error.is_lost();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            tracing::warn!(%error, "a store is away");
        } else {
            tracing::error!(%error, "a fault");
        }
    }
    let kind = match status {
        StatusCode::NOT_FOUND => "not-found",
        StatusCode::FORBIDDEN => "foreign-origin",
        StatusCode::METHOD_NOT_ALLOWED => "method",
        StatusCode::PAYLOAD_TOO_LARGE => "too-large",
        StatusCode::REQUEST_TIMEOUT => "too-slow",
        StatusCode::SERVICE_UNAVAILABLE if lost => "lost",
        StatusCode::SERVICE_UNAVAILABLE => "away",
        status if status.is_client_error() => "bad-form",
        _ => "fault",
    };
    let template = ErrorPage {
        frame: Frame::bare(&app),
        kind,
        request_id,
    };
    let mut answer = super::page(&template, status).unwrap_or_else(|_| HttpResponse::new(status));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        answer.headers_mut().insert(
            header::RETRY_AFTER,
            header::HeaderValue::from_static(RETRY_AFTER),
        );
    }
    Ok(response.into_response(answer))
}

impl ErrorPage {
    fn title(&self) -> text::Text {
        text::t(format!("error-{}-title", self.kind))
    }

    fn advice(&self) -> text::Text {
        text::t(format!("error-{}-advice", self.kind)).with("seconds", RETRY_AFTER)
    }
}
