//! What came of a payment, in the books: each record is one compare-and-set, and takes the claims away in the same
//! statement where the payment needs them no more.

use std::time::Duration;

use uuid::Uuid;

use super::{Payments, State};
use crate::Error;

/// A payment that ended without a sale is asked about once more after this long.
const LOOK_AGAIN_AFTER: Duration = Duration::from_mins(2);

const CAPTURED: &str = "
    update payment set state = 'captured' where id = $1 and state in ('pending', 'unknown')";

const UNKNOWN: &str = "
    update payment set state = 'unknown' where id = $1 and state = 'pending'";

const NOT_CHARGED: &str = "
    with settled as (
        update payment
           set state = $2, decline_reason = $3, settled_at = now(),
               look_again_at = now() + $4::bigint * interval '1 second'
         where id = $1 and state in ('pending', 'unknown')
     returning id
    )
    delete from seat_claim using settled where seat_claim.payment_id = settled.id";

/// The money goes back: of a payment without a price there is nothing to return. A late capture passes through `captured`
/// within this statement.
const REFUNDING: &str = "
    with lost as (
        update payment
           set state = case when amount_minor > 0 then 'refunding' else 'refunded' end,
               settled_at = case when amount_minor > 0 then null else now() end,
               look_again_at = null
         where id = $1 and state = any($2)
     returning id, amount_minor
    ), owed as (
        insert into refund (id, payment_id, amount_minor, reason)
        select $3, id, amount_minor, $4 from lost where amount_minor > 0
    )
    delete from seat_claim using lost where seat_claim.payment_id = lost.id";

impl Payments {
    /// Notes that the money was taken; false when the payment is not waiting for that (any more).
    pub(super) async fn record_captured(&self, id: Uuid) -> Result<bool, Error> {
        let client = self.database.get().await?;
        let statement = client.prepare_cached(CAPTURED).await?;
        Ok(client.execute(&statement, &[&id]).await? == 1)
    }

    /// Notes that the provider did not answer. Whoever recovers asks again.
    pub(super) async fn record_unknown(&self, id: Uuid) -> Result<(), Error> {
        let client = self.database.get().await?;
        let statement = client.prepare_cached(UNKNOWN).await?;
        client.execute(&statement, &[&id]).await?;
        Ok(())
    }

    /// Notes a decline or a void.
    pub(super) async fn record_not_charged(
        &self,
        id: Uuid,
        state: State,
        reason: Option<&str>,
    ) -> Result<(), Error> {
        let client = self.database.get().await?;
        let statement = client.prepare_cached(NOT_CHARGED).await?;
        let again = i64::try_from(LOOK_AGAIN_AFTER.as_secs()).unwrap_or(120);
        client
            .execute(&statement, &[&id, &state.as_str(), &reason, &again])
            .await?;
        Ok(())
    }

    /// Notes that a charged payment in one of these states cannot have its seats: the whole sum goes back.
    pub(super) async fn record_refunding(
        &self,
        id: Uuid,
        from: &[State],
        reason: &str,
    ) -> Result<(), Error> {
        let from: Vec<_> = from.iter().map(|state| state.as_str()).collect();
        let client = self.database.get().await?;
        let statement = client.prepare_cached(REFUNDING).await?;
        client
            .execute(&statement, &[&id, &from, &Uuid::new_v4(), &reason])
            .await?;
        Ok(())
    }
}
