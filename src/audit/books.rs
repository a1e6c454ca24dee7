//! What PostgreSQL alone can tell: all statements run on one snapshot.

use std::{collections::HashMap, time::Duration};

use tokio_postgres::IsolationLevel;
use uuid::Uuid;

use super::{Violation, statements::CHECKS};
use crate::{Error, database::Database};

/// What the other witnesses are compared with.
pub struct Books {
    /// What was found here.
    pub violations: Vec<Violation>,
    /// The events, by id.
    pub events: HashMap<i64, EventRules>,
    /// The payments, by key.
    pub payments: HashMap<Uuid, Paid>,
}

/// While a hold that was made before the limits were changed may still live, only what no event ever allows is wrong.
const EVENT_RULES: &str = "
    select id,
           case when limits_since > now() - interval '7 days' then 100 else max_seats end,
           case when limits_since > now() - interval '7 days' then 604800 else hold_cap_seconds end
      from event";

/// What an event allows a hold.
pub struct EventRules {
    /// Most seats.
    pub max_seats: i32,
    /// Longest life from the first acquire, in seconds.
    pub hold_cap_seconds: i32,
}

/// A payment as the provider's ledger must agree with it.
pub struct Paid {
    /// Where it stands.
    pub state: String,
    /// What it is for, in minor units.
    pub amount_minor: i64,
    /// What has surely gone back.
    pub returned_minor: i64,
    /// What has gone back or is to.
    pub owed_minor: i64,
}

/// Runs every check, and reads what the other witnesses are compared with, on one snapshot.
pub async fn read(database: &Database, stuck_after: Duration) -> Result<Books, Error> {
    let mut client = database.get().await?;
    let transaction = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    // A request must be quick; an audit of a full house need not.
    transaction
        .batch_execute("set local statement_timeout = 0")
        .await?;

    let stuck = stuck_after.as_secs_f64();
    let mut violations = Vec::new();
    for (invariant, sql) in CHECKS {
        let statement = transaction.prepare(sql).await?;
        let rows = match statement.params() {
            [] => transaction.query(&statement, &[]).await?,
            _ => transaction.query(&statement, &[&stuck]).await?,
        };
        violations.extend(rows.iter().map(|row| Violation {
            invariant,
            what: row.get(0),
        }));
    }
    let events = transaction.query(EVENT_RULES, &[]).await?;
    let payments = transaction.query(PAYMENTS, &[]).await?;
    transaction.commit().await?;

    Ok(Books {
        violations,
        events: events
            .iter()
            .map(|row| {
                (
                    row.get(0),
                    EventRules {
                        max_seats: row.get(1),
                        hold_cap_seconds: row.get(2),
                    },
                )
            })
            .collect(),
        payments: payments
            .iter()
            .map(|row| {
                let (state, amount_minor) = (row.get(1), row.get(2));
                (
                    row.get(0),
                    Paid {
                        state,
                        amount_minor,
                        returned_minor: row.get(3),
                        owed_minor: row.get(4),
                    },
                )
            })
            .collect(),
    })
}

const PAYMENTS: &str = "
    select payment.id, payment.state, payment.amount_minor,
           coalesce(sum(refund.amount_minor) filter (where refund.state = 'done'), 0)::bigint,
           coalesce(sum(refund.amount_minor), 0)::bigint
      from payment
      left join refund on refund.payment_id = payment.id
     group by payment.id";
