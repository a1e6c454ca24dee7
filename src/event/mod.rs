//! Events: one performance in one room, sold once, with its rules for selling.
//!
//! The invariant: whether an event is on sale is PostgreSQL's answer, by its own clock.

mod cancelling;
mod change;
mod create;
mod offer_error;
mod rename;

use jiff::{Timestamp, tz::TimeZone};
use tokio_postgres::Row;

use crate::{Error, database::Database, money::Currency};
pub use cancelling::Cancelling;
pub use change::Changes;
pub use create::NewEvent;
pub use offer_error::OfferError;
pub use rename::Renamed;

/// One event with its rules.
#[derive(Debug, Clone)]
pub struct Event {
    /// The number that keys in Redis and rows in PostgreSQL name.
    pub id: i64,
    /// The name in addresses.
    pub slug: String,
    /// What is performed.
    pub name: String,
    /// Where.
    pub venue: String,
    /// When.
    pub starts_at: Timestamp,
    /// The zone in which its times are shown.
    pub time_zone: TimeZone,
    /// What its prices are in.
    pub currency: Currency,
    /// When selling begins.
    pub sales_from: Timestamp,
    /// When selling ends.
    pub sales_until: Timestamp,
    /// Whether it can be bought now.
    pub sales: Sales,
    /// How long a hold lasts, and how much an extension gives.
    pub hold_seconds: i32,
    /// How long a hold lasts at most, counted from its first seat.
    pub hold_cap_seconds: i32,
    /// Most seats in one hold.
    pub max_seats: i32,
    /// Until when buyers can give seats back after the sale; none: they cannot.
    pub cancel_until: Option<Timestamp>,
    /// Whether they can now, by PostgreSQL's clock.
    pub can_cancel: bool,
    /// Names the present drawing.
    pub drawing_version: String,
}

/// Whether an event is on sale, by PostgreSQL's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sales {
    /// Not yet.
    Soon,
    /// Now.
    Open,
    /// No more.
    Closed,
}

/// The columns that [`Event::from_row`] reads, from a table or alias `event`.
pub(crate) const EVENT_COLUMNS: &str = "
    event.id, event.slug, event.name, event.venue, event.starts_at, event.time_zone, event.currency,
    event.sales_from, coalesce(event.sales_until, event.starts_at) as sales_until,
    case
        when event.closed_at is not null or now() >= coalesce(event.sales_until, event.starts_at) then 'closed'
        when now() < event.sales_from then 'soon'
        else 'open'
    end as sales,
    event.hold_seconds, event.hold_cap_seconds, event.max_seats,
    event.starts_at - event.cancel_before_seconds * interval '1 second' as cancel_until,
    coalesce(now() < event.starts_at - event.cancel_before_seconds * interval '1 second', false) as can_cancel,
    extract(epoch from event.created_at)::bigint || '-' || event.drawing_version as drawing_version";

impl Event {
    pub(crate) fn from_row(row: &Row) -> Result<Self, Error> {
        let zone: String = row.get("time_zone");
        let currency: String = row.get("currency");
        Ok(Self {
            id: row.get("id"),
            slug: row.get("slug"),
            name: row.get("name"),
            venue: row.get("venue"),
            starts_at: row.get("starts_at"),
            time_zone: TimeZone::get(&zone)
                .map_err(|e| Error::Broken(format!("time zone of an event: {e}")))?,
            currency: Currency::parse(&currency).map_err(|e| Error::Broken(e.to_string()))?,
            sales_from: row.get("sales_from"),
            sales_until: row.get("sales_until"),
            sales: match row.get("sales") {
                "open" => Sales::Open,
                "soon" => Sales::Soon,
                _ => Sales::Closed,
            },
            hold_seconds: row.get("hold_seconds"),
            hold_cap_seconds: row.get("hold_cap_seconds"),
            max_seats: row.get("max_seats"),
            cancel_until: row.get("cancel_until"),
            can_cancel: row.get("can_cancel"),
            drawing_version: row.get("drawing_version"),
        })
    }

