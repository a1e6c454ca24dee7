//! Payments: one payment is one attempt to charge for one hold.
//!
//! The invariant: states move only by compare-and-set, and a payment's claims stand in PostgreSQL before the provider is
//! asked and go only in the transaction that settles it.
//!
//! `pending → unknown` · `pending | unknown → captured | declined | voided` · `declined | voided → captured` ·
//! `captured → booked | refunding` · `refunding → refunded`
//!
//! `cashier` takes a payment from claim to booking; `recovery` brings to its end what a crash, a time-out or a lost answer
//! left; `notice` heeds what the provider tells by itself; `late` deals with money that arrives after all; `refund` returns
//! money until it is through. `provider` is whoever moves the money: the `simulator` within this program, or `remote`, a
//! neighbour behind a `breaker`.

mod breaker;
mod cashier;
mod claim;
mod late;
mod notice;
mod overdue;
mod provider;
mod record;
mod recovery;
mod refund;
mod remote;
mod simulator;

use std::fmt;

use tokio_postgres::Row;
use uuid::Uuid;

use crate::{Error, database::Database, hold::BuyerId};
pub use cashier::{Bounds, Cashier, Outcome, Paid};
use claim::Claimed;
pub use claim::{Order, Refused};
pub use notice::{Heeded, Signer, Unheard};
pub use overdue::{Overdue, OverdueRefund};
pub use provider::{Card, Charge, Charged, NoAnswer, Provider, Returned, Seen, Voided};
pub use remote::Remote;
pub use simulator::{Behaviour, LedgerRow, Notice, Simulator, TEST_CARDS, TestCard};

/// Where a payment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Written; the provider is being asked.
    Pending,
    /// The provider did not answer.
    Unknown,
    /// The money was taken; no booking yet.
    Captured,
    /// The provider said no.
    Declined,
    /// Given up, and made sure that the provider will not charge.
    Voided,
    /// Sold.
    Booked,
    /// The seats could not be kept; the money is on its way back.
    Refunding,
    /// The money went back.
    Refunded,
}

impl State {
    /// As it stands in the table.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Unknown => "unknown",
            Self::Captured => "captured",
            Self::Declined => "declined",
            Self::Voided => "voided",
            Self::Booked => "booked",
            Self::Refunding => "refunding",
            Self::Refunded => "refunded",
        }
    }

    fn parse(text: &str) -> Result<Self, Error> {
        use State::{Booked, Captured, Declined, Pending, Refunded, Refunding, Unknown, Voided};
        [
            Pending, Unknown, Captured, Declined, Voided, Booked, Refunding, Refunded,
        ]
        .into_iter()
        .find(|state| state.as_str() == text)
        .ok_or_else(|| Error::Broken(format!("payment state {text:?}")))
    }

    /// Whether a hold that is marked with this payment must be left alone.
    #[must_use]
    pub fn binds(self) -> bool {
        !matches!(
            self,
            Self::Declined | Self::Voided | Self::Refunding | Self::Refunded
        )
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One payment, as PostgreSQL has it.
#[derive(Debug, Clone)]
pub struct Payment {
    /// The idempotency key.
    pub id: Uuid,
    /// For seats of this event.
    pub event_id: i64,
    /// The hold that it pays for.
    pub hold: String,
    /// Who pays; nobody when the row names no buyer that can be.
    pub buyer: Option<BuyerId>,
    /// Where it stands.
    pub state: State,
    /// What is charged, in minor units.
    pub amount_minor: i64,
    /// ISO 4217.
    pub currency: String,
    /// The buyer's name.
    pub name: String,
    /// The buyer's address for mail.
    pub email: String,
    /// The card's last four digits.
    pub card_last4: String,
    /// `MM/YY`.
    pub card_expiry: String,
    /// The only key to the booking's page.
    pub token: String,
    /// Why the provider declined.
    pub decline_reason: Option<String>,
}

const PAYMENT_COLUMNS: &str = "
    payment.id, payment.event_id, payment.hold_id, payment.buyer_id, payment.state, payment.amount_minor, payment.currency,
    payment.name, payment.email, payment.card_last4, payment.card_expiry, payment.token, payment.decline_reason";

impl Payment {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let buyer: &str = row.get("buyer_id");
        Ok(Self {
            id: row.get("id"),
            event_id: row.get("event_id"),
            hold: row.get("hold_id"),
            buyer: BuyerId::parse(buyer),
            state: State::parse(row.get("state"))?,
            amount_minor: row.get("amount_minor"),
            currency: row.get("currency"),
            name: row.get("name"),
            email: row.get("email"),
            card_last4: row.get("card_last4"),
            card_expiry: row.get("card_expiry"),
            token: row.get("token"),
            decline_reason: row.get("decline_reason"),
        })
    }
}

/// The payments of all events.
#[derive(Clone)]
pub struct Payments {
    database: Database,
}

impl Payments {
    /// Payments that live behind this pool.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// The payment with this key.
    pub async fn by_id(&self, id: Uuid) -> Result<Option<Payment>, Error> {
        self.one(
            &format!("select {PAYMENT_COLUMNS} from payment where id = $1"),
            &id,
        )
        .await
    }

    /// The payment whose booking's page this token opens.
    pub async fn by_token(&self, token: &str) -> Result<Option<Payment>, Error> {
        self.one(
            &format!("select {PAYMENT_COLUMNS} from payment where token = $1"),
            &token,
        )
        .await
    }

    /// The one payment of this hold that is unsettled or sold.
    pub async fn live_of_hold(&self, hold: &str) -> Result<Option<Payment>, Error> {
        let sql = format!(
            "select {PAYMENT_COLUMNS} from payment
              where hold_id = $1 and state in ('pending', 'unknown', 'captured', 'booked')"
        );
        self.one(&sql, &hold).await
    }

    async fn one(
        &self,
        sql: &str,
        key: &(dyn tokio_postgres::types::ToSql + Sync),
    ) -> Result<Option<Payment>, Error> {
        let client = self.database.get().await?;
        let statement = client.prepare_cached(sql).await?;
        client
            .query_opt(&statement, &[key])
            .await?
            .as_ref()
            .map(Payment::from_row)
            .transpose()
    }
}
