//! Sessions: a browser in which a member of staff is logged in.
//!
//! The invariant: a session is begun only by the password that the account has at that instant, and ends with it.

use super::{Member, Staff, digest, password, secret};
use crate::Error;

/// What became of an attempt to log in.
#[derive(Debug, PartialEq, Eq)]
pub enum LogIn {
    /// The session's secret, for the cookie.
    Done(String),
    /// Address and password do not belong together; which of them is wrong is not told.
    Wrong,
}

/// A session that runs.
#[derive(Debug, Clone)]
pub struct Session {
    /// Who is logged in.
    pub member: Member,
    /// Names the session without opening it: what its forms are bound to.
    pub id: String,
}

const ACCOUNT: &str = "
    select id, password_hash
      from staff
     where lower(email) = lower($1) and disabled_at is null";

/// The account's row is locked, and read anew once it is ours: a password that is set in between begins no session.
const BEGIN: &str = "
    insert into staff_session (secret_hash, staff_id, expires_at)
    select $1, id, now() + interval '12 hours'
      from staff
     where id = $2 and password_hash = $3 and disabled_at is null
       for share";

const LOOK_UP: &str = "
    select staff.id, staff.email, staff.name, staff.role
      from staff_session
      join staff on staff.id = staff_session.staff_id
     where staff_session.secret_hash = $1 and staff_session.expires_at > now() and staff.disabled_at is null";

impl Staff {
    /// Begins a session of 12 hours, if the password is the account's.
    pub async fn log_in(&self, email: &str, password: String) -> Result<LogIn, Error> {
        let account = {
            // The connection goes back before the long work.
            let client = self.database.get().await?;
            let statement = client.prepare_cached(ACCOUNT).await?;
            client.query_opt(&statement, &[&email]).await?
        };
        let id: Option<i64> = account.as_ref().map(|row| row.get(0));
        let kept: Option<String> = account.and_then(|row| row.get(1));
        if !password::verify(password, kept.clone()).await? {
            return Ok(LogIn::Wrong);
        }
        let secret = secret();
        let client = self.database.get().await?;
        client
            .execute("delete from staff_session where expires_at <= now()", &[])
            .await?;
        let begun = client
            .execute(BEGIN, &[&digest(&secret), &id, &kept])
            .await?;
        Ok(if begun == 1 {
            LogIn::Done(secret)
        } else {
            LogIn::Wrong
        })
    }

    /// The session that a cookie's secret opens.
    pub async fn session(&self, secret: &str) -> Result<Option<Session>, Error> {
        let hash = digest(secret);
        let client = self.database.get().await?;
        let statement = client.prepare_cached(LOOK_UP).await?;
        let row = client.query_opt(&statement, &[&hash]).await?;
        Ok(row.map(|row| Session {
            member: Member::from_row(&row),
            id: crate::random::hex(&hash),
        }))
    }

    /// Ends a session; one that is over is a success.
    pub async fn log_out(&self, secret: &str) -> Result<(), Error> {
        let client = self.database.get().await?;
        client
            .execute(
                "delete from staff_session where secret_hash = $1",
                &[&digest(secret)],
            )
            .await?;
        Ok(())
    }
}
