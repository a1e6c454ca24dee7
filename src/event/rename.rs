//! Renaming a seat, which puts on sale what only its label had kept from it.

use super::{Events, OfferError};
use crate::{
    Error,
    plan::{DUPLICATE_LABEL, NO_LABEL},
};

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

impl Events {
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
