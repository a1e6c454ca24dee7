//! Refunds as people are told of them: money on its way back, or back.

use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::Bookings;
use crate::Error;

/// After so many tries in vain a buyer is told that it takes longer than usual.
const SLOW_AFTER: i32 = 3;

/// Money that goes or went back.
#[derive(Debug, Clone)]
pub struct Refund {
    /// In minor units.
    pub amount_minor: i64,
    /// How far it is.
    pub progress: Progress,
    /// How often it was tried, as far as it is not through.
    pub attempts: i32,
    /// Why the last try came to nothing.
    pub problem: Option<String>,
    /// When it was decided.
    pub created_at: Timestamp,
}

/// How far a refund is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It is owed, and will be tried.
    OnItsWay,
    /// It was tried in vain more than once, and will be tried again.
    Slow,
    /// The money went back.
    Done(Timestamp),
}

/// All of a payment, the oldest first.
pub(super) const OF_PAYMENT: &str = "
    select refund.amount_minor, refund.state = 'done' as done, coalesce(refund.done_at, refund.created_at) as done_at,
           refund.attempts, refund.problem, refund.created_at
      from refund
     where refund.payment_id = $1
     order by refund.created_at, refund.id";

impl Refund {
    pub(super) fn from_row(row: &Row) -> Self {
        let attempts = row.get("attempts");
        let progress = match row.get("done") {
            true => Progress::Done(row.get("done_at")),
            false if attempts >= SLOW_AFTER => Progress::Slow,
            false => Progress::OnItsWay,
        };
        Self {
            amount_minor: row.get("amount_minor"),
            progress,
            attempts,
            problem: row.get("problem"),
            created_at: row.get("created_at"),
        }
    }
}

impl Bookings {
    /// What goes or went back of a payment, sold or not, the oldest first.
    pub async fn refunds(&self, payment: Uuid) -> Result<Vec<Refund>, Error> {
        let client = self.database.get().await?;
        let statement = client.prepare_cached(OF_PAYMENT).await?;
        let rows = client.query(&statement, &[&payment]).await?;
        Ok(rows.iter().map(Refund::from_row).collect())
    }
}
