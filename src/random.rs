//! Secrets that nobody can guess: hold ids, buyers, booking tokens, ticket codes. At least 128 bits each.

use std::fmt::Write;

/// Symbols that survive being read out over a telephone: no 0/O, 1/I/L, U/V.
const SPOKEN: &[u8; 29] = b"23456789ABCDEFGHJKMNPQRSTWXYZ";

/// `N` bytes from the operating system.
///
/// # Panics
/// When the operating system has no randomness to give, without which nothing here is safe.
#[must_use]
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

/// A token of 128 random bits, as 32 lower-case hexadecimal digits.
#[must_use]
pub fn token() -> String {
    hex(&bytes::<16>())
}

/// A short reference to be read out, such as `K7QM2XWP`: eight symbols, about 39 bits; it opens nothing.
#[must_use]
pub fn reference() -> String {
    bytes::<8>()
        .iter()
        .map(|b| char::from(SPOKEN[usize::from(*b) % 29]))
        .collect()
}

/// Bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Whether two secrets are the same, told in a time that does not depend on where they differ.
#[must_use]
pub fn same(one: &str, other: &str) -> bool {
    one.len() == other.len()
        && one
            .bytes()
            .zip(other.bytes())
            .fold(0, |difference, (a, b)| difference | (a ^ b))
            == 0
}

/// Whether `text` has the form of a [`token`], before a store is asked about it.
#[must_use]
pub fn is_token(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
