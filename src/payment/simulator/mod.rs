//! The simulator: a provider without money. Card numbers choose how it behaves, and behaviours for everybody can be set
//! while it runs. It serves inside the program, or as a neighbour of its own (`seathold paysim`).

mod behaviour;
mod cards;
mod ledger;
mod notices;
#[cfg(test)]
mod tests;

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::future::BoxFuture;
use rusqlite::{Connection, TransactionBehavior};
use uuid::Uuid;

use super::{Charge, Charged, NoAnswer, Provider, Returned, Seen, Voided};
pub use behaviour::Behaviour;
use cards::{Manner, SLOWNESS};
pub use cards::{TEST_CARDS, TestCard};
pub use ledger::LedgerRow;
use ledger::Written;
pub use notices::Notice;

/// The provider that only plays.
#[derive(Clone)]
pub struct Simulator {
    ledger: Arc<Mutex<Connection>>,
    behaviour: Arc<Mutex<Behaviour>>,
    /// Whether there is anybody to send notices to.
    notifies: bool,
}

impl Simulator {
    /// Opens the ledger in this file, or makes it.
    pub fn open(file: &Path) -> Result<Self, NoAnswer> {
        let ledger =
            ledger::open(file).map_err(|e| NoAnswer::Lost(format!("{}: {e}", file.display())))?;
        Ok(Self {
            ledger: Arc::new(Mutex::new(ledger)),
            behaviour: Arc::default(),
            notifies: false,
        })
    }

    /// The same simulator, which keeps a notice of all that happens until [`Self::delivered`] is told of it.
    #[must_use]
    pub fn notifying(self) -> Self {
        Self {
            notifies: true,
            ..self
        }
    }

    /// How it behaves towards everybody.
    #[must_use]
    pub fn behaviour(&self) -> Behaviour {
        *self
            .behaviour
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Behaves so from now on.
    pub fn behave(&self, behaviour: Behaviour) {
        *self
            .behaviour
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = behaviour;
    }

    /// Every key that the ledger knows.
    pub async fn ledger(&self) -> Result<Vec<LedgerRow>, NoAnswer> {
        self.with(|ledger, _| ledger::rows(ledger)).await
    }

    /// Takes some notices that are due; each comes again until it is delivered.
    pub async fn due_notices(&self) -> Result<Vec<Notice>, NoAnswer> {
        self.with(|ledger, behaviour| notices::take(ledger, behaviour.shuffle_notices))
            .await
    }

    /// Whoever was told has acted.
    pub async fn delivered(&self, notice: String) -> Result<(), NoAnswer> {
        self.with(move |ledger, _| notices::delivered(ledger, &notice))
            .await
    }

    /// Works on the ledger in one transaction, after whatever had to happen by now has happened.
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &Behaviour) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, NoAnswer> {
        let simulator = self.clone();
        tokio::task::spawn_blocking(move || {
            let behaviour = simulator.behaviour();
            let mut ledger = simulator
                .ledger
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let transaction = ledger.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for key in ledger::ripen(&transaction)? {
                if simulator.notifies {
                    notices::write(&transaction, key, Manner::CapturedLater, &behaviour)?;
                }
            }
            let done = work(&transaction, &behaviour)?;
            transaction.commit()?;
            Ok(done)
        })
        .await
        .map_err(|e| NoAnswer::Lost(e.to_string()))?
        .map_err(|e: rusqlite::Error| NoAnswer::Lost(e.to_string()))
    }
}

impl Provider for Simulator {
    fn charge(&self, charge: Charge) -> BoxFuture<'_, Result<Charged, NoAnswer>> {
        Box::pin(async move {
            let manner = cards::manner(&charge.card.number);
            if manner == Manner::Slow {
                tokio::time::sleep(SLOWNESS).await;
            }
            let notifies = self.notifies;
            let written = self
                .with(move |ledger, behaviour| {
                    let written = ledger::charge(ledger, &charge, manner)?;
                    if notifies {
                        notices::write(ledger, charge.key, manner, behaviour)?;
                    }
                    Ok(written)
                })
                .await?;
            if manner == Manner::AnswerLost {
                return Err(NoAnswer::Lost("the answer was lost".to_owned()));
            }
            match written {
                Written::Is(Seen::Captured) => Ok(Charged::Captured),
                Written::Is(Seen::Declined(reason)) => Ok(Charged::Declined(reason)),
                Written::Is(Seen::Voided) => Ok(Charged::Declined("voided".to_owned())),
                Written::Is(Seen::Nothing) => {
                    Err(NoAnswer::Lost("the ledger lost a row".to_owned()))
                }
                // Nothing more was taken.
                Written::OtherAmount => Err(NoAnswer::NotSent(
                    "this key was charged another amount".to_owned(),
                )),
            }
        })
    }

    fn look_up(&self, key: Uuid) -> BoxFuture<'_, Result<Seen, NoAnswer>> {
        Box::pin(self.with(move |ledger, _| ledger::look_up(ledger, key)))
    }

    fn void(&self, key: Uuid) -> BoxFuture<'_, Result<Voided, NoAnswer>> {
        Box::pin(async move {
            Ok(
                match self
                    .with(move |ledger, _| ledger::void(ledger, key))
                    .await?
                {
                    Seen::Captured => Voided::AlreadyCaptured,
                    _ => Voided::Voided,
                },
            )
        })
    }

    fn refund(
        &self,
        key: Uuid,
        refund: Uuid,
        amount_minor: i64,
    ) -> BoxFuture<'_, Result<Returned, NoAnswer>> {
        Box::pin(self.with(move |ledger, behaviour| {
            let failing = behaviour.failing_refunds;
            ledger::refund(ledger, key, refund, amount_minor, failing)
        }))
    }
}
