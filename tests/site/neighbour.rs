//! Processes of ours that can be killed, stopped and started again: servers, and the payment simulator as their neighbour.

use std::{
    io::{BufRead, BufReader},
    process::{Child, ChildStdin, Command, Stdio},
};

use crate::box_office::Stage;

/// What every process of the tests knows.
pub const SECRET: &str = "a secret of the tests, long enough for everyone";

/// A process of ours that can be killed, stopped and started again at the same address. It ends when we do.
pub struct Victim {
    words: Vec<String>,
    env: Vec<(String, String)>,
    port: u16,
    running: Option<(Child, ChildStdin, u32)>,
}

impl Victim {
    fn new<const N: usize>(command: &str, env: [(&str, String); N]) -> Self {
        let mut victim = Self {
            words: vec![command.to_owned()],
            env: Vec::new(),
            port: 0,
            running: None,
        };
        for (name, value) in env {
            victim.set(name, &value);
        }
        victim
    }

    /// A setting for its next start.
    pub fn set(&mut self, name: &str, value: &str) {
        self.env.push((name.to_owned(), value.to_owned()));
    }

    pub fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Starts it, and waits until it says where it listens.
    pub fn start(&mut self) {
        let mut child = Command::new("sh")
            .args([
                "-c",
                "\"$@\" & pid=$!; echo \"pid $pid\"; read -r _; kill -9 $pid 2>/dev/null",
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

    pub fn signal(&self, signal: &str) {
        if let Some((.., pid)) = &self.running {
            send(signal, *pid);
        }
    }

    pub fn kill(&mut self) {
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

/// Starts servers on these stores, with these settings, and a payment simulator that tells the first of them what happens.
pub fn open<const N: usize>(stage: &Stage, settings: &[(&str, &str)]) -> ([Victim; N], Victim) {
    let mut provider = Victim::new(
        "paysim",
        [
            ("PAYMENT_SECRET", SECRET.to_owned()),
            ("SIMULATOR_LEDGER", stage.ledger().display().to_string()),
        ],
    );
    provider.start();
    let servers = [(); N].map(|()| {
        let mut server = Victim::new(
            "serve",
            [
                ("DATABASE_URL", stage.servers.database_url().to_owned()),
                ("REDIS_URL", stage.servers.redis_url().to_owned()),
                ("SECRET_KEY", SECRET.to_owned()),
                ("PAYMENT_URL", provider.base()),
                ("PAYMENT_SECRET", SECRET.to_owned()),
            ],
        );
        for (name, value) in settings {
            server.set(name, value);
        }
        server.start();
        server
    });
    // Now that a server has an address, the provider can tell it what happens.
    provider.kill();
    let notify = format!("{}/payments/notices", servers[0].base());
    provider.set("PAYSIM_NOTIFY", &notify);
    provider.start();
    (servers, provider)
}

/// Sends a signal to a process of ours.
pub fn send(signal: &str, pid: u32) {
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &pid.to_string()])
        .status()
        .expect("kill runs");
    assert!(sent.success(), "no process {pid}");
}
