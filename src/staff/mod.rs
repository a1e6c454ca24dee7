//! Staff: who may work in the box office, what they see of an event, and what they did.
//!
//! The invariant: nothing that staff do to a seat or to a hold goes without a row in the audit, and no secret of theirs (a
//! password, a link, a session) stands in the database in a form that could be used.

mod account;
mod audit;
mod block;
mod desk;
mod password;
mod sale;
mod session;

use sha2::{Digest, Sha256};

use crate::database::Database;
pub use account::{Accepted, Account, Added, Standing};
pub(crate) use audit::write as write_audit;
pub use audit::{Action, Entry};
pub use block::{Blocked, Unblocked};
pub use desk::{Count, Desk, DeskHold, DeskSeat, DeskState};
pub use password::SHORTEST_PASSWORD;
pub use sale::{Found, Sale, SoldSeat};
pub use session::{LogIn, Session};

/// What a member of staff may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Everything that the box office does, and its settings.
    Admin,
    /// What the box office does.
    BoxOffice,
}

impl Role {
    /// As it stands in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::BoxOffice => "box_office",
        }
    }

    fn parse(text: &str) -> Self {
        if text == "admin" {
            Self::Admin
        } else {
            Self::BoxOffice
        }
    }
}

/// One member of staff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Their row; what the audit names.
    pub id: i64,
    /// By which they log in.
    pub email: String,
    /// What they are called; may be empty.
    pub name: String,
    /// What they may do.
    pub role: Role,
}

impl Member {
    /// What others call them: the name, else the address.
    #[must_use]
    pub fn called(&self) -> &str {
        if self.name.is_empty() {
            &self.email
        } else {
            &self.name
        }
    }
}

/// The staff of this box office.
#[derive(Clone)]
pub struct Staff {
    database: Database,
}

impl Staff {
    /// Staff that live behind this pool.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database }
    }
}

/// A secret for a link or a cookie: 256 random bits, as 64 hexadecimal digits.
fn secret() -> String {
    crate::random::hex(&crate::random::bytes::<32>())
}

/// What is kept of a secret. It has so many random bits that a fast hash tells nobody anything about it.
fn digest(secret: &str) -> Vec<u8> {
    Sha256::digest(secret.as_bytes()).to_vec()
}
