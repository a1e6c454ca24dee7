//! The claim: the transaction that makes the seats a payment's own, before the provider is asked.
//!
//! Lock first, then look: the seat rows are locked in one order, and only a second statement, with its own snapshot, tests
//! them. A test inside the insert would pass on an old snapshot while another's confirm commits.

use std::time::Duration;

use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::{Payment, Payments, State};
use crate::{
    Error, database,
    failpoint::{Point, reach},
    hold::BuyerId,
};

/// What a form of the checkout asked for, checked and complete. `id` to `card_expiry` are the body that a repeat of the
/// key must repeat.
#[derive(Debug, Clone)]
pub struct Order {
    /// The idempotency key.
    pub id: Uuid,
    /// Seats of this event.
    pub event_id: i64,
    /// The hold to pay for.
    pub hold: String,
    /// Who pays.
    pub buyer: BuyerId,
    /// The seats of the hold.
    pub seats: Vec<i64>,
    /// The sum that the form showed, in minor units: compared, never charged.
    pub shown_minor: i64,
    /// The buyer's name.
    pub name: String,
    /// The buyer's address for mail.
    pub email: String,
    /// The card's last four digits.
    pub card_last4: String,
    /// `MM/YY`.
    pub card_expiry: String,
}

impl Order {
    /// Whether `payment` was made from this same body.
    #[must_use]
    pub fn repeats(&self, payment: &Payment) -> bool {
        self.event_id == payment.event_id
            && self.hold == payment.hold
            && self.shown_minor == payment.amount_minor
            && self.name == payment.name
            && self.email == payment.email
            && self.card_last4 == payment.card_last4
            && self.card_expiry == payment.card_expiry
    }
}

/// What became of the wish to pay, before any money moved.
#[derive(Debug)]
pub(super) enum Claimed {
    /// The seats are this payment's own, at its price.
    Yours(Box<Payment>),
    /// They are not, and nothing was written.
    Refused(Refused),
}

/// Why seats were not claimed.
#[derive(Debug)]
pub enum Refused {
    /// These seats are not to be had any more.
    SeatsLost(Vec<i64>),
    /// The price is not what the form showed, but this, in minor units.
    PriceChanged(i64),
    /// The event is not on sale.
    NotOnSale,
    /// The provider cannot be reached just now; it was not asked, and nothing is left to be settled.
    Unavailable,
    /// The hold has a live payment already, or the key has been used: this one.
    Running(Box<Payment>),
}

const LOCK_SEATS: &str = "
    select id
      from seat
     where event_id = $1 and id = any($2)
     order by id
       for update";

const LOOK_AT_SEATS: &str = "
    select seat.id,
           seat.status = 'available' and seat.blocked_reason is null and seat_claim.seat_id is null as free,
           category.price_minor,
           event.currency,
           event.closed_at is null and now() >= event.sales_from
               and now() < coalesce(event.sales_until, event.starts_at) as on_sale
      from seat
      join category on category.id = seat.category_id
      join event on event.id = seat.event_id
      left join seat_claim on seat_claim.event_id = seat.event_id and seat_claim.seat_id = seat.id
     where seat.event_id = $1 and seat.id = any($2)";

const WRITE_PAYMENT: &str = "
    with made as (
        insert into payment (
            id, event_id, hold_id, buyer_id, amount_minor, currency, name, email, card_last4, card_expiry, token,
            next_try_at
        )
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now() + $14::bigint * interval '1 millisecond')
     returning id, event_id
    ), priced as (
        insert into payment_seat (payment_id, event_id, seat_id, price_minor)
        select made.id, made.event_id, seat.id, seat.price
          from made, unnest($12::bigint[], $13::bigint[]) as seat (id, price)
    )
    insert into seat_claim (event_id, seat_id, payment_id)
    select made.event_id, seat.id, made.id
      from made, unnest($12::bigint[]) as seat (id)";

