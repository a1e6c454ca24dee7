//! What a person types. Every failure is one clear sentence.

pub mod audit;
pub mod event;
mod local;
pub mod paysim;
pub mod seat;
pub mod serve;
pub mod staff;

use seathold::{config::Stores, database, database::Database};

/// Why a command did not do what it was to do, in one sentence.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// PostgreSQL, migrated, for a command that is not a server.
pub async fn open_database(stores: &Stores) -> Result<Database, Failure> {
    let url = stores.database_url.as_deref().ok_or(
        "DATABASE_URL is missing: give it as a variable or as --database-url (seathold serve --local keeps it in DIR/env)",
    )?;
    let database = database::open(url, 4)?;
    database::migrate(&database).await?;
    Ok(database)
}
