//! The simulator: a provider without money, with a ledger of its own in an `SQLite` file, which survives restarts and is the
//! outside witness when the books are audited. Card numbers choose how it behaves.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::BoxFuture;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::{Charge, Charged, NoAnswer, Provider, Returned, Seen, Voided};

/// A card number that selects a behaviour, listed on the checkout in demo mode.
#[derive(Debug, Clone, Copy)]
pub struct TestCard {
    /// Digits only.
    pub number: &'static str,
    /// The key of its description in the catalogue of texts.
    pub text: &'static str,
}

const APPROVED: &str = "4242424242424242";
const DECLINED: &str = "4000000000000002";
const NO_FUNDS: &str = "4000000000009995";
const SLOW: &str = "4000000000000101";
const ANSWER_LOST: &str = "4000000000000119";

/// How long the slow card takes.
const SLOWNESS: Duration = Duration::from_secs(5);

/// Every card that the simulator knows.
pub const TEST_CARDS: [TestCard; 5] = [
    TestCard {
        number: APPROVED,
        text: "test-card-approved",
    },
    TestCard {
        number: DECLINED,
        text: "test-card-declined",
    },
    TestCard {
        number: NO_FUNDS,
        text: "test-card-no-funds",
    },
    TestCard {
        number: SLOW,
        text: "test-card-slow",
    },
    TestCard {
        number: ANSWER_LOST,
        text: "test-card-answer-lost",
    },
];

/// The ledger's tables. `synchronous = normal` in WAL mode: a power cut may cost the last moments, never consistency.
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
    );";

/// A row of the ledger as the audit reads it: key, state, amount taken, amount returned, in minor units.
pub type LedgerRow = (Uuid, String, i64, i64);

/// The provider that only plays.
#[derive(Clone)]
pub struct Simulator {
    ledger: Arc<Mutex<Connection>>,
}

impl Simulator {
    /// Opens the ledger in this file, or makes it.
    pub fn open(file: &Path) -> Result<Self, NoAnswer> {
        let ledger = Connection::open(file)
            .map_err(|e| NoAnswer::Lost(format!("{}: {e}", file.display())))?;
        ledger
            .execute_batch(SCHEMA)
            .map_err(|e| NoAnswer::Lost(format!("{}: {e}", file.display())))?;
        Ok(Self {
            ledger: Arc::new(Mutex::new(ledger)),
        })
    }

    /// Every key that the ledger knows.
    pub fn ledger(&self) -> Result<Vec<LedgerRow>, NoAnswer> {
        let ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let mut statement = ledger
            .prepare(
                "select charge.key, charge.state, charge.amount_minor, coalesce(sum(refund.amount_minor), 0)
                   from charge left join refund on refund.charge = charge.key
                  group by charge.key",
            )
            .map_err(no_answer)?;
        let rows = statement
            .query_map([], |row| {
                let key: String = row.get(0)?;
                let taken = if row.get_ref(1)?.as_str()? == "captured" {
                    row.get(2)?
                } else {
                    0
                };
                Ok((
                    Uuid::parse_str(&key).unwrap_or_default(),
                    row.get(1)?,
                    taken,
                    row.get(3)?,
                ))
            })
            .map_err(no_answer)?;
        rows.collect::<Result<_, _>>().map_err(no_answer)
    }

    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, NoAnswer> {
        let ledger = Arc::clone(&self.ledger);
        tokio::task::spawn_blocking(move || {
            work(&ledger.lock().unwrap_or_else(PoisonError::into_inner))
        })
        .await
        .map_err(|e| NoAnswer::Lost(e.to_string()))?
        .map_err(no_answer)
    }

    async fn seen(&self, key: Uuid) -> Result<Seen, NoAnswer> {
        self.with(move |ledger| look_up(ledger, key)).await
    }
}

