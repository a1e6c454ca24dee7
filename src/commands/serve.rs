//! `seathold serve`: opens the stores, migrates, starts the workers, serves, and on SIGTERM or Ctrl-C finishes what runs.

use std::{
    io::IsTerminal,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use actix_web::cookie::Key;
use seathold::{
    booking::Bookings,
    config::{self, LogFormat, Serve},
    database,
    event::Events,
    failpoint,
    hold::Holds,
    pages::{self, App, Statics},
    payment::{Bounds, Cashier, Payments, Provider, Signer, Simulator},
    redis,
    seat_map::SeatMaps,
    staff::Staff,
};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing_subscriber::EnvFilter;

use super::{Failure, local};

/// How long payments that are under way at the end may take.
const DRAIN: Duration = Duration::from_secs(12);

/// Serves until told to stop.
pub async fn run(settings: Serve) -> Result<(), Failure> {
    start_log(
        settings.log_format,
        "info,actix_server=warn,refinery_core=warn,tokio_postgres=warn",
    );
    failpoint::arm();
    // Before anything else: whoever stops us during the start stops the private servers too.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;

    let mut settings = settings;
    let address = if settings.local {
        ([127, 0, 0, 1], settings.port).into()
    } else {
        settings.listen
    };
    let listener = listen(address)?;
    let servers = if settings.local {
        Some(local::start(&mut settings, listener.local_addr()?.port()).await?)
    } else {
        None
    };
    let served = serve(settings, listener, &mut interrupt, &mut terminate).await;
    if let Some(servers) = servers {
        tokio::task::spawn_blocking(move || servers.stop()).await?;
    }
    served
}

/// Serves on stores that are there.
async fn serve(
    settings: Serve,
    listener: TcpListener,
    interrupt: &mut Signal,
    terminate: &mut Signal,
) -> Result<(), Failure> {
    let secret = settings.secret_key.as_deref().ok_or(
        "SECRET_KEY is missing: give at least 32 characters that nobody else knows, the same on every server \
         (openssl rand -hex 32 makes some), or try it out with --local",
    )?;
    if secret.len() < 32 {
        return Err("SECRET_KEY is too short: at least 32 characters".into());
    }
    let database_url = settings
        .stores
        .database_url
        .as_deref()
        .ok_or("DATABASE_URL is missing (or use --local)")?;
    let redis_url = settings
        .stores
        .redis_url
        .as_deref()
        .ok_or("REDIS_URL is missing (or use --local)")?;
    let charge_bound = Duration::from_millis(settings.payment_timeout_ms);
    let provider = provider(&settings.provider, charge_bound)?;

    let database = database::open(database_url, settings.database_connections)?;
    database::migrate(&database)
        .await
        .map_err(|e| format!("cannot prepare the database: {e}"))?;
    let pool = redis::open(redis_url, settings.redis_connections)?;
    match redis::warning(&pool).await {
        Ok(None) => {}
        Ok(Some(warning)) => tracing::warn!("{warning}"),
        Err(error) => tracing::warn!(%error, "Redis is away; nothing can be held until it is back"),
    }

    let holds = Holds::new(pool);
    let payments = Payments::new(database.clone());
    let bookings = Bookings::new(database.clone());
    let cashier = Cashier::new(payments.clone(), bookings.clone(), holds.clone(), provider)
        .within(Bounds::of(charge_bound));
    if settings.local {
        let (events, seat_maps) = (
            Events::new(database.clone()),
            SeatMaps::new(database.clone()),
        );
        local::load_demo(&events, &seat_maps, &cashier).await?;
    }
    let app = App {
        events: Events::new(database.clone()),
        seat_maps: SeatMaps::new(database.clone()),
        holds,
        payments,
        cashier: cashier.clone(),
        bookings,
        notices: settings.provider.secret().ok().map(Signer::new),
        staff: Staff::new(database),
        limits: settings.limits.limits(),
        statics: open_statics(settings.static_dir.as_deref())?,
        site: Arc::new(settings.site),
        key: Key::derive_from(secret.as_bytes()),
        metrics: metrics_exporter_prometheus::PrometheusBuilder::new().install_recorder()?,
    };

    let recovery = tokio::spawn(cashier.clone().recover_for_ever());
    let address = if settings.local {
        format!("localhost:{}", listener.local_addr()?.port())
    } else {
        listener.local_addr()?.to_string()
    };
    let server = pages::serve(app, listener, settings.workers)?;
    let handle = server.handle();
    let serving = tokio::spawn(server);
    println!("Seathold listens on http://{address}");
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    println!("Stopping: finishing what runs.");
    handle.stop(true).await;
    serving.await??;
    cashier.drain(DRAIN).await;
    recovery.abort();
    Ok(())
}

/// Who moves the money: the neighbour at the payment address, else the simulator within this program.
fn provider(
    settings: &config::Provider,
    charge_bound: Duration,
) -> Result<Arc<dyn Provider>, Failure> {
    if let Some(remote) = settings.remote(charge_bound)? {
        return Ok(Arc::new(remote));
    }
    let ledger = settings.simulator_ledger.as_deref().ok_or(
        "PAYMENT_URL is missing: the payment provider's address (or SIMULATOR_LEDGER, for the simulator within this \
         program; or use --local)",
    )?;
    let simulator = Simulator::open(ledger).map_err(|e| format!("cannot open the ledger: {e}"))?;
    Ok(Arc::new(simulator))
}

/// Writes the log to standard error; `usual` is what is logged unless `RUST_LOG` says otherwise.
pub(super) fn start_log(format: LogFormat, usual: &str) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(usual));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    match format {
        LogFormat::Json => log.json().init(),
        LogFormat::Text => log.compact().init(),
    }
}

pub(super) fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).map_err(|e| match e.kind() {
        std::io::ErrorKind::AddrInUse => {
            format!("{address} is taken by another program: choose another port").into()
        }
        _ => format!("cannot listen on {address}: {e}").into(),
    })
}

/// The folder of static files: the given one, else the one beside us, else the source tree's.
fn open_statics(given: Option<&Path>) -> Result<Statics, Failure> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/static");
    let folder = given.map_or_else(
        || {
            if Path::new("static/base.css").exists() {
                PathBuf::from("static")
            } else {
                PathBuf::from(source)
            }
        },
        Path::to_owned,
    );
    Statics::open(&folder).map_err(|e| {
        format!(
            "cannot read the static files in {}: {e} (give --static-dir)",
            folder.display()
        )
        .into()
    })
}
