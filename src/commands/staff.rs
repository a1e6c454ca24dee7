//! `seathold staff …`: who may work in the box office.

use clap::{Args, Subcommand};
use seathold::{
    config::{Stores, parse_origin},
    staff::{Added, Role, Staff, Standing},
};

use super::{Failure, open_database};

/// What can be done with accounts of staff.
#[derive(Subcommand)]
pub enum StaffCommand {
    /// Make an account, or let one choose a new password: prints a one-time link
    Add(Add),
    /// List all accounts
    List {
        #[command(flatten)]
        stores: Stores,
    },
    /// Let nobody in by an account any more; ends its sessions
    Disable {
        /// The account's e-mail address
        #[arg(long)]
        email: String,
        #[command(flatten)]
        stores: Stores,
    },
}

/// An account.
#[derive(Args)]
pub struct Add {
    /// The e-mail address by which they log in
    #[arg(long, value_parser = parse_email)]
    email: String,
    /// What they are called
    #[arg(long)]
    name: Option<String>,
    /// Note the account as an administrator's; so far both kinds may do the same
    #[arg(long)]
    admin: bool,
    /// The site's address, for the link
    #[arg(long, env = "PUBLIC_URL", value_name = "URL", default_value = "http://localhost:8080", value_parser = parse_origin)]
    public_url: String,
    #[command(flatten)]
    stores: Stores,
}

/// Runs one of the staff commands.
pub async fn run(command: StaffCommand) -> Result<(), Failure> {
    match command {
        StaffCommand::Add(add) => self::add(add).await,
        StaffCommand::List { stores } => list(&stores).await,
        StaffCommand::Disable { email, stores } => {
            if !Staff::new(open_database(&stores).await?)
                .disable(email.trim())
                .await?
            {
                return Err(format!("there is no account of {email}").into());
            }
            println!("Nobody gets in as {email} any more.");
            Ok(())
        }
    }
}

async fn add(add: Add) -> Result<(), Failure> {
    let staff = Staff::new(open_database(&add.stores).await?);
    let role = add.admin.then_some(Role::Admin);
    let email = &add.email;
    let secret = match staff
        .add(email, add.name.as_deref().map(str::trim), role)
        .await?
    {
        Added::Made(secret) => {
            println!("Made an account for {email}.");
            secret
        }
        Added::Renewed(secret) => {
            println!(
                "{email} has an account already; it can choose a new password. Until then the old one still works."
            );
            secret
        }
        Added::Enabled(secret) => {
            println!("The account of {email} was disabled; it is enabled again.");
            secret
        }
    };
    println!("Choose the password here, once, within 48 hours:");
    println!("{}/staff/invite/{secret}", add.public_url);
    Ok(())
}

async fn list(stores: &Stores) -> Result<(), Failure> {
    let accounts = Staff::new(open_database(stores).await?).list().await?;
    if accounts.is_empty() {
        println!("There is no account yet: seathold staff add --help");
    }
    for account in accounts {
        let role = match account.member.role {
            Role::Admin => "admin",
            Role::BoxOffice => "box office",
        };
        let standing = match account.standing {
            Standing::Active => "active",
            Standing::Invited => "invited",
            Standing::Disabled => "disabled",
        };
        let since = account.created_at.strftime("%Y-%m-%d");
        println!(
            "{}\t{}\t{role}\t{standing}\tsince {since}",
            account.member.email, account.member.name
        );
    }
    Ok(())
}

fn parse_email(text: &str) -> Result<String, String> {
    let text = text.trim();
    let whole = text
        .split_once('@')
        .is_some_and(|(who, host)| !who.is_empty() && !host.is_empty() && !host.contains('@'));
    if whole && text.len() <= 254 && !text.contains(char::is_whitespace) {
        return Ok(text.to_owned());
    }
    Err("write an e-mail address such as ana@example.org".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_named_by_an_address() {
        assert_eq!(
            parse_email(" ana@example.org "),
            Ok("ana@example.org".to_owned())
        );
        for wrong in [
            "",
            "ana",
            "@example.org",
            "ana@",
            "a@b@c",
            "ana maria@example.org",
        ] {
            assert!(parse_email(wrong).is_err(), "{wrong}");
        }
    }
}
