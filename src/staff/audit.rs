//! The audit: what staff did, when, to what, and why. Rows are added and never changed.
//!
//! The invariant: a change in PostgreSQL and its row are one transaction. A hold lives in Redis, which shares no transaction
//! with PostgreSQL, so its row is committed *before* the release: whatever breaks in between, the worst is a row for a
//! release that did not happen, which the next look at the desk shows, and never a release without a row. When Redis then
//! says that nothing was released, a second row says so.

use deadpool_postgres::GenericClient;
use jiff::Timestamp;
use serde_json::Value;
use tokio_postgres::types::Json;

use super::Staff;
use crate::Error;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// A one-time link was made.
    Invite,
    /// A password was chosen by a link.
    Password,
    /// An account was disabled.
    Disable,
    /// A hold is to be released.
    Release,
    /// That release did not happen: the hold had ended, or a payment was running.
    ReleaseRefused,
    /// Seats were taken off sale.
    Block,
    /// Seats were put back on sale.
    Unblock,
    /// Seats of a booking were cancelled.
    Cancel,
}

impl Action {
    /// As it stands in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invite => "staff.invite",
            Self::Password => "staff.password",
            Self::Disable => "staff.disable",
            Self::Release => "hold.release",
            Self::ReleaseRefused => "hold.release-refused",
            Self::Block => "seat.block",
            Self::Unblock => "seat.unblock",
            Self::Cancel => "booking.cancel",
        }
    }
}

/// A row of the audit, as people read it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// When.
    pub at: Timestamp,
    /// Who; empty when it was a command on the server.
    pub who: String,
    /// What, as [`Action::as_str`] writes it.
    pub action: String,
    /// At which event.
    pub event: Option<String>,
    /// That event's slug.
    pub slug: Option<String>,
    /// Why.
    pub reason: String,
    /// What people call the seats that it was done to, or whose account it was.
    pub subject: String,
}

const WRITE: &str = "
    insert into audit (staff_id, action, event_id, reason, detail)
    values ($1, $2, $3, $4, $5)";

const RECENT: &str = "
    select audit.at, coalesce(nullif(staff.name, ''), staff.email, '') as who, audit.action, event.name, event.slug,
           audit.reason,
           coalesce(
               (select string_agg(seat ->> 'name', ', ' order by ordinal)
                  from jsonb_array_elements(
                      case when jsonb_typeof(audit.detail -> 'seats') = 'array' then audit.detail -> 'seats' end
                  ) with ordinality as listed (seat, ordinal)),
               audit.detail ->> 'email',
               ''
           ) as subject
      from audit
      left join staff on staff.id = audit.staff_id
      left join event on event.id = audit.event_id
     where $1::bigint is null or audit.event_id = $1
     order by audit.id desc
     limit $2";

impl Staff {
    /// Notes what a member of staff did at an event, where that is not part of another transaction.
    pub async fn record(
        &self,
        member: i64,
        action: Action,
        event: i64,
        reason: &str,
        detail: &Value,
    ) -> Result<(), Error> {
        write(
            &self.database.get().await?,
            Some(member),
            action,
            Some(event),
            reason,
            detail,
        )
        .await
    }

    /// The latest rows, of one event or of all, the newest first.
    pub async fn recent(&self, event: Option<i64>, most: i64) -> Result<Vec<Entry>, Error> {
        let client = self.database.get().await?;
        let statement = client.prepare_cached(RECENT).await?;
        let rows = client.query(&statement, &[&event, &most]).await?;
        let entries = rows.iter().map(|row| Entry {
            at: row.get(0),
            who: row.get(1),
            action: row.get(2),
            event: row.get(3),
            slug: row.get(4),
            reason: row.get(5),
            subject: row.get(6),
        });
        Ok(entries.collect())
    }
}

/// Adds a row within the transaction of what it tells of.
pub(crate) async fn write(
    client: &impl GenericClient,
    member: Option<i64>,
    action: Action,
    event: Option<i64>,
    reason: &str,
    detail: &Value,
) -> Result<(), Error> {
    client
        .execute(
            WRITE,
            &[&member, &action.as_str(), &event, &reason, &Json(detail)],
        )
        .await?;
    Ok(())
}
