//! `seathold event …`: events made from plans, listed, changed and closed.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use seathold::{
    config::Stores,
    event::{Cancelling, Changes, Event, Events, NewEvent, OfferError, Sales, Write},
    money::Currency,
    plan::{self, Plan},
};

use super::{Failure, open_database};

/// What can be done with events.
#[derive(Subcommand)]
pub enum EventCommand {
    /// Make an event from a seating plan: pretix JSON, or a CSV grid with a cell for each seat
    Create(Box<Create>),
    /// List all events, past ones too
    List {
        #[command(flatten)]
        stores: Stores,
    },
    /// Change how an event is sold; what is not given stays
    Set(Box<Set>),
    /// End the sale of an event, for good
    Close {
        /// The event's slug
        slug: String,
        #[command(flatten)]
        stores: Stores,
    },
}

/// A new event.
#[derive(Args)]
pub struct Create {
    /// What is performed
    #[arg(long)]
    name: String,
    /// Where
    #[arg(long)]
    venue: String,
    /// When, as local time in the time zone: 2037-01-31T19:30
    #[arg(long)]
    starts_at: DateTime,
    /// IANA time zone, such as Europe/Berlin
    #[arg(long, value_parser = parse_zone)]
    time_zone: TimeZone,
    /// The seating plan's file
    #[arg(long, value_name = "FILE")]
    plan: PathBuf,
    /// The name in addresses [default: made of the name]
    #[arg(long)]
    slug: Option<String>,
    /// ISO 4217 code
    #[arg(long, default_value = "EUR", value_parser = Currency::parse)]
    currency: Currency,
    /// Price of a category: "Stalls=45.00"; may be repeated
    #[arg(long, value_name = "CATEGORY=AMOUNT")]
    price: Vec<String>,
    /// Price of every other category
    #[arg(long, default_value = "30.00", value_name = "AMOUNT")]
    default_price: String,
    /// How long a hold lasts, in seconds
    #[arg(long, default_value_t = 600, value_name = "N")]
    hold_seconds: i32,
    /// How long a hold lasts at most, however often it is extended, in seconds
    #[arg(long, default_value_t = 1800, value_name = "N")]
    hold_cap_seconds: i32,
    /// Most seats in one hold
    #[arg(long, default_value_t = 8, value_name = "N")]
    max_seats: i32,
    /// When sales open, as local time [default: now]
    #[arg(long)]
    sales_from: Option<DateTime>,
    /// When sales end, as local time [default: when the event starts]
    #[arg(long)]
    sales_until: Option<DateTime>,
    /// How long before the start buyers can last cancel: 24h, 90m, 7d; "off": they cannot
    #[arg(long, default_value = "24h", value_name = "TIME|off")]
    cancel_until: Cancelling,
    /// Read the plan, print the report, write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    stores: Stores,
}

/// Changes of an event.
#[derive(Args)]
pub struct Set {
    /// The event's slug
    event: String,
    /// What is performed
    #[arg(long)]
    name: Option<String>,
    /// Where
    #[arg(long)]
    venue: Option<String>,
    /// When, as local time in the time zone
    #[arg(long)]
    starts_at: Option<DateTime>,
    /// IANA time zone; times that are not given keep their moment
    #[arg(long, value_parser = parse_zone)]
    time_zone: Option<TimeZone>,
    /// The name in addresses
    #[arg(long)]
    slug: Option<String>,
    /// Price of a category: "Stalls=45.00"; may be repeated
    #[arg(long, value_name = "CATEGORY=AMOUNT")]
    price: Vec<String>,
    /// How long a hold lasts, in seconds
    #[arg(long, value_name = "N")]
    hold_seconds: Option<i32>,
    /// How long a hold lasts at most, in seconds
    #[arg(long, value_name = "N")]
    hold_cap_seconds: Option<i32>,
    /// Most seats in one hold
    #[arg(long, value_name = "N")]
    max_seats: Option<i32>,
    /// When sales open, as local time
    #[arg(long)]
    sales_from: Option<DateTime>,
    /// When sales end, as local time
    #[arg(long)]
    sales_until: Option<DateTime>,
    /// How long before the start buyers can last cancel: 24h, 90m, 7d; "off": they cannot
    #[arg(long, value_name = "TIME|off")]
    cancel_until: Option<Cancelling>,
    /// Check everything, write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    stores: Stores,
}

/// Runs one of the event commands.
pub async fn run(command: EventCommand) -> Result<(), Failure> {
    match command {
        EventCommand::Create(create) => self::create(*create).await,
        EventCommand::List { stores } => list(&stores).await,
        EventCommand::Set(set) => self::set(*set).await,
        EventCommand::Close { slug, stores } => {
            Events::new(open_database(&stores).await?)
                .close(&slug)
                .await?;
            println!("Sales of {slug} are closed.");
            Ok(())
        }
    }
}

