//! Limits: how often one buyer, or one network, may do a thing.
//!
//! The invariant: a counter and its expiry are set in one step, so no counter can live for ever.

use std::{net::IpAddr, str::FromStr, sync::LazyLock, time::Duration};

use deadpool_redis::{Connection, redis::Script};

use crate::Error;

static LIMIT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("limit.lua")));

/// So much in such a window, written `COUNT/SECONDS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Most in a window.
    pub most: u32,
    /// The window.
    pub window: Duration,
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a limit: write COUNT/SECONDS, such as 20/60");
        let (most, seconds) = text.split_once('/').ok_or_else(wrong)?;
        let (most, seconds) = (
            most.trim().parse().map_err(|_| wrong())?,
            seconds.trim().parse().map_err(|_| wrong())?,
        );
        if most == 0 || !(1..=86_400).contains(&seconds) {
            return Err(wrong());
        }
        Ok(Self {
            most,
            window: Duration::from_secs(seconds),
        })
    }
}

/// What is limited, and by how much.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Whether anything is limited at all.
    pub on: bool,
    /// Presses of "hold" by one buyer.
    pub hold_buyer: Rate,
    /// Seats taken from one network at one event, abandoned ones included; counted by the script that takes them.
    pub hold_network: Rate,
    /// Presses of "pay" by one buyer.
    pub pay_buyer: Rate,
    /// Presses of "pay" from one network.
    pub pay_network: Rate,
    /// Attempts to log in from one network, and for one account.
    pub log_in: Rate,
}

/// One subject's use of one limit.
pub struct Use<'a> {
    /// Which limit.
    pub scope: &'a str,
    /// Whose: a buyer, a network, an account.
    pub subject: &'a str,
    /// How much of it.
    pub cost: usize,
    /// Out of how much.
    pub rate: Rate,
}

/// The network that an address belongs to: itself, or for IPv6 its /64, which is what one household has.
#[must_use]
pub fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

impl Limits {
    /// Counts each use; `Some` is how long to wait when any of them is over its limit.
    pub async fn count(
        &self,
        redis: &mut Connection,
        uses: &[Use<'_>],
    ) -> Result<Option<Duration>, Error> {
        if !self.on {
            return Ok(None);
        }
        let mut wait = 0_u64;
        for used in uses {
            let left: u64 = LIMIT
                .key(format!("limit:{}:{{{}}}", used.scope, used.subject))
                .arg(used.cost)
                .arg(used.rate.most)
                .arg(u64::try_from(used.rate.window.as_millis()).unwrap_or(u64::MAX))
                .invoke_async(redis)
                .await?;
            wait = wait.max(left);
        }
        Ok((wait > 0).then(|| Duration::from_millis(wait)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_written_as_count_and_seconds() {
        assert_eq!(
            "20/60".parse(),
            Ok(Rate {
                most: 20,
                window: Duration::from_mins(1)
            })
        );
        for wrong in ["", "20", "0/60", "20/0", "20/60s", "-1/60"] {
            assert!(wrong.parse::<Rate>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_household_with_many_ipv6_addresses_is_one_network() {
        let of = |text: &str| network(text.parse().expect("an address"));
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), "192.0.2.1");
    }
}
