//! The box office under test: private servers, the program itself as one or more processes, and an event for each test.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, LazyLock, Mutex},
};

use deadpool_redis::redis::{Client, FromRedisValue, cmd};
use jiff::Timestamp;
use seathold::{
    booking::Bookings,
    database::{self, Database},
    event::{Cancelling, Changes, Events, NewEvent, Write},
    hold::Holds,
    local::{Purpose, Servers},
    money::Currency,
    payment::{Cashier, Payments, Simulator},
    plan, redis,
};
use tempfile::TempDir;

use crate::person::Person;

/// The stores and the two server processes that most tests share; they end with the test program, however it ends.
pub static SHARED: LazyLock<Stage> = LazyLock::new(|| Stage::start(&["LIMITS=off"], 2));

/// Four rows of ten seats, two categories: rows A and B cost 45.00, rows C and D 30.00.
const ROOM: &str = "\
front:A1,front:A2,front:A3,front:A4,front:A5,front:A6,front:A7,front:A8,front:A9,front:A10
front:B1,front:B2,front:B3,front:B4,front:B5,front:B6,front:B7,front:B8,front:B9,front:B10
back:C1,back:C2,back:C3,back:C4,back:C5,back:C6,back:C7,back:C8,back:C9,back:C10
back:D1,back:D2,back:D3,back:D4,back:D5,back:D6,back:D7,back:D8,back:D9,back:D10
";

/// Stores and server processes.
pub struct Stage {
    pub servers: Servers,
    pub folder: TempDir,
    processes: Vec<Process>,
}

/// One `seathold serve`. It ends when this program does: its supervisor reads our end of a pipe.
pub struct Process {
    pub base: String,
    /// What it has printed.
    #[cfg_attr(
        not(feature = "failpoints"),
        expect(dead_code, reason = "only failpoints print")
    )]
    said: Arc<Mutex<Vec<String>>>,
    _child: Child,
    _alive: ChildStdin,
}

impl Stage {
    /// Starts private stores and so many server processes, with these settings.
    pub fn start(settings: &[&str], processes: usize) -> Self {
        let mut stage = Self::of(Purpose::ThrowAway);
        for _ in 0..processes {
            let process = stage.serve(settings);
            stage.processes.push(process);
        }
        stage
    }

    /// Stores alone.
    pub fn of(purpose: Purpose) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        open_to_others(folder.path());
        let servers = Servers::start(folder.path(), purpose).expect("private servers");
        Self {
            servers,
            folder,
            processes: Vec::new(),
        }
    }

    /// Asks Redis something that is no part of a sale.
    pub fn ask_redis<T: FromRedisValue>(&self, command: &str) -> T {
        let client = Client::open(self.servers.redis_url()).expect("an address");
        let mut redis = client.get_connection().expect("Redis");
        cmd(command).query(&mut redis).expect("an answer")
    }

    /// One more server process on these stores.
    pub fn serve(&self, settings: &[&str]) -> Process {
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                "\"$@\" & pid=$!; read -r _; kill -9 $pid 2>/dev/null",
                "sh",
                env!("CARGO_BIN_EXE_seathold"),
            ])
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env("DATABASE_URL", self.servers.database_url())
            .env("REDIS_URL", self.servers.redis_url())
            .env(
                "SECRET_KEY",
                "a secret of the tests, long enough for everyone",
            )
            .env("SIMULATOR_LEDGER", self.ledger())
            .env("RUST_LOG", "warn")
            .envs(
                settings
                    .iter()
                    .filter_map(|setting| setting.split_once('=')),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let base = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| {
                line.strip_prefix("Seathold listens on ")
                    .map(ToOwned::to_owned)
            })
            .expect("it says where it listens");
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                heard.lock().expect("nobody panics here").push(line);
            }
        });
        let alive = child.stdin.take().expect("its input");
        Process {
            base,
            said,
            _child: child,
            _alive: alive,
        }
    }

    /// Runs a command of the program on these stores: its exit code, and all that it printed.
    pub fn command(&self, arguments: &[&str]) -> (i32, String) {
        let done = Command::new(env!("CARGO_BIN_EXE_seathold"))
            .args(arguments)
            .env("DATABASE_URL", self.servers.database_url())
            .env("REDIS_URL", self.servers.redis_url())
            .env("SIMULATOR_LEDGER", self.ledger())
            .output()
            .expect("the program runs");
        let printed = [done.stdout, done.stderr].concat();
        (
            done.status.code().unwrap_or(-1),
            String::from_utf8_lossy(&printed).into_owned(),
        )
    }

    pub fn ledger(&self) -> std::path::PathBuf {
        self.folder.path().join("simulator.sqlite")
    }

    pub fn bases(&self) -> Vec<String> {
        self.processes
            .iter()
            .map(|process| process.base.clone())
            .collect()
    }
}

impl Process {
    /// Whether it has printed this line.
    #[cfg(feature = "failpoints")]
    pub fn has_said(&self, line: &str) -> bool {
        let said = self.said.lock().expect("nobody panics here");
        said.iter().any(|heard| heard == line)
    }
}

