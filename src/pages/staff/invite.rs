//! The one-time link: choosing a password.

use actix_web::{
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;

use super::super::{
    Answer, App, forms,
    frame::{self, Frame},
    page, see_other,
};
use crate::{
    staff::{Accepted, SHORTEST_PASSWORD},
    text,
};

#[derive(Template)]
#[template(path = "staff/invite.html")]
struct InvitePage {
    frame: Frame,
    secret: String,
    /// Whose password; nobody's when the link does not work.
    email: Option<String>,
    complaint: Option<text::Text>,
}

/// Shows the form, or says that the link does not work.
pub async fn show(app: Data<App>, secret: Path<String>) -> Answer {
    draw(&app, &secret, None).await
}

/// Sets the password and uses the link up.
pub async fn accept(app: Data<App>, secret: Path<String>, fields: forms::Fields) -> Answer {
    // As they were typed: spaces at the ends of a password are part of it.
    let typed = |name: &str| {
        fields
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
            .unwrap_or_default()
    };
    let password = typed("password");
    if password != typed("again") {
        return draw(&app, &secret, Some(text::t("staff-password-differs"))).await;
    }
    match app.staff.accept_invite(&secret, password).await? {
        Accepted::Done(_) => Ok(see_other("/staff/log-in?done=password")),
        Accepted::TooShort => {
            draw(
                &app,
                &secret,
                Some(text::t("staff-password-short").count("least", SHORTEST_PASSWORD)),
            )
            .await
        }
        Accepted::NoInvite => draw(&app, &secret, None).await,
    }
}

async fn draw(app: &App, secret: &str, complaint: Option<text::Text>) -> Answer {
    let email = app.staff.invited(secret).await?.map(|member| member.email);
    let status = match (&email, &complaint) {
        (None, _) => StatusCode::GONE,
        (Some(_), Some(_)) => StatusCode::UNPROCESSABLE_ENTITY,
        (Some(_), None) => StatusCode::OK,
    };
    page(
        &InvitePage {
            frame: Frame::bare(app),
            secret: secret.to_owned(),
            email,
            complaint,
        },
        status,
    )
}