impl Provider for Simulator {
    fn charge(&self, charge: Charge) -> BoxFuture<'_, Result<Charged, NoAnswer>> {
        Box::pin(async move {
            let reason = match charge.card.number.as_str() {
                APPROVED | SLOW | ANSWER_LOST => None,
                NO_FUNDS => Some("insufficient_funds"),
                DECLINED => Some("declined"),
                _ => Some("not_a_test_card"),
            };
            if charge.card.number == SLOW {
                tokio::time::sleep(SLOWNESS).await;
            }
            let key = charge.key;
            self.with(move |ledger| {
                ledger.execute(
                    "insert into charge (key, amount_minor, currency, state, reason)
                     values (?1, ?2, ?3, ?4, ?5) on conflict do nothing",
                    params![
                        charge.key.to_string(),
                        charge.amount_minor,
                        charge.currency,
                        if reason.is_some() {
                            "declined"
                        } else {
                            "captured"
                        },
                        reason
                    ],
                )
            })
            .await?;
            if charge.card.number == ANSWER_LOST {
                return Err(NoAnswer::Lost("the answer was lost".to_owned()));
            }
            match self.seen(key).await? {
                Seen::Captured => Ok(Charged::Captured),
                Seen::Declined(reason) => Ok(Charged::Declined(reason)),
                Seen::Voided => Ok(Charged::Declined("voided".to_owned())),
                Seen::Nothing => Err(NoAnswer::Lost("the ledger lost a row".to_owned())),
            }
        })
    }

    fn look_up(&self, key: Uuid) -> BoxFuture<'_, Result<Seen, NoAnswer>> {
        Box::pin(self.seen(key))
    }

    fn void(&self, key: Uuid) -> BoxFuture<'_, Result<Voided, NoAnswer>> {
        Box::pin(async move {
            self.with(move |ledger| {
                ledger.execute(
                    "insert into charge (key, amount_minor, currency, state) values (?1, 0, '', 'voided')
                     on conflict do nothing",
                    [key.to_string()],
                )
            })
            .await?;
            Ok(match self.seen(key).await? {
                Seen::Captured => Voided::AlreadyCaptured,
                _ => Voided::Voided,
            })
        })
    }

    fn refund(
        &self,
        key: Uuid,
        refund: Uuid,
        amount_minor: i64,
    ) -> BoxFuture<'_, Result<Returned, NoAnswer>> {
        Box::pin(async move {
            self.with(move |ledger| {
                ledger.execute(
                    "insert into refund (key, charge, amount_minor)
                     select ?1, charge.key, ?3
                       from charge
                      where charge.key = ?2 and charge.state = 'captured'
                        and charge.amount_minor >= ?3 + (
                            select coalesce(sum(amount_minor), 0) from refund where charge = charge.key
                        )
                     on conflict do nothing",
                    params![refund.to_string(), key.to_string(), amount_minor],
                )
            })
            .await?;
            let known = self
                .with(move |ledger| {
                    ledger
                        .query_row(
                            "select 1 from refund where key = ?1",
                            [refund.to_string()],
                            |_| Ok(()),
                        )
                        .optional()
                })
                .await?;
            Ok(known.map_or_else(
                || Returned::Refused("nothing to return under this key".to_owned()),
                |()| Returned::Done,
            ))
        })
    }
}

fn look_up(ledger: &Connection, key: Uuid) -> rusqlite::Result<Seen> {
    let row: Option<(String, Option<String>)> = ledger
        .query_row(
            "select state, reason from charge where key = ?1",
            [key.to_string()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    Ok(match row {
        None => Seen::Nothing,
        Some((state, _)) if state == "captured" => Seen::Captured,
        Some((state, _)) if state == "voided" => Seen::Voided,
        Some((_, reason)) => Seen::Declined(reason.unwrap_or_else(|| "declined".to_owned())),
    })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "a map_err wants a function of the error itself"
)]
fn no_answer(error: rusqlite::Error) -> NoAnswer {
    NoAnswer::Lost(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payment::Card;

    fn charge(key: Uuid, number: &str) -> Charge {
        Charge {
            key,
            amount_minor: 4500,
            currency: "EUR".to_owned(),
            card: Card {
                number: number.to_owned(),
                expiry: "12/40".to_owned(),
                cvc: "123".to_owned(),
            },
        }
    }

    fn simulator() -> (tempfile::TempDir, Simulator) {
        let folder = tempfile::tempdir().expect("a folder");
        let simulator = Simulator::open(&folder.path().join("ledger.sqlite")).expect("a ledger");
        (folder, simulator)
    }

    #[tokio::test]
    async fn one_key_is_charged_once_however_often_it_is_sent() {
        let (_folder, simulator) = simulator();
        let key = Uuid::new_v4();
        for _ in 0..3 {
            assert_eq!(
                simulator.charge(charge(key, APPROVED)).await,
                Ok(Charged::Captured)
            );
        }
        assert_eq!(
            simulator.ledger().expect("readable"),
            [(key, "captured".to_owned(), 4500, 0)]
        );
    }

    #[tokio::test]
    async fn a_lost_answer_is_found_by_its_key() {
        let (_folder, simulator) = simulator();
        let key = Uuid::new_v4();
        assert!(simulator.charge(charge(key, ANSWER_LOST)).await.is_err());
        assert_eq!(simulator.look_up(key).await, Ok(Seen::Captured));
        assert_eq!(simulator.void(key).await, Ok(Voided::AlreadyCaptured));
    }

    #[tokio::test]
    async fn a_key_that_was_voided_unseen_is_never_charged() {
        let (_folder, simulator) = simulator();
        let key = Uuid::new_v4();
        assert_eq!(simulator.void(key).await, Ok(Voided::Voided));
        assert_eq!(
            simulator.charge(charge(key, APPROVED)).await,
            Ok(Charged::Declined("voided".to_owned()))
        );
        assert_eq!(simulator.look_up(key).await, Ok(Seen::Voided));
    }

    #[tokio::test]
    async fn money_goes_back_once_and_never_more_than_was_taken() {
        let (_folder, simulator) = simulator();
        let (key, refund) = (Uuid::new_v4(), Uuid::new_v4());
        let _ = simulator.charge(charge(key, APPROVED)).await;
        for _ in 0..2 {
            assert_eq!(
                simulator.refund(key, refund, 4500).await,
                Ok(Returned::Done)
            );
        }
        assert!(matches!(
            simulator.refund(key, Uuid::new_v4(), 1).await,
            Ok(Returned::Refused(_))
        ));
        assert_eq!(simulator.ledger().expect("readable")[0].3, 4500);
    }
}
