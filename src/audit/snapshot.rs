//! Every key of holds and limits in Redis, read by SCAN in batches: not one instant, but the server is never held up.

use std::collections::{BTreeMap, HashMap};

use deadpool_redis::{
    Pool,
    redis::{Value, cmd, from_redis_value, pipe},
};

use crate::Error;

/// How many keys one step of the scan looks at.
const BATCH: usize = 500;

/// When a key ends: milliseconds of Redis's clock, or never.
pub type Ends = Option<i64>;

/// What there was.
#[derive(Default)]
pub struct Snapshot {
    /// Redis's clock before the first key was read, in milliseconds.
    pub now_ms: i64,
    /// By event and seat: the hold's id.
    pub locks: BTreeMap<(i64, i64), (String, Ends)>,
    /// By event and hold id.
    pub holds: BTreeMap<(i64, String), HoldKey>,
    /// By event and buyer: the hold's id.
    pub buyers: BTreeMap<(i64, String), (String, Ends)>,
    /// By event: seats with their deadlines.
    pub held: BTreeMap<i64, (HashMap<i64, i64>, Ends)>,
    /// By key.
    pub limits: BTreeMap<String, Ends>,
    /// Keys that look like ours, but whose name or value cannot be read.
    pub odd: Vec<String>,
}

/// The hash of a hold.
#[derive(Default)]
pub struct HoldKey {
    /// Whose it is.
    pub buyer: String,
    /// The seats.
    pub seats: Vec<i64>,
    /// When the first seat was held.
    pub acquired_ms: i64,
    /// When the key ends.
    pub ends: Ends,
}

/// The kind of a key, with what its name says.
enum Kind {
    Lock(i64, i64),
    Hold(i64, String),
    Buyer(i64, String),
    Held(i64),
    Limit,
}

/// Reads them all.
pub async fn read(redis: &Pool) -> Result<Snapshot, Error> {
    let mut redis = redis.get().await?;
    let (seconds, micros): (i64, i64) = cmd("TIME").query_async(&mut redis).await?;
    let mut snapshot = Snapshot {
        now_ms: seconds * 1000 + micros / 1000,
        ..Snapshot::default()
    };
    let mut cursor = 0_u64;
    loop {
        let (next, keys): (u64, Vec<String>) = cmd("SCAN")
            .arg(cursor)
            .arg("COUNT")
            .arg(BATCH)
            .query_async(&mut redis)
            .await?;
        let (known, odd): (Vec<_>, Vec<_>) = keys
            .into_iter()
            .filter(|key| is_ours(key))
            .map(|key| (kind_of(&key), key))
            .partition(|(kind, _)| kind.is_some());
        snapshot.odd.extend(odd.into_iter().map(|(_, key)| key));
        let known: Vec<_> = known
            .into_iter()
            .filter_map(|(kind, key)| Some((key, kind?)))
            .collect();

        let mut ask = pipe();
        for (key, kind) in &known {
            match kind {
                Kind::Lock(..) | Kind::Buyer(..) => ask.cmd("GET").arg(key),
                Kind::Hold(..) => ask
                    .cmd("HMGET")
                    .arg(key)
                    .arg(&["buyer", "seats", "acquired_ms"]),
                Kind::Held(_) => ask.cmd("ZRANGE").arg(key).arg(0).arg(-1).arg("WITHSCORES"),
                Kind::Limit => ask.cmd("EXISTS").arg(key),
            };
            ask.cmd("PEXPIRETIME").arg(key);
        }
        if !known.is_empty() {
            let answers: Vec<Value> = ask.query_async(&mut redis).await?;
            for ((key, kind), answer) in known.into_iter().zip(answers.chunks_exact(2)) {
                if snapshot.take(&key, kind, &answer[0], &answer[1]).is_none() {
                    snapshot.odd.push(key);
                }
            }
        }
        cursor = next;
        if cursor == 0 {
            return Ok(snapshot);
        }
    }
}

fn is_ours(key: &str) -> bool {
    ["lock:", "hold:", "buyer:", "limit:"]
        .iter()
        .any(|start| key.starts_with(start))
        || key.ends_with(":held")
}

fn kind_of(key: &str) -> Option<Kind> {
    if key.starts_with("limit:") {
        return Some(Kind::Limit);
    }
    let (start, rest) = key.split_once("{event:")?;
    let (event, rest) = rest.split_once("}:")?;
    let event = event.parse().ok()?;
    match start {
        "lock:" => Some(Kind::Lock(event, rest.strip_prefix("seat:")?.parse().ok()?)),
        "hold:" => Some(Kind::Hold(event, rest.to_owned())),
        "buyer:" => Some(Kind::Buyer(event, rest.to_owned())),
        "" if rest == "held" => Some(Kind::Held(event)),
        _ => None,
    }
}

impl Snapshot {
    /// Notes one key; `None` when its value is not what its kind must have.
    fn take(&mut self, key: &str, kind: Kind, value: &Value, ends: &Value) -> Option<()> {
        let ends = match of::<i64>(ends)? {
            // It went after the scan had named it.
            -2 => return Some(()),
            -1 => None,
            at => Some(at),
        };
        match kind {
            Kind::Lock(event, seat) => {
                if let Some(hold) = of::<Option<String>>(value)? {
                    self.locks.insert((event, seat), (hold, ends));
                }
            }
            Kind::Buyer(event, buyer) => {
                if let Some(hold) = of::<Option<String>>(value)? {
                    self.buyers.insert((event, buyer), (hold, ends));
                }
            }
            Kind::Hold(event, id) => {
                let (buyer, seats, acquired_ms): (String, String, i64) = of(value)?;
                let seats = seats
                    .split(',')
                    .map(|seat| seat.parse().ok())
                    .collect::<Option<_>>()?;
                self.holds.insert(
                    (event, id),
                    HoldKey {
                        buyer,
                        seats,
                        acquired_ms,
                        ends,
                    },
                );
            }
            Kind::Held(event) => {
                let scores: HashMap<i64, f64> = of(value)?;
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "milliseconds since 1970 are whole and below 2^53"
                )]
                let scores = scores
                    .into_iter()
                    .map(|(seat, deadline)| (seat, deadline as i64))
                    .collect();
                self.held.insert(event, (scores, ends));
            }
            Kind::Limit => drop(self.limits.insert(key.to_owned(), ends)),
        }
        Some(())
    }
}

fn of<T: deadpool_redis::redis::FromRedisValue>(value: &Value) -> Option<T> {
    from_redis_value(value.clone()).ok()
}
