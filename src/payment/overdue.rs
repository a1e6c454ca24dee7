//! What staff must know of payments: those that take long, refunds that do not get through, and money without a ticket.

use jiff::Timestamp;

use super::{Payments, State};
use crate::{
    Error,
    event::{EVENT_COLUMNS, Event},
    money::Currency,
};

/// A payment that ought to be settled by now.
#[derive(Debug)]
pub struct Overdue {
    /// For seats of this event.
    pub event: Event,
    /// Where it stands.
    pub state: State,
    /// Who pays.
    pub name: String,
    /// Their address for mail.
    pub email: String,
    /// What is charged, in minor units.
    pub amount_minor: i64,
    /// In what.
    pub currency: Currency,
    /// Since when.
    pub since: Timestamp,
    /// How often recovery has tried.
    pub attempts: i32,
}

/// Money that is not back yet.
#[derive(Debug)]
pub struct OverdueRefund {
    /// For seats of this event.
    pub event: Event,
    /// Whose it is.
    pub name: String,
    /// Their address for mail.
    pub email: String,
    /// The booking that it belonged to, if it ever was one.
    pub reference: Option<String>,
    /// In minor units.
    pub amount_minor: i64,
    /// In what.
    pub currency: Currency,
    /// Since when.
    pub since: Timestamp,
    /// How often it was tried.
    pub attempts: i32,
    /// Why the last try came to nothing.
    pub problem: Option<String>,
}

/// Unsettled for a minute: whatever broke, recovery has tried by then.
const OVERDUE: &str = "
      from payment
      join event on event.id = payment.event_id
     where payment.state in ('pending', 'unknown') and payment.created_at < now() - interval '1 minute'
     order by payment.created_at
     limit 200";

/// The money is here, and the tickets are not. Always empty.
const WITHOUT_TICKET: &str = "
      from payment
      join event on event.id = payment.event_id
     where payment.state = 'captured' and payment.created_at < now() - interval '1 minute'
        or payment.state = 'booked' and not exists (select from booking where booking.payment_id = payment.id)
     order by payment.created_at
     limit 200";

impl Payments {
    /// Payments that have been unsettled for a minute or longer, the oldest first.
    pub async fn overdue(&self) -> Result<Vec<Overdue>, Error> {
        self.those(OVERDUE).await
    }

    /// Payments whose money was taken and that have no tickets, the oldest first.
    pub async fn without_ticket(&self) -> Result<Vec<Overdue>, Error> {
        self.those(WITHOUT_TICKET).await
    }

    async fn those(&self, which: &str) -> Result<Vec<Overdue>, Error> {
        let client = self.database.get().await?;
        let sql = format!(
            "select {EVENT_COLUMNS}, payment.state, payment.name as buyer_name, payment.email, payment.amount_minor,
                    payment.currency as paid_currency, payment.created_at as since, payment.attempts {which}"
        );
        let statement = client.prepare_cached(&sql).await?;
        let rows = client.query(&statement, &[]).await?;
        rows.iter()
            .map(|row| {
                Ok(Overdue {
                    event: Event::from_row(row)?,
                    state: State::parse(row.get("state"))?,
                    name: row.get("buyer_name"),
                    email: row.get("email"),
                    amount_minor: row.get("amount_minor"),
                    currency: currency(row.get("paid_currency"))?,
                    since: row.get("since"),
                    attempts: row.get("attempts"),
                })
            })
            .collect()
    }

    /// Refunds that are not through, the oldest first.
    pub async fn refunds_under_way(&self) -> Result<Vec<OverdueRefund>, Error> {
        let client = self.database.get().await?;
        let sql = format!(
            "select {EVENT_COLUMNS}, payment.name as buyer_name, payment.email, booking.reference, refund.amount_minor,
                    payment.currency as paid_currency, refund.created_at as since, refund.attempts, refund.problem
               from refund
               join payment on payment.id = refund.payment_id
               join event on event.id = payment.event_id
               left join booking on booking.payment_id = payment.id
              where refund.state = 'pending'
              order by refund.created_at
              limit 200"
        );
        let statement = client.prepare_cached(&sql).await?;
        let rows = client.query(&statement, &[]).await?;
        rows.iter()
            .map(|row| {
                Ok(OverdueRefund {
                    event: Event::from_row(row)?,
                    name: row.get("buyer_name"),
                    email: row.get("email"),
                    reference: row.get("reference"),
                    amount_minor: row.get("amount_minor"),
                    currency: currency(row.get("paid_currency"))?,
                    since: row.get("since"),
                    attempts: row.get("attempts"),
                    problem: row.get("problem"),
                })
            })
            .collect()
    }
}

fn currency(code: &str) -> Result<Currency, Error> {
    Currency::parse(code).map_err(|e| Error::Broken(e.to_string()))
}
