//! Who runs the servers: we ourselves, or another account when we are root, because PostgreSQL will not run as root.

use std::{
    ffi::OsString,
    fs::File,
    os::unix::fs::{chown, fchown},
    path::Path,
    process::{Command, Stdio},
};

use super::{LocalError, folder};

/// The account that runs the servers.
pub(super) struct Account {
    other: Option<Other>,
}

struct Other {
    name: &'static str,
    user: u32,
    group: u32,
}

impl Account {
    /// We ourselves, or for root `postgres`, or else `nobody`.
    pub(super) fn find() -> Result<Account, LocalError> {
        if id(&["-u"]) != Some(0) {
            return Ok(Account { other: None });
        }
        let other = ["postgres", "nobody"]
            .into_iter()
            .find_map(|name| {
                let user = id(&["-u", name])?;
                let group = id(&["-g", name])?;
                Some(Other { name, user, group })
            })
            .ok_or(LocalError::NoAccount(
                "there is neither a user postgres nor a user nobody",
            ))?;
        quiet("setpriv")
            .arg("--version")
            .status()
            .map_err(|_| LocalError::NoAccount("there is no setpriv to change to another user"))?;
        Ok(Account { other: Some(other) })
    }

    /// The words that run a program in this account.
    pub(super) fn run(&self, program: &Path) -> Vec<OsString> {
        let mut words = self.prefix();
        words.push(program.into());
        words
    }

    /// Gives a folder to this account.
    pub(super) fn give_folder(&self, path: &Path) -> Result<(), LocalError> {
        match &self.other {
            Some(other) => {
                chown(path, Some(other.user), Some(other.group)).map_err(LocalError::folder(path))
            }
            None => Ok(()),
        }
    }

    /// Gives an open file to this account.
    pub(super) fn give_file(&self, path: &Path, file: &File) -> Result<(), LocalError> {
        match &self.other {
            Some(other) => {
                fchown(file, Some(other.user), Some(other.group)).map_err(LocalError::folder(path))
            }
            None => Ok(()),
        }
    }

    /// Sees to it that this account can get to the data folder and to `within` it.
    pub(super) fn reach(&self, dir: &Path, within: &Path) -> Result<(), LocalError> {
        let Some(other) = &self.other else {
            return Ok(());
        };
        folder::open_the_way(dir)?;
        let words = self.run(Path::new("sh"));
        let reached = quiet(&words[0])
            .args(&words[1..])
            .args(["-c", "cd -- \"$1\"", "sh"])
            .arg(within)
            .current_dir("/")
            .status();
        match reached {
            Ok(status) if status.success() => Ok(()),
            _ => Err(LocalError::Unreachable {
                user: other.name,
                path: within.to_owned(),
            }),
        }
    }

    fn prefix(&self) -> Vec<OsString> {
        let Some(other) = &self.other else {
            return Vec::new();
        };
        vec![
            "setpriv".into(),
            format!("--reuid={}", other.user).into(),
            format!("--regid={}", other.group).into(),
            "--clear-groups".into(),
            "--inh-caps=-all".into(),
            "--".into(),
        ]
    }
}

fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id")
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn quiet(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}
