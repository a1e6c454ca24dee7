//! Changing how an event is sold, and ending its sale.

use jiff::Timestamp;

use super::{Cancelling, Events, OfferError, Write, offer_error::understand};
use crate::Error;

/// What is to change about an event; what is not given stays.
#[derive(Debug, Default)]
pub struct Changes {
    /// What is performed.
    pub name: Option<String>,
    /// Where.
    pub venue: Option<String>,
    /// When.
    pub starts_at: Option<Timestamp>,
    /// An IANA zone.
    pub time_zone: Option<String>,
    /// The name in addresses.
    pub slug: Option<String>,
    /// How long a hold lasts, from the next one on.
    pub hold_seconds: Option<i32>,
    /// How long a hold lasts at most.
    pub hold_cap_seconds: Option<i32>,
    /// Most seats in one hold.
    pub max_seats: Option<i32>,
    /// When selling begins.
    pub sales_from: Option<Timestamp>,
    /// When selling ends.
    pub sales_until: Option<Timestamp>,
    /// Until when buyers can cancel.
    pub cancelling: Option<Cancelling>,
    /// New prices by category, in minor units.
    pub prices: Vec<(String, i64)>,
}

const CHANGE_EVENT: &str = "
    update event
       set name = coalesce($2, name),
           venue = coalesce($3, venue),
           starts_at = coalesce($4, starts_at),
           time_zone = coalesce($5, time_zone),
           slug = coalesce($6, slug),
           hold_seconds = coalesce($7, hold_seconds),
           hold_cap_seconds = coalesce($8, hold_cap_seconds),
           max_seats = coalesce($9, max_seats),
           limits_since = case when $8::integer is null and $9::integer is null then limits_since else now() end,
           sales_from = coalesce($10, sales_from),
           sales_until = coalesce($11, sales_until),
           cancel_before_seconds = case when $12 then $13 else cancel_before_seconds end
     where slug = $1
 returning id";

impl Events {
    /// Changes how an event is sold. A try checks all of it.
    pub async fn set(&self, slug: &str, changes: &Changes, how: Write) -> Result<(), OfferError> {
        let mut client = self.database.get().await.map_err(Error::from)?;
        let transaction = client.transaction().await?;
        let row = transaction
            .query_opt(
                CHANGE_EVENT,
                &[
                    &slug,
                    &changes.name,
                    &changes.venue,
                    &changes.starts_at,
                    &changes.time_zone,
                    &changes.slug,
                    &changes.hold_seconds,
                    &changes.hold_cap_seconds,
                    &changes.max_seats,
                    &changes.sales_from,
                    &changes.sales_until,
                    &changes.cancelling.is_some(),
                    &changes.cancelling.and_then(Cancelling::before_seconds),
                ],
            )
            .await
            .map_err(|e| understand(e, changes.slug.as_deref().unwrap_or(slug)))?;
        let event: i64 = row
            .ok_or_else(|| OfferError::NoEvent(slug.to_owned()))?
            .get(0);
        let (names, prices): (Vec<_>, Vec<_>) = changes.prices.iter().cloned().unzip();
        let known = transaction
            .query(
                "select name from category where event_id = $1 order by position",
                &[&event],
            )
            .await?;
        let known: Vec<String> = known.iter().map(|row| row.get(0)).collect();
        if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
            return Err(OfferError::NoCategory(unknown.clone(), known.join(", ")));
        }
        transaction
            .execute(
                "update category
                    set price_minor = priced.price
                   from unnest($2::text[], $3::bigint[]) as priced (name, price)
                  where category.event_id = $1 and category.name = priced.name",
                &[&event, &names, &prices],
            )
            .await?;
        if how == Write::ForGood {
            transaction.commit().await?;
        }
        Ok(())
    }

    /// Ends the sale of an event, for good.
    pub async fn close(&self, slug: &str) -> Result<(), OfferError> {
        let client = self.database.get().await.map_err(Error::from)?;
        let closed = client
            .execute(
                "update event set closed_at = coalesce(closed_at, now()) where slug = $1",
                &[&slug],
            )
            .await?;
        if closed == 0 {
            Err(OfferError::NoEvent(slug.to_owned()))
        } else {
            Ok(())
        }
    }
}
