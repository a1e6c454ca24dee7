//! The order in which people read a room.
//!
//! These are total orders: sorting by them is safe for any text.

use std::{cmp::Ordering, iter::Peekable, str::Chars};

/// Natural order: `2` before `10`, `A9` before `A10`; capitals and small letters stand together.
#[must_use]
pub fn natural_cmp(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.chars().peekable(), b.chars().peekable());
    loop {
        let ordering = match (left.peek().copied(), right.peek().copied()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(l), Some(r)) if l.is_ascii_digit() && r.is_ascii_digit() => {
                let (l, r) = (number(&mut left), number(&mut right));
                l.len().cmp(&r.len()).then_with(|| l.cmp(&r))
            }
            (Some(l), Some(r)) => {
                left.next();
                right.next();
                l.to_lowercase().cmp(r.to_lowercase())
            }
        };
        if ordering.is_ne() {
            return ordering;
        }
    }
}

/// Natural order for rows, in which `Z` comes before `AA`, as theatres letter them.
pub(super) fn row_cmp(a: &str, b: &str) -> Ordering {
    let lettered = |row: &str| match row.chars().take_while(|c| c.is_alphabetic()).count() {
        letters @ 0..=2 => letters,
        _ => 3,
    };
    lettered(a)
        .cmp(&lettered(b))
        .then_with(|| natural_cmp(a, b))
}

/// Takes the digits that come next, without leading zeros.
fn number(chars: &mut Peekable<Chars<'_>>) -> String {
    let mut digits = String::new();
    while let Some(digit) = chars.next_if(char::is_ascii_digit) {
        if digit != '0' || !digits.is_empty() {
            digits.push(digit);
        }
    }
    digits
}
