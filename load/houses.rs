//! What is measured on: events, shoppers who have their cookies, and a database for the limit's own sales.

use std::{env, fs};

use tokio::process::Command;

use crate::{
    Bench,
    client::{Client, Failure},
    shopper::Shopper,
};

impl Bench {
    /// Shoppers who have their cookies, each with two fresh seats.
    pub async fn parties(
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
    pub async fn house(&self, event: &str, size: usize, width: usize) -> Result<Vec<i64>, Failure> {
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
    pub async fn scratch_database(&self) -> Result<String, Failure> {
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
