//! Until when buyers can give seats back after the sale, as people say it: `24h`, `90m`, `7d`, `off`.

use std::str::FromStr;

/// How long before the start buyers can no longer cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancelling {
    /// Not at all.
    Off,
    /// So many seconds before the start.
    EndsBefore(i64),
}

impl Cancelling {
    /// Where nobody has said anything else: until a day before the start.
    pub const USUAL: Self = Self::EndsBefore(24 * 60 * 60);

    /// As it stands in the table.
    #[must_use]
    pub fn before_seconds(self) -> Option<i64> {
        match self {
            Self::Off => None,
            Self::EndsBefore(seconds) => Some(seconds),
        }
    }
}

impl FromStr for Cancelling {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self::Off);
        }
        let units = [("m", 60), ("h", 3600), ("d", 86400)];
        let unit = units
            .iter()
            .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
        let seconds = unit.and_then(|(number, seconds)| {
            let digits = number.bytes().all(|b| b.is_ascii_digit());
            number
                .parse::<i64>()
                .ok()
                .filter(|_| digits)?
                .checked_mul(*seconds)
        });
        seconds.map(Self::EndsBefore).ok_or_else(|| {
            format!("{text:?} is not a time before the start such as 24h, 90m or 7d, nor \"off\"")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_before_the_start_is_read_in_minutes_hours_and_days() {
        for (text, cancelling) in [
            ("24h", Cancelling::EndsBefore(86400)),
            ("90m", Cancelling::EndsBefore(5400)),
            ("7d", Cancelling::EndsBefore(604_800)),
            ("0h", Cancelling::EndsBefore(0)),
            ("off", Cancelling::Off),
        ] {
            assert_eq!(text.parse(), Ok(cancelling), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_before_the_start_is_refused() {
        for wrong in [
            "",
            "24",
            "h",
            "-1h",
            "+1h",
            "1.5h",
            "1w",
            "OFF",
            "9223372036854775807d",
        ] {
            assert!(wrong.parse::<Cancelling>().is_err(), "{wrong}");
        }
    }
}
