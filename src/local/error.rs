//! What can keep the private servers from running. Each error is one sentence that can be shown to a person as it is.

use std::{io, path::PathBuf};

/// Why the private servers do not run.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// A program is not on this machine, or not where it was looked for.
    #[error(
        "The program {0} was not found in PATH or the usual folders: bin/start installs what is missing."
    )]
    Missing(&'static str),
    /// A file or folder of the data folder cannot be made, read or written.
    #[error("The data folder cannot be used: {path}: {source}.", path = .path.display())]
    Folder {
        /// The file or folder that refused.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the data folder holds something else than what was put there.
    #[error("The file {path} is damaged: it should hold {expected}.", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What belongs in it.
        expected: &'static str,
    },
    /// Another instance has this data folder.
    #[error(
        "Another Seathold is running on the data folder {path}: stop that one, or choose another folder.",
        path = .0.display()
    )]
    InUse(PathBuf),
    /// A server of a former instance does not end.
    #[error(
        "A {name} that was started earlier still runs on this data folder and did not end within {seconds} seconds; \
         its log is {log}.",
        log = .log.display()
    )]
    StillRunning {
        /// PostgreSQL or Redis.
        name: &'static str,
        /// How long it was waited for.
        seconds: u64,
        /// Its log.
        log: PathBuf,
    },
    /// The data was made by a major version of PostgreSQL that is not installed.
    #[error(
        "The data in {path} was made by PostgreSQL {made}, but PostgreSQL {found} is what is installed: \
         install PostgreSQL {made}, or choose another data folder.",
        path = .path.display()
    )]
    OtherVersion {
        /// PostgreSQL's data.
        path: PathBuf,
        /// The version that made it.
        made: String,
        /// The version that is there now.
        found: String,
    },
    /// PostgreSQL will not run as root, and there is nobody else to run it.
    #[error(
        "PostgreSQL refuses to run as root, and {0}: start Seathold as an ordinary user instead."
    )]
    NoAccount(&'static str),
    /// The account that has to run the servers cannot get to the data folder.
    #[error(
        "PostgreSQL refuses to run as root, so the user {user} has to run it, but {user} cannot reach the folder {path}: \
         choose a data folder outside of private folders (such as /var/lib/seathold), or start Seathold as an ordinary user.",
        path = .path.display()
    )]
    Unreachable {
        /// The account.
        user: &'static str,
        /// The folder that it cannot enter.
        path: PathBuf,
    },
    /// Somebody else listens on a port that had to be this one.
    #[error("{name} cannot start because something else uses its port {port}.")]
    PortTaken {
        /// PostgreSQL or Redis.
        name: &'static str,
        /// The TCP port on 127.0.0.1.
        port: u16,
    },
    /// A program of PostgreSQL or Redis failed.
    #[error("{name} did not start: {why}; the log {log} ends with:\n{tail}", log = .log.display())]
    Failed {
        /// PostgreSQL or Redis.
        name: &'static str,
        /// What was seen from outside.
        why: String,
        /// The whole log.
        log: PathBuf,
        /// The last lines of the log.
        tail: String,
    },
}

impl LocalError {
    /// For `map_err`: what the system said about `path`.
    pub(super) fn folder(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> LocalError {
        let path = path.into();
        move |source| LocalError::Folder { path, source }
    }
}
