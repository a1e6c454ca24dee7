//! Taking seats off sale, and putting them back.
//!
//! The invariant: a seat that is sold, or that a payment is claiming, is never blocked. The seats' rows are locked first, in
//! one order, and looked at afterwards by a second statement, so that whoever claims or confirms at the same time is either
//! before us, and then we see it, or after us, and then it sees the block. All of the named seats, or none.

use deadpool_postgres::Transaction;
use serde_json::{Value, json};

use super::{Action, Staff, audit};
use crate::{
    Error, database,
    plan::{DUPLICATE_LABEL, NO_LABEL},
};

/// What became of the wish to take seats off sale. Seats are named as people call them.
#[derive(Debug, PartialEq, Eq)]
pub enum Blocked {
    /// These are not for sale now.
    Done(Vec<String>),
    /// Nothing changed: some of the seats are in others' hands.
    Refused {
        /// Those that are sold.
        booked: Vec<String>,
        /// Those that are being paid for.
        claimed: Vec<String>,
    },
    /// Nothing changed: not all of the seats belong to this event.
    Unknown,
}

/// What became of the wish to put seats back on sale. Seats are named as people call them.
#[derive(Debug, PartialEq, Eq)]
pub enum Unblocked {
    /// These are for sale now; those that had not been blocked are not among them.
    Done(Vec<String>),
    /// Nothing changed: these have no label, or that of another seat in their row, and must be renamed first.
    NeedLabel(Vec<String>),
    /// Nothing changed: not all of the seats belong to this event.
    Unknown,
}

/// A locked seat.
struct Looked {
    id: i64,
    name: String,
    booked: bool,
    claimed: bool,
    blocked: Option<String>,
}

impl Looked {
    /// Whether its label keeps it off sale, which only another label ends.
    fn needs_label(&self) -> bool {
        matches!(self.blocked.as_deref(), Some(DUPLICATE_LABEL | NO_LABEL))
    }
}

const LOCK_SEATS: &str = "
    select id
      from seat
     where event_id = $1 and id = any($2)
     order by id
       for update";

const LOOK_AT_SEATS: &str = "
    select seat.id, seat.name, seat.status = 'booked', seat_claim.seat_id is not null, seat.blocked_reason
      from seat
      left join seat_claim on seat_claim.event_id = seat.event_id and seat_claim.seat_id = seat.id
     where seat.event_id = $1 and seat.id = any($2)
     order by seat.position";

const SET_BLOCK: &str = "
    update seat
       set blocked_reason = $3
     where event_id = $1 and id = any($2)";

impl Staff {
    /// Takes these seats off sale.
    pub async fn block(
        &self,
        member: i64,
        event: i64,
        seats: &[i64],
        reason: &str,
    ) -> Result<Blocked, Error> {
        database::retry(|| self.try_block(member, event, seats, reason)).await
    }

    async fn try_block(
        &self,
        member: i64,
        event: i64,
        seats: &[i64],
        reason: &str,
    ) -> Result<Blocked, Error> {
        let mut client = self.database.get().await?;
        let transaction = client.transaction().await?;
        let looked = lock_and_look(&transaction, event, seats).await?;
        if looked.len() != seats.len() {
            return Ok(Blocked::Unknown);
        }
        let booked = names(&looked, |seat| seat.booked);
        let claimed = names(&looked, |seat| seat.claimed && !seat.booked);
        if !booked.is_empty() || !claimed.is_empty() {
            return Ok(Blocked::Refused { booked, claimed });
        }
        // A seat without a label of its own keeps that reason: it must not get on sale by being blocked and unblocked.
        let named: Vec<i64> = looked
            .iter()
            .filter(|seat| !seat.needs_label())
            .map(|seat| seat.id)
            .collect();
        transaction
            .execute(SET_BLOCK, &[&event, &named, &Some(reason)])
            .await?;
        audit::write(
            &transaction,
            Some(member),
            Action::Block,
            Some(event),
            reason,
            &detail(looked.iter()),
        )
        .await?;
        transaction.commit().await?;
        Ok(Blocked::Done(names(&looked, |_| true)))
    }

    /// Puts these seats back on sale.
    pub async fn unblock(
        &self,
        member: i64,
        event: i64,
        seats: &[i64],
        reason: &str,
    ) -> Result<Unblocked, Error> {
        database::retry(|| self.try_unblock(member, event, seats, reason)).await
    }

    async fn try_unblock(
        &self,
        member: i64,
        event: i64,
        seats: &[i64],
        reason: &str,
    ) -> Result<Unblocked, Error> {
        let mut client = self.database.get().await?;
        let transaction = client.transaction().await?;
        let looked = lock_and_look(&transaction, event, seats).await?;
        if looked.len() != seats.len() {
            return Ok(Unblocked::Unknown);
        }
        let nameless = names(&looked, Looked::needs_label);
        if !nameless.is_empty() {
            return Ok(Unblocked::NeedLabel(nameless));
        }
        let freed = names(&looked, |seat| seat.blocked.is_some());
        if freed.is_empty() {
            return Ok(Unblocked::Done(freed));
        }
        transaction
            .execute(SET_BLOCK, &[&event, &seats, &None::<&str>])
            .await?;
        let detail = detail(looked.iter().filter(|seat| seat.blocked.is_some()));
        audit::write(
            &transaction,
            Some(member),
            Action::Unblock,
            Some(event),
            reason,
            &detail,
        )
        .await?;
        transaction.commit().await?;
        Ok(Unblocked::Done(freed))
    }
}

async fn lock_and_look(
    transaction: &Transaction<'_>,
    event: i64,
    seats: &[i64],
) -> Result<Vec<Looked>, Error> {
    transaction.execute(LOCK_SEATS, &[&event, &seats]).await?;
    let rows = transaction.query(LOOK_AT_SEATS, &[&event, &seats]).await?;
    let looked = rows.iter().map(|row| Looked {
        id: row.get(0),
        name: row.get(1),
        booked: row.get(2),
        claimed: row.get(3),
        blocked: row.get(4),
    });
    Ok(looked.collect())
}

fn names(looked: &[Looked], which: impl Fn(&Looked) -> bool) -> Vec<String> {
    looked
        .iter()
        .filter(|seat| which(seat))
        .map(|seat| seat.name.clone())
        .collect()
}

/// The seats, each with the reason for which it had been blocked until now.
fn detail<'a>(looked: impl Iterator<Item = &'a Looked>) -> Value {
    let seats: Vec<_> = looked
        .map(|seat| json!({ "id": seat.id, "name": seat.name, "former_reason": seat.blocked }))
        .collect();
    json!({ "seats": seats })
}
