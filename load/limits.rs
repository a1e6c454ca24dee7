//! The limits: the same script and the same transactions without us around them, driven by the stores' own tools.

use std::{fmt::Write, fs, path::Path};

use seathold::redis;
use tokio::process::Command;

use crate::{client::Failure, measure::AT_ONCE};

/// Holds of a second by `redis-benchmark`: acquire.lua with random seats, holds and buyers. They end within seconds.
pub async fn acquires(redis_url: &str) -> Result<f64, Failure> {
    let script = include_str!("../src/hold/acquire.lua");
    let pool = redis::open(redis_url, 1)?;
    let load = ["LOAD", script];
    let sha: String = deadpool_redis::redis::cmd("SCRIPT")
        .arg(&load)
        .query_async(&mut pool.get().await?)
        .await?;
    // An event that no database has: its keys are out of everybody's way.
    let tag = "{event:999999999}";
    let any = "__rand_int__";
    let keys = [
        format!("buyer:{tag}:{any}"),
        format!("{tag}:held"),
        format!("hold:{tag}:{any}"),
        format!("limit:hold-network:{tag}:{any}"),
        format!("lock:{tag}:seat:{any}"),
        format!("lock:{tag}:seat:{any}"),
    ];
    let words = [tag, any, any, "", "map", "3000", "8", "0", "0", any, any];
    let at_once = AT_ONCE.to_string();
    // Its own reading of an address takes an absent user for one without a name.
    let place = redis_url
        .strip_prefix("redis://")
        .ok_or("REDIS_URL must begin with redis://")?;
    let (user, place) = place.rsplit_once('@').unwrap_or(("", place));
    let (host, port) = place
        .trim_end_matches('/')
        .split_once(':')
        .unwrap_or((place, "6379"));
    let password = user
        .strip_prefix(':')
        .map_or(vec![], |password| vec!["-a", password]);
    let output = Command::new("redis-benchmark")
        .args(["-h", host, "-p", port])
        .args(password)
        .args(["-c", &at_once, "-n", "60000", "-r", "100000000", "--csv"])
        .args(["EVALSHA", &sha, "6"])
        .args(keys)
        .args(words)
        .output()
        .await
        .map_err(|e| format!("redis-benchmark: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    // "test","rps","avg_latency_ms","min","p50","p95","p99","max"
    let rate = text
        .lines()
        .last()
        .and_then(|line| line.rsplit(',').nth(6)?.trim_matches('"').parse().ok());
    rate.ok_or_else(|| {
        format!(
            "redis-benchmark said: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into()
    })
}

/// The text of a statement in one of our sources: what stands between the first quotation mark after `mark` and the next.
fn statement(source: &'static str, mark: &str) -> Result<&'static str, Failure> {
    let (_, rest) = source
        .split_once(mark)
        .ok_or_else(|| format!("no {mark} in the sources"))?;
    let (_, rest) = rest.split_once('"').ok_or("no statement")?;
    rest.split_once('"')
        .map(|(text, _)| text)
        .ok_or_else(|| "no end of a statement".into())
}

/// A statement with its parameters written out for pgbench, the last first: `$1` is part of `$14`.
fn filled(statement: &str, words: &[&str]) -> String {
    let numbered = words.iter().enumerate().rev();
    numbered.fold(statement.trim().to_owned(), |text, (at, word)| {
        text.replace(&format!("${}", at + 1), &format!("({word})"))
    })
}

/// Claim, record and confirm for two seats, statement by statement as the cashier runs them.
fn script(event: i64, first_seat: i64, each: usize) -> Result<String, Failure> {
    let claim = include_str!("../src/payment/claim.rs");
    let payments = include_str!("../src/payment/record.rs");
    let bookings = include_str!("../src/booking/confirm.rs");
    let (event, seats, codes) = (
        event.to_string(),
        "array[:a, :a + 1]::bigint[]",
        "array['a' || :n::text, 'b' || :n::text]",
    );
    let payment = "('00000000-0000-4000-8000-' || lpad(:n::text, 12, '0'))::uuid";
    let order = [
        payment,
        &event,
        "'hold-' || :n::text",
        "'buyer'",
        "6000",
        "'EUR'",
        "'Ana Load'",
        "'ana@example.org'",
        "'4242'",
        "'12/40'",
        "'token-' || :n::text",
        seats,
        "array[3000, 3000]::bigint[]",
        "10000",
    ];
    let steps = [
        "begin".to_owned(),
        filled(statement(claim, "const LOCK_SEATS")?, &[&event, seats]),
        filled(statement(claim, "const LOOK_AT_SEATS")?, &[&event, seats]),
        filled(statement(claim, "const WRITE_PAYMENT")?, &order),
        "commit".to_owned(),
        filled(statement(payments, "const CAPTURED")?, &[payment]),
        "begin".to_owned(),
        filled(statement(bookings, "const LOCK_SEATS")?, &[payment]),
        filled(statement(bookings, "const SETTLE_PAYMENT")?, &[payment]),
        filled(statement(bookings, "const SELL_SEATS")?, &[payment]),
        filled(
            statement(bookings, "const WRITE_BOOKING")?,
            &[payment, "'R' || :n::text", seats, codes],
        ),
        "commit".to_owned(),
    ];
    let mut text = format!(
        "\\set i :i + 1\n\\set n :client_id * {each} + :i\n\\set a {first_seat} + :n * 2 - 2\n"
    );
    for step in steps {
        let end = if step.ends_with('\n') { "" } else { ";\n" };
        write!(text, "{step}{end}")?;
    }
    Ok(text)
}

/// Sales of a second by `pgbench`, each of two fresh seats; the seats of the event have ids from `first_seat` on.
pub async fn sales(
    database_url: &str,
    folder: &Path,
    event: i64,
    first_seat: i64,
    count: usize,
) -> Result<f64, Failure> {
    let each = count / AT_ONCE;
    let file = folder.join("sale.pgbench");
    fs::write(&file, script(event, first_seat, each)?)?;
    let output = Command::new("pgbench")
        .args([
            "-n",
            "-M",
            "prepared",
            "-c",
            &AT_ONCE.to_string(),
            "-j",
            "2",
            "-D",
            "i=0",
            "-t",
            &each.to_string(),
        ])
        .arg("-f")
        .arg(&file)
        .arg(database_url)
        .output()
        .await
        .map_err(|e| format!("pgbench: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let rate = text
        .lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    // Statements that change nothing do not fail: look at what was sold.
    let sold = "select count(*) from booking_seat where not exists (select from seat_claim)";
    let database = seathold::database::open(database_url, 1)?;
    let sold: i64 = database.get().await?.query_one(sold, &[]).await?.get(0);
    let whole = usize::try_from(sold) == Ok(each * AT_ONCE * 2);
    rate.filter(|_| whole).ok_or_else(|| {
        format!(
            "pgbench said: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into()
    })
}
