//! The seat map: every seat of an event with its one state now, by precedence booked, claimed, blocked, held, open.

use tokio_postgres::types::{Json, ToSql};

use crate::{
    Error,
    database::Database,
    event::{EVENT_COLUMNS, Event, is_slug},
    hold::Hold,
    plan::Drawing,
};

/// What a seat is to the one who looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeatState {
    /// To be had.
    Open,
    /// Held by the one who looks.
    Yours,
    /// Held by someone, or claimed by someone's running payment.
    Held,
    /// Sold.
    Booked,
    /// Not for sale.
    Blocked,
}

/// A price category.
#[derive(Debug, Clone)]
pub struct Category {
    /// Its row.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// `#rrggbb`.
    pub color: String,
    /// Price of one seat, in minor units.
    pub price_minor: i64,
}

/// One seat on the map.
#[derive(Debug, Clone)]
pub struct MapSeat {
    /// Its row; what the form names.
    pub id: i64,
    /// Zone, such as `Stalls`; may be empty.
    pub zone: String,
    /// Row; may be empty.
    pub row: String,
    /// Printed label within the row.
    pub label: String,
    /// What people call it: `C14`.
    pub name: String,
    /// Index into [`SeatMap::categories`].
    pub category: usize,
    /// Centre, in seat pitches from the left.
    pub x: f64,
    /// Centre, in seat pitches from the top.
    pub y: f64,
    /// For a wheelchair, or without steps.
    pub accessible: bool,
    /// Its state.
    pub state: SeatState,
}

impl MapSeat {
    /// What is written on it: the printed label, without the row that stands at the row's ends.
    #[must_use]
    pub fn face(&self) -> &str {
        let rest = self
            .label
            .strip_prefix(self.row.as_str())
            .filter(|_| !self.row.is_empty());
        rest.and_then(|rest| rest.strip_prefix(['-', ' ', '/']))
            .filter(|rest| !rest.is_empty())
            .unwrap_or(&self.label)
    }
}

/// An event's room with everything in it.
#[derive(Debug, Clone)]
pub struct SeatMap {
    /// The event.
    pub event: Event,
    /// The room.
    pub drawing: Drawing,
    /// Categories, in the plan's order.
    pub categories: Vec<Category>,
    /// Seats, in reading order: zone, row, seat.
    pub seats: Vec<MapSeat>,
}

impl SeatMap {
    /// Lays the holds over what PostgreSQL knows: `held` are all held seats, `mine` is the hold of the one who looks.
    pub fn lay_holds(&mut self, mine: Option<&Hold>, held: &[i64]) {
        let held: std::collections::HashSet<_> = held.iter().copied().collect();
        for seat in &mut self.seats {
            let yours = mine.is_some_and(|hold| hold.seats.contains(&seat.id));
            seat.state = match seat.state {
                SeatState::Open | SeatState::Held if yours => SeatState::Yours,
                SeatState::Open if held.contains(&seat.id) => SeatState::Held,
                state => state,
            };
        }
    }

    /// The price of one seat, in minor units.
    #[must_use]
    pub fn price(&self, seat: &MapSeat) -> i64 {
        self.categories
            .get(seat.category)
            .map_or(0, |category| category.price_minor)
    }
}

/// A seat that a form asked for, as PostgreSQL knows it.
#[derive(Debug, Clone)]
pub struct AskedSeat {
    /// Its row.
    pub id: i64,
    /// Whether it is available, unblocked and unclaimed.
    pub open: bool,
}

/// A seat in someone's hands, with what it costs.
#[derive(Debug, Clone)]
pub struct PricedSeat {
    /// Its row.
    pub id: i64,
    /// Zone; may be empty.
    pub zone: String,
    /// Row; may be empty.
    pub row: String,
    /// Printed label within the row.
    pub label: String,
    /// What people call it.
    pub name: String,
    /// Its category's name.
    pub category: String,
    /// In minor units.
    pub price_minor: i64,
}

const STATE: &str = "
    case
        when seat.status = 'booked' then 'booked'
        when seat_claim.seat_id is not null then 'claimed'
        when seat.blocked_reason is not null then 'blocked'
        else 'open'
    end";

/// Reads seats of events.
#[derive(Clone)]
pub struct SeatMaps {
    database: Database,
}

