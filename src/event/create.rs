//! Putting an event on sale: one row for the event, one for each category and each seat, in one transaction.

use jiff::Timestamp;
use tokio_postgres::types::Json;

use super::{Cancelling, Event, Events, OfferError, Write, offer_error::understand};
use crate::{Error, money::Currency, plan::Plan};

/// A new event.
pub struct NewEvent<'a> {
    /// The name in addresses.
    pub slug: String,
    /// What is performed.
    pub name: String,
    /// Where.
    pub venue: String,
    /// When.
    pub starts_at: Timestamp,
    /// An IANA zone.
    pub time_zone: String,
    /// What its prices are in.
    pub currency: Currency,
    /// The room.
    pub plan: &'a Plan,
    /// One for each of the plan's categories, in minor units.
    pub prices: Vec<i64>,
    /// How long a hold lasts.
    pub hold_seconds: i32,
    /// How long a hold lasts at most.
    pub hold_cap_seconds: i32,
    /// Most seats in one hold.
    pub max_seats: i32,
    /// When selling begins; now if not given.
    pub sales_from: Option<Timestamp>,
    /// When selling ends; with the start if not given.
    pub sales_until: Option<Timestamp>,
    /// Until when buyers can cancel.
    pub cancelling: Cancelling,
}

const WRITE_EVENT: &str = "
    insert into event (
        slug, name, venue, starts_at, time_zone, currency, hold_seconds, hold_cap_seconds, max_seats,
        sales_from, sales_until, cancel_before_seconds, drawing
    )
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, now()), $11, $12, $13)
 returning id";

const WRITE_CATEGORIES: &str = "
    insert into category (event_id, name, color, price_minor, position)
    select $1, category.name, category.color, category.price, category.position
      from unnest($2::text[], $3::text[], $4::bigint[]) with ordinality as category (name, color, price, position)";

const WRITE_SEATS: &str = "
    insert into seat (
        event_id, category_id, key, zone, row_label, label, name, x, y, accessible, blocked_reason, position
    )
    select $1, category.id, seat.key, seat.zone, seat.row_label, seat.label, seat.name, seat.x, seat.y,
           seat.accessible, seat.blocked_reason, seat.position
      from unnest(
               $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::float8[], $9::float8[],
               $10::bool[], $11::text[]
           ) with ordinality as seat (
               category, key, zone, row_label, label, name, x, y, accessible, blocked_reason, position
           )
      join category on category.event_id = $1 and category.position = seat.category + 1";

impl Events {
    /// Makes an event with one seat row for each seat of its plan, in one transaction. A try checks all of it.
    pub async fn create(&self, new: &NewEvent<'_>, how: Write) -> Result<i64, OfferError> {
        let mut client = self.database.get().await.map_err(Error::from)?;
        let transaction = client.transaction().await?;
        let row = transaction
            .query_one(
                WRITE_EVENT,
                &[
                    &new.slug,
                    &new.name,
                    &new.venue,
                    &new.starts_at,
                    &new.time_zone,
                    &new.currency.code(),
                    &new.hold_seconds,
                    &new.hold_cap_seconds,
                    &new.max_seats,
                    &new.sales_from,
                    &new.sales_until,
                    &new.cancelling.before_seconds(),
                    &Json(&new.plan.drawing),
                ],
            )
            .await
            .map_err(|e| understand(e, &new.slug))?;
        let event: i64 = row.get(0);
        let names: Vec<_> = new
            .plan
            .categories
            .iter()
            .map(|category| category.name.as_str())
            .collect();
        let colors: Vec<_> = new
            .plan
            .categories
            .iter()
            .map(|category| category.color.as_str())
            .collect();
        transaction
            .execute(WRITE_CATEGORIES, &[&event, &names, &colors, &new.prices])
            .await?;

        let seats = &new.plan.seats;
        let text =
            |of: fn(&crate::plan::PlanSeat) -> &str| seats.iter().map(of).collect::<Vec<_>>();
        let categories: Vec<_> = seats
            .iter()
            .map(|seat| i32::try_from(seat.category).unwrap_or(0))
            .collect();
        let (x, y): (Vec<_>, Vec<_>) = seats.iter().map(|seat| (seat.x, seat.y)).unzip();
        let accessible: Vec<_> = seats.iter().map(|seat| seat.accessible).collect();
        let blocked: Vec<_> = seats.iter().map(|seat| seat.blocked.as_deref()).collect();
        let written = transaction
            .execute(
                WRITE_SEATS,
                &[
                    &event,
                    &categories,
                    &text(|seat| &seat.key),
                    &text(|seat| &seat.zone),
                    &text(|seat| &seat.row),
                    &text(|seat| &seat.label),
                    &text(|seat| &seat.name),
                    &x,
                    &y,
                    &accessible,
                    &blocked,
                ],
            )
            .await?;
        if usize::try_from(written) != Ok(seats.len()) {
            return Err(Error::Broken(format!(
                "{written} of {} seats could be written",
                seats.len()
            ))
            .into());
        }
        if how == Write::ForGood {
            transaction.commit().await?;
        }
        Ok(event)
    }
}

impl Event {
    /// A slug made of a name in any script: `Die Zauberflöte!` becomes `die-zauberflote`.
    #[must_use]
    pub fn slug_of(name: &str) -> String {
        let slug: String = slug::slugify(name).chars().take(60).collect();
        if slug.is_empty() {
            "event".to_owned()
        } else {
            slug.trim_matches('-').to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_made_of_a_name_in_any_script() {
        assert_eq!(Event::slug_of("Die Zauberflöte!"), "die-zauberflote");
        assert_eq!(
            Event::slug_of("  L’elisir d’amore — 2037 "),
            "l-elisir-d-amore-2037"
        );
        assert_eq!(Event::slug_of("魔笛"), "mo-di");
        assert_eq!(Event::slug_of("!!!"), "event");
    }
}
