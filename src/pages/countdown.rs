//! The countdown for browsers without JavaScript: a style sheet that counts down from so many seconds.

use actix_web::{HttpResponse, http::header, web::Path};

use super::error::Failure;

/// The longest countdown that is drawn, in seconds: a week, the longest cap that a hold can have.
const MOST_SECONDS: u32 = 604_800;

/// A clock that runs down by itself. Nothing of it is personal: it depends on its own address only.
pub async fn style(seconds: Path<u32>) -> Result<HttpResponse, Failure> {
    let seconds = seconds.into_inner();
    if seconds > MOST_SECONDS {
        return Err(Failure::NotFound);
    }
    let css = format!(
        "@property --seconds-left {{ syntax: \"<integer>\"; inherits: true; initial-value: 0; }}\n\
         @keyframes countdown-{seconds} {{ from {{ --seconds-left: {seconds}; }} to {{ --seconds-left: 0; }} }}\n\
         @supports (width: calc(1px * mod(5, 3))) {{\n\
         .countdown__clock--{seconds} {{ position: relative; visibility: hidden; \
         animation: countdown-{seconds} {seconds}s steps({steps}) forwards; }}\n\
         .countdown__clock--{seconds}::after {{ position: absolute; inset-block-start: 0; inset-inline-start: 0; \
         visibility: visible; line-height: normal; counter-reset: minutes round(down, var(--seconds-left) / 60, 1) \
         seconds mod(var(--seconds-left), 60); \
         content: counter(minutes) \":\" counter(seconds, decimal-leading-zero); }}\n\
         }}\n",
        steps = seconds.max(1)
    );
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/css; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, "public, max-age=3600"))
        .body(css))
}
