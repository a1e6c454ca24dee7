//! Pages: what people look at. The whole route table stands here, with what every page shares.

mod booking;
mod buyer;
mod checkout;
mod countdown;
mod error;
mod events;
mod forms;
mod frame;
mod guard;
mod health;
mod notices;
mod seat_map;
mod staff;
mod statics;

use std::{net::TcpListener, sync::Arc, time::Duration};

use actix_web::{
    App as Actix, HttpResponse, HttpServer, Route,
    cookie::Key,
    dev::Server,
    guard::{Any, Get, Head},
    http::header,
    middleware::{Compress, from_fn},
    web,
};
use askama::Template;

use crate::{
    Error,
    booking::Bookings,
    config,
    event::Events,
    hold::Holds,
    limit::Limits,
    payment::{Cashier, Payment, Payments, Signer},
    seat_map::SeatMaps,
    staff::Staff,
};
use error::Failure;
pub use statics::Statics;

/// The largest form that is read; a map's form with every seat that one may hold is far smaller.
const FORM_BYTES: usize = 64 * 1024;

/// Where the payment provider tells us things. It is no browser: the signature is checked instead of the origin.
const NOTICES: &str = "/payments/notices";

/// All that pages share: the nouns, and how the site shows itself.
#[derive(Clone)]
pub struct App {
    /// The events.
    pub events: Events,
    /// Their maps.
    pub seat_maps: SeatMaps,
    /// The holds.
    pub holds: Holds,
    /// The payments.
    pub payments: Payments,
    /// Takes payments.
    pub cashier: Cashier,
    /// The bookings.
    pub bookings: Bookings,
    /// Tells the payment provider's notices from forged ones, if it sends any.
    pub notices: Option<Signer>,
    /// The staff, and what they do.
    pub staff: Staff,
    /// How often things may be done.
    pub limits: Limits,
    /// How the site shows itself.
    pub site: Arc<config::Site>,
    /// The style sheets and scripts.
    pub statics: Statics,
    /// Signs cookies and forms.
    pub key: Key,
    /// Renders the metrics.
    pub metrics: metrics_exporter_prometheus::PrometheusHandle,
}

/// Serves the pages until the process is told to stop; then finishes what runs.
pub fn serve(app: App, listener: TcpListener, workers: Option<usize>) -> std::io::Result<Server> {
    let mut server = HttpServer::new(move || {
        Actix::new()
            .app_data(web::Data::new(app.clone()))
            .app_data(
                web::FormConfig::default()
                    .limit(FORM_BYTES)
                    .error_handler(|e, _| Failure::form(&e).into()),
            )
            .app_data(web::PayloadConfig::new(FORM_BYTES))
            // From the outermost: what is registered last runs first.
            .wrap(from_fn(guard::same_origin))
            .wrap(from_fn(error::show))
            .wrap(from_fn(guard::headers))
            .wrap(Compress::default())
            .wrap(from_fn(health::observe))
            .configure(routes)
    })
    .client_request_timeout(Duration::from_secs(10))
    .client_disconnect_timeout(Duration::from_secs(5))
    .keep_alive(Duration::from_secs(30))
    .shutdown_timeout(15)
    .disable_signals();
    if let Some(workers) = workers {
        server = server.workers(workers);
    }
    Ok(server.listen(listener)?.run())
}

fn routes(service: &mut web::ServiceConfig) {
    service
        .service(web::resource("/").route(get().to(events::show)))
        .service(web::resource("/events/{slug}").route(get().to(seat_map::show)))
        .service(web::resource("/events/{slug}/map.css").route(get().to(seat_map::style)))
        .service(web::resource("/events/{slug}/hold").route(web::post().to(seat_map::hold)))
        .service(web::resource("/events/{slug}/best").route(web::post().to(seat_map::find)))
        .service(web::resource("/events/{slug}/checkout").route(get().to(checkout::show)))
        .service(web::resource("/events/{slug}/release").route(web::post().to(checkout::release)))
        .service(web::resource("/events/{slug}/extend").route(web::post().to(checkout::extend)))
        .service(web::resource("/events/{slug}/payment").route(web::post().to(checkout::pay)))
        .service(web::resource("/bookings/{token}").route(get().to(booking::show)))
        .service(web::resource("/bookings/{token}/event.ics").route(get().to(booking::calendar)))
        .service(
            web::resource("/bookings/{token}/cancel")
                .route(get().to(booking::ask))
                .route(web::post().to(booking::cancel)),
        )
        .service(web::resource(NOTICES).route(web::post().to(notices::hear)))
        .service(web::resource("/countdown/{seconds}.css").route(get().to(countdown::style)))
        .service(web::resource("/health/live").route(get().to(health::live)))
        .service(web::resource("/health/ready").route(get().to(health::ready)))
        .service(web::resource("/metrics").route(get().to(health::metrics)))
        .configure(staff::routes)
        .service(statics::service())
        .default_service(web::to(error::not_found));
}

/// A route for reading: GET, and HEAD, which is GET without its body.
fn get() -> Route {
    Route::new().guard(Any(Get()).or(Head()))
}

/// A page as an answer, never to be kept by anyone.
fn page(
    template: &impl Template,
    status: actix_web::http::StatusCode,
) -> Result<HttpResponse, Failure> {
    let html = template
        .render()
        .map_err(|e| Error::Broken(format!("template: {e}")))?;
    Ok(HttpResponse::build(status)
        .insert_header((header::CONTENT_TYPE, "text/html; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(html))
}

/// A way on after a form.
fn see_other(address: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((header::LOCATION, address))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .finish()
}

/// Takes away what lingers in Redis of the sale of seats that were cancelled, so that they are for sale at once. When Redis
/// is away, it ends by itself a moment later.
async fn let_go(app: &App, payment: &Payment, seats: &[i64]) {
    let Some(buyer) = &payment.buyer else { return };
    let holds = &app.holds;
    if let Err(error) = holds
        .let_go(payment.event_id, &payment.hold, buyer, seats)
        .await
    {
        tracing::warn!(%error, "what was cancelled is for sale a moment later");
    }
}

/// What a page answers: itself, or the failure that one file turns into a page.
type Answer = Result<HttpResponse, Failure>;
