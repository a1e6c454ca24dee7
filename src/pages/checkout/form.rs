//! The payment form: what was typed, what is wrong with it, and the narrow thing that it becomes when nothing is.

use jiff::civil::Date;

use crate::{
    pages::forms::{self, Fields},
    payment::Card,
    text,
};

/// Longest name that is taken, in characters.
const LONGEST_NAME: usize = 120;

/// Longest address for mail (RFC 5321, 4.5.3.1.3, without the angle brackets).
const LONGEST_EMAIL: usize = 254;

/// What is shown again when the form comes back. Never the card's number, nor its code.
#[derive(Default)]
pub struct Typed {
    pub name: String,
    pub email: String,
    pub expiry: String,
}

/// What is wrong, field by field; shown beside the field.
#[derive(Default)]
pub struct Complaints {
    pub name: Option<text::Text>,
    pub email: Option<text::Text>,
    pub card: Option<text::Text>,
    pub expiry: Option<text::Text>,
    pub cvc: Option<text::Text>,
}

impl Complaints {
    pub fn any(&self) -> bool {
        [&self.name, &self.email, &self.card, &self.expiry, &self.cvc]
            .iter()
            .any(|complaint| complaint.is_some())
    }
}

/// A form without fault.
pub struct Filled {
    pub name: String,
    pub email: String,
    pub card: Card,
}

/// Reads the form; `today` decides whether a card has expired.
pub fn read(fields: &Fields, today: Date) -> (Typed, Result<Filled, Complaints>) {
    let typed = Typed {
        name: forms::first(fields, "name").to_owned(),
        email: forms::first(fields, "email").to_owned(),
        expiry: forms::first(fields, "expiry").to_owned(),
    };
    let number: String = forms::first(fields, "card")
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '-')
        .collect();
    let cvc = forms::first(fields, "cvc").to_owned();
    let expiry = expiry(&typed.expiry);
    let complaints = Complaints {
        name: complain(is_name(&typed.name), "complaint-name"),
        email: complain(is_email(&typed.email), "complaint-email"),
        card: complain(is_card(&number), "complaint-card"),
        expiry: match expiry {
            None => Some(text::t("complaint-expiry")),
            Some(month) => complain(month >= (today.year(), today.month()), "complaint-expired"),
        },
        cvc: complain(
            (3..=4).contains(&cvc.len()) && cvc.bytes().all(|b| b.is_ascii_digit()),
            "complaint-cvc",
        ),
    };
    if complaints.any() {
        return (typed, Err(complaints));
    }
    let (year, month) = expiry.unwrap_or_default();
    let card = Card {
        number,
        expiry: format!("{month:02}/{:02}", year % 100),
        cvc,
    };
    let filled = Filled {
        name: typed.name.clone(),
        email: typed.email.clone(),
        card,
    };
    (typed, Ok(filled))
}

fn complain(fine: bool, key: &'static str) -> Option<text::Text> {
    (!fine).then(|| text::t(key))
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= LONGEST_NAME
        && !name.chars().any(|c| c.is_control() || is_layout(c))
}

/// What turns or breaks a line without being seen (Unicode's bidirectional controls and separators): a list of staff must
/// read as it is.
fn is_layout(c: char) -> bool {
    matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// One `@`, something before it, and a host with a dot after it. Whether mail arrives, only mail can tell.
fn is_email(email: &str) -> bool {
    let Some((user, host)) = email.rsplit_once('@') else {
        return false;
    };
    let bad = |c: char| c.is_whitespace() || c.is_control() || "<>,;:\"()[]\\".contains(c);
    email.len() <= LONGEST_EMAIL
        && !user.is_empty()
        && !user.contains('@')
        && host.split('.').count() >= 2
        && host.split('.').all(|part| !part.is_empty())
        && !email.chars().any(bad)
}

/// Twelve to nineteen digits with a right check digit (ISO/IEC 7812-1, annex B).
fn is_card(number: &str) -> bool {
    if !(12..=19).contains(&number.len()) || !number.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let sum: u32 = number
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let digit = u32::from(digit - b'0');
            let doubled = if at % 2 == 1 { digit * 2 } else { digit };
            doubled / 10 + doubled % 10
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Year and month from `MM/YY`, also as `MM / YY`, `MM/YYYY` or `MMYY`, as browsers and people fill it in.
fn expiry(text: &str) -> Option<(i16, i8)> {
    let digits: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && !"/-.".contains(*c))
        .collect();
    if !digits.bytes().all(|b| b.is_ascii_digit()) || !matches!(digits.len(), 4 | 6) {
        return None;
    }
    let month: i8 = digits[..2].parse().ok()?;
    let year: i16 = digits[2..].parse().ok()?;
    (1..=12)
        .contains(&month)
        .then_some((if year < 100 { 2000 + year } else { year }, month))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_number_needs_its_check_digit() {
        assert!(is_card("4242424242424242"));
        assert!(is_card("4000000000009995"));
        assert!(!is_card("4242424242424241"));
        assert!(!is_card("42424242"));
        assert!(!is_card("4242 4242 4242 4242"));
    }

    #[test]
    fn an_expiry_is_read_as_people_and_browsers_write_it() {
        for text in ["07/31", "07 / 31", "0731", "07/2031", "07-31"] {
            assert_eq!(expiry(text), Some((2031, 7)), "{text}");
        }
        for text in ["", "13/31", "00/31", "7/31", "07/1", "ab/cd"] {
            assert_eq!(expiry(text), None, "{text}");
        }
    }

    #[test]
    fn an_address_for_mail_has_a_user_and_a_host_and_no_header_in_it() {
        for email in [
            "ana@example.org",
            "a.b+c@sub.example.co.uk",
            "jürgen@münchen.example",
        ] {
            assert!(is_email(email), "{email}");
        }
        for email in [
            "",
            "ana",
            "ana@",
            "@example.org",
            "ana@host",
            "a b@example.org",
            "a@b@example.org",
            "a@x..org",
            "a@x.org\nBcc: all@x.org",
        ] {
            assert!(!is_email(email), "{email}");
        }
    }

    #[test]
    fn a_name_may_be_of_any_script_but_not_of_control_characters() {
        assert!(is_name("María José Carreño Quiñones"));
        assert!(is_name("山田太郎"));
        assert!(!is_name("a\r\nBcc: b"));
        assert!(!is_name("a\u{202e}b"));
        assert!(!is_name(""));
    }
}
