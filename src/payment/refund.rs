//! Refunds: money on its way back, each a row of its own with its own key at the provider, tried until it is through.
//!
//! The invariant: work is taken by a committed lease, and the provider is asked by the refund's key outside of any
//! transaction, so that however often it is tried, it is returned once.

use futures_util::future::join_all;
use uuid::Uuid;

use super::{Cashier, Payments, Returned, recovery::ask};
use crate::{
    Error,
    failpoint::{Point, reach},
};

/// A refund that is due.
struct Due {
    id: Uuid,
    /// Under whose key the money was taken.
    payment: Uuid,
    amount_minor: i64,
}

const LEASE: &str = "
    update refund
       set next_try_at = now() + interval '30 seconds', attempts = attempts + 1
     where id in (
               select id
                 from refund
                where state = 'pending' and next_try_at <= now()
                order by next_try_at
                limit 20
                  for update skip locked
           )
 returning id, payment_id, amount_minor";

/// A payment that lost its seats has one refund, and is settled with it.
const DONE: &str = "
    with done as (
        update refund
           set state = 'done', done_at = now(), problem = null
         where id = $1 and state = 'pending'
     returning id, payment_id, amount_minor
    ), settled as (
        update payment
           set state = 'refunded', settled_at = now()
          from done
         where payment.id = done.payment_id and payment.state = 'refunding'
    )
    insert into outbox (kind, booking_id, payload)
    select 'refund.completed', booking.id,
           jsonb_build_object('refund', done.id, 'payment', payment.id, 'event', payment.event_id, 'booking', booking.id,
                              'returned_minor', done.amount_minor, 'currency', payment.currency)
      from done
      join payment on payment.id = done.payment_id
      left join booking on booking.payment_id = payment.id";

/// The pauses grow from two seconds to an hour.
const NOT_YET: &str = "
    update refund
       set problem = $2, next_try_at = now() + least(power(2, least(attempts, 12)), 3600) * interval '1 second'
     where id = $1 and state = 'pending'";

impl Cashier {
    /// Takes the refunds that are due and returns the money of each; returns how many were taken.
    pub(super) async fn refund_due(&self) -> Result<usize, Error> {
        let due = self.payments.lease_refunds().await?;
        if !due.is_empty() {
            reach(Point::RefundLeased).await?;
        }
        join_all(due.iter().map(async |refund| {
            if let Err(error) = self.refund(refund).await {
                tracing::error!(refund = %refund.id, %error, "a refund could not be recorded");
            }
        }))
        .await;
        Ok(due.len())
    }

    async fn refund(&self, refund: &Due) -> Result<(), Error> {
        let Due {
            id,
            payment,
            amount_minor,
        } = *refund;
        let answer = ask(self.provider.refund(payment, id, amount_minor)).await;
        let problem = match answer {
            Ok(Returned::Done) => {
                reach(Point::RefundSent).await?;
                self.payments.record_returned(id).await?;
                return reach(Point::RefundRecorded).await;
            }
            Ok(Returned::Refused(why)) => why,
            Err(error) => error.to_string(),
        };
        tracing::warn!(refund = %id, problem, "money could not be returned yet");
        self.payments.record_not_returned(id, &problem).await
    }
}

impl Payments {
    async fn lease_refunds(&self) -> Result<Vec<Due>, Error> {
        let client = self.database.get().await?;
        let statement = client.prepare_cached(LEASE).await?;
        let rows = client.query(&statement, &[]).await?;
        Ok(rows
            .iter()
            .map(|row| Due {
                id: row.get(0),
                payment: row.get(1),
                amount_minor: row.get(2),
            })
            .collect())
    }

    /// Notes that the money went back, and tells of it, in one statement.
    async fn record_returned(&self, id: Uuid) -> Result<(), Error> {
        let client = self.database.get().await?;
        let statement = client.prepare_cached(DONE).await?;
        client.execute(&statement, &[&id]).await?;
        Ok(())
    }

    async fn record_not_returned(&self, id: Uuid, problem: &str) -> Result<(), Error> {
        let client = self.database.get().await?;
        let statement = client.prepare_cached(NOT_YET).await?;
        client.execute(&statement, &[&id, &problem]).await?;
        Ok(())
    }
}
