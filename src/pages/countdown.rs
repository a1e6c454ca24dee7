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
        "@property --countdown {{ syntax: \"<integer>\"; inherits: true; initial-value: 0; }}\n\
         @keyframes countdown {{ from {{ --countdown: {seconds}; }} to {{ --countdown: 0; }} }}\n\
         @supports (width: calc(round(down, 1px, 1px))) {{\n\
         .countdown__clock {{ animation: countdown {seconds}s linear forwards; font-size: 0; \
         counter-reset: minutes calc(round(down, var(--countdown) / 60, 1)) seconds calc(mod(var(--countdown), 60)); }}\n\
         .countdown__clock::after {{ font-size: 1rem; content: counter(minutes) \":\" counter(seconds, decimal-leading-zero); }}\n\
         }}\n"
    );
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/css; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, "public, max-age=3600"))
        .body(css))
}
