//! Accounts: made with a one-time link, by which a password is chosen.
//!
//! The invariant: a link works once and not for long, and a new password ends every session that the old one began.

use jiff::Timestamp;
use serde_json::json;

use super::{
    Action, Member, Role, Staff, audit, digest,
    password::{self, SHORTEST_PASSWORD},
    secret,
};
use crate::Error;

/// What became of the wish for an account, with the secret of its one-time link.
#[derive(Debug, PartialEq, Eq)]
pub enum Added {
    /// There is a new account.
    Made(String),
    /// The account was there: the link lets it choose a new password.
    Renewed(String),
    /// The account was there, and disabled: it is enabled again.
    Enabled(String),
}

/// What became of a password chosen by a link.
#[derive(Debug, PartialEq, Eq)]
pub enum Accepted {
    /// This member may log in with it.
    Done(Member),
    /// It has fewer than [`SHORTEST_PASSWORD`] characters.
    TooShort,
    /// The link was used, or is too old, or never was one.
    NoInvite,
}

/// An account in the list.
#[derive(Debug)]
pub struct Account {
    /// Whose.
    pub member: Member,
    /// Since when.
    pub created_at: Timestamp,
    /// Whether it can be used.
    pub standing: Standing,
}

/// Whether an account can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It has a password.
    Active,
    /// Its link was not used yet.
    Invited,
    /// Nobody gets in by it.
    Disabled,
}

/// The link's secret is new each time, so that an earlier link opens nothing any more.
const ADD: &str = "
    with former as (
        select disabled_at is not null as disabled
          from staff
         where lower(email) = lower($1)
    )
    insert into staff (email, name, role, invite_hash, invite_expires_at)
    values ($1, coalesce($2, ''), coalesce($3, 'box_office'), $4, now() + interval '48 hours')
        on conflict (lower(email)) do update
       set name = coalesce($2, staff.name),
           role = coalesce($3, staff.role),
           invite_hash = excluded.invite_hash,
           invite_expires_at = excluded.invite_expires_at,
           disabled_at = null
 returning id, (select disabled from former)";

const INVITED: &str = "
    select id, email, name, role
      from staff
     where invite_hash = $1 and invite_expires_at > now() and disabled_at is null";

const SET_PASSWORD: &str = "
    update staff
       set password_hash = $2, invite_hash = null, invite_expires_at = null
     where invite_hash = $1 and invite_expires_at > now() and disabled_at is null
 returning id, email, name, role";

const DISABLE: &str = "
    update staff
       set disabled_at = coalesce(disabled_at, now()), password_hash = null, invite_hash = null, invite_expires_at = null
     where lower(email) = lower($1)
 returning id";

const END_SESSIONS: &str = "delete from staff_session where staff_id = $1";

impl Staff {
    /// Makes an account, or gives the one with this address a new link. Without a name or a role, a new account has none and
    /// works in the box office, and an old one keeps what it has.
    pub async fn add(
        &self,
        email: &str,
        name: Option<&str>,
        role: Option<Role>,
    ) -> Result<Added, Error> {
        let secret = secret();
        let mut client = self.database.get().await?;
        let transaction = client.transaction().await?;
        let role = role.map(Role::as_str);
        let row = transaction
            .query_one(ADD, &[&email, &name, &role, &digest(&secret)])
            .await?;
        let (id, disabled): (i64, Option<bool>) = (row.get(0), row.get(1));
        audit::write(
            &transaction,
            None,
            Action::Invite,
            None,
            "",
            &json!({ "staff": id, "email": email }),
        )
        .await?;
        transaction.commit().await?;
        Ok(match disabled {
            None => Added::Made(secret),
            Some(false) => Added::Renewed(secret),
            Some(true) => Added::Enabled(secret),
        })
    }

    /// Whom a link invites, as long as it works.
    pub async fn invited(&self, secret: &str) -> Result<Option<Member>, Error> {
        let client = self.database.get().await?;
        let statement = client.prepare_cached(INVITED).await?;
        Ok(client
            .query_opt(&statement, &[&digest(secret)])
            .await?
            .as_ref()
            .map(Member::from_row))
    }

    /// Uses a link up: sets its account's password, and ends every session of the account.
    pub async fn accept_invite(&self, secret: &str, password: String) -> Result<Accepted, Error> {
        // Hashing costs: a link that is none does not get that far.
        if self.invited(secret).await?.is_none() {
            return Ok(Accepted::NoInvite);
        }
        if password.chars().count() < SHORTEST_PASSWORD {
            return Ok(Accepted::TooShort);
        }
        let hash = password::hash(password).await?;
        let mut client = self.database.get().await?;
        let transaction = client.transaction().await?;
        let Some(row) = transaction
            .query_opt(SET_PASSWORD, &[&digest(secret), &hash])
            .await?
        else {
            return Ok(Accepted::NoInvite);
        };
        let member = Member::from_row(&row);
        transaction.execute(END_SESSIONS, &[&member.id]).await?;
        audit::write(
            &transaction,
            Some(member.id),
            Action::Password,
            None,
            "",
            &json!({}),
        )
        .await?;
        transaction.commit().await?;
        Ok(Accepted::Done(member))
    }

    /// Lets nobody in by this account any more; false when there is none.
    pub async fn disable(&self, email: &str) -> Result<bool, Error> {
        let mut client = self.database.get().await?;
        let transaction = client.transaction().await?;
        let Some(row) = transaction.query_opt(DISABLE, &[&email]).await? else {
            return Ok(false);
        };
        let id: i64 = row.get(0);
        transaction.execute(END_SESSIONS, &[&id]).await?;
        audit::write(
            &transaction,
            None,
            Action::Disable,
            None,
            "",
            &json!({ "staff": id, "email": email }),
        )
        .await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// All accounts, the oldest first.
    pub async fn list(&self) -> Result<Vec<Account>, Error> {
        let client = self.database.get().await?;
        let sql = "
            select id, email, name, role, created_at, disabled_at is not null, password_hash is not null
              from staff
             order by id";
        let rows = client.query(sql, &[]).await?;
        let accounts = rows.iter().map(|row| Account {
            member: Member::from_row(row),
            created_at: row.get(4),
            standing: match (row.get(5), row.get(6)) {
                (true, _) => Standing::Disabled,
                (false, true) => Standing::Active,
                (false, false) => Standing::Invited,
            },
        });
        Ok(accounts.collect())
    }
}

impl Member {
    /// Reads `id, email, name, role`, by name.
    pub(super) fn from_row(row: &tokio_postgres::Row) -> Self {
        Self {
            id: row.get("id"),
            email: row.get("email"),
            name: row.get("name"),
            role: Role::parse(row.get("role")),
        }
    }
}
