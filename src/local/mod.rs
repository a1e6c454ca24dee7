//! Private PostgreSQL, Redis and payment servers, for trying Seathold out (`seathold serve --local`) and for its tests.
//!
//! Their data lives in one folder, and they listen on ports of 127.0.0.1 of their own. The invariant: whatever servers
//! and data are on the machine already stay untouched, and no server outlives this program for long, however it ends.
//!
//! Everything here blocks: it runs at start-up, before there is anybody to serve.

mod account;
mod child;
mod error;
mod folder;
mod paysim;
mod postgres;
mod programs;
mod redis;
#[cfg(test)]
mod tests;

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use child::Kept;
use paysim::Paysim;
use postgres::Postgres;
use redis::Redis;

pub use error::LocalError;

/// What the servers are for decides how durable they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Data stays: everything is flushed to disk, Redis within a second; passwords keep other people of the machine out.
    Keep,
    /// Data is for one run of the tests: nothing is flushed to disk, and there are no passwords.
    ThrowAway,
}

/// A running PostgreSQL and a running Redis, and a payment simulator if one was started; all end when this is dropped.
pub struct Servers {
    dir: PathBuf,
    postgres: Server<Postgres>,
    redis: Server<Redis>,
    paysim: Option<Server<Paysim>>,
    /// Last, so that the folder is free when the servers have ended.
    _lock: File,
}

struct Server<Recipe> {
    recipe: Recipe,
    port: u16,
    url: String,
    running: Option<Kept>,
}

impl Servers {
    /// Starts PostgreSQL and Redis with their data under `dir`, which is made when it is not there, and waits until both
    /// answer. Fails when the folder cannot be written or is in use, or when a program is missing or fails.
    pub fn start(dir: &Path, purpose: Purpose) -> Result<Servers, LocalError> {
        let (dir, lock) = folder::take(dir)?;
        // Both first: what is missing is best said before anything is made.
        programs::redis(&programs::folders())?;
        let postgres = Postgres::prepare(&dir, purpose)?;
        let redis = Redis::prepare(&dir, purpose)?;
        let (port, running) = on_a_port(&dir.join("postgres").join("port"), |port| {
            postgres.start(port)
        })?;
        let postgres = Server {
            url: postgres.url(port),
            recipe: postgres,
            port,
            running: Some(running),
        };
        let (port, running) = on_a_port(&dir.join("redis").join("port"), |port| redis.start(port))?;
        let redis = Server {
            url: redis.url(port),
            recipe: redis,
            port,
            running: Some(running),
        };
        Ok(Servers {
            dir,
            postgres,
            redis,
            paysim: None,
            _lock: lock,
        })
    }

    /// `postgres://seathold@127.0.0.1:PORT/seathold`, with a password where data is kept. The role owns its database and
    /// may make others, but is no superuser.
    #[must_use]
    pub fn database_url(&self) -> &str {
        &self.postgres.url
    }

    /// `redis://127.0.0.1:PORT`, with a password where data is kept.
    #[must_use]
    pub fn redis_url(&self) -> &str {
        &self.redis.url
    }

    /// Starts the payment simulator, which is a command of this `program`, and waits until it answers; its notices go to the
    /// address `notify`. Its data is under the same folder.
    pub fn start_paysim(&mut self, program: &Path, notify: &str) -> Result<(), LocalError> {
        let recipe = Paysim::prepare(&self.dir, program, notify)?;
        let file = self.dir.join("paysim").join("port");
        let (port, running) = on_a_port(&file, |port| recipe.start(port))?;
        self.paysim = Some(Server {
            url: format!("http://127.0.0.1:{port}"),
            recipe,
            port,
            running: Some(running),
        });
        Ok(())
    }

    /// The payment simulator's address and the secret that it shares with us, when it was started.
    #[must_use]
    pub fn paysim(&self) -> Option<(&str, &str)> {
        let paysim = self.paysim.as_ref()?;
        Some((&paysim.url, paysim.recipe.secret()))
    }

