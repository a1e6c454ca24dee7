//! Every setting: its flag, its variable, its default, its unit.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::{Args, ValueEnum};
use ipnet::IpNet;

use crate::{
    limit::{Limits, Rate},
    payment::Remote,
};

/// Where the stores are.
#[derive(Debug, Clone, Args)]
pub struct Stores {
    /// PostgreSQL, such as `postgres://user:password@host:5432/seathold`
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, value_name = "URL")]
    pub database_url: Option<String>,
    /// Redis 7 or newer, such as `redis://:password@host:6379`
    #[arg(long, env = "REDIS_URL", hide_env_values = true, value_name = "URL")]
    pub redis_url: Option<String>,
}

/// Settings of `seathold serve`.
#[derive(Debug, Clone, Args)]
pub struct Serve {
    /// Try it out: starts private PostgreSQL, Redis and payment servers, loads demo events when there are none
    #[arg(long)]
    pub local: bool,
    /// With --local: the folder that keeps everything
    #[arg(long, value_name = "DIR", default_value = ".local")]
    pub data: PathBuf,
    /// With --local: the port on 127.0.0.1 (0 takes any free one)
    #[arg(long, value_name = "N", default_value_t = 8080)]
    pub port: u16,
    /// Where the stores are.
    #[command(flatten)]
    pub stores: Stores,
    /// How the site shows itself.
    #[command(flatten)]
    pub site: Site,
    /// At least 32 characters that nobody else knows; signs cookies and forms, the same on every server
    #[arg(long, env = "SECRET_KEY", hide_env_values = true, value_name = "TEXT")]
    pub secret_key: Option<String>,
    /// Address and port to listen on
    #[arg(
        long,
        env = "LISTEN",
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:8080"
    )]
    pub listen: SocketAddr,
    /// Who moves the money.
    #[command(flatten)]
    pub provider: Provider,
    /// With --local: the payment simulator plays within this program, not as a neighbour; for benchmarks
    #[arg(long)]
    pub provider_inside: bool,
    /// How long the provider may take to answer a charge, in milliseconds; then the payment is checked until it is known
    #[arg(
        long,
        env = "PAYMENT_TIMEOUT_MS",
        value_name = "MS",
        default_value_t = 9000,
        value_parser = clap::value_parser!(u64).range(100..=60_000)
    )]
    pub payment_timeout_ms: u64,
    /// Most PostgreSQL connections of this server
    #[arg(
        long,
        env = "DATABASE_CONNECTIONS",
        value_name = "N",
        default_value_t = 16
    )]
    pub database_connections: usize,
    /// Most Redis connections of this server
    #[arg(
        long,
        env = "REDIS_CONNECTIONS",
        value_name = "N",
        default_value_t = 64
    )]
    pub redis_connections: usize,
    /// Threads that answer requests [default: one for each core]
    #[arg(long, env = "WORKERS", value_name = "N")]
    pub workers: Option<usize>,
    /// Where the style sheets and scripts are [default: ./static, else the one of the source tree]
    #[arg(long, env = "STATIC_DIR", value_name = "DIR")]
    pub static_dir: Option<PathBuf>,
    /// How often things may be done.
    #[command(flatten)]
    pub limits: LimitSettings,
    /// How the log is written
    #[arg(
        long,
        env = "LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "json"
    )]
    pub log_format: LogFormat,
}

/// Who moves the money: a neighbour, or the simulator within this program.
#[derive(Debug, Clone, Args)]
pub struct Provider {
    /// The payment provider's address: the one of `seathold paysim`, such as `http://127.0.0.1:8090`
    #[arg(long, env = "PAYMENT_URL", value_name = "URL")]
    pub payment_url: Option<String>,
    /// What the payment provider and we know, and nobody else: at least 32 characters
    #[arg(
        long,
        env = "PAYMENT_SECRET",
        hide_env_values = true,
        value_name = "TEXT"
    )]
    pub payment_secret: Option<String>,
    /// Without a payment address: the simulator plays within this program, with this `SQLite` file, shared by every server
    #[arg(long, env = "SIMULATOR_LEDGER", value_name = "FILE")]
    pub simulator_ledger: Option<PathBuf>,
}

impl Provider {
    /// The secret, if it is long enough to be one; else what is wrong.
    pub fn secret(&self) -> Result<&str, String> {
        match self.payment_secret.as_deref() {
            Some(secret) if secret.len() >= 32 => Ok(secret),
            Some(_) => Err("PAYMENT_SECRET is too short: at least 32 characters".to_owned()),
            None => Err(
                "PAYMENT_SECRET is missing: the text that the payment provider knows too, at least 32 characters"
                    .to_owned(),
            ),
        }
    }

