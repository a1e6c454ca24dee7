//! Logging in and out.

use std::time::Duration;

use actix_web::{
    HttpRequest,
    cookie::time,
    http::{StatusCode, header},
    web::{Data, Query},
};
use askama::Template;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{
    super::{
        Answer, App, buyer, forms,
        frame::{self, Frame},
        page, see_other,
    },
    door::{COOKIE, Clerk, local},
};
use crate::{
    limit::{self, Use},
    staff::LogIn,
    text,
};

/// How long the cookie lives: as long as the session.
const LIFE: time::Duration = time::Duration::hours(12);

#[derive(Template)]
#[template(path = "staff/log_in.html")]
struct LogInPage {
    frame: Frame,
    next: String,
    email: String,
    notice: Option<text::Text>,
    /// Why nobody was logged in.
    complaint: Option<text::Text>,
}

/// What the address of the log-in may say.
#[derive(Deserialize)]
pub struct Way {
    #[serde(default)]
    next: String,
    #[serde(default)]
    done: String,
}

/// Shows the form.
pub async fn show(app: Data<App>, way: Query<Way>) -> Answer {
    let notice = match way.done.as_str() {
        "password" => Some(text::t("staff-done-password")),
        "log-out" => Some(text::t("staff-done-log-out")),
        _ => None,
    };
    let next = local(&way.next).to_owned();
    let form = LogInPage {
        frame: Frame::bare(&app),
        next,
        email: String::new(),
        notice,
        complaint: None,
    };
    page(&form, StatusCode::OK)
}

/// Begins a session, if address and password belong together.
pub async fn log_in(app: Data<App>, request: HttpRequest, fields: forms::Fields) -> Answer {
    // No account has a NUL in its address, and PostgreSQL would not take it.
    let email = Some(forms::first(&fields, "email"))
        .filter(|email| !email.contains('\0'))
        .unwrap_or_default();
    let next = local(forms::first(&fields, "next"));
    let refuse = |complaint, status| {
        let (next, email) = (next.to_owned(), email.to_owned());
        let form = LogInPage {
            frame: Frame::bare(&app),
            next,
            email,
            notice: None,
            complaint: Some(complaint),
        };
        page(&form, status)
    };
    if let Some(wait) = over_limit(&app, &request, email).await? {
        let seconds = wait.as_secs() + 1;
        let mut answer = refuse(
            text::t("slow-down").count("seconds", seconds),
            StatusCode::TOO_MANY_REQUESTS,
        )?;
        answer
            .headers_mut()
            .insert(header::RETRY_AFTER, seconds.into());
        return Ok(answer);
    }
    // As it was typed: spaces at the ends of a password are part of it.
    let password = fields
        .iter()
        .find(|(name, _)| name == "password")
        .map(|(_, value)| value.clone());
    match app
        .staff
        .log_in(email, password.unwrap_or_default())
        .await?
    {
        LogIn::Done(secret) => {
            let mut answer = see_other(next);
            buyer::set(&app, &mut answer, COOKIE, secret, LIFE);
            Ok(answer)
        }
        LogIn::Wrong => refuse(text::t("staff-log-in-wrong"), StatusCode::UNAUTHORIZED),
    }
}

/// How long whoever asks has to wait, if this was too often from one network or for one account.
async fn over_limit(
    app: &App,
    request: &HttpRequest,
    email: &str,
) -> Result<Option<Duration>, crate::Error> {
    let network = limit::network(buyer::address(&app.site, request));
    // Of fixed length, whatever is typed, and no address to be read in Redis.
    // From here only: nobody may keep another from logging in by guessing at their account.
    let account = format!("{network} {}", email.to_lowercase());
    let account = crate::random::hex(&Sha256::digest(account.as_bytes()));
    let uses = [
        Use {
            scope: "log-in-network",
            subject: &network,
            cost: 1,
            rate: app.limits.log_in,
        },
        Use {
            scope: "log-in-account",
            subject: &account,
            cost: 1,
            rate: app.limits.log_in,
        },
    ];
    app.limits
        .count(&mut app.holds.connect().await?, &uses)
        .await
}

/// Ends the session.
pub async fn log_out(app: Data<App>, clerk: Clerk, fields: forms::Fields) -> Answer {
    clerk.check(&app, &fields)?;
    app.staff.log_out(&clerk.secret).await?;
    let mut answer = see_other("/staff/log-in?done=log-out");
    buyer::set(
        &app,
        &mut answer,
        COOKIE,
        String::new(),
        time::Duration::ZERO,
    );
    Ok(answer)
}
