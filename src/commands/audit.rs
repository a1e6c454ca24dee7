//! `seathold audit`: checks the promises of a live system; one line for each that does not hold.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use seathold::{
    audit::{self, Witnesses},
    config::Stores,
    database, redis,
};

use super::Failure;

/// What is looked at.
#[derive(Args)]
pub struct Audit {
    #[command(flatten)]
    stores: Stores,
    /// The payment simulator's ledger; without it, what was really charged is not checked
    #[arg(long, env = "SIMULATOR_LEDGER", value_name = "FILE")]
    simulator_ledger: Option<PathBuf>,
    /// Seconds after which an unsettled payment counts as stuck
    #[arg(long, value_name = "N", default_value_t = 120)]
    stuck_after: u64,
}

/// Prints every violation; fails when there is any.
pub async fn run(settings: Audit) -> Result<(), Failure> {
    let database_url = settings
        .stores
        .database_url
        .as_deref()
        .ok_or("DATABASE_URL is missing (or --database-url)")?;
    let redis_url = settings
        .stores
        .redis_url
        .as_deref()
        .ok_or("REDIS_URL is missing (or --redis-url)")?;
    let witnesses = Witnesses {
        database: database::open(database_url, 1)?,
        redis: redis::open(redis_url, 1)?,
        ledger: settings.simulator_ledger,
        stuck_after: Duration::from_secs(settings.stuck_after),
    };
    let violations = audit::run(&witnesses).await?;
    for violation in &violations {
        println!("{violation}");
    }
    let ledger = if witnesses.ledger.is_some() {
        ""
    } else {
        "; no ledger was given"
    };
    let summary = format!(
        "audit: {} violations in {} checks{ledger}",
        violations.len(),
        witnesses.checks()
    );
    if !violations.is_empty() {
        return Err(summary.into());
    }
    println!("{summary}");
    Ok(())
}