    /// A time of this event as people read it, always with its zone: `Sat 31 January 2037, 19:30 CET`.
    #[must_use]
    pub fn show_time(&self, time: Timestamp) -> String {
        time.to_zoned(self.time_zone.clone())
            .strftime("%a %-d %B %Y, %H:%M %Z")
            .to_string()
    }

    /// A time of today, with its zone: `19:42 CET`.
    #[must_use]
    pub fn show_clock(&self, time: Timestamp) -> String {
        time.to_zoned(self.time_zone.clone())
            .strftime("%H:%M %Z")
            .to_string()
    }

    /// When it starts, as people read it.
    #[must_use]
    pub fn starts(&self) -> String {
        self.show_time(self.starts_at)
    }
}

/// An event in the list, with what is left of it.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The event.
    pub event: Event,
    /// All its seats.
    pub seats: i64,
    /// Those that are neither booked, claimed nor blocked; some may be held.
    pub free: i64,
    /// The lowest and the highest price of its seats, in minor units.
    pub prices: Option<(i64, i64)>,
}

/// Whether a text has a slug's form, before a store is asked about it.
#[must_use]
pub fn is_slug(text: &str) -> bool {
    (1..=80).contains(&text.len())
        && text
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// Whether what is written stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    /// It does.
    ForGood,
    /// Everything is checked, and taken back.
    AsATry,
}

/// The events.
#[derive(Clone)]
pub struct Events {
    database: Database,
}

impl Events {
    /// Events that live behind this pool.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// The event with this slug.
    pub async fn by_slug(&self, slug: &str) -> Result<Option<Event>, Error> {
        if !is_slug(slug) {
            return Ok(None);
        }
        let client = self.database.get().await?;
        let statement = client
            .prepare_cached(&format!(
                "select {EVENT_COLUMNS} from event where slug = $1"
            ))
            .await?;
        client
            .query_opt(&statement, &[&slug])
            .await?
            .as_ref()
            .map(Event::from_row)
            .transpose()
    }

    /// The event with this number.
    pub async fn by_id(&self, id: i64) -> Result<Option<Event>, Error> {
        let client = self.database.get().await?;
        let statement = client
            .prepare_cached(&format!("select {EVENT_COLUMNS} from event where id = $1"))
            .await?;
        client
            .query_opt(&statement, &[&id])
            .await?
            .as_ref()
            .map(Event::from_row)
            .transpose()
    }

    /// Events whose start is not over, the next one first; with `all`, past and closed ones too.
    pub async fn list(&self, all: bool) -> Result<Vec<Listed>, Error> {
        let sql = format!(
            "select {EVENT_COLUMNS}, tally.seats, tally.free, tally.cheapest, tally.dearest
               from event
               cross join lateral (
                   select count(*) as seats,
                          count(*) filter (where seat.status = 'available' and seat.blocked_reason is null
                                             and seat_claim.seat_id is null) as free,
                          min(category.price_minor) as cheapest,
                          max(category.price_minor) as dearest
                     from seat
                     join category on category.id = seat.category_id
                     left join seat_claim on seat_claim.event_id = seat.event_id and seat_claim.seat_id = seat.id
                    where seat.event_id = event.id
               ) as tally
              where $1 or (event.closed_at is null and event.starts_at > now())
              order by event.starts_at, event.id
              limit 500"
        );
        let client = self.database.get().await?;
        let statement = client.prepare_cached(&sql).await?;
        let rows = client.query(&statement, &[&all]).await?;
        rows.iter()
            .map(|row| {
                Ok(Listed {
                    event: Event::from_row(row)?,
                    seats: row.get("seats"),
                    free: row.get("free"),
                    prices: Option::zip(row.get("cheapest"), row.get("dearest")),
                })
            })
            .collect()
    }

    /// Whether PostgreSQL answers.
    pub async fn ping(&self) -> Result<(), Error> {
        self.database.get().await?.simple_query("select 1").await?;
        Ok(())
    }
}
