//! The box office: what staff see and do, behind a log-in. Its route table, and what its pages share.

mod act;
mod bookings;
mod cancel;
mod desk;
mod door;
mod home;
mod invite;
mod log_in;
mod payments;
mod rows;
mod words;

use actix_web::web;

use super::{App, buyer, forms, get};
use crate::text;
use door::Clerk;

/// The longest reason that is kept, in characters.
const LONGEST_REASON: usize = 500;

/// The routes under `/staff`. All but log-in and invite need a session: their handlers ask for a [`Clerk`].
pub fn routes(service: &mut web::ServiceConfig) {
    service
        .service(web::resource("/staff").route(get().to(home::show)))
        .service(
            web::resource("/staff/log-in")
                .route(get().to(log_in::show))
                .route(web::post().to(log_in::log_in)),
        )
        .service(web::resource("/staff/log-out").route(web::post().to(log_in::log_out)))
        .service(
            web::resource("/staff/invite/{secret}")
                .route(get().to(invite::show))
                .route(web::post().to(invite::accept)),
        )
        .service(web::resource("/staff/events/{slug}").route(get().to(desk::show)))
        .service(web::resource("/staff/events/{slug}/release").route(web::post().to(act::release)))
        .service(web::resource("/staff/events/{slug}/block").route(web::post().to(act::block)))
        .service(web::resource("/staff/events/{slug}/unblock").route(web::post().to(act::unblock)))
        .service(web::resource("/staff/payments").route(get().to(payments::show)))
        .service(web::resource("/staff/bookings").route(get().to(bookings::search)))
        .service(web::resource("/staff/bookings/{reference}").route(get().to(bookings::show)))
        .service(
            web::resource("/staff/bookings/{reference}/cancel")
                .route(get().to(cancel::ask))
                .route(web::post().to(cancel::cancel)),
        );
}

/// The reason that a form gives for what is to be done, or what is wrong with it.
fn reason(fields: &forms::Fields) -> Result<&str, text::Text> {
    let reason = forms::first(fields, "reason");
    if reason.is_empty() || reason.chars().count() > LONGEST_REASON || reason.contains('\0') {
        return Err(text::t("staff-reason-missing").count("most", LONGEST_REASON));
    }
    Ok(reason)
}

/// What stands above every page of the box office.
struct Bar {
    /// Who is logged in.
    who: String,
    /// What every form of this session carries.
    token: String,
}

impl Bar {
    fn of(app: &App, clerk: &Clerk) -> Self {
        Self {
            who: clerk.session.member.called().to_owned(),
            token: buyer::form_token(app, &clerk.session.id),
        }
    }
}
