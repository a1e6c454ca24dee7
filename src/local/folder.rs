//! The data folder: who has it, and the small files that are kept in it. Its invariant: one instance at a time, and what
//! is secret is in files that only their owner can read.

use std::{
    fs::{self, File, OpenOptions, Permissions, TryLockError},
    io::{self, Write},
    net::TcpListener,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    thread::sleep,
    time::{Duration, Instant},
};

use super::LocalError;

/// How often we look again while we wait.
pub(super) const TICK: Duration = Duration::from_millis(20);
/// A lock that is given back can stay for a moment in a child that another thread is just starting.
const FREE_WITHIN: Duration = Duration::from_secs(2);

/// Takes the folder for this process, making it when it is not there; it is free again when the file is dropped.
pub(super) fn take(dir: &Path) -> Result<(PathBuf, File), LocalError> {
    fs::create_dir_all(dir).map_err(LocalError::folder(dir))?;
    let dir = dir.canonicalize().map_err(LocalError::folder(dir))?;
    let path = dir.join("lock");
    let lock = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(LocalError::folder(&path))?;
    if lock_within(&lock, FREE_WITHIN).map_err(LocalError::folder(path))? {
        Ok((dir, lock))
    } else {
        Err(LocalError::InUse(dir))
    }
}

/// Locks the file as soon as nobody else has it locked; false when that is not so within `patience`.
pub(super) fn lock_within(file: &File, patience: Duration) -> io::Result<bool> {
    let end = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() < end => sleep(TICK),
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Makes a folder that others may pass through but not list; whatever is private in it protects itself.
pub(super) fn make(path: &Path) -> Result<(), LocalError> {
    fs::create_dir_all(path).map_err(LocalError::folder(path))?;
    fs::set_permissions(path, Permissions::from_mode(0o711)).map_err(LocalError::folder(path))
}

/// Lets other accounts pass through a folder that we did not make ourselves.
pub(super) fn open_the_way(path: &Path) -> Result<(), LocalError> {
    let mode = fs::metadata(path)
        .map_err(LocalError::folder(path))?
        .permissions()
        .mode();
    if mode & 0o001 == 0 {
        fs::set_permissions(path, Permissions::from_mode(mode | 0o001))
            .map_err(LocalError::folder(path))?;
    }
    Ok(())
}

/// Writes a file whole or not at all, with these rights; returns it for a change of owner.
pub(super) fn write(path: &Path, mode: u32, text: &str) -> Result<File, LocalError> {
    let unfinished = path.with_extension("new");
    let written = (|| {
        match fs::remove_file(&unfinished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&unfinished)?;
        // Whatever the umask took away.
        file.set_permissions(Permissions::from_mode(mode))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&unfinished, path)?;
        Ok(file)
    })();
    written.map_err(LocalError::folder(path))
}

/// The 64 hexadecimal digits kept in this file; new random ones the first time.
pub(super) fn secret(path: &Path) -> Result<String, LocalError> {
    match fs::read_to_string(path) {
        Ok(text) => {
            let text = text.trim();
            if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                Ok(text.to_owned())
            } else {
                Err(LocalError::Damaged {
                    path: path.to_owned(),
                    expected: "64 hexadecimal digits",
                })
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let [high, low] = [
                u128::from_le_bytes(random()?),
                u128::from_le_bytes(random()?),
            ];
            let secret = format!("{high:032x}{low:032x}");
            write(path, 0o600, &format!("{secret}\n"))?;
            Ok(secret)
        }
        Err(error) => Err(LocalError::folder(path)(error)),
    }
}

/// The port kept in this file when nobody has taken it since, else another.
pub(super) fn kept_port(path: &Path) -> Result<u16, LocalError> {
    let kept = fs::read_to_string(path)
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .filter(|port| is_free(*port));
    kept.map_or_else(free_port, Ok)
}

/// A port on which nobody listens, on 127.0.0.1.
///
/// It is drawn from below the range from which the system serves outgoing connections: a client that keeps trying to
/// reach a stopped server on a port within that range can one day be given that very port, and so keep the server out.
pub(super) fn free_port() -> Result<u16, LocalError> {
    for _ in 0..100 {
        let port = 10_000 + u16::from_le_bytes(random()?) % 22_000;
        if is_free(port) {
            return Ok(port);
        }
    }
    TcpListener::bind(("127.0.0.1", 0))
        .and_then(|any| any.local_addr())
        .map(|address| address.port())
        .map_err(LocalError::folder("127.0.0.1"))
}

/// Whether one could listen on this port of 127.0.0.1.
pub(super) fn is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}

fn random<const N: usize>() -> Result<[u8; N], LocalError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(io::Error::from)
        .map_err(LocalError::folder("random numbers"))?;
    Ok(bytes)
}
