//! The private PostgreSQL. Its invariant: it can be reached on 127.0.0.1 only and by the role `seathold` only, which is
//! not a superuser; and a cluster is either whole or not there.

use std::{
    ffi::OsString,
    fs,
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    LocalError, Purpose,
    account::Account,
    child::{Kept, Log, run},
    folder, programs,
};

pub(super) const NAME: &str = "PostgreSQL";
const MADE_WITHIN: Duration = Duration::from_mins(2);
/// After a crash of the machine it has its log to replay.
const READY_WITHIN: Duration = Duration::from_secs(90);

/// What it takes to start it, and to start it again.
pub(super) struct Postgres {
    program: PathBuf,
    account: Account,
    data: PathBuf,
    hba: PathBuf,
    log: PathBuf,
    purpose: Purpose,
    /// The password of the role `seathold`.
    password: String,
}

impl Postgres {
    /// Makes the cluster in `dir/postgres` when there is none yet.
    pub(super) fn prepare(dir: &Path, purpose: Purpose) -> Result<Postgres, LocalError> {
        let home = dir.join("postgres");
        let data = home.join("data");
        let programs = programs::postgres(&programs::folders(), Some(&data))?;
        let account = Account::find()?;
        folder::make(&home)?;
        account.reach(dir, &home)?;
        let postgres = Postgres {
            program: programs.server,
            account,
            hba: home.join("pg_hba.conf"),
            log: dir.join("postgres.log"),
            purpose,
            password: folder::secret(&home.join("password"))?,
            data,
        };
        // Nobody but the role, and nobody without the password where data is to stay. Without it in tests: its hashing
        // takes a tenth of a second for each connection in an unoptimised build, and there is nothing to protect.
        let method = match purpose {
            Purpose::Keep => "scram-sha-256",
            Purpose::ThrowAway => "trust",
        };
        folder::write(
            &postgres.hba,
            0o644,
            &format!("host all seathold 127.0.0.1/32 {method}\n"),
        )?;
        if !postgres.data.exists() {
            postgres.make(&programs.initdb)?;
        }
        Ok(postgres)
    }

    /// Starts it on this port, and waits until it answers.
    pub(super) fn start(&self, port: u16) -> Result<Kept, LocalError> {
        let log = Log::open(NAME, &self.log)?;
        let pid_file = self.data.join("postmaster.pid");
        forget_stale(&pid_file);
        let mut words = self.account.run(&self.program);
        words.push("-D".into());
        words.push(self.data.clone().into());
        let mut hba = OsString::from("hba_file=");
        hba.push(&self.hba);
        words.extend(["-c".into(), hba]);
        settings(&mut words, &[&format!("port={port}")]);
        settings(
            &mut words,
            &[
                "listen_addresses=127.0.0.1",
                "unix_socket_directories=",
                "max_connections=200",
                // Who connects during the shutdown and then says nothing delays it by this much.
                "authentication_timeout=8s",
                "password_encryption=scram-sha-256",
                "logging_collector=off",
                "log_destination=stderr",
            ],
        );
        self.without_durability(&mut words);
        // INT is the fast shutdown; TERM would wait for every client to leave.
        let mut kept = Kept::start(&words, &[], "INT", Path::new("/"), log)?;
        kept.wait_until(READY_WITHIN, || {
            is_ready(&pid_file) && accepts(port, Duration::from_secs(1)).is_some()
        })?;
        Ok(kept)
    }

    pub(super) fn pid(&self) -> Option<u32> {
        let text = fs::read_to_string(self.data.join("postmaster.pid")).ok()?;
        text.lines().next()?.trim().parse().ok()
    }

    pub(super) fn url(&self, port: u16) -> String {
        match self.purpose {
            Purpose::Keep => format!(
                "postgres://seathold:{}@127.0.0.1:{port}/seathold",
                self.password
            ),
            Purpose::ThrowAway => format!("postgres://seathold@127.0.0.1:{port}/seathold"),
        }
    }

    /// Makes the cluster aside and moves it into place when it is whole: a start that is cut short leaves no half of one.
    fn make(&self, initdb: &Path) -> Result<(), LocalError> {
        let log = Log::open(NAME, &self.log)?;
        let unfinished = self.data.with_extension("new");
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished).map_err(LocalError::folder(&unfinished))?;
        }
        fs::create_dir(&unfinished).map_err(LocalError::folder(&unfinished))?;
        self.account.give_folder(&unfinished)?;

        let mut words = self.account.run(initdb);
        let locale = if cfg!(target_os = "macos") {
            "--locale=en_US.UTF-8"
        } else {
            "--locale=C.UTF-8"
        };
        words.extend(["-D".into(), unfinished.clone().into(), locale.into()]);
        words.extend(["--username=postgres", "--encoding=UTF8", "--auth=reject"].map(Into::into));
        if self.purpose == Purpose::ThrowAway {
            words.push("--no-sync".into());
        }
        run(&words, "", &log, MADE_WITHIN)?;

        // A server for one, without a port: nobody can get in before there are rules.
        let mut words = self.account.run(&self.program);
        words.extend(["--single".into(), "-D".into(), unfinished.clone().into()]);
        settings(
            &mut words,
            &["exit_on_error=on", "password_encryption=scram-sha-256"],
        );
        self.without_durability(&mut words);
        words.push("postgres".into());
        let statements = format!(
            "create role seathold login createdb password '{}'\ncreate database seathold owner seathold\n",
            self.password
        );
        run(&words, &statements, &log, MADE_WITHIN)?;
        fs::rename(&unfinished, &self.data).map_err(LocalError::folder(&self.data))
    }

    fn without_durability(&self, words: &mut Vec<OsString>) {
        if self.purpose == Purpose::ThrowAway {
            settings(
                words,
                &[
                    "fsync=off",
                    "synchronous_commit=off",
                    "full_page_writes=off",
                ],
            );
        }
    }
}

/// The time-bounded beginning of a conversation with whoever listens on this port.
pub(super) fn accepts(port: u16, limit: Duration) -> Option<TcpStream> {
    let stream =
        TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], port)), limit).ok()?;
    stream.set_read_timeout(Some(limit)).ok()?;
    stream.set_write_timeout(Some(limit)).ok()?;
    Some(stream)
}

fn settings(words: &mut Vec<OsString>, settings: &[&str]) {
    for setting in settings {
        words.extend(["-c".into(), (*setting).into()]);
    }
}

/// The eighth line of `postmaster.pid` is the server's own word on how far it is.
fn is_ready(pid_file: &Path) -> bool {
    fs::read_to_string(pid_file).is_ok_and(|text| {
        text.lines()
            .nth(7)
            .is_some_and(|line| line.trim() == "ready")
    })
}

/// After a crash of the machine, PostgreSQL will not start when some other process has by now the number in its file. We
/// hold the log's lock, so it is not ours that runs; that the process is no PostgreSQL at all makes it sure.
fn forget_stale(pid_file: &Path) {
    let other = fs::read_to_string(pid_file).ok().and_then(|text| {
        let pid: u32 = text.lines().next()?.trim().parse().ok()?;
        fs::read_to_string(format!("/proc/{pid}/comm")).ok()
    });
    if other.is_some_and(|program| !program.contains("postgres")) {
        let _ = fs::remove_file(pid_file);
    }
}
