//! The load driver: holds, whole purchases and map views against a running server, each beside its limit, measured in the
//! same run on the same machine. `bin/bench` builds, starts and stops everything around it.
//!
//! It wants `HOST` (address and port of the server), `DATABASE_URL`, `REDIS_URL`, and `BENCH_DIR`, a folder to write to,
//! with the server's static files in `static/`. It adds events, and a database beside the given one.

mod client;
mod houses;
mod limits;
mod measure;
mod shopper;

use std::{env, fs, path::PathBuf, time::Instant};

use client::{Client, Failure};
use measure::{Samples, all};
use shopper::{Shopper, expect};

/// How many of each are measured.
const HOLDS: usize = 8_000;
const PURCHASES: usize = 3_200;
const VIEWS: usize = 3_000;
/// Of the holds that are made one after the other, in a small house and in a large one.
const SINGLE_HOLDS: usize = 1_000;

#[derive(Clone)]
struct Bench {
    host: String,
    database_url: String,
    redis_url: String,
    folder: PathBuf,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let setting =
        |name: &str| env::var(name).map_err(|_| format!("{name} is missing; bin/bench sets it"));
    let bench = Bench {
        host: setting("HOST")?,
        database_url: setting("DATABASE_URL")?,
        redis_url: setting("REDIS_URL")?,
        folder: setting("BENCH_DIR")?.into(),
    };
    println!("| what | rate | p50 / p95 / p99 ms | limit | ratio | target |");
    println!("|---|---|---|---|---|---|");
    bench.house("small", 100, 20).await?;
    bench.holds().await?;
    bench.purchases().await?;
    bench.views().await?;
    bench.large_map().await?;
    bench.sizes().await
}

impl Bench {
    /// A hold of two fresh seats by a fresh buyer, beside the script alone.
    async fn holds(&self) -> Result<(), Failure> {
        let seats = self.house("holds", HOLDS * 2 + 400, 200).await?;
        let work = self.parties("holds", &seats, HOLDS).await?;
        let samples = all(
            &self.host,
            work,
            async |mut client, (shopper, seats): (Shopper, Vec<i64>)| {
                let start = Instant::now();
                shopper.hold(&mut client, "holds", &seats).await?;
                Ok((client, start.elapsed()))
            },
        )
        .await?;
        let limit = limits::acquires(&self.redis_url).await?;
        row(
            "hold (POST, 2 seats)",
            &samples,
            limit,
            "acquire.lua by redis-benchmark -c 16",
            0.25,
        );
        Ok(())
    }

    /// Hold, checkout, pay, booked, beside the transactions alone.
    async fn purchases(&self) -> Result<(), Failure> {
        let seats = self.house("purchases", PURCHASES * 2 + 400, 200).await?;
        let work = self.parties("purchases", &seats, PURCHASES).await?;
        let samples = all(
            &self.host,
            work,
            async |mut client, (shopper, seats): (Shopper, Vec<i64>)| {
                let start = Instant::now();
                shopper.hold(&mut client, "purchases", &seats).await?;
                let checkout = shopper.check_out(&mut client, "purchases").await?;
                shopper.pay(&mut client, "purchases", &checkout).await?;
                Ok((client, start.elapsed()))
            },
        )
        .await?;
        let scratch = self.scratch_database().await?;
        let apart = Bench {
            database_url: scratch.clone(),
            ..self.clone()
        };
        let seats = apart.house("sales", PURCHASES * 2 + 400, 200).await?;
        let limit = limits::sales(&scratch, &self.folder, 1, seats[0], PURCHASES).await?;
        row(
            "purchase (hold, checkout, pay, booked)",
            &samples,
            limit,
            "its transactions by pgbench -c 16",
            0.4,
        );
        Ok(())
    }

    /// The map of a thousand seats, beside its bytes as a file.
    async fn views(&self) -> Result<(), Failure> {
        self.house("views", 1000, 40).await?;
        let mut client = Client::connect(&self.host).await?;
        let cookies = Shopper::arrive(&mut client, "small")
            .await?
            .cookies()
            .to_owned();
        let page = expect(client.get("/events/views", &cookies, false).await?, 200)?.body;
        fs::write(self.folder.join("static").join("bench-map.html"), page)?;
        for (what, gzip) in [
            ("map of 1,000 seats", false),
            ("map of 1,000 seats, gzip", true),
        ] {
            let map = self.gets("/events/views", &cookies, gzip).await?;
            let file = self
                .gets("/static/bench/bench-map.html", &cookies, gzip)
                .await?;
            row(
                what,
                &map,
                file.rate(),
                "the same bytes as a static file",
                0.7,
            );
        }
        Ok(())
    }

    async fn gets(
        &self,
        path: &'static str,
        cookies: &str,
        gzip: bool,
    ) -> Result<Samples, Failure> {
        let work = vec![(path, cookies.to_owned(), gzip); VIEWS];
        all(
            &self.host,
            work,
            async |mut client: Client, (path, cookies, gzip): (&str, String, bool)| {
                let start = Instant::now();
                expect(client.get(path, &cookies, gzip).await?, 200)?;
                Ok((client, start.elapsed()))
            },
        )
        .await
    }

    /// The first page of a large house, one viewer at a time.
    async fn large_map(&self) -> Result<(), Failure> {
        self.house("large", 20_000, 200).await?;
        let mut client = Client::connect(&self.host).await?;
        let cookies = Shopper::arrive(&mut client, "small")
            .await?
            .cookies()
            .to_owned();
        let mut times = Vec::new();
        let mut bytes = 0;
        for _ in 0..30 {
            let start = Instant::now();
            bytes = expect(client.get("/events/large", &cookies, true).await?, 200)?
                .body
                .len();
            times.push(start.elapsed());
        }
        let kilobytes = bytes / 1000;
        println!(
            "| map of 20,000 seats, gzip, {kilobytes} kB | {} | | | ≤ 50 ms, ≤ 200 kB |",
            Samples::of(times).cells()
        );
        Ok(())
    }

    /// One hold at a time in a small house and in a large one, in turns; each is given back before the next.
    async fn sizes(&self) -> Result<(), Failure> {
        let mut houses = [
            ("hundred", self.house("hundred", 100, 10).await?, Vec::new()),
            (
                "hundred-thousand",
                self.house("hundred-thousand", 100_000, 400).await?,
                Vec::new(),
            ),
        ];
        let mut client = Client::connect(&self.host).await?;
        let shopper = Shopper::arrive(&mut client, "small").await?;
        for turn in 0..SINGLE_HOLDS {
            for (event, seats, times) in &mut houses {
                let first = turn * 7919 % (seats.len() - 1);
                let start = Instant::now();
                shopper
                    .hold(&mut client, event, &seats[first..first + 2])
                    .await?;
                times.push(start.elapsed());
                let checkout = shopper.check_out(&mut client, event).await?;
                shopper.release(&mut client, event, &checkout).await?;
            }
        }
        let [small, large] = houses.map(|(.., times)| Samples::of(times));
        println!(
            "| one hold at a time, 100 seats | {} | | | |",
            small.cells()
        );
        let ratio = large.percentile(50) / small.percentile(50);
        println!(
            "| one hold at a time, 100,000 seats | {} | | {ratio:.2} of the time | 1 within noise |",
            large.cells()
        );
        Ok(())
    }
}

fn row(what: &str, samples: &Samples, limit: f64, of: &str, target: f64) {
    let ratio = samples.rate() / limit;
    println!(
        "| {what} | {} | {limit:.0} /s: {of} | {ratio:.2} | ≥ {target} |",
        samples.cells()
    );
}
