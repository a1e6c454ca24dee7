//! `seathold paysim`: the payment simulator as a neighbour of its own, with a ledger of its own that survives restarts. It
//! takes charges over HTTP, tells of them by signed notices, and misbehaves as it is told to.

mod api;
mod deliver;
mod misbehave;

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use actix_web::{App, HttpServer, middleware::from_fn, web};
use clap::Args;
use seathold::{
    config::LogFormat,
    payment::{Signer, Simulator},
};
use tokio::signal::unix::{SignalKind, signal};

use super::{
    Failure,
    serve::{listen, start_log},
};

/// Settings of the simulator.
#[derive(Args)]
pub struct Settings {
    /// Address and port to listen on
    #[arg(
        long,
        env = "PAYSIM_LISTEN",
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:8090"
    )]
    listen: SocketAddr,
    /// What Seathold and the simulator know, and nobody else: at least 32 characters
    #[arg(
        long,
        env = "PAYMENT_SECRET",
        hide_env_values = true,
        value_name = "TEXT"
    )]
    payment_secret: String,
    /// The ledger: an `SQLite` file, made when it is not there
    #[arg(
        long,
        env = "SIMULATOR_LEDGER",
        value_name = "FILE",
        default_value = "simulator.sqlite"
    )]
    simulator_ledger: PathBuf,
    /// Where notices go, such as `http://127.0.0.1:8080/payments/notices`; without it there are none
    #[arg(long, env = "PAYSIM_NOTIFY", value_name = "URL")]
    notify: Option<String>,
    /// How the log is written
    #[arg(
        long,
        env = "LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "json"
    )]
    log_format: LogFormat,
}

/// What every request needs.
#[derive(Clone)]
struct Paysim {
    simulator: Simulator,
    secret: Arc<str>,
}

/// Serves until told to stop.
pub async fn run(settings: Settings) -> Result<(), Failure> {
    // An answer that is cut on purpose is no error.
    start_log(settings.log_format, "info,actix_server=warn,actix_http=off");
    if settings.payment_secret.len() < 32 {
        return Err("PAYMENT_SECRET is too short: at least 32 characters".into());
    }
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut simulator = Simulator::open(&settings.simulator_ledger)
        .map_err(|e| format!("cannot open the ledger: {e}"))?;
    let delivery = match &settings.notify {
        None => None,
        Some(address) => {
            simulator = simulator.notifying();
            let signer = Signer::new(&settings.payment_secret);
            let delivery = deliver::for_ever(simulator.clone(), address, signer)?;
            Some(tokio::spawn(delivery))
        }
    };
    let paysim = Paysim {
        simulator,
        secret: settings.payment_secret.into(),
    };

    let listener = listen(settings.listen)?;
    let address = listener.local_addr()?;
    let server = HttpServer::new(move || {
        App::new()
            .app_data(web::Data::new(paysim.clone()))
            .app_data(web::JsonConfig::default().limit(64 * 1024))
            // From the outermost: what is registered last runs first.
            .wrap(from_fn(misbehave::misbehave))
            .wrap(from_fn(api::authorized))
            .configure(api::routes)
    })
    .workers(2)
    .shutdown_timeout(2)
    .disable_signals()
    .listen(listener)?
    .run();
    let handle = server.handle();
    let serving = tokio::spawn(server);
    println!("The payment simulator listens on http://{address}");
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    handle.stop(true).await;
    serving.await??;
    if let Some(delivery) = delivery {
        delivery.abort();
    }
    Ok(())
}