impl SeatMaps {
    /// Maps of events that live behind this pool.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// The whole map of an event, as PostgreSQL knows it: one round trip, three statements at once.
    pub async fn of_event(&self, slug: &str) -> Result<Option<SeatMap>, Error> {
        if !is_slug(slug) {
            return Ok(None);
        }
        let client = self.database.get().await?;
        let event_sql = format!("select {EVENT_COLUMNS}, event.drawing from event where slug = $1");
        let category_sql = "
            select category.id, category.name, category.color, category.price_minor
              from category
              join event on event.id = category.event_id
             where event.slug = $1
             order by category.position";
        let seat_sql = format!(
            "select seat.id, seat.category_id, seat.zone, seat.row_label, seat.label, seat.name, seat.x, seat.y,
                    seat.accessible, {STATE} as state
               from seat
               join event on event.id = seat.event_id
               left join seat_claim on seat_claim.event_id = seat.event_id and seat_claim.seat_id = seat.id
              where event.slug = $1
              order by seat.position"
        );
        let (event_statement, category_statement, seat_statement) = futures_util::try_join!(
            client.prepare_cached(&event_sql),
            client.prepare_cached(category_sql),
            client.prepare_cached(&seat_sql)
        )?;
        let key: [&(dyn ToSql + Sync); 1] = [&slug];
        let (event, categories, seats) = futures_util::try_join!(
            client.query_opt(&event_statement, &key),
            client.query(&category_statement, &key),
            client.query(&seat_statement, &key)
        )?;
        let Some(event) = event else { return Ok(None) };
        let Json(drawing): Json<Drawing> = event
            .try_get("drawing")
            .map_err(|e| Error::Broken(format!("drawing of {slug}: {e}")))?;
        let categories: Vec<_> = categories
            .iter()
            .map(|row| Category {
                id: row.get(0),
                name: row.get(1),
                color: row.get(2),
                price_minor: row.get(3),
            })
            .collect();
        let seats = seats
            .iter()
            .map(|row| MapSeat {
                id: row.get(0),
                zone: row.get(2),
                row: row.get(3),
                label: row.get(4),
                name: row.get(5),
                category: categories
                    .iter()
                    .position(|c| c.id == row.get::<_, i64>(1))
                    .unwrap_or(0),
                x: row.get(6),
                y: row.get(7),
                accessible: row.get(8),
                state: match row.get(9) {
                    "booked" => SeatState::Booked,
                    "claimed" => SeatState::Held,
                    "blocked" => SeatState::Blocked,
                    _ => SeatState::Open,
                },
            })
            .collect();
        Ok(Some(SeatMap {
            event: Event::from_row(&event)?,
            drawing,
            categories,
            seats,
        }))
    }

    /// The event, and those of the named seats that are its own: one round trip.
    pub async fn ask(
        &self,
        slug: &str,
        seats: &[i64],
    ) -> Result<Option<(Event, Vec<AskedSeat>)>, Error> {
        if !is_slug(slug) {
            return Ok(None);
        }
        let client = self.database.get().await?;
        let event_sql = format!("select {EVENT_COLUMNS} from event where slug = $1");
        let seat_sql = format!(
            "select seat.id, {STATE} = 'open'
               from seat
               join event on event.id = seat.event_id
               left join seat_claim on seat_claim.event_id = seat.event_id and seat_claim.seat_id = seat.id
              where event.slug = $1 and seat.id = any($2)"
        );
        let (event_statement, seat_statement) = futures_util::try_join!(
            client.prepare_cached(&event_sql),
            client.prepare_cached(&seat_sql)
        )?;
        let named: [&(dyn ToSql + Sync); 2] = [&slug, &seats];
        let (event, rows) = futures_util::try_join!(
            client.query_opt(&event_statement, &named[..1]),
            client.query(&seat_statement, &named)
        )?;
        let Some(event) = event else { return Ok(None) };
        let asked = rows
            .iter()
            .map(|row| AskedSeat {
                id: row.get(0),
                open: row.get(1),
            })
            .collect();
        Ok(Some((Event::from_row(&event)?, asked)))
    }

    /// These seats of an event with their prices now, in reading order.
    pub async fn priced(&self, event: i64, seats: &[i64]) -> Result<Vec<PricedSeat>, Error> {
        let client = self.database.get().await?;
        let statement = client
            .prepare_cached(
                "select seat.id, seat.zone, seat.row_label, seat.label, seat.name, category.name, category.price_minor
                   from seat
                   join category on category.id = seat.category_id
                  where seat.event_id = $1 and seat.id = any($2)
                  order by seat.position",
            )
            .await?;
        let rows = client.query(&statement, &[&event, &seats]).await?;
        Ok(rows
            .iter()
            .map(|row| PricedSeat {
                id: row.get(0),
                zone: row.get(1),
                row: row.get(2),
                label: row.get(3),
                name: row.get(4),
                category: row.get(5),
                price_minor: row.get(6),
            })
            .collect())
    }
}
