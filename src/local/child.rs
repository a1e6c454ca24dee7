//! One server as a child of ours, and its log. Its invariant: the server does not outlive us for long, however we end
//! (`keep.sh` sees to that), and for as long as any process of it lives, its log is locked.

use std::{
    ffi::OsString,
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    os::unix::{fs::OpenOptionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use super::{
    LocalError,
    folder::{self, TICK},
};

/// How long a server of a former instance may take to end.
const FORMER_ENDS_WITHIN: Duration = Duration::from_secs(15);
/// Longer than `keep.sh` asks politely.
const ENDS_WITHIN: Duration = Duration::from_secs(40);
/// A log that has grown beyond this many bytes begins anew at the next start.
const LOG_LIMIT: u64 = 4 << 20;

/// A server's log, locked. The lock goes with the open file to whoever is given it as standard output.
pub(super) struct Log {
    name: &'static str,
    path: PathBuf,
    file: File,
    begin: u64,
}

impl Log {
    /// Opens and locks the log, and so waits for a server of a former instance that is still on its way out.
    pub(super) fn open(name: &'static str, path: &Path) -> Result<Log, LocalError> {
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path)
            .map_err(LocalError::folder(path))?;
        let ended = folder::lock_within(&file, FORMER_ENDS_WITHIN);
        if !ended.map_err(LocalError::folder(path))? {
            return Err(LocalError::StillRunning {
                name,
                seconds: FORMER_ENDS_WITHIN.as_secs(),
                log: path.to_owned(),
            });
        }
        let begin = (|| {
            let length = file.metadata()?.len();
            if length <= LOG_LIMIT {
                return Ok(length);
            }
            file.set_len(0)?;
            Ok(0)
        })()
        .map_err(LocalError::folder(path))?;
        Ok(Log {
            name,
            path: path.to_owned(),
            file,
            begin,
        })
    }

    /// The error that says why, and what the log has said since it was opened.
    pub(super) fn failure(&self, why: impl Into<String>) -> LocalError {
        failure(self.name, &self.path, self.begin, why.into())
    }

    fn output(&self) -> Result<Stdio, LocalError> {
        let file = self.file.try_clone();
        file.map(Stdio::from)
            .map_err(LocalError::folder(&self.path))
    }
}

/// Runs a program of a server to its end, within a time.
pub(super) fn run(
    words: &[OsString],
    input: &str,
    log: &Log,
    limit: Duration,
) -> Result<(), LocalError> {
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .env("LC_ALL", "C")
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(log.output()?)
        .stderr(log.output()?)
        .spawn()
        .map_err(|error| log.failure(format!("{}: {error}", words[0].display())))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input has failed; its status says so.
        let _ = stdin.write_all(input.as_bytes());
    }
    let what = || {
        let named = words
            .iter()
            .rfind(|word| word.to_string_lossy().starts_with('/'));
        named.unwrap_or(&words[0]).to_string_lossy().into_owned()
    };
    let patience = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(log.failure(format!("{} failed ({status})", what()))),
            Ok(None) if Instant::now() < patience => sleep(TICK),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                let seconds = limit.as_secs();
                return Err(log.failure(format!("{} took over {seconds} seconds", what())));
            }
            Err(error) => return Err(log.failure(format!("{}: {error}", what()))),
        }
    }
}

/// A server that runs.
pub(super) struct Kept {
    child: Child,
    name: &'static str,
    log: PathBuf,
    begin: u64,
}

impl Kept {
    /// Starts a server, in a process group of its own so that Ctrl-C in the terminal reaches only us. What is secret goes
    /// into its environment: its words can be read by everybody on the machine.
    pub(super) fn start(
        words: &[OsString],
        env: &[(&str, &str)],
        signal: &str,
        dir: &Path,
        log: Log,
    ) -> Result<Kept, LocalError> {
        let child = Command::new("sh")
            .args(["-c", include_str!("keep.sh"), "keep", signal])
            .args(words)
            .env("LC_ALL", "C")
            .envs(env.iter().copied())
            .current_dir(dir)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(log.output()?)
            .stderr(log.output()?)
            .spawn()
            .map_err(|error| log.failure(format!("sh: {error}")))?;
        let Log {
            name, path, begin, ..
        } = log;
        Ok(Kept {
            child,
            name,
            log: path,
            begin,
        })
    }

    /// Waits until the server is ready, has ended, or the time is over.
    pub(super) fn wait_until(
        &mut self,
        limit: Duration,
        ready: impl Fn() -> bool,
    ) -> Result<(), LocalError> {
        let patience = Instant::now() + limit;
        loop {
            let why = match self.child.try_wait() {
                Ok(Some(status)) => format!("it ended at once ({status})"),
                Ok(None) if ready() => return Ok(()),
                Ok(None) if Instant::now() < patience => {
                    sleep(TICK);
                    continue;
                }
                Ok(None) => format!("it was not ready after {} seconds", limit.as_secs()),
                Err(error) => error.to_string(),
            };
            return Err(failure(self.name, &self.log, self.begin, why));
        }
    }

    /// Asks the server to end, without waiting for it.
    pub(super) fn ask_to_end(&mut self) {
        drop(self.child.stdin.take());
    }
}

impl Drop for Kept {
    /// Ends the server and waits until it has ended.
    fn drop(&mut self) {
        self.ask_to_end();
        let patience = Instant::now() + ENDS_WITHIN;
        while let Ok(None) = self.child.try_wait() {
            if Instant::now() > patience {
                // The whole process group: the shell and the server.
                let group = format!("kill -s KILL -{}", self.child.id());
                let _ = Command::new("sh").args(["-c", &group]).status();
                let _ = self.child.wait();
                return;
            }
            sleep(TICK);
        }
    }
}

fn failure(name: &'static str, log: &Path, begin: u64, why: String) -> LocalError {
    let mut text = Vec::new();
    if let Ok(mut file) = File::open(log) {
        let _ = file.seek(SeekFrom::Start(begin));
        let _ = file.read_to_end(&mut text);
    }
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    LocalError::Failed {
        name,
        why,
        log: log.to_owned(),
        tail: lines[lines.len().saturating_sub(8)..].join("\n"),
    }
}
