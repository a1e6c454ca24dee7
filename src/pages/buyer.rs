//! The buyer: a browser, known by a random id in a signed cookie.

use actix_web::{
    HttpRequest, HttpResponse,
    cookie::{Cookie, CookieJar, SameSite, time::Duration},
};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::{App, guard::is_secure};
use crate::{config::Site, hold::BuyerId};

/// How long a browser is known.
const LIFE: Duration = Duration::days(30);

/// How many events' holds a page looks for.
const MOST_HOLDING: usize = 4;

/// Who the browser says it is, if its cookie is signed by us.
pub fn buyer(app: &App, request: &HttpRequest) -> Option<BuyerId> {
    BuyerId::parse(&read(app, request, "buyer")?)
}

/// A hold that this browser was given.
pub struct Held {
    /// The event's slug.
    pub slug: String,
    /// The hold's id.
    pub hold: String,
}

/// The latest hold of this browser at each of the last few events, the latest first. Some will have ended.
pub fn holding(app: &App, request: &HttpRequest) -> Vec<Held> {
    let cookie = read(app, request, "holding").unwrap_or_default();
    let entries = cookie.split('.').filter_map(|entry| entry.split_once('~'));
    entries
        .take(MOST_HOLDING)
        .map(|(slug, hold)| Held {
            slug: slug.to_owned(),
            hold: hold.to_owned(),
        })
        .collect()
}

/// Makes the browser known.
pub fn remember_buyer(app: &App, response: &mut HttpResponse, buyer: &BuyerId) {
    write(app, response, "buyer", buyer.as_str().to_owned());
}

/// Notes which hold the browser has at this event.
pub fn remember_holding(
    app: &App,
    request: &HttpRequest,
    response: &mut HttpResponse,
    slug: &str,
    hold: &str,
) {
    let others = holding(app, request)
        .into_iter()
        .filter(|other| other.slug != slug)
        .take(MOST_HOLDING - 1);
    let others = others.map(|other| format!("{}~{}", other.slug, other.hold));
    let entries: Vec<_> = std::iter::once(format!("{slug}~{hold}"))
        .chain(others)
        .collect();
    write(app, response, "holding", entries.join("."));
}

/// The token that a form of this buyer carries, which only we can make.
pub fn form_token(app: &App, subject: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(app.key.signing());
    // A key of any length will do, so there is always one.
    mac.map_or_else(
        |_| crate::random::token(),
        |mut mac| {
            mac.update(b"form:");
            mac.update(subject.as_bytes());
            crate::random::hex(&mac.finalize().into_bytes())
        },
    )
}

/// Whether a form carries the token of this subject, told in constant time.
pub fn is_form_token(app: &App, subject: &str, token: &str) -> bool {
    crate::random::same(&form_token(app, subject), token)
}

/// Reads a signed cookie; one that is not signed by us is not there.
pub fn read(app: &App, request: &HttpRequest, name: &str) -> Option<String> {
    let full = cookie_name(app, name);
    let mut jar = CookieJar::new();
    jar.add_original(request.cookie(&full)?.into_owned());
    jar.signed(&app.key)
        .get(&full)
        .map(|cookie| cookie.value().to_owned())
}

fn write(app: &App, response: &mut HttpResponse, name: &str, value: String) {
    set(app, response, name, value, LIFE);
}

/// Sets a signed cookie that lives for `life`.
pub fn set(app: &App, response: &mut HttpResponse, name: &str, value: String, life: Duration) {
    let full = cookie_name(app, name);
    let cookie = Cookie::build(full.clone(), value)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(is_secure(app))
        .max_age(life)
        .finish();
    let mut jar = CookieJar::new();
    jar.signed_mut(&app.key).add(cookie);
    if let Some(signed) = jar.get(&full) {
        // A name and a value of ours always make a header.
        let _ = response.add_cookie(signed);
    }
}

/// With https the name binds the cookie to this host and to secure connections. Without, it tells one box office from
/// another on the same host, since cookies know no ports.
fn cookie_name(app: &App, name: &str) -> String {
    if is_secure(app) {
        return format!("__Host-{name}");
    }
    format!("{name}-{}", &form_token(app, "cookie")[..8])
}

/// The address that a request comes from: the peer's, or what a trusted proxy says.
pub fn address(site: &Site, request: &HttpRequest) -> std::net::IpAddr {
    let peer = request.peer_addr().map_or(
        std::net::IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED),
        |peer| peer.ip(),
    );
    let trusted = |address: &std::net::IpAddr| {
        site.trusted_proxies
            .iter()
            .any(|net| net.contains(&address.to_canonical()))
    };
    if !trusted(&peer) {
        return peer;
    }
    // From the nearest hop outwards: the first that is no proxy of ours is the client.
    let hops = request
        .headers()
        .get_all("x-forwarded-for")
        .filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = hops
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    hops.iter()
        .rev()
        .map_while(|hop| hop_address(hop))
        .find(|hop| !trusted(hop))
        .unwrap_or(peer)
}

/// An address as proxies write it, also with a port.
fn hop_address(hop: &str) -> Option<std::net::IpAddr> {
    let with_port = || {
        hop.parse::<std::net::SocketAddr>()
            .map(|address| address.ip())
    };
    hop.parse().or_else(|_| with_port()).ok()
}