    /// Ends all servers cleanly and waits until they have ended; dropping does the same.
    pub fn stop(self) {
        drop(self);
    }

    /// Ends Redis cleanly, for tests of what happens without it.
    pub fn stop_redis(&mut self) {
        self.redis.running = None;
    }

    /// Starts Redis again on the same port. Fails when something else has taken the port.
    pub fn start_redis(&mut self) -> Result<(), LocalError> {
        let Server { recipe, port, .. } = &self.redis;
        if self.redis.running.is_none() {
            let again = on_the_port(redis::NAME, *port, || recipe.start(*port))?;
            self.redis.running = Some(again);
        }
        Ok(())
    }

    /// The number of PostgreSQL's first process, as its own file tells it, for tests that kill it.
    #[must_use]
    pub fn postgres_pid(&self) -> Option<u32> {
        self.postgres.recipe.pid()
    }

    /// Ends PostgreSQL in its fast way, breaking all connections, for tests of what happens without it.
    pub fn stop_postgres(&mut self) {
        self.postgres.running = None;
    }

    /// Starts PostgreSQL again on the same port. Fails when something else has taken the port.
    pub fn start_postgres(&mut self) -> Result<(), LocalError> {
        let Server { recipe, port, .. } = &self.postgres;
        if self.postgres.running.is_none() {
            let again = on_the_port(postgres::NAME, *port, || recipe.start(*port))?;
            self.postgres.running = Some(again);
        }
        Ok(())
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        // All together rather than one after the other; dropping them then waits.
        let paysim = self.paysim.as_mut().map(|paysim| &mut paysim.running);
        let all = [&mut self.postgres.running, &mut self.redis.running];
        for kept in all.into_iter().chain(paysim).flatten() {
            kept.ask_to_end();
        }
    }
}

/// The secret that signs cookies, 64 hexadecimal digits, made the first time and kept in `dir` for its owner alone.
pub fn secret_key(dir: &Path) -> Result<String, LocalError> {
    std::fs::create_dir_all(dir).map_err(LocalError::folder(dir))?;
    folder::secret(&dir.join("secret_key"))
}

/// Writes `dir/env`, for its owner alone: the servers' addresses as `KEY=value` lines, for other programs to use.
pub fn write_env(dir: &Path, servers: &Servers, more: &[(&str, String)]) -> Result<(), LocalError> {
    let mut text = format!(
        "DATABASE_URL={}\nREDIS_URL={}\n",
        servers.database_url(),
        servers.redis_url()
    );
    if let Some((url, secret)) = servers.paysim() {
        text.extend(["PAYMENT_URL=", url, "\nPAYMENT_SECRET=", secret, "\n"]);
    }
    for (name, value) in more {
        // A shell reads the file too: what it would take apart is left out.
        if value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"/.:_-".contains(&b))
        {
            text.extend([*name, "=", value, "\n"]);
        }
    }
    folder::write(&dir.join("env"), 0o600, &text).map(drop)
}

/// Starts a server on the port of last time or another, and keeps the port in `file`. Somebody else may take a free port
/// before the server does; then another is tried.
fn on_a_port(
    file: &Path,
    start: impl Fn(u16) -> Result<Kept, LocalError>,
) -> Result<(u16, Kept), LocalError> {
    let mut port = folder::kept_port(file)?;
    let mut tries = 1;
    loop {
        match start(port) {
            Ok(kept) => {
                folder::write(file, 0o600, &format!("{port}\n"))?;
                return Ok((port, kept));
            }
            Err(_) if tries < 5 && !folder::is_free(port) => {
                tries += 1;
                port = folder::free_port()?;
            }
            Err(error) => return Err(error),
        }
    }
}

fn on_the_port(
    name: &'static str,
    port: u16,
    start: impl Fn() -> Result<Kept, LocalError>,
) -> Result<Kept, LocalError> {
    start().map_err(|error| {
        if folder::is_free(port) {
            error
        } else {
            LocalError::PortTaken { name, port }
        }
    })
}