async fn create(create: Create) -> Result<(), Failure> {
    let plan = read_plan(&create.plan)?;
    let prices = prices(
        &plan,
        &create.currency,
        &create.price,
        &create.default_price,
    )?;
    let zone_name = create.time_zone.iana_name().unwrap_or("UTC").to_owned();
    let time = |local: DateTime| moment(local, &create.time_zone);
    let new = NewEvent {
        slug: create.slug.unwrap_or_else(|| Event::slug_of(&create.name)),
        name: create.name,
        venue: create.venue,
        starts_at: time(create.starts_at)?,
        time_zone: zone_name,
        currency: create.currency,
        plan: &plan,
        prices,
        hold_seconds: create.hold_seconds,
        hold_cap_seconds: create.hold_cap_seconds,
        max_seats: create.max_seats,
        sales_from: create.sales_from.map(time).transpose()?,
        sales_until: create.sales_until.map(time).transpose()?,
        cancelling: create.cancel_until,
    };
    if create.dry_run {
        // The report needs no database; with one, everything else is checked too.
        if create.stores.database_url.is_some() {
            let events = Events::new(open_database(&create.stores).await?);
            events.create(&new, Write::AsATry).await?;
        }
        println!("Nothing was written (--dry-run).");
        return Ok(());
    }
    let events = Events::new(open_database(&create.stores).await?);
    events.create(&new, Write::ForGood).await?;
    println!("Made the event {}: /events/{}", new.slug, new.slug);
    Ok(())
}

async fn list(stores: &Stores) -> Result<(), Failure> {
    let events = Events::new(open_database(stores).await?).list(true).await?;
    if events.is_empty() {
        println!("There is no event yet: seathold event create --help");
    }
    for listed in events {
        let event = &listed.event;
        let sales = match event.sales {
            Sales::Soon => format!("sales from {}", event.show_time(event.sales_from)),
            Sales::Open => "on sale".to_owned(),
            Sales::Closed => "sales closed".to_owned(),
        };
        let cancelling = match event.cancel_until {
            Some(until) => format!("cancelling until {}", event.show_time(until)),
            None => "no cancelling".to_owned(),
        };
        println!(
            "{}\t{}\t{}\t{} of {} seats free\t{sales}\t{cancelling}",
            event.slug,
            event.name,
            event.starts(),
            listed.free,
            listed.seats
        );
    }
    Ok(())
}

async fn set(set: Set) -> Result<(), Failure> {
    let events = Events::new(open_database(&set.stores).await?);
    let event = events
        .by_slug(&set.event)
        .await?
        .ok_or_else(|| OfferError::NoEvent(set.event.clone()))?;
    let zone = set
        .time_zone
        .clone()
        .unwrap_or_else(|| event.time_zone.clone());
    let time = |local: DateTime| moment(local, &zone);
    let changes = Changes {
        name: set.name,
        venue: set.venue,
        starts_at: set.starts_at.map(time).transpose()?,
        time_zone: set
            .time_zone
            .and_then(|zone| zone.iana_name().map(ToOwned::to_owned)),
        slug: set.slug,
        hold_seconds: set.hold_seconds,
        hold_cap_seconds: set.hold_cap_seconds,
        max_seats: set.max_seats,
        sales_from: set.sales_from.map(time).transpose()?,
        sales_until: set.sales_until.map(time).transpose()?,
        cancelling: set.cancel_until,
        prices: set
            .price
            .iter()
            .map(|price| parse_price(price, &event.currency))
            .collect::<Result<_, _>>()?,
    };
    if set.dry_run {
        events.set(&set.event, &changes, Write::AsATry).await?;
        println!("Nothing was written (--dry-run).");
        return Ok(());
    }
    events.set(&set.event, &changes, Write::ForGood).await?;
    println!("Changed {}.", changes.slug.as_deref().unwrap_or(&set.event));
    Ok(())
}

fn read_plan(file: &Path) -> Result<Plan, Failure> {
    let bytes = std::fs::read(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    let name = file
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let (plan, report) = plan::read(&name, &bytes)?;
    println!("{report}");
    Ok(plan)
}

/// One price for each of the plan's categories, in minor units.
fn prices(
    plan: &Plan,
    currency: &Currency,
    given: &[String],
    default: &str,
) -> Result<Vec<i64>, Failure> {
    let default = currency.minor(default)?;
    let given = given
        .iter()
        .map(|price| parse_price(price, currency))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some((unknown, _)) = given
        .iter()
        .find(|(name, _)| !plan.categories.iter().any(|c| c.name == *name))
    {
        let names: Vec<_> = plan
            .categories
            .iter()
            .map(|category| category.name.as_str())
            .collect();
        return Err(OfferError::NoCategory(unknown.clone(), names.join(", ")).into());
    }
    let price = |name: &str| {
        given
            .iter()
            .rev()
            .find(|(given, _)| given == name)
            .map_or(default, |(_, price)| *price)
    };
    Ok(plan
        .categories
        .iter()
        .map(|category| price(&category.name))
        .collect())
}

fn parse_price(text: &str, currency: &Currency) -> Result<(String, i64), Failure> {
    let (name, amount) = text
        .rsplit_once('=')
        .ok_or_else(|| format!("{text:?} is not a price: write \"CATEGORY=45.00\""))?;
    Ok((name.trim().to_owned(), currency.minor(amount)?))
}

fn parse_zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name)
        .map_err(|_| format!("{name:?} is not an IANA time zone such as Europe/Berlin"))
}

/// The moment of a local time; one that the clocks skip or repeat is refused, since nobody could know which is meant.
fn moment(local: DateTime, zone: &TimeZone) -> Result<Timestamp, Failure> {
    let moment = zone.to_ambiguous_timestamp(local).unambiguous();
    moment.map_err(|_| {
        format!("{local} does not name one moment in that time zone: the clocks change then").into()
    })
}
