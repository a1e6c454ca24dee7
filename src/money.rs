//! Money: whole minor units of a currency, never a float.

use std::fmt;

/// An ISO 4217 currency code, such as `EUR`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Currency(String);

/// Why a text is not a currency or not an amount of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// Not three capital letters.
    #[error("{0:?} is not a currency: three capital letters, such as EUR, are")]
    Currency(String),
    /// Not a number, negative, too large, or with more decimals than the currency has.
    #[error(
        "{text:?} is not an amount in {currency}: write it with a point and at most {decimals} decimals"
    )]
    Amount {
        /// What was given.
        text: String,
        /// In which currency.
        currency: String,
        /// How many decimals that currency has.
        decimals: usize,
    },
}

impl Currency {
    /// Reads a currency's code.
    pub fn parse(code: &str) -> Result<Self, MoneyError> {
        if code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase()) {
            return Ok(Self(code.to_owned()));
        }
        Err(MoneyError::Currency(code.to_owned()))
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.0
    }

    /// How many decimals an amount has (ISO 4217, list one).
    #[must_use]
    pub fn decimals(&self) -> usize {
        match self.0.as_str() {
            "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF"
            | "UGX" | "UYI" | "VND" | "VUV" | "XAF" | "XOF" | "XPF" => 0,
            "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
            _ => 2,
        }
    }

    /// Minor units from an amount such as `45`, `45.5` or `45.00`.
    pub fn minor(&self, text: &str) -> Result<i64, MoneyError> {
        let decimals = self.decimals();
        let wrong = || MoneyError::Amount {
            text: text.to_owned(),
            currency: self.0.clone(),
            decimals,
        };
        let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
        let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty()
            || !digits(whole)
            || !digits(fraction)
            || fraction.len() > decimals
            || whole.len() > 12
        {
            return Err(wrong());
        }
        format!("{whole}{fraction:0<decimals$}")
            .parse()
            .map_err(|_| wrong())
    }

    /// An amount of this currency as people write it.
    #[must_use]
    pub fn show(&self, minor: i64) -> Money<'_> {
        Money {
            minor,
            currency: self,
        }
    }
}

/// An amount that knows its currency; its `Display` is what people read: `€45.00`, `CHF 45.00`, `¥4500`.
#[derive(Debug, Clone, Copy)]
pub struct Money<'a> {
    minor: i64,
    currency: &'a Currency,
}

impl fmt::Display for Money<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = self.currency.decimals();
        let sign = if self.minor < 0 { "−" } else { "" };
        let symbol = match self.currency.code() {
            "EUR" => "€",
            "USD" => "$",
            "GBP" => "£",
            "JPY" => "¥",
            // A no-break space, so that code and amount stay on one line.
            code => return write!(f, "{code}\u{a0}{sign}{}", digits(self.minor, decimals)),
        };
        write!(f, "{sign}{symbol}{}", digits(self.minor, decimals))
    }
}

fn digits(minor: i64, decimals: usize) -> String {
    let all = format!("{:0>width$}", minor.unsigned_abs(), width = decimals + 1);
    let (whole, fraction) = all.split_at(all.len() - decimals);
    if fraction.is_empty() {
        whole.to_owned()
    } else {
        format!("{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eur() -> Currency {
        Currency::parse("EUR").expect("a currency")
    }

    #[test]
    fn an_amount_is_read_into_whole_minor_units() {
        assert_eq!(eur().minor("45"), Ok(4500));
        assert_eq!(eur().minor("45.5"), Ok(4550));
        assert_eq!(eur().minor("0.05"), Ok(5));
        assert_eq!(
            Currency::parse("JPY").and_then(|yen| yen.minor("4500")),
            Ok(4500)
        );
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for wrong in [
            "",
            "-1",
            "1.234",
            "1,50",
            "1e3",
            ".5",
            "99999999999999999999",
        ] {
            assert!(eur().minor(wrong).is_err(), "{wrong}");
        }
        assert!(Currency::parse("eur").is_err());
    }

    #[test]
    fn an_amount_is_shown_as_people_write_it() {
        assert_eq!(eur().show(4500).to_string(), "€45.00");
        assert_eq!(eur().show(5).to_string(), "€0.05");
        assert_eq!(
            Currency::parse("JPY").map(|yen| yen.show(4500).to_string()),
            Ok("¥4500".to_owned())
        );
        assert_eq!(
            Currency::parse("CHF").map(|chf| chf.show(4500).to_string()),
            Ok("CHF\u{a0}45.00".to_owned())
        );
    }
}
