//! PostgreSQL, which decides who owns a seat: the pool, the migrations, and running a transaction again.

use std::{future::Future, str::FromStr, time::Duration};

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use refinery::{Migration, Runner};
use tokio_postgres::NoTls;

use crate::Error;

/// The pool that every noun which lives in PostgreSQL owns a handle to.
pub type Database = Pool;

/// The migrations in order; forward only.
const MIGRATIONS: &[(&str, &str)] = &[
    ("V1__event", include_str!("../migrations/0001_event.sql")),
    (
        "V2__payment",
        include_str!("../migrations/0002_payment.sql"),
    ),
    (
        "V3__booking",
        include_str!("../migrations/0003_booking.sql"),
    ),
    ("V4__outbox", include_str!("../migrations/0004_outbox.sql")),
    ("V5__staff", include_str!("../migrations/0005_staff.sql")),
    (
        "V6__recovery",
        include_str!("../migrations/0006_recovery.sql"),
    ),
];

/// The key of the advisory lock under which one process migrates while others wait (any constant will do).
const MIGRATION_LOCK: i64 = 0x5ea7_401d;

/// How long a request waits for a connection before it says that the database is away.
const WAIT: Duration = Duration::from_secs(2);

/// Opens a pool of at most `size` connections; connects only when first asked.
///
/// Every connection bounds its statements, its waits for locks, and the time that a transaction may stand idle.
pub fn open(url: &str, size: usize) -> Result<Database, Error> {
    let mut config = tokio_postgres::Config::from_str(url)?;
    config.connect_timeout(WAIT);
    config.application_name("seathold");
    let bounds =
        "-c statement_timeout=5s -c lock_timeout=3s -c idle_in_transaction_session_timeout=10s";
    let given = config
        .get_options()
        .map(ToOwned::to_owned)
        .unwrap_or_default();
    config.options(format!("{bounds} {given}"));
    let manager = Manager::from_config(
        config,
        NoTls,
        ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        },
    );
    Pool::builder(manager)
        .max_size(size)
        .runtime(Runtime::Tokio1)
        .timeouts(Timeouts {
            wait: Some(WAIT),
            create: Some(WAIT),
            recycle: Some(WAIT),
        })
        .build()
        .map_err(|e| Error::Broken(e.to_string()))
}

/// Brings the tables up to date; of several processes that start at once, one migrates and the others wait.
pub async fn migrate(database: &Database) -> Result<(), Error> {
    let migrations = MIGRATIONS
        .iter()
        .map(|(name, sql)| Migration::unapplied(name, sql))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| Error::Broken(e.to_string()))?;
    let mut client = database.get().await?;
    client
        .batch_execute("set statement_timeout = 0; set lock_timeout = 0")
        .await?;
    client
        .execute("select pg_advisory_lock($1)", &[&MIGRATION_LOCK])
        .await?;
    let done = Runner::new(&migrations).run_async(&mut **client).await;
    client
        .execute("select pg_advisory_unlock($1)", &[&MIGRATION_LOCK])
        .await?;
    // The connection goes: its bounds were lifted.
    drop(deadpool_postgres::Object::take(client));
    done.map(|_| ())
        .map_err(|e| Error::Broken(format!("migrating: {e}")))
}

/// Runs a whole transaction again, a few times and with jitter, when it lost against another.
///
/// `transaction` must open and commit by itself, and must be harmless to repeat after a rollback.
pub async fn retry<T, F, R>(mut transaction: F) -> Result<T, Error>
where
    F: FnMut() -> R,
    R: Future<Output = Result<T, Error>>,
{
    const TRIES: u32 = 5;
    for attempt in 1.. {
        match transaction().await {
            Err(e) if e.is_retryable() && attempt < TRIES => {
                let jitter = u64::from(crate::random::bytes::<1>()[0]);
                tokio::time::sleep(Duration::from_millis((jitter % 16 + 4) << attempt)).await;
            }
            done => return done,
        }
    }
    unreachable!("the loop returns on its last try")
}
