//! The house that is broken: the stores, two servers and the payment provider as processes that can be killed, stopped and
//! started again; and the schedule of what happens to them.

use std::{
    io::{BufRead, BufReader},
    process::{Child, ChildStdin, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use seathold::local::Purpose;

use super::Dice;
use crate::box_office::Stage;

const SECRET: &str = "a secret of the tests, long enough for everyone";

/// What happens, when, and for how long.
pub struct Fault {
    pub at: Duration,
    pub what: What,
    pub lasts: Duration,
}

/// What happens to whom.
#[derive(Debug, Clone, Copy)]
pub enum What {
    KillServer(usize),
    StopServer(usize),
    KillProvider,
    StopProvider,
    KillRedis,
    StopRedis,
    FlushRedis,
    KillPostgres,
    StopPostgres,
}

/// The schedule of a seed. A pause follows each fault, shorter than some of what waits for its end.
pub fn schedule(dice: &mut Dice, length: Duration) -> Vec<Fault> {
    const ALL: [What; 11] = [
        What::KillServer(0),
        What::KillServer(1),
        What::StopServer(0),
        What::StopServer(1),
        What::KillProvider,
        What::StopProvider,
        What::KillRedis,
        What::StopRedis,
        What::FlushRedis,
        What::KillPostgres,
        What::StopPostgres,
    ];
    let mut at = Duration::from_secs(1);
    let mut faults = Vec::new();
    while at < length {
        let what = ALL[dice.below(ALL.len())];
        let lasts = Duration::from_millis(100 + dice.roll() % 2900);
        faults.push(Fault { at, what, lasts });
        at += lasts + Duration::from_millis(300 + dice.roll() % 2200);
    }
    faults
}

/// A process of ours that can be killed, stopped and started again at the same address. It ends when we do.
struct Victim {
    words: Vec<String>,
    env: Vec<(String, String)>,
    port: u16,
    running: Option<(Child, ChildStdin, u32)>,
}

impl Victim {
    fn start(&mut self) {
        let mut child = Command::new("sh")
            .args([
                "-c",
                "\"$@\" & pid=$!; echo \"pid $pid\"; read -r _; kill -9 $pid",
                "sh",
                env!("CARGO_BIN_EXE_seathold"),
            ])
            .args(&self.words)
            .args(["--listen", &format!("127.0.0.1:{}", self.port)])
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .env("RUST_LOG", "error,actix_http=off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut pid = 0;
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some(number) = line.strip_prefix("pid ") {
                pid = number.parse().expect("a number");
            }
            if let Some(address) = line.split_once(" listens on http://") {
                let port = address.1.rsplit(':').next().expect("a port");
                self.port = port.parse().expect("a port");
                break;
            }
        }
        std::thread::spawn(move || lines.for_each(drop));
        let alive = child.stdin.take().expect("its input");
        self.running = Some((child, alive, pid));
    }

    fn signal(&self, signal: &str) {
        if let Some((.., pid)) = &self.running {
            send(signal, *pid);
        }
    }

    fn kill(&mut self) {
        self.signal("KILL");
        if let Some((mut child, alive, _)) = self.running.take() {
            drop(alive);
            child.wait().expect("it ended");
        }
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Everything that can be broken.
pub struct House {
    servers: [Victim; 2],
    provider: Victim,
    // Last, so that the stores outlive the servers.
    stage: Stage,
}

impl House {
    /// Starts all of it. The stores are durable: what is acknowledged must survive a kill.
    pub fn open() -> Self {
        let stage = Stage::of(Purpose::Keep);
        let env = |more: &[(&str, String)]| -> Vec<(String, String)> {
            more.iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect()
        };
        let server = |provider: u16| Victim {
            words: vec!["serve".to_owned()],
            env: env(&[
                ("DATABASE_URL", stage.servers.database_url().to_owned()),
                ("REDIS_URL", stage.servers.redis_url().to_owned()),
                ("SECRET_KEY", SECRET.to_owned()),
                ("PAYMENT_URL", format!("http://127.0.0.1:{provider}")),
                ("PAYMENT_SECRET", SECRET.to_owned()),
                ("PAYMENT_TIMEOUT_MS", "1500".to_owned()),
                ("LIMITS", "off".to_owned()),
            ]),
            port: 0,
            running: None,
        };
        let mut provider = Victim {
            words: vec!["paysim".to_owned()],
            env: env(&[
                ("PAYMENT_SECRET", SECRET.to_owned()),
                ("SIMULATOR_LEDGER", stage.ledger().display().to_string()),
            ]),
            port: 0,
            running: None,
        };
        provider.start();
        let mut servers = [server(provider.port), server(provider.port)];
        for server in &mut servers {
            server.start();
        }
        // Now that a server has an address, the provider can tell it what happens.
        provider.kill();
        let notify = format!("http://127.0.0.1:{}/payments/notices", servers[0].port);
        provider.env.push(("PAYSIM_NOTIFY".to_owned(), notify));
        provider.start();
        Self {
            servers,
            provider,
            stage,
        }
    }

    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    pub fn bases(&self) -> Vec<String> {
        let base = |server: &Victim| format!("http://127.0.0.1:{}", server.port);
        self.servers.iter().map(base).collect()
    }

    /// Lets it happen, and sets it right when its time is over.
    pub fn breaks(&mut self, fault: &Fault) {
        match fault.what {
            What::KillServer(at) => restart(&mut self.servers[at], fault.lasts),
            What::StopServer(at) => pause(|signal| self.servers[at].signal(signal), fault.lasts),
            What::KillProvider => restart(&mut self.provider, fault.lasts),
            What::StopProvider => pause(|signal| self.provider.signal(signal), fault.lasts),
            What::KillRedis => {
                send("KILL", self.redis_pid());
                sleep(fault.lasts);
                self.stage.servers.stop_redis();
                again(|| self.stage.servers.start_redis());
            }
            What::StopRedis => {
                let pid = self.redis_pid();
                pause(|signal| send(signal, pid), fault.lasts);
            }
            What::FlushRedis => self.stage.ask_redis::<()>("FLUSHALL"),
            What::KillPostgres => {
                send("KILL", self.stage.servers.postgres_pid().expect("it runs"));
                sleep(fault.lasts);
                self.stage.servers.stop_postgres();
                again(|| self.stage.servers.start_postgres());
            }
            What::StopPostgres => {
                let pid = self.stage.servers.postgres_pid().expect("it runs");
                pause(|signal| send(signal, pid), fault.lasts);
            }
        }
    }
}

impl House {
    fn redis_pid(&self) -> u32 {
        let told: String = self.stage.ask_redis("INFO");
        let pid = told
            .lines()
            .find_map(|line| line.strip_prefix("process_id:"));
        pid.and_then(|pid| pid.trim().parse().ok())
            .expect("a number")
    }
}

fn restart(victim: &mut Victim, after: Duration) {
    victim.kill();
    sleep(after);
    victim.start();
}

fn pause(signal: impl Fn(&str), lasts: Duration) {
    signal("STOP");
    sleep(lasts);
    signal("CONT");
}

fn send(signal: &str, pid: u32) {
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &pid.to_string()])
        .status()
        .expect("kill runs");
    assert!(sent.success(), "no process {pid}");
}

/// What was killed may need a moment until its place is free.
fn again<E: std::fmt::Display>(mut start: impl FnMut() -> Result<(), E>) {
    let end = Instant::now() + Duration::from_secs(30);
    while let Err(error) = start() {
        assert!(Instant::now() < end, "{error}");
        sleep(Duration::from_millis(200));
    }
}
