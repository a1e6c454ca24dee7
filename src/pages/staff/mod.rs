//! The box office: what staff see and do, behind a log-in. Its route table, and what its pages share.

mod act;
mod bookings;
mod desk;
mod door;
mod home;
mod invite;
mod log_in;
mod rows;

use actix_web::web;

use super::{App, buyer};
use door::Clerk;

/// The routes under `/staff`. All but log-in and invite need a session: their handlers ask for a [`Clerk`].
pub fn routes(service: &mut web::ServiceConfig) {
    service
        .route("/staff", web::get().to(home::show))
        .route("/staff/log-in", web::get().to(log_in::show))
        .route("/staff/log-in", web::post().to(log_in::log_in))
        .route("/staff/log-out", web::post().to(log_in::log_out))
        .route("/staff/invite/{secret}", web::get().to(invite::show))
        .route("/staff/invite/{secret}", web::post().to(invite::accept))
        .route("/staff/events/{slug}", web::get().to(desk::show))
        .route("/staff/events/{slug}/release", web::post().to(act::release))
        .route("/staff/events/{slug}/block", web::post().to(act::block))
        .route("/staff/events/{slug}/unblock", web::post().to(act::unblock))
        .route("/staff/bookings", web::get().to(bookings::search))
        .route("/staff/bookings/{reference}", web::get().to(bookings::show));
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
