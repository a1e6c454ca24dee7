//! Notices that wait to be delivered: in the ledger's file, written with what they tell of, and kept until whoever is told
//! has said that it acted.

use rusqlite::{Connection, params};
use serde_json::json;
use uuid::Uuid;

use super::{
    Behaviour,
    cards::Manner,
    ledger::{look_up, now_ms},
};
use crate::payment::Seen;

/// Notices of the card whose notices come late wait so long.
const LATE_MS: i64 = 4_000;

/// After so many tries a notice is given up: some two days.
const MOST_ATTEMPTS: u32 = 60;

/// A notice that is due.
#[derive(Debug, Clone)]
pub struct Notice {
    /// The same at every try, so that a repeat is known as one.
    pub id: String,
    /// JSON.
    pub body: String,
    /// Whether it is to carry a false signature.
    pub forged: bool,
}

/// Writes what there is to tell of a key, as often as the card and the behaviour want it.
pub(super) fn write(
    ledger: &Connection,
    key: Uuid,
    manner: Manner,
    behaviour: &Behaviour,
) -> rusqlite::Result<()> {
    let (kind, opposite) = match look_up(ledger, key)? {
        Seen::Captured => ("charge.captured", "charge.declined"),
        Seen::Declined(_) => ("charge.declined", "charge.captured"),
        Seen::Voided | Seen::Nothing => return Ok(()),
    };
    let delay = i64::try_from(behaviour.notice_delay_ms).unwrap_or(i64::MAX);
    let (more, delay) = match manner {
        Manner::NoticesLate => (2, delay.max(LATE_MS)),
        _ => (behaviour.duplicate_notices, delay),
    };
    let body = |kind: &str| json!({"type": kind, "data": {"key": key}}).to_string();
    let due = now_ms() + delay;
    for _ in 0..=more {
        put(ledger, &body(kind), false, due)?;
    }
    if behaviour.forged_notices {
        put(ledger, &body(opposite), true, due)?;
    }
    Ok(())
}

fn put(ledger: &Connection, body: &str, forged: bool, due_at_ms: i64) -> rusqlite::Result<()> {
    ledger
        .prepare_cached("insert into notice (id, body, forged, due_at_ms) values (?1, ?2, ?3, ?4)")?
        .execute(params![Uuid::new_v4().to_string(), body, forged, due_at_ms])
        .map(drop)
}

/// Takes some notices that are due; until they are said to be delivered, they come again after growing pauses of up to an
/// hour. Those that nobody ever heard are forgotten.
pub(super) fn take(ledger: &Connection, shuffled: bool) -> rusqlite::Result<Vec<Notice>> {
    ledger
        .prepare_cached("delete from notice where due_at_ms <= ?1 and attempts >= ?2")?
        .execute(params![now_ms(), MOST_ATTEMPTS])?;
    let order = if shuffled {
        "random()"
    } else {
        "due_at_ms, rowid"
    };
    ledger
        .prepare_cached(&format!(
            "update notice
                set attempts = attempts + 1,
                    due_at_ms = ?1 + min(1000 << min(attempts, 12), 3600000)
              where id in (select id from notice where due_at_ms <= ?1 order by {order} limit 20)
          returning id, body, forged"
        ))?
        .query_map([now_ms()], |row| {
            Ok(Notice {
                id: row.get(0)?,
                body: row.get(1)?,
                forged: row.get(2)?,
            })
        })?
        .collect()
}

/// Forgets a notice that was heard.
pub(super) fn delivered(ledger: &Connection, id: &str) -> rusqlite::Result<()> {
    ledger
        .prepare_cached("delete from notice where id = ?1")?
        .execute([id])
        .map(drop)
}
