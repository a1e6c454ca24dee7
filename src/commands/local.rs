//! Trying it out: private servers, a kept secret, and demo events when there are none.

use std::fs;

use jiff::{ToSpan, Zoned, civil::time};
use seathold::{
    config::Serve,
    event::{Events, NewEvent},
    local::{self, Purpose, Servers},
    money::Currency,
    plan,
};

use super::Failure;

/// A demo event: its slug, its name, its venue, its plan, days from today, and prices by category in minor units.
struct Demo {
    slug: &'static str,
    name: &'static str,
    venue: &'static str,
    plan: (&'static str, &'static str),
    days: i64,
    prices: &'static [i64],
}

const DEMOS: [Demo; 2] = [
    Demo {
        slug: "the-tempest",
        name: "The Tempest",
        venue: "Studio Theatre",
        plan: ("studio.json", include_str!("../../plans/studio.json")),
        days: 30,
        prices: &[3200, 2400, 1600],
    },
    Demo {
        slug: "symphonic-night",
        name: "A Symphonic Night",
        venue: "Grand Concert Hall",
        plan: (
            "concert-hall.json",
            include_str!("../../plans/concert-hall.json"),
        ),
        days: 60,
        prices: &[9500, 7500, 5500, 6500, 3500],
    },
];

/// Starts the private servers of the data folder, and sets what a server is to use of them.
pub async fn start(settings: &mut Serve) -> Result<Servers, Failure> {
    let folder = std::path::absolute(&settings.data)?;
    fs::create_dir_all(&folder)
        .map_err(|e| format!("cannot write the data folder {}: {e}", folder.display()))?;
    println!(
        "Starting private PostgreSQL and Redis servers in {}",
        folder.display()
    );
    let (servers, secret) = {
        let folder = folder.clone();
        tokio::task::spawn_blocking(move || {
            let servers = Servers::start(&folder, Purpose::Keep)?;
            local::write_env(&folder, &servers)?;
            let secret = local::secret_key(&folder)?;
            Ok::<_, local::LocalError>((servers, secret))
        })
        .await??
    };
    settings.stores.database_url = Some(servers.database_url().to_owned());
    settings.stores.redis_url = Some(servers.redis_url().to_owned());
    settings.secret_key.get_or_insert(secret);
    settings
        .simulator_ledger
        .get_or_insert(folder.join("simulator.sqlite"));
    Ok(servers)
}

/// Loads the demo events when there is no event at all.
pub async fn load_demo(events: &Events) -> Result<(), Failure> {
    if !events.list(true).await?.is_empty() {
        return Ok(());
    }
    for demo in &DEMOS {
        let (file, text) = demo.plan;
        let (plan, _) = plan::read(file, text.as_bytes())?;
        let prices = (0..plan.categories.len())
            .map(|at| demo.prices[at.min(demo.prices.len() - 1)])
            .collect();
        let day = Zoned::now()
            .in_tz("Europe/Berlin")?
            .checked_add(demo.days.days())?;
        let new = NewEvent {
            slug: demo.slug.to_owned(),
            name: demo.name.to_owned(),
            venue: demo.venue.to_owned(),
            starts_at: day.with().time(time(19, 30, 0, 0)).build()?.timestamp(),
            time_zone: "Europe/Berlin".to_owned(),
            currency: Currency::parse("EUR")?,
            plan: &plan,
            prices,
            hold_seconds: 600,
            hold_cap_seconds: 1800,
            max_seats: 8,
            sales_from: None,
            sales_until: None,
        };
        events.create(&new).await?;
    }
    Ok(())
}
