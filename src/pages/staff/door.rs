//! The door of the box office: who is logged in, and the way to the log-in for who is not.

use std::{fmt, future::Future, pin::Pin};

use actix_web::{
    FromRequest, HttpRequest, HttpResponse, ResponseError,
    dev::Payload,
    http::{Method, StatusCode, Uri, header},
    web::Data,
};

use super::super::{
    App,
    buyer::{is_form_token, read},
    error::Failure,
    forms,
};
use crate::staff::Session;

/// The cookie that keeps a session's secret.
pub const COOKIE: &str = "staff";

/// Where the log-in leads when nothing else was asked for.
pub const HOME: &str = "/staff";

/// The member of staff who asks.
pub struct Clerk {
    /// Their session.
    pub session: Session,
    /// Its secret, to end it by.
    pub secret: String,
}

impl Clerk {
    /// Refuses a form that this session did not get from us.
    pub fn check(&self, app: &App, fields: &forms::Fields) -> Result<(), Failure> {
        if is_form_token(app, &self.session.id, forms::first(fields, "token")) {
            return Ok(());
        }
        Err(Failure::ForeignOrigin)
    }
}

impl FromRequest for Clerk {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Self::Error>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let app = request.app_data::<Data<App>>().ok_or(Failure::NotFound)?;
            if let Some(secret) = read(app, &request, COOKIE)
                && let Some(session) = app.staff.session(&secret).await.map_err(Failure::from)?
            {
                return Ok(Self { session, secret });
            }
            Err(LogInFirst {
                next: way_back(request.method(), request.uri()),
            }
            .into())
        })
    }
}

/// Nobody is logged in.
#[derive(Debug)]
struct LogInFirst {
    /// Where to go on afterwards.
    next: String,
}

impl fmt::Display for LogInFirst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody is logged in")
    }
}

impl ResponseError for LogInFirst {
    fn status_code(&self) -> StatusCode {
        StatusCode::SEE_OTHER
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::SeeOther()
            .insert_header((
                header::LOCATION,
                format!("/staff/log-in?next={}", encode(&self.next)),
            ))
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .finish()
    }
}

/// The page to come back to: the one that was asked for, or, of a form, the one that it stands on.
fn way_back(method: &Method, uri: &Uri) -> String {
    let path = uri.path();
    if *method == Method::GET {
        return local(uri.path_and_query().map_or(path, |all| all.as_str())).to_owned();
    }
    let page = ["/staff/events/", "/staff/bookings/"]
        .iter()
        .find_map(|start| Some((start, path.strip_prefix(start)?.split('/').next()?)));
    page.map_or_else(
        || HOME.to_owned(),
        |(start, name)| local(&format!("{start}{name}")).to_owned(),
    )
}

/// `next` if it is a page of the box office on this site, else its first page.
pub fn local(next: &str) -> &str {
    let ours = next == HOME || next.starts_with("/staff/") || next.starts_with("/staff?");
    // A browser reads a backslash as a slash, and `//host` or `/..//host` as another site.
    let plain = next.bytes().all(|b| b.is_ascii_graphic() && b != b'\\')
        && !next.contains("//")
        && !next.contains("..");
    let door = next.starts_with("/staff/log-");
    if ours && plain && !door { next } else { HOME }
}

/// A text as the value of a query.
pub fn encode(text: &str) -> String {
    use std::fmt::Write;
    text.bytes()
        .fold(String::with_capacity(text.len()), |mut encoded, byte| {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                encoded.push(char::from(byte));
            } else {
                let _ = write!(encoded, "%{byte:02X}");
            }
            encoded
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_in_leads_nowhere_but_into_the_box_office() {
        for ours in [
            "/staff",
            "/staff/events/hamlet",
            "/staff/bookings?q=ana",
            "/staff?x=1",
        ] {
            assert_eq!(local(ours), ours);
        }
        for other in [
            "",
            "/",
            "//evil.example",
            "https://evil.example/staff",
            "/staffing",
            "/staff//evil.example",
            "/staff/../x",
            "/staff\\evil",
            "/staff/\r\nSet-Cookie: a=b",
            "/staff/log-out",
            "/staff/log-in",
            "/events/hamlet",
        ] {
            assert_eq!(local(other), HOME, "{other}");
        }
    }

    #[test]
    fn a_form_sent_without_a_session_leads_back_to_the_page_that_it_stands_on() {
        let uri: Uri = "/staff/events/hamlet/block".parse().expect("an address");
        assert_eq!(way_back(&Method::POST, &uri), "/staff/events/hamlet");
        let uri: Uri = "/staff/bookings/K7QM2XWP/cancel"
            .parse()
            .expect("an address");
        assert_eq!(way_back(&Method::POST, &uri), "/staff/bookings/K7QM2XWP");
        let uri: Uri = "/staff/bookings?q=a%20b".parse().expect("an address");
        assert_eq!(way_back(&Method::GET, &uri), "/staff/bookings?q=a%20b");
        assert_eq!(
            encode("/staff/bookings?q=a%20b&c"),
            "/staff/bookings%3Fq%3Da%2520b%26c"
        );
    }
}
