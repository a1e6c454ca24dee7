//! Where the programs of PostgreSQL and Redis are on this machine. PostgreSQL's programs are taken from one folder, so
//! that they are of one version.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::LocalError;

/// PostgreSQL's programs.
#[derive(Debug)]
pub(super) struct Postgres {
    pub(super) server: PathBuf,
    pub(super) initdb: PathBuf,
    /// The major version, such as `15`.
    pub(super) version: String,
}

/// Folders to look in, the first choice first: PATH, then Debian's, Red Hat's and Homebrew's, newest version first.
pub(super) fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = env::var_os("PATH")
        .map(|path| env::split_paths(&path).collect())
        .unwrap_or_default();
    for (parent, start, rest) in [
        ("/usr/lib/postgresql", "", "bin"),
        ("/usr", "pgsql-", "bin"),
        ("/opt/homebrew/opt", "postgresql", "bin"),
        ("/usr/local/opt", "postgresql", "bin"),
    ] {
        folders.extend(versions(Path::new(parent), start, rest));
    }
    folders.extend(["/opt/homebrew/bin", "/usr/local/bin"].map(PathBuf::from));
    folders
}

/// PostgreSQL as it is first found; of the version that made the data, when there is data already.
pub(super) fn postgres(folders: &[PathBuf], made: Option<&Path>) -> Result<Postgres, LocalError> {
    let wanted = made.and_then(|data| {
        let version = fs::read_to_string(data.join("PG_VERSION")).ok()?;
        Some((data, version.trim().to_owned()))
    });
    let mut first = None;
    for server in folders.iter().map(|folder| folder.join("postgres")) {
        let initdb = server.with_file_name("initdb");
        if !is_program(&server) || !is_program(&initdb) {
            continue;
        }
        let Some(version) = version(&server) else {
            continue;
        };
        let found = Postgres {
            server,
            initdb,
            version,
        };
        match &wanted {
            Some((_, made)) if *made != found.version => {
                first.get_or_insert(found);
            }
            _ => return Ok(found),
        }
    }
    match (first, wanted) {
        (Some(found), Some((data, made))) => Err(LocalError::OtherVersion {
            path: data.to_owned(),
            made,
            found: found.version,
        }),
        _ => Err(LocalError::Missing("postgres")),
    }
}

/// The Redis server, or Valkey, which is the same for us.
pub(super) fn redis(folders: &[PathBuf]) -> Result<PathBuf, LocalError> {
    ["redis-server", "valkey-server"]
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| is_program(path))
        .ok_or(LocalError::Missing("redis-server"))
}

fn versions(parent: &Path, start: &str, rest: &str) -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let version = name.strip_prefix(start)?.trim_start_matches('@');
            Some((version.parse().unwrap_or(0), entry.path().join(rest)))
        })
        .collect();
    found.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    found.into_iter().map(|(_, path)| path).collect()
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// From `postgres (PostgreSQL) 15.10 (Debian …)`: `15`.
fn version(postgres: &Path) -> Option<String> {
    let output = Command::new(postgres)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let number = text.split_once("(PostgreSQL) ")?.1;
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| number[..digits].to_owned())
}
