//! A fault: something broke that nobody on the page can answer.
//!
//! A refusal (the seat is taken, the card was declined) is never one of these: it is a value that the page must show.

use thiserror::Error;

/// What broke.
#[derive(Debug, Error)]
pub enum Error {
    /// PostgreSQL answered with an error, or did not answer.
    #[error("postgresql: {}", describe(.0))]
    Database(#[from] tokio_postgres::Error),
    /// No PostgreSQL connection could be had in time.
    #[error("postgresql pool: {0}")]
    DatabaseAway(#[from] deadpool_postgres::PoolError),
    /// Redis answered with an error, or did not answer.
    #[error("redis: {0}")]
    Redis(#[from] deadpool_redis::redis::RedisError),
    /// No Redis connection could be had in time.
    #[error("redis pool: {0}")]
    RedisAway(#[from] deadpool_redis::PoolError),
    /// A store was away a moment ago, and what was asked cannot be done without it.
    #[error("a store is away")]
    Away,
    /// Whether a store did what it was asked could not be found out in time.
    #[error("the answer of a store was lost")]
    Lost,
    /// Something that the program itself guarantees did not hold.
    #[error("broken: {0}")]
    Broken(String),
}

impl Error {
    /// Whether waiting may help: a store is away or overloaded, as opposed to a defect of ours.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Away
            | Self::Lost
            | Self::DatabaseAway(_)
            | Self::Redis(_)
            | Self::RedisAway(_) => true,
            Self::Database(e) => e.code().is_none_or(|code| {
                // Classes 08, 53, 57 of the SQLSTATE table: connection, resources, operator intervention; 55P03 is a lock
                // that was not to be had in time, 40 a transaction that lost against another too often; 25006: read-only
                // while a standby is promoted.
                ["08", "53", "57", "40"]
                    .iter()
                    .any(|class| code.code().starts_with(class))
                    || ["55P03", "25006"].contains(&code.code())
            }),
            Self::Broken(_) => false,
        }
    }

    /// Whether what was asked may have been done nevertheless: the question went out, and no answer came back.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        match self {
            Self::Lost => true,
            Self::Redis(e) => e.is_io_error(),
            _ => false,
        }
    }

    /// Whether the whole transaction may be run again: a serialization failure or a deadlock.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        use tokio_postgres::error::SqlState;
        matches!(self, Self::Database(e)
            if matches!(e.code(), Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED)))
    }

    /// The name of the constraint that a statement ran into, if that is what happened.
    #[must_use]
    pub fn constraint(&self) -> Option<&str> {
        match self {
            Self::Database(e) => e
                .as_db_error()
                .and_then(tokio_postgres::error::DbError::constraint),
            _ => None,
        }
    }
}

fn describe(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(
        || {
            let source = std::error::Error::source(error).map(|s| format!(": {s}"));
            format!("{error}{}", source.unwrap_or_default())
        },
        |e| format!("{} {}", e.code().code(), e.message()),
    )
}
