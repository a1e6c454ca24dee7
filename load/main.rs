//! The load driver: holds, whole purchases and map views against a running server, each beside its limit, measured in the
//! same run on the same machine. `bin/bench` builds, starts and stops everything around it.
//!
//! It wants `HOST` (address and port of the server), `DATABASE_URL`, `REDIS_URL`, and `BENCH_DIR`, a folder to write to,
//! with the server's static files in `static/`. It adds events, and a database beside the given one.

mod client;
mod limits;
mod measure;
mod shopper;

use std::{env, fs, path::PathBuf, time::Instant};

use client::{Client, Failure};
use measure::{Samples, all};
use shopper::{Shopper, expect};
use tokio::process::Command;

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

    /// Shoppers who have their cookies, each with two fresh seats.
    async fn parties(
        &self,
        event: &str,
        seats: &[i64],
        count: usize,
    ) -> Result<Vec<(Shopper, Vec<i64>)>, Failure> {
        let mut client = Client::connect(&self.host).await?;
        let mut parties = Vec::with_capacity(count);
        for pair in seats.chunks_exact(2).take(count) {
            parties.push((Shopper::arrive(&mut client, "small").await?, pair.to_vec()));
        }
        if parties.len() == count {
            Ok(parties)
        } else {
            Err(format!("too few seats at {event}").into())
        }
    }

    /// Makes an event with at least `size` seats, `width` to a row; the ids of its seats.
    async fn house(&self, event: &str, size: usize, width: usize) -> Result<Vec<i64>, Failure> {
        let rows = (0..size.div_ceil(width)).map(|row| {
            let seats: Vec<_> = (1..=width)
                .map(|seat| format!("{}{seat}", letters(row)))
                .collect();
            seats.join(",")
        });
        let plan = self.folder.join(format!("{event}.csv"));
        fs::write(&plan, rows.collect::<Vec<_>>().join("\n") + "\n")?;
        // The program that was built with this one.
        let program = env::current_exe()?.with_file_name("seathold");
        let output = Command::new(program)
            .args([
                "event", "create", "--name", event, "--slug", event, "--venue", "Bench",
            ])
            .args([
                "--starts-at",
                "2037-01-31T19:30",
                "--time-zone",
                "Europe/Berlin",
                "--plan",
            ])
            .arg(&plan)
            .env("DATABASE_URL", &self.database_url)
            .output()
            .await?;
        if !output.status.success() {
            return Err(
                format!("event create: {}", String::from_utf8_lossy(&output.stderr)).into(),
            );
        }
        let database = seathold::database::open(&self.database_url, 1)?;
        let sql = "select seat.id from seat join event on event.id = seat.event_id where event.slug = $1 order by 1";
        let rows = database.get().await?.query(sql, &[&event]).await?;
        // What autovacuum would do soon: neither side is to be measured with the plans of empty tables.
        database
            .get()
            .await?
            .batch_execute("set statement_timeout = 0; analyze event, category, seat")
            .await?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// An empty database on the same server, for the limit's own sales.
    async fn scratch_database(&self) -> Result<String, Failure> {
        let database = seathold::database::open(&self.database_url, 1)?;
        let client = database.get().await?;
        client
            .batch_execute("drop database if exists seathold_bench")
            .await?;
        client
            .batch_execute("create database seathold_bench")
            .await?;
        let (server, _) = self
            .database_url
            .rsplit_once('/')
            .ok_or("DATABASE_URL names no database")?;
        Ok(format!("{server}/seathold_bench"))
    }
}

/// A row's label: A … Z, AA … and so on.
fn letters(mut row: usize) -> String {
    let mut text = String::new();
    loop {
        text.insert(0, char::from(b'A' + u8::try_from(row % 26).unwrap_or(0)));
        match row / 26 {
            0 => return text,
            rest => row = rest - 1,
        }
    }
}

fn row(what: &str, samples: &Samples, limit: f64, of: &str, target: f64) {
    let ratio = samples.rate() / limit;
    println!(
        "| {what} | {} | {limit:.0} /s: {of} | {ratio:.2} | ≥ {target} |",
        samples.cells()
    );
}