impl Payments {
    /// Writes the payment and claims its seats in one transaction; nothing is written unless all of it can be.
    ///
    /// Whoever recovers asks about it `settle_after` from now, unless it is settled by then.
    pub(super) async fn claim(
        &self,
        order: &Order,
        settle_after: Duration,
    ) -> Result<Claimed, Error> {
        let token = crate::random::token();
        match database::retry(|| self.try_claim(order, &token, settle_after)).await {
            // The seats may be lost to this same hold: a second press, or a second tab, met the first one's claim.
            Ok(Claimed::Refused(Refused::SeatsLost(lost))) => match self.running(order).await? {
                Some(payment) => Ok(Claimed::Refused(Refused::Running(Box::new(payment)))),
                None => Ok(Claimed::Refused(Refused::SeatsLost(lost))),
            },
            Err(e)
                if matches!(
                    e.constraint(),
                    Some("payment_pkey" | "payment_one_live_per_hold")
                ) =>
            {
                self.running(order)
                    .await?
                    .map(|payment| Claimed::Refused(Refused::Running(Box::new(payment))))
                    .ok_or(e)
            }
            // The answer to COMMIT may have been lost with the connection: what counts is what is there. Another press of the
            // same form may have written it; the token tells whose it is.
            Err(e) if e.is_passing() => match self.by_id(order.id).await? {
                Some(payment) if payment.token == token => Ok(Claimed::Yours(Box::new(payment))),
                Some(payment) => Ok(Claimed::Refused(Refused::Running(Box::new(payment)))),
                None => Err(e),
            },
            done => done,
        }
    }

    /// The payment that another press of this form made, or another form of this hold.
    async fn running(&self, order: &Order) -> Result<Option<Payment>, Error> {
        match self.by_id(order.id).await? {
            Some(payment) => Ok(Some(payment)),
            None => self.live_of_hold(&order.hold).await,
        }
    }

    async fn try_claim(
        &self,
        order: &Order,
        token: &str,
        settle_after: Duration,
    ) -> Result<Claimed, Error> {
        let mut client = self.database.get().await?;
        let transaction = client.transaction().await?;
        let (lock, look, write) = futures_util::try_join!(
            transaction.prepare_cached(LOCK_SEATS),
            transaction.prepare_cached(LOOK_AT_SEATS),
            transaction.prepare_cached(WRITE_PAYMENT)
        )?;
        // Sent together, run one after the other, each on its own snapshot.
        let key: [&(dyn ToSql + Sync); 2] = [&order.event_id, &order.seats];
        let (_, rows) = futures_util::try_join!(
            transaction.execute(&lock, &key),
            transaction.query(&look, &key)
        )?;

        let free: Vec<i64> = rows
            .iter()
            .filter(|row| row.get("free"))
            .map(|row| row.get("id"))
            .collect();
        let lost: Vec<i64> = order
            .seats
            .iter()
            .copied()
            .filter(|seat| !free.contains(seat))
            .collect();
        if !lost.is_empty() || free.is_empty() {
            return Ok(Claimed::Refused(Refused::SeatsLost(lost)));
        }
        if !rows.iter().all(|row| row.get("on_sale")) {
            return Ok(Claimed::Refused(Refused::NotOnSale));
        }
        let prices: Vec<i64> = rows.iter().map(|row| row.get("price_minor")).collect();
        let amount_minor: i64 = prices.iter().sum();
        if amount_minor != order.shown_minor {
            return Ok(Claimed::Refused(Refused::PriceChanged(amount_minor)));
        }
        let currency: String = rows[0].get("currency");
        let settle_after = i64::try_from(settle_after.as_millis()).unwrap_or(i64::MAX);
        transaction
            .execute(
                &write,
                &[
                    &order.id,
                    &order.event_id,
                    &order.hold,
                    &order.buyer.as_str(),
                    &amount_minor,
                    &currency,
                    &order.name,
                    &order.email,
                    &order.card_last4,
                    &order.card_expiry,
                    &token,
                    &free,
                    &prices,
                    &settle_after,
                ],
            )
            .await?;
        reach(Point::ClaimWritten).await?;
        transaction.commit().await?;
        Ok(Claimed::Yours(Box::new(Payment {
            id: order.id,
            event_id: order.event_id,
            hold: order.hold.clone(),
            buyer: Some(order.buyer.clone()),
            state: State::Pending,
            amount_minor,
            currency,
            name: order.name.clone(),
            email: order.email.clone(),
            card_last4: order.card_last4.clone(),
            card_expiry: order.card_expiry.clone(),
            token: token.to_owned(),
            decline_reason: None,
        })))
    }
}
