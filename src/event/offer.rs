//! Putting an event on sale, and changing how it is sold.

use jiff::Timestamp;
use tokio_postgres::types::Json;

use super::{Event, Events};
use crate::{
    Error,
    money::Currency,
    plan::{DUPLICATE_LABEL, NO_LABEL, Plan},
};

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
}

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
    /// New prices by category, in minor units.
    pub prices: Vec<(String, i64)>,
}

/// Why an event was not made or not changed: in words for the one who asked.
#[derive(Debug, thiserror::Error)]
pub enum OfferError {
    /// Another event has this slug.
    #[error("another event has the slug {0:?}: give another with --slug")]
    SlugTaken(String),
    /// There is no event with this slug.
    #[error("there is no event {0:?}: `seathold event list` names them all")]
    NoEvent(String),
    /// The event has no such category.
    #[error("the event has no category {0:?}; it has {1}")]
    NoCategory(String, String),
    /// The rules of the event contradict each other.
    #[error("{0}")]
    Contradiction(&'static str),
    /// Something broke.
    #[error(transparent)]
    Fault(#[from] Error),
}

impl From<tokio_postgres::Error> for OfferError {
    fn from(error: tokio_postgres::Error) -> Self {
        Error::from(error).into()
    }
}

const WRITE_EVENT: &str = "
    insert into event (
        slug, name, venue, starts_at, time_zone, currency, hold_seconds, hold_cap_seconds, max_seats,
        sales_from, sales_until, drawing
    )
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, now()), $11, $12)
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
           sales_from = coalesce($10, sales_from),
           sales_until = coalesce($11, sales_until)
     where slug = $1
 returning id";

impl Events {
    /// Makes an event with one seat row for each seat of its plan, in one transaction.
    pub async fn create(&self, new: &NewEvent<'_>) -> Result<i64, OfferError> {
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
        transaction.commit().await?;
        Ok(event)
    }

    /// Changes how an event is sold.
    pub async fn set(&self, slug: &str, changes: &Changes) -> Result<(), OfferError> {
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
        transaction.commit().await?;
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

    /// Gives a seat another printed label, and puts it on sale if only its label had kept it from that. `key` is its name
    /// in the plan's file, as the importer's report says it; `name` is what people call it, row and label if not given.
    pub async fn rename_seat(
        &self,
        slug: &str,
        key: &str,
        label: &str,
        name: Option<&str>,
    ) -> Result<Renamed, OfferError> {
        let client = self.database.get().await.map_err(Error::from)?;
        let row = client
            .query_opt(
                RENAME_SEAT,
                &[&slug, &key, &label, &name, &DUPLICATE_LABEL, &NO_LABEL],
            )
            .await?;
        Ok(match row {
            None => Renamed::NoSeat,
            Some(row) if row.get(0) => Renamed::LabelTaken,
            Some(row) => Renamed::Done {
                on_sale: row.get(1),
            },
        })
    }
}

const RENAME_SEAT: &str = "
    with named as (
        select seat.*
          from seat
          join event on event.id = seat.event_id
         where event.slug = $1 and seat.key = $2
           for update of seat
    ), clash as (
        select exists (
                   select 1
                     from seat
                     join named on named.event_id = seat.event_id and named.id <> seat.id
                    where seat.zone = named.zone and seat.row_label = named.row_label and seat.label = $3
               ) as taken
    ), renamed as (
        update seat
           set label = $3,
               name = coalesce($4, named.row_label || case when named.row_label ~ '[0-9]$' then '-' else '' end || $3),
               blocked_reason = nullif(nullif(seat.blocked_reason, $5), $6)
          from named, clash
         where seat.id = named.id and not clash.taken
     returning seat.blocked_reason is null as on_sale
    ), freed as (
        -- The former twin, when there was just one.
        update seat
           set blocked_reason = null
          from named, clash
         where not clash.taken and named.label <> $3
           and seat.event_id = named.event_id and seat.id <> named.id and seat.blocked_reason = $5
           and seat.zone = named.zone and seat.row_label = named.row_label and seat.label = named.label
           and 2 = (
                   select count(*)
                     from seat as twin
                    where twin.event_id = named.event_id and twin.zone = named.zone
                      and twin.row_label = named.row_label and twin.label = named.label
               )
    )
    select clash.taken, coalesce((select on_sale from renamed), false) from named, clash";

/// What became of the wish to rename a seat.
#[derive(Debug, PartialEq, Eq)]
pub enum Renamed {
    /// It has its new label; whether it is for sale now.
    Done {
        /// Whether nothing blocks it any more.
        on_sale: bool,
    },
    /// Another seat in its zone and row has that label.
    LabelTaken,
    /// The event has no seat with this key.
    NoSeat,
}

fn understand(error: tokio_postgres::Error, slug: &str) -> OfferError {
    let error = Error::from(error);
    match error.constraint() {
        Some("event_slug_key") => OfferError::SlugTaken(slug.to_owned()),
        Some("event_slug_form") => OfferError::Contradiction(
            "a slug has lower-case letters, digits and single hyphens, such as the-tempest",
        ),
        Some("event_hold_cap") => {
            OfferError::Contradiction("--hold-cap-seconds must not be less than --hold-seconds")
        }
        Some("event_hold_seconds_check") => {
            OfferError::Contradiction("--hold-seconds must be between 1 and 86400")
        }
        Some("event_max_seats_check") => {
            OfferError::Contradiction("--max-seats must be between 1 and 100")
        }
        Some("event_sales_order") => {
            OfferError::Contradiction("--sales-until must be after --sales-from")
        }
        Some("event_name_check") => {
            OfferError::Contradiction("--name must have between 1 and 200 characters")
        }
        Some("event_venue_check") => {
            OfferError::Contradiction("--venue must have between 1 and 200 characters")
        }
        _ => error.into(),
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
