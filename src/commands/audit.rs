//! `seathold audit`: checks the promises of a live system; one line for each that does not hold.

use std::time::Duration;

use clap::Args;
use seathold::{
    audit::{self, Ledger, Witnesses},
    config::{Provider, Stores},
    database, redis,
};

use super::Failure;

/// The audit charges nothing.
const CHARGE_BOUND: Duration = Duration::ZERO;

/// What is looked at.
#[derive(Args)]
pub struct Audit {
    #[command(flatten)]
    stores: Stores,
    /// Whose ledger is compared; without it, what was really charged is not checked.
    #[command(flatten)]
    provider: Provider,
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
    let ledger = match settings.provider.simulator_ledger.clone() {
        Some(file) => Some(Ledger::File(file)),
        None => settings.provider.remote(CHARGE_BOUND)?.map(Ledger::Remote),
    };
    let witnesses = Witnesses {
        database: database::open(database_url, 1)?,
        redis: redis::open(redis_url, 1)?,
        ledger,
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
