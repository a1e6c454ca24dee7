//! The ledger: what was charged and returned, in an `SQLite` file that survives restarts and is the outside witness when the
//! books are audited. The invariant: one key is charged at most once, and never goes back more than was taken.

use std::{
    fs::OpenOptions,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::cards::{FAILING_REFUNDS, LATER, Manner};
use crate::payment::{Charge, Returned, Seen};

/// `synchronous = normal` in WAL mode: a power cut may cost the last moments, never consistency.
const SCHEMA: &str = "
    pragma journal_mode = wal;
    pragma synchronous = normal;
    pragma busy_timeout = 5000;
    create table if not exists charge (
        key text primary key,
        amount_minor integer not null,
        currency text not null,
        state text not null check (state in ('captured', 'declined', 'voided')),
        reason text,
        at text not null default current_timestamp
    );
    create table if not exists refund (
        key text primary key,
        charge text not null references charge (key),
        amount_minor integer not null check (amount_minor > 0),
        at text not null default current_timestamp
    );
    create table if not exists refund_try (
        key text primary key,
        tries integer not null
    );
    create table if not exists notice (
        id text primary key,
        body text not null,
        forged integer not null,
        due_at_ms integer not null,
        attempts integer not null default 0
    );";

/// Columns that a ledger of an earlier version lacks.
const NEWER: [(&str, &str); 2] = [
    // When a declined card is charged after all, in milliseconds since 1970.
    ("capture_at_ms", "integer"),
    // How often a refund of it fails at first.
    ("failing_refunds", "integer not null default 0"),
];

/// A row of the ledger as the audit reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerRow {
    /// The payment's key.
    pub key: Uuid,
    /// `captured`, `declined` or `voided`.
    pub state: String,
    /// What was taken, in minor units.
    pub taken_minor: i64,
    /// What went back, in minor units.
    pub returned_minor: i64,
}

/// What came of a charge.
pub(super) enum Written {
    /// The key stands so in the ledger, since now or since earlier.
    Is(Seen),
    /// The key was charged before, with another amount.
    OtherAmount,
}

/// Opens the file for its owner alone, or makes it.
pub(super) fn open(file: &Path) -> rusqlite::Result<Connection> {
    // Made here, so that nobody else may read it; that it cannot be made, SQLite says better.
    let _ = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(file);
    let ledger = Connection::open(file)?;
    ledger.execute_batch(SCHEMA)?;
    for (column, kind) in NEWER {
        let known: bool = ledger.query_row(
            "select exists (select 1 from pragma_table_info('charge') where name = ?1)",
            [column],
            |row| row.get(0),
        )?;
        if !known {
            match ledger.execute_batch(&format!("alter table charge add column {column} {kind}")) {
                // Another server was faster.
                Err(e) if e.to_string().contains("duplicate column") => {}
                done => done?,
            }
        }
    }
    ledger.execute_batch(
        "create index if not exists charge_later on charge (capture_at_ms) where capture_at_ms is not null",
    )?;
    Ok(ledger)
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, millis)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Charges the key as its card wants it, unless it is known already; and how it stands.
pub(super) fn charge(
    ledger: &Connection,
    charge: &Charge,
    manner: Manner,
) -> rusqlite::Result<Written> {
    let key = charge.key.to_string();
    let reason = match manner {
        Manner::Declined(reason) => Some(reason),
        Manner::CapturedLater => Some("declined"),
        _ => None,
    };
    let state = if reason.is_some() {
        "declined"
    } else {
        "captured"
    };
    let capture_at = (manner == Manner::CapturedLater).then(|| now_ms() + millis(LATER));
    let failing = if manner == Manner::RefundsFail {
        FAILING_REFUNDS
    } else {
        0
    };
    let mut insert = ledger.prepare_cached(
        "insert into charge (key, amount_minor, currency, state, reason, capture_at_ms, failing_refunds)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7) on conflict do nothing",
    )?;
    insert.execute(params![
        key,
        charge.amount_minor,
        charge.currency,
        state,
        reason,
        capture_at,
        failing
    ])?;
    let same: bool = ledger
        .prepare_cached(
            "select state = 'voided' or amount_minor = ?2 and currency = ?3 from charge where key = ?1",
        )?
        .query_row(params![key, charge.amount_minor, charge.currency], |row| row.get(0))?;
    if same {
        look_up(ledger, charge.key).map(Written::Is)
    } else {
        Ok(Written::OtherAmount)
    }
}

