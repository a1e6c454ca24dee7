//! Colours as plans write them, brought to `#rrggbb`. Nothing else may reach a style sheet.

/// The colour of a category for which the file has none: legible with white text.
pub(super) const NEUTRAL: &str = "#6b7280";

/// The basic colour words of HTML.
const WORDS: [(&str, &str); 17] = [
    ("aqua", "#00ffff"),
    ("black", "#000000"),
    ("blue", "#0000ff"),
    ("fuchsia", "#ff00ff"),
    ("gray", "#808080"),
    ("green", "#008000"),
    ("grey", "#808080"),
    ("lime", "#00ff00"),
    ("maroon", "#800000"),
    ("navy", "#000080"),
    ("olive", "#808000"),
    ("purple", "#800080"),
    ("red", "#ff0000"),
    ("silver", "#c0c0c0"),
    ("teal", "#008080"),
    ("white", "#ffffff"),
    ("yellow", "#ffff00"),
];

/// What a text means as a colour.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Color {
    /// `#rrggbb`, in lower case.
    Solid(String),
    /// Nothing is painted.
    Clear,
    /// No colour.
    Unknown,
}

/// Reads `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa`, `rgb(…)`, `rgba(…)`, a basic colour word, `transparent` or `none`. How
/// transparent a colour is gets lost, unless it is wholly so.
pub(super) fn read(text: &str) -> Color {
    let text = text.trim().to_ascii_lowercase();
    if matches!(text.as_str(), "transparent" | "none") {
        return Color::Clear;
    }
    if let Some((_, solid)) = WORDS.iter().find(|(word, _)| *word == text) {
        return Color::Solid((*solid).to_owned());
    }
    if let Some(digits) = text.strip_prefix('#') {
        return hex(digits);
    }
    let inside = text
        .strip_prefix("rgba(")
        .or_else(|| text.strip_prefix("rgb("))
        .and_then(|rest| rest.strip_suffix(')'));
    inside.map_or(Color::Unknown, components)
}

fn hex(digits: &str) -> Color {
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Color::Unknown;
    }
    let digits = match digits.len() {
        3 | 4 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
        6 | 8 => digits.to_owned(),
        _ => return Color::Unknown,
    };
    if digits.get(6..) == Some("00") {
        Color::Clear
    } else {
        Color::Solid(format!("#{}", &digits[..6]))
    }
}

fn components(inside: &str) -> Color {
    let parts: Vec<&str> = inside
        .split([',', ' ', '/'])
        .map(str::trim)
        .filter(|component| !component.is_empty())
        .collect();
    let channels: Vec<u8> = parts
        .iter()
        .take(3)
        .filter_map(|channel| channel.parse().ok())
        .collect();
    match (
        channels.as_slice(),
        parts
            .get(3)
            .map(|alpha| alpha.trim_end_matches('%').parse::<f64>()),
    ) {
        (_, Some(Err(_))) => Color::Unknown,
        ([_, _, _], Some(Ok(alpha))) if alpha <= 0.0 => Color::Clear,
        ([red, green, blue], _) if parts.len() <= 4 => {
            Color::Solid(format!("#{red:02x}{green:02x}{blue:02x}"))
        }
        _ => Color::Unknown,
    }
}

/// The text colour that is legible on this colour.
#[must_use]
pub fn ink(color: &str) -> &'static str {
    if is_light(color) {
        "#000000"
    } else {
        "#ffffff"
    }
}

/// Whether black text is more legible on this `#rrggbb` than white (WCAG 2.2, relative luminance and contrast ratio).
fn is_light(color: &str) -> bool {
    let channel = |at: usize| {
        let value = color
            .get(at..at + 2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok())
            .unwrap_or(0);
        let value = f64::from(value) / 255.0;
        if value <= 0.040_45 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    let luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
    (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_on_a_category_is_black_or_white_whichever_is_more_legible() {
        assert!(is_light("#ffffff"));
        assert!(is_light("#f2c14e"));
        assert!(!is_light("#000000"));
        assert!(!is_light("#1f3a6e"));
    }
}
