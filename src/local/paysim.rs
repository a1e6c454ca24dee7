//! The private payment simulator: this same program, as a neighbour. Its invariant: it answers on 127.0.0.1 only, to
//! whoever knows its kept secret.

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    LocalError,
    child::{Kept, Log},
    folder,
    postgres::accepts,
};

pub(super) const NAME: &str = "The payment simulator";
const READY_WITHIN: Duration = Duration::from_mins(1);

/// What it takes to start it.
pub(super) struct Paysim {
    program: PathBuf,
    home: PathBuf,
    log: PathBuf,
    ledger: PathBuf,
    notify: String,
    secret: String,
}

impl Paysim {
    /// Makes its folder `dir/paysim`; its ledger is `dir/simulator.sqlite`.
    pub(super) fn prepare(dir: &Path, program: &Path, notify: &str) -> Result<Self, LocalError> {
        let home = dir.join("paysim");
        folder::make(&home)?;
        Ok(Self {
            program: program.to_owned(),
            secret: folder::secret(&home.join("secret"))?,
            home,
            log: dir.join("paysim.log"),
            ledger: dir.join("simulator.sqlite"),
            notify: notify.to_owned(),
        })
    }

    /// Starts it on this port, and waits until it answers.
    pub(super) fn start(&self, port: u16) -> Result<Kept, LocalError> {
        let log = Log::open(NAME, &self.log)?;
        let words = [
            self.program.clone().into(),
            "paysim".into(),
            "--listen".into(),
            format!("127.0.0.1:{port}").into(),
            "--log-format".into(),
            "text".into(),
        ];
        let ledger = self.ledger.to_string_lossy();
        let env = [
            ("PAYMENT_SECRET", self.secret.as_str()),
            ("SIMULATOR_LEDGER", ledger.as_ref()),
            ("PAYSIM_NOTIFY", self.notify.as_str()),
        ];
        let mut kept = Kept::start(&words, &env, "TERM", &self.home, log)?;
        kept.wait_until(READY_WITHIN, || answers(port))?;
        Ok(kept)
    }

    pub(super) fn secret(&self) -> &str {
        &self.secret
    }
}

fn answers(port: u16) -> bool {
    let ask = || {
        let mut stream = accepts(port, Duration::from_secs(1))?;
        stream
            .write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            .ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        Some(answer.starts_with("HTTP/1.1 200"))
    };
    ask().unwrap_or(false)
}
