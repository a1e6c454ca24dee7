//! Real faults: shoppers hold, amend, pay, press twice and cancel at two servers, while servers, Redis, PostgreSQL and the
//! payment provider are killed and stopped and Redis is flushed, at random. Then everything is started again, recovery
//! settles, and the audit compares seats, bookings and the provider's own ledger.
//!
//! `bin/chaos --minutes N --seed S` runs it for long; the tests run it for a few seconds. The same seed makes the same
//! schedule.

use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::sleep,
    time::{Duration, Instant},
};

use seathold::audit::{self, Ledger, Witnesses};

mod breaking;
mod shoppers;

use crate::box_office::{BoxOffice, Rules};
use breaking::{House, schedule};
use shoppers::{Seen, shop};

/// How many shop at the same time.
const SHOPPERS: usize = 8;

/// A new event goes on sale so often: the shoppers always find seats, and always meet others.
const EVENT_EVERY: Duration = Duration::from_secs(12);

/// How long everything may take to be settled when nothing breaks any more.
const SETTLED_WITHIN: Duration = Duration::from_mins(3);

/// Numbers that look random, the same for the same seed (`SplitMix64`).
#[derive(Clone)]
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `n`.
    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.roll() % n as u64).expect("small")
    }

    /// In so many of a hundred times.
    fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }
}

fn number(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

mod slow {
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn whatever_is_killed_or_stopped_nobody_loses_a_seat_or_money() {
        super::run().await;
    }
}

async fn run() {
    let seed = number("CHAOS_SEED", 1);
    let length = Duration::from_secs(number("CHAOS_SECONDS", 20));
    println!("chaos: seed {seed}, {} s", length.as_secs());
    let faults = schedule(&mut Dice(seed), length);
    let mut house = tokio::task::spawn_blocking(House::open)
        .await
        .expect("a house");

    let mut offices = Vec::new();
    for _ in 0..=length.as_secs() / EVENT_EVERY.as_secs() {
        let rules = Rules::default();
        let office = BoxOffice::at(house.stage(), house.bases(), rules).await;
        offices.push(Arc::new(office));
    }
    let office = Arc::clone(&offices[0]);

    let closing = Arc::new(AtomicBool::new(false));
    let turn = Arc::new(AtomicUsize::new(0));
    let shoppers: Vec<_> = (0..SHOPPERS)
        .map(|at| {
            let (offices, closing, turn) = (offices.clone(), closing.clone(), turn.clone());
            let dice = Dice(seed ^ ((at as u64 + 1) << 32));
            tokio::spawn(shop(offices, turn, closing, dice))
        })
        .collect();

    let house = tokio::task::spawn_blocking(move || {
        let start = Instant::now();
        for fault in faults {
            while start.elapsed() < fault.at {
                sleep(Duration::from_millis(20));
                let events = start.elapsed().as_secs() / EVENT_EVERY.as_secs();
                turn.store(usize::try_from(events).expect("few"), Ordering::Relaxed);
            }
            println!("{:7} ms  {:?}", start.elapsed().as_millis(), fault.what);
            house.breaks(&fault);
        }
        sleep(length.saturating_sub(start.elapsed()));
        house
    })
    .await
    .expect("it broke what it should");
    closing.store(true, Ordering::Relaxed);
    let mut seen = Seen::default();
    for shopper in shoppers {
        seen.add(shopper.await.expect("a shopper met something wrong"));
    }
    settle(&office).await;

    let found = audit::run(&Witnesses {
        database: office.database.clone(),
        redis: office.redis.clone(),
        ledger: Some(Ledger::File(house.stage().ledger())),
        stuck_after: Duration::ZERO,
    })
    .await
    .expect("audited");
    println!("{}", seen.told());
    println!("{}", books(&office).await);
    assert!(found.is_empty(), "{found:#?}");
    seen.still_true(&office).await;
    assert!(seen.bookings > 0, "nobody bought anything");
}

/// What came of the payments.
async fn books(office: &BoxOffice) -> String {
    let client = office.database.get().await.expect("a connection");
    let rows = client
        .query(
            "select state || ' ' || count(*) from payment group by state
              union all
             select 'refunds: ' || reason || ' ' || count(*) from refund group by reason
              order by 1",
            &[],
        )
        .await
        .expect("an answer");
    let lines: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    lines.join(", ")
}

/// Waits until nothing is under way any more; recovery is the servers' own.
async fn settle(office: &BoxOffice) {
    // Cards that are charged late are charged by then.
    tokio::time::sleep(Duration::from_secs(7)).await;
    let client = office.database.get().await.expect("a connection");
    client
        .execute(
            "update payment set look_again_at = now() where look_again_at is not null",
            &[],
        )
        .await
        .expect("due");
    let end = Instant::now() + SETTLED_WITHIN;
    loop {
        let open: i64 = client
            .query_one(
                "select (select count(*) from payment
                          where state in ('pending', 'unknown', 'captured', 'refunding') or look_again_at is not null)
                      + (select count(*) from refund where state = 'pending')",
                &[],
            )
            .await
            .expect("an answer")
            .get(0);
        if open == 0 {
            return;
        }
        assert!(Instant::now() < end, "{open} stay stuck");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
