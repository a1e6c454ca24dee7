//! Passwords: argon2id, off the threads that answer requests.
//!
//! The invariant: whether an account exists or not, trying a password costs the same work.

use std::sync::{Arc, LazyLock};

use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use tokio::sync::Semaphore;

use crate::Error;

/// The shortest password that may be chosen, in characters.
pub const SHORTEST_PASSWORD: usize = 12;

/// Each hash takes 19 MiB and a core for a while: this many at once, and the others wait their turn.
const AT_ONCE: usize = 2;

static TURNS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(AT_ONCE)));

/// What is compared when there is no account: nobody knows its password.
static NOBODY: LazyLock<Option<String>> = LazyLock::new(|| compute(&super::secret()).ok());

/// What is kept of a password.
pub async fn hash(password: String) -> Result<String, Error> {
    run(move || compute(&password)).await
}

/// Whether this is the password behind `kept`; without an account (`None`) it works as long and says no.
pub async fn verify(password: String, kept: Option<String>) -> Result<bool, Error> {
    run(move || {
        // Made by whoever comes first, known account or not.
        let nobody = LazyLock::force(&NOBODY)
            .as_ref()
            .ok_or_else(|| Error::Broken("argon2".to_owned()))?;
        let known = kept.is_some();
        let kept = PasswordHash::new(kept.as_ref().unwrap_or(nobody)).map_err(|e| broken(&e))?;
        let fits = Argon2::default()
            .verify_password(password.as_bytes(), &kept)
            .is_ok();
        Ok(fits && known)
    })
    .await
}

async fn run<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let turn = Arc::clone(&TURNS)
        .acquire_owned()
        .await
        .map_err(|e| broken(&e))?;
    let done = tokio::task::spawn_blocking(move || {
        // The turn ends with the work, even when whoever asked has gone.
        let _turn = turn;
        work()
    });
    done.await.map_err(|e| broken(&e))?
}

fn compute(password: &str) -> Result<String, Error> {
    let hash: PasswordHash = Argon2::default()
        .hash_password(password.as_bytes())
        .map_err(|e| broken(&e))?;
    Ok(hash.to_string())
}

fn broken(error: &impl std::fmt::Display) -> Error {
    Error::Broken(format!("password: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_opens_its_own_account_and_no_other() {
        let kept = hash("a good long password".to_owned())
            .await
            .expect("a hash");
        assert!(kept.starts_with("$argon2id$"));
        assert!(
            verify("a good long password".to_owned(), Some(kept.clone()))
                .await
                .expect("an answer")
        );
        assert!(
            !verify("another password".to_owned(), Some(kept))
                .await
                .expect("an answer")
        );
        assert!(
            !verify("a good long password".to_owned(), None)
                .await
                .expect("an answer")
        );
    }
}
