//! Trying it out: private servers, a kept secret, and demo events when there are none.

use std::fs;

use jiff::{ToSpan, Zoned, civil::time};
use seathold::{
    best::{Ask, best},
    config::Serve,
    event::{Cancelling, Events, NewEvent, Write},
    hold::BuyerId,
    local::{self, Purpose, Servers},
    money::Currency,
    payment::{Card, Cashier, Order, Paid, TEST_CARDS},
    plan, random,
    seat_map::SeatMaps,
};
use uuid::Uuid;

use super::Failure;

/// A demo event.
struct Demo {
    slug: &'static str,
    name: &'static str,
    venue: &'static str,
    /// The plan's file and its text.
    plan: (&'static str, &'static str),
    /// Days from today.
    days: i64,
    /// By category, in minor units.
    prices: &'static [i64],
    /// Parties that have booked already, by their names and sizes.
    booked: &'static [(&'static str, usize)],
}

const DEMOS: [Demo; 2] = [
    Demo {
        slug: "the-tempest",
        name: "The Tempest",
        venue: "Studio Theatre",
        plan: ("studio.json", include_str!("../../plans/studio.json")),
        days: 30,
        prices: &[3200, 2400, 1600],
        booked: &[
            ("Amara Okafor", 2),
            ("Jürgen Weiß", 4),
            ("Lucía Fernández", 3),
            ("田中 美咲", 2),
            ("Sam Carter", 1),
            ("Ines Duarte", 5),
            ("Noor Haddad", 2),
            ("Oona Virtanen", 6),
        ],
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
        booked: &[],
    },
];

/// Starts the private servers of the data folder, and sets what a server is to use of them.
pub async fn start(settings: &mut Serve, port: u16) -> Result<Servers, Failure> {
    let folder = std::path::absolute(&settings.data)?;
    fs::create_dir_all(&folder)
        .map_err(|e| format!("cannot write the data folder {}: {e}", folder.display()))?;
    println!("Starting private servers in {}", folder.display());
    let ledger = folder.join("simulator.sqlite");
    let program = std::env::current_exe()?;
    let notify = format!("http://127.0.0.1:{port}/payments/notices");
    // Another provider may be tried out too.
    let neighbour = !settings.provider_inside && settings.provider.payment_url.is_none();
    let more = [
        ("SIMULATOR_LEDGER", ledger.display().to_string()),
        ("PUBLIC_URL", format!("http://localhost:{port}")),
    ];
    let (servers, secret) = {
        let folder = folder.clone();
        tokio::task::spawn_blocking(move || {
            let mut servers = Servers::start(&folder, Purpose::Keep)?;
            if neighbour {
                servers.start_paysim(&program, &notify)?;
            }
            local::write_env(&folder, &servers, &more)?;
            let secret = local::secret_key(&folder)?;
            Ok::<_, local::LocalError>((servers, secret))
        })
        .await??
    };
    settings.stores.database_url = Some(servers.database_url().to_owned());
    settings.stores.redis_url = Some(servers.redis_url().to_owned());
    settings.secret_key.get_or_insert(secret);
    if let Some((url, secret)) = servers.paysim() {
        settings.provider.payment_url = Some(url.to_owned());
        settings.provider.payment_secret = Some(secret.to_owned());
    }
    settings.provider.simulator_ledger.get_or_insert(ledger);
    Ok(servers)
}

/// Loads the demo events when there is no event at all.
pub async fn load_demo(
    events: &Events,
    seat_maps: &SeatMaps,
    cashier: &Cashier,
) -> Result<(), Failure> {
    if !events.list(true).await?.is_empty() {
        return Ok(());
    }
    for demo in &DEMOS {
        let event = create(events, demo).await?;
        for (name, count) in demo.booked {
            book(seat_maps, cashier, event, demo.slug, name, *count).await?;
        }
    }
    Ok(())
}

async fn create(events: &Events, demo: &Demo) -> Result<i64, Failure> {
    let (file, text) = demo.plan;
    let (plan, _) = plan::read(file, text.as_bytes())?;
    let price = |at: usize| demo.prices[at.min(demo.prices.len() - 1)];
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
        prices: (0..plan.categories.len()).map(price).collect(),
        plan: &plan,
        hold_seconds: 600,
        hold_cap_seconds: 1800,
        max_seats: 8,
        sales_from: None,
        sales_until: None,
        cancelling: Cancelling::USUAL,
    };
    Ok(events.create(&new, Write::ForGood).await?)
}

/// Sells the best free seats to a party, by the same claim, charge and confirm as every sale.
async fn book(
    seat_maps: &SeatMaps,
    cashier: &Cashier,
    event: i64,
    slug: &str,
    name: &str,
    count: usize,
) -> Result<(), Failure> {
    let map = seat_maps
        .of_event(slug)
        .await?
        .ok_or("the demo event vanished")?;
    let seats = best(
        &map,
        Ask {
            count,
            category: None,
        },
    )
    .ok_or("the demo room is too small")?;
    let price = |id: &i64| {
        map.seats
            .iter()
            .find(|seat| seat.id == *id)
            .map_or(0, |seat| map.price(seat))
    };
    let card = Card {
        number: TEST_CARDS[0].number.to_owned(),
        expiry: "12/40".to_owned(),
        cvc: "123".to_owned(),
    };
    let order = Order {
        id: Uuid::new_v4(),
        event_id: event,
        hold: random::token(),
        buyer: BuyerId::new(),
        shown_minor: seats.iter().map(price).sum(),
        seats,
        name: name.to_owned(),
        email: "demo@example.org".to_owned(),
        card_last4: card.last4().to_owned(),
        card_expiry: card.expiry.clone(),
    };
    match cashier.pay(order, card).await? {
        Paid::Claimed { .. } => Ok(()),
        Paid::Refused(why) => Err(format!("the demo could not be loaded: {why:?}").into()),
    }
}
