//! The house that is broken: the stores, two servers and the payment provider as processes that can be killed, stopped and
//! started again; and the schedule of what happens to them.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use seathold::local::Purpose;

use super::Dice;
use crate::{
    box_office::Stage,
    neighbour::{self, Victim, send},
};

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
        let settings = [("PAYMENT_TIMEOUT_MS", "1500"), ("LIMITS", "off")];
        let ([one, two], provider) = neighbour::open(&stage, &settings);
        Self {
            servers: [one, two],
            provider,
            stage,
        }
    }

    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    pub fn bases(&self) -> Vec<String> {
        self.servers.iter().map(Victim::base).collect()
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

/// What was killed may need a moment until its place is free.
fn again<E: std::fmt::Display>(mut start: impl FnMut() -> Result<(), E>) {
    let end = Instant::now() + Duration::from_secs(30);
    while let Err(error) = start() {
        assert!(Instant::now() < end, "{error}");
        sleep(Duration::from_millis(200));
    }
}