/// How a key stands.
pub(super) fn look_up(ledger: &Connection, key: Uuid) -> rusqlite::Result<Seen> {
    let row: Option<(String, Option<String>)> = ledger
        .prepare_cached("select state, reason from charge where key = ?1")?
        .query_row([key.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(match row {
        None => Seen::Nothing,
        Some((state, _)) if state == "captured" => Seen::Captured,
        Some((state, _)) if state == "voided" => Seen::Voided,
        Some((_, reason)) => Seen::Declined(reason.unwrap_or_else(|| "declined".to_owned())),
    })
}

/// Charges the cards whose time to be charged after all has come; their keys.
pub(super) fn ripen(ledger: &Connection) -> rusqlite::Result<Vec<Uuid>> {
    ledger
        .prepare_cached(
            "update charge
                set state = 'captured', reason = null, capture_at_ms = null
              where capture_at_ms <= ?1
          returning key",
        )?
        .query_map([now_ms()], |row| Ok(id(&row.get::<_, String>(0)?)))?
        .collect()
}

/// Makes sure that the key is never charged from now on, unless it has been; and how it stands.
pub(super) fn void(ledger: &Connection, key: Uuid) -> rusqlite::Result<Seen> {
    ledger
        .prepare_cached(
            "insert into charge (key, amount_minor, currency, state) values (?1, 0, '', 'voided')
             on conflict do update set capture_at_ms = null",
        )?
        .execute([key.to_string()])?;
    look_up(ledger, key)
}

/// Returns money of a charge, once for one refund key; the first tries fail as often as the card wants it, or `failing`.
pub(super) fn refund(
    ledger: &Connection,
    key: Uuid,
    refund: Uuid,
    amount_minor: i64,
    failing: u32,
) -> rusqlite::Result<Returned> {
    let (key, refund) = (key.to_string(), refund.to_string());
    let known = |ledger: &Connection| {
        ledger
            .prepare_cached("select amount_minor = ?2 and charge = ?3 from refund where key = ?1")?
            .query_row(params![refund, amount_minor, key], |row| {
                row.get::<_, bool>(0)
            })
            .optional()
    };
    match known(ledger)? {
        Some(true) => return Ok(Returned::Done),
        Some(false) => {
            return Ok(Returned::Refused(
                "this key returned something else".to_owned(),
            ));
        }
        None => {}
    }
    let wanted: Option<u32> = ledger
        .prepare_cached("select failing_refunds from charge where key = ?1")?
        .query_row([&key], |row| row.get(0))
        .optional()?;
    let tries: u32 = ledger
        .prepare_cached(
            "insert into refund_try (key, tries) values (?1, 1)
             on conflict do update set tries = tries + 1
             returning tries",
        )?
        .query_row([&refund], |row| row.get(0))?;
    if tries <= wanted.unwrap_or(0).max(failing) {
        return Ok(Returned::Refused("the bank did not take it".to_owned()));
    }
    ledger
        .prepare_cached(
            "insert into refund (key, charge, amount_minor)
             select ?1, charge.key, ?3
               from charge
              where charge.key = ?2 and charge.state = 'captured'
                and charge.amount_minor >= ?3 + (
                    select coalesce(sum(amount_minor), 0) from refund where charge = charge.key
                )
             on conflict do nothing",
        )?
        .execute(params![refund, key, amount_minor])?;
    Ok(match known(ledger)? {
        Some(_) => Returned::Done,
        None => Returned::Refused("nothing to return under this key".to_owned()),
    })
}

/// Every key that the ledger knows.
pub(super) fn rows(ledger: &Connection) -> rusqlite::Result<Vec<LedgerRow>> {
    ledger
        .prepare(
            "select charge.key, charge.state,
                    case charge.state when 'captured' then charge.amount_minor else 0 end,
                    coalesce(sum(refund.amount_minor), 0)
               from charge left join refund on refund.charge = charge.key
              group by charge.key",
        )?
        .query_map([], |row| {
            Ok(LedgerRow {
                key: id(&row.get::<_, String>(0)?),
                state: row.get(1)?,
                taken_minor: row.get(2)?,
                returned_minor: row.get(3)?,
            })
        })?
        .collect()
}

fn id(text: &str) -> Uuid {
    Uuid::parse_str(text).unwrap_or_default()
}