    /// The neighbour at the payment address, if there is one.
    pub fn remote(&self, charge_bound: Duration) -> Result<Option<Remote>, String> {
        let Some(address) = &self.payment_url else {
            return Ok(None);
        };
        Remote::new(address, self.secret()?, charge_bound)
            .map(Some)
            .map_err(|e| format!("PAYMENT_URL: {e}"))
    }
}

/// How the site shows itself.
#[derive(Debug, Clone, Args)]
pub struct Site {
    /// The address that people type; with https, cookies are `Secure` [default: the request's own Host]
    #[arg(long, env = "PUBLIC_URL", value_name = "URL", value_parser = parse_origin)]
    pub public_url: Option<String>,
    /// The box office's name, on every page
    #[arg(
        long,
        env = "SITE_NAME",
        value_name = "TEXT",
        default_value = "Seathold"
    )]
    pub site_name: String,
    /// Link to the terms
    #[arg(long, env = "TERMS_URL", value_name = "URL", value_parser = parse_link)]
    pub terms_url: Option<String>,
    /// Link to the privacy notice
    #[arg(long, env = "PRIVACY_URL", value_name = "URL", value_parser = parse_link)]
    pub privacy_url: Option<String>,
    /// Link to the imprint
    #[arg(long, env = "IMPRINT_URL", value_name = "URL", value_parser = parse_link)]
    pub imprint_url: Option<String>,
    /// Whether the checkout says that no money moves, and lists the test cards
    #[arg(long, env = "DEMO", value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    pub demo: bool,
    /// Proxies whose X-Forwarded-For is believed: addresses or networks, separated by commas
    #[arg(long, env = "TRUSTED_PROXIES", value_name = "NETWORKS", value_delimiter = ',', value_parser = parse_network)]
    pub trusted_proxies: Vec<IpNet>,
}

/// How often things may be done; `COUNT/SECONDS`.
#[derive(Debug, Clone, Args)]
pub struct LimitSettings {
    /// `off` lifts every limit, for a load test
    #[arg(long, env = "LIMITS", value_name = "on|off", default_value = "on")]
    pub limits: OnOff,
    /// Presses of "hold" by one buyer
    #[arg(
        long,
        env = "LIMIT_HOLD_BUYER",
        value_name = "COUNT/SECONDS",
        default_value = "30/60"
    )]
    pub limit_hold_buyer: Rate,
    /// Seats taken from one network at one event, abandoned ones included
    #[arg(
        long,
        env = "LIMIT_HOLD_NETWORK",
        value_name = "COUNT/SECONDS",
        default_value = "200/600"
    )]
    pub limit_hold_network: Rate,
    /// Presses of "pay" by one buyer
    #[arg(
        long,
        env = "LIMIT_PAY_BUYER",
        value_name = "COUNT/SECONDS",
        default_value = "10/60"
    )]
    pub limit_pay_buyer: Rate,
    /// Presses of "pay" from one network
    #[arg(
        long,
        env = "LIMIT_PAY_NETWORK",
        value_name = "COUNT/SECONDS",
        default_value = "60/600"
    )]
    pub limit_pay_network: Rate,
    /// Attempts to log in, from one network and for one account
    #[arg(
        long,
        env = "LIMIT_LOG_IN",
        value_name = "COUNT/SECONDS",
        default_value = "10/300"
    )]
    pub limit_log_in: Rate,
}

impl LimitSettings {
    /// As the limiter wants them.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits {
            on: self.limits == OnOff::On,
            hold_buyer: self.limit_hold_buyer,
            hold_network: self.limit_hold_network,
            pay_buyer: self.limit_pay_buyer,
            pay_network: self.limit_pay_network,
            log_in: self.limit_log_in,
        }
    }
}

/// A switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnOff {
    /// On.
    On,
    /// Off.
    Off,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One JSON object a line, for machines.
    Json,
    /// For people.
    Text,
}

/// Reads scheme and host of an address, such as `https://tickets.example.org`.
pub fn parse_origin(text: &str) -> Result<String, String> {
    let origin = text.trim_end_matches('/');
    let host = origin
        .strip_prefix("https://")
        .or_else(|| origin.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['/', '?', '#', ' ', '@']) => {
            Ok(origin.to_ascii_lowercase())
        }
        _ => Err("write scheme and host, such as https://tickets.example.org".to_owned()),
    }
}

fn parse_link(text: &str) -> Result<String, String> {
    let fits = ["https://", "http://", "/", "mailto:"]
        .iter()
        .any(|start| text.starts_with(start));
    if fits {
        Ok(text.to_owned())
    } else {
        Err("write a whole address, such as https://example.org/terms".to_owned())
    }
}

fn parse_network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    text.parse::<IpNet>()
        .or_else(|_| text.parse::<std::net::IpAddr>().map(IpNet::from))
        .map_err(|_| "write addresses or networks, such as 10.0.0.0/8".to_owned())
}
