//! What stands before every page: where a form may come from, and what a browser may do with an answer.

use actix_web::{
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{self, HeaderName, HeaderValue},
    },
    middleware::Next,
    web,
};

use super::{App, NOTICES, error::Failure};

/// Everything from ourselves, nothing inline, framed by nobody.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Refuses what would change something unless it was sent from our own pages.
///
/// `Sec-Fetch-Site` is the browser's own word and cannot be set by a page; where a browser is too old to send it, `Origin`
/// must be ours. What carries neither is no browser's form and is refused too.
pub async fn same_origin(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    if matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    ) || request.path() == NOTICES
        || is_ours(&request)
    {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    // As an answer, not as an error, so that it gets its page, its headers and its line of log as every answer does.
    Ok(request.error_response(Failure::ForeignOrigin))
}

fn is_ours(request: &ServiceRequest) -> bool {
    let text = |name: &str| {
        request
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
    };
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    let Some(origin) = text("origin") else {
        return false;
    };
    let app = request.app_data::<web::Data<App>>();
    match app.and_then(|app| app.site.public_url.as_deref()) {
        Some(public) => origin.eq_ignore_ascii_case(public),
        None => text("host").is_some_and(|host| {
            origin
                .split_once("://")
                .is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host))
        }),
    }
}

/// Tells the browser what it may do with an answer.
pub async fn headers<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, actix_web::Error> {
    let secure = request
        .app_data::<web::Data<App>>()
        .is_some_and(|app| is_secure(app));
    let mut response = next.call(request).await?;
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    set(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "same-origin");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    );
    set(
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=()",
    );
    set(header::CACHE_CONTROL, "no-store");
    if secure {
        set(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
    Ok(response)
}

/// Whether people reach the site by https.
pub fn is_secure(app: &App) -> bool {
    app.site
        .public_url
        .as_deref()
        .is_some_and(|url| url.starts_with("https://"))
}