/// PostgreSQL runs as another user when we are root: the folder must let it through.
fn open_to_others(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))
        .expect("our own folder");
}

/// One event at one box office, with what a test may ask behind the pages.
pub struct BoxOffice {
    pub bases: Vec<String>,
    pub slug: String,
    pub event: i64,
    pub database: Database,
    pub payments: Payments,
    pub cashier: Cashier,
    pub events: Events,
    pub simulator: Arc<Simulator>,
    pub redis: deadpool_redis::Pool,
    seats: HashMap<String, i64>,
}

/// How a test's event differs from others.
pub struct Rules {
    pub hold_seconds: i32,
    pub hold_cap_seconds: i32,
    pub max_seats: i32,
    pub room: &'static str,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            hold_seconds: 600,
            hold_cap_seconds: 1800,
            max_seats: 8,
            room: ROOM,
        }
    }
}

impl BoxOffice {
    /// An event of ordinary rules at the shared box office.
    pub async fn open() -> Self {
        Self::with(Rules::default()).await
    }

    /// An event of these rules at the shared box office.
    pub async fn with(rules: Rules) -> Self {
        Self::at(&SHARED, SHARED.bases(), rules).await
    }

    /// An event at another stage.
    pub async fn at(stage: &Stage, bases: Vec<String>, rules: Rules) -> Self {
        let database = database::open(stage.servers.database_url(), 4).expect("a pool");
        let redis = redis::open(stage.servers.redis_url(), 4).expect("a pool");
        let events = Events::new(database.clone());
        let (plan, _) = plan::read("room.csv", rules.room.as_bytes()).expect("a room");
        let slug = format!("event-{}", seathold::random::token());
        let prices = plan
            .categories
            .iter()
            .map(|c| if c.name == "back" { 3000 } else { 4500 })
            .collect();
        let event = events
            .create(
                &NewEvent {
                    slug: slug.clone(),
                    name: "The Tempest".to_owned(),
                    venue: "Studio".to_owned(),
                    starts_at: "2037-01-31T18:30:00Z".parse().expect("a time"),
                    time_zone: "Europe/Berlin".to_owned(),
                    currency: Currency::parse("EUR").expect("a currency"),
                    plan: &plan,
                    prices,
                    hold_seconds: rules.hold_seconds,
                    hold_cap_seconds: rules.hold_cap_seconds,
                    max_seats: rules.max_seats,
                    sales_from: None,
                    sales_until: None,
                    cancelling: Cancelling::USUAL,
                },
                Write::ForGood,
            )
            .await
            .expect("an event");
        let rows = database.get().await.expect("a connection");
        let rows = rows
            .query("select name, id from seat where event_id = $1", &[&event])
            .await
            .expect("seats");
        let seats = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let holds = Holds::new(redis.clone());
        let payments = Payments::new(database.clone());
        let simulator = Arc::new(Simulator::open(&stage.ledger()).expect("the ledger"));
        let bookings = Bookings::new(database.clone());
        let cashier = Cashier::new(payments.clone(), bookings, holds, simulator.clone());
        Self {
            bases,
            slug,
            event,
            database,
            payments,
            cashier,
            events,
            simulator,
            redis,
            seats,
        }
    }

    /// Somebody new, at the first server process.
    pub fn person(&self) -> Person {
        self.person_at(0)
    }

    /// Somebody new, at one of the server processes.
    pub fn person_at(&self, process: usize) -> Person {
        Person::new(&self.bases[process % self.bases.len()], &self.slug)
    }

    /// The id of the seat that people call so.
    pub fn seat(&self, name: &str) -> i64 {
        *self
            .seats
            .get(name)
            .unwrap_or_else(|| panic!("no seat {name}"))
    }

    pub fn ids<const N: usize>(&self, names: [&str; N]) -> Vec<i64> {
        names.iter().map(|name| self.seat(name)).collect()
    }

    /// One number from PostgreSQL; `$1` is the event.
    pub async fn count(&self, sql: &str) -> i64 {
        let client = self.database.get().await.expect("a connection");
        client
            .query_one(sql, &[&self.event])
            .await
            .expect("an answer")
            .get(0)
    }

    /// How many seats of the event are in live bookings.
    pub async fn booked(&self) -> i64 {
        self.count("select count(*) from booking_seat where event_id = $1 and cancelled_at is null")
            .await
    }

    /// Runs a statement; `$1` is the event.
    pub async fn run(&self, sql: &str) {
        let client = self.database.get().await.expect("a connection");
        client.execute(sql, &[&self.event]).await.expect("done");
    }

    /// Opens or shuts the sale.
    pub async fn sell(&self, from: Option<Timestamp>, until: Option<Timestamp>) {
        let changes = Changes {
            sales_from: from,
            sales_until: until,
            ..Changes::default()
        };
        self.events
            .set(&self.slug, &changes, Write::ForGood)
            .await
            .expect("changed");
    }
}
