//! The private Redis. Its invariant: it answers on 127.0.0.1 only, never drops a key to make room, and where data is to
//! stay it asks for a password and loses at most a second.

use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    LocalError, Purpose,
    account::Account,
    child::{Kept, Log},
    folder,
    postgres::accepts,
    programs,
};

pub(super) const NAME: &str = "Redis";
const READY_WITHIN: Duration = Duration::from_mins(1);

/// What it takes to start it, and to start it again.
pub(super) struct Redis {
    program: PathBuf,
    account: Account,
    data: PathBuf,
    conf: PathBuf,
    log: PathBuf,
    purpose: Purpose,
    password: Option<String>,
}

impl Redis {
    /// Makes its folder `dir/redis`.
    pub(super) fn prepare(dir: &Path, purpose: Purpose) -> Result<Redis, LocalError> {
        let home = dir.join("redis");
        let data = home.join("data");
        let program = programs::redis(&programs::folders())?;
        let account = Account::find()?;
        folder::make(&home)?;
        account.reach(dir, &home)?;
        fs::create_dir_all(&data).map_err(LocalError::folder(&data))?;
        account.give_folder(&data)?;
        let password = match purpose {
            Purpose::Keep => Some(folder::secret(&home.join("password"))?),
            Purpose::ThrowAway => None,
        };
        Ok(Redis {
            program,
            account,
            data,
            conf: home.join("redis.conf"),
            log: dir.join("redis.log"),
            purpose,
            password,
        })
    }

    /// Starts it on this port, and waits until it answers.
    pub(super) fn start(&self, port: u16) -> Result<Kept, LocalError> {
        let log = Log::open(NAME, &self.log)?;
        // In a file and not on the command line, which everybody on the machine can read.
        let conf = folder::write(&self.conf, 0o600, &self.settings(port))?;
        self.account.give_file(&self.conf, &conf)?;
        let mut words = self.account.run(&self.program);
        words.push("../redis.conf".into());
        let mut kept = Kept::start(&words, &[], "TERM", &self.data, log)?;
        kept.wait_until(READY_WITHIN, || self.answers(port))?;
        Ok(kept)
    }

    pub(super) fn url(&self, port: u16) -> String {
        match &self.password {
            Some(password) => format!("redis://:{password}@127.0.0.1:{port}"),
            None => format!("redis://127.0.0.1:{port}"),
        }
    }

    /// Its folder is the one that it is started in.
    fn settings(&self, port: u16) -> String {
        let append = match self.purpose {
            Purpose::Keep => "yes",
            Purpose::ThrowAway => "no",
        };
        let password = match &self.password {
            Some(password) => format!("requirepass {password}\n"),
            None => String::new(),
        };
        format!(
            "bind 127.0.0.1\nport {port}\ndaemonize no\nlogfile \"\"\nmaxmemory-policy noeviction\n\
             save \"\"\nappendonly {append}\nappendfsync everysec\n{password}"
        )
    }

    /// Whether it says PONG; while it reads its data it says LOADING instead.
    fn answers(&self, port: u16) -> bool {
        let ask = || {
            let mut stream = accepts(port, Duration::from_secs(1))?;
            if let Some(password) = &self.password {
                write!(stream, "AUTH {password}\r\n").ok()?;
            }
            stream.write_all(b"PING\r\nQUIT\r\n").ok()?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer).ok()?;
            Some(answer.contains("+PONG"))
        };
        ask().unwrap_or(false)
    }
}
