//! `seathold seat …`: repairing single seats.

use clap::Subcommand;
use seathold::{
    config::Stores,
    event::{Events, Renamed},
};

use super::{Failure, open_database};

/// What can be done with single seats.
#[derive(Subcommand)]
pub enum SeatCommand {
    /// Give a seat another printed label; puts it on sale if only its label had kept it from that
    Rename {
        /// The event's slug
        slug: String,
        /// The seat's key, as the importer's report says it
        key: String,
        /// The new printed label
        label: String,
        /// What people call the seat [default: row and label]
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        stores: Stores,
    },
}

/// Runs one of the seat commands.
pub async fn run(command: SeatCommand) -> Result<(), Failure> {
    let SeatCommand::Rename {
        slug,
        key,
        label,
        name,
        stores,
    } = command;
    let label = label.trim();
    if label.is_empty() || label.chars().count() > 40 {
        return Err("a seat's label must have between 1 and 40 characters".into());
    }
    let events = Events::new(open_database(&stores).await?);
    match events
        .rename_seat(&slug, &key, label, name.as_deref())
        .await?
    {
        Renamed::Done { on_sale: true } => println!("Seat {key} is {label} now, and for sale."),
        Renamed::Done { on_sale: false } => {
            println!("Seat {key} is {label} now; it is still not for sale.");
        }
        Renamed::LabelTaken => {
            return Err(format!("another seat in that zone and row is called {label}").into());
        }
        Renamed::NoSeat => return Err(format!("{slug} has no seat with the key {key:?}").into()),
    }
    Ok(())
}
