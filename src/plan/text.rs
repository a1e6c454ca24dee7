//! From a file's bytes to text, and from its texts to labels that can be printed.

use super::{Oddity, PlanError, Report};

/// A seat's or a row's label, a zone's or a category's name has at most this many characters.
pub(super) const LONGEST_LABEL: usize = 40;
/// A name of the plan, or words on an area.
pub(super) const LONGEST_WORDS: usize = 200;

/// What Windows-1252 has at 0x80 to 0x9F; the rest is as in Latin-1. Unassigned bytes are `\0` here.
const WINDOWS_1252: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘',
    '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

/// UTF-8 with or without a byte-order mark, UTF-16 with one, or a grid in Windows-1252.
pub(super) fn decode(file: &str, bytes: &[u8], report: &mut Report) -> Result<String, PlanError> {
    let text = match bytes {
        [b'P', b'K', 3, 4, ..] | [0xD0, 0xCF, 0x11, 0xE0, ..] => {
            return Err(PlanError::whole(
                file,
                "it is a spreadsheet or an archive: save the sheet as CSV",
            ));
        }
        [0xEF, 0xBB, 0xBF, rest @ ..] => {
            report.note(Oddity::ByteOrderMark, "start of the file");
            utf8(file, rest, report)?
        }
        [0xFF, 0xFE, rest @ ..] => utf16(file, rest, u16::from_le_bytes, report)?,
        [0xFE, 0xFF, rest @ ..] => utf16(file, rest, u16::from_be_bytes, report)?,
        _ => utf8(file, bytes, report)?,
    };
    match text.find(|c: char| {
        c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{80}'..)
    }) {
        Some(at) => Err(PlanError::at(
            file,
            place(&text, at),
            "this is not text: neither pretix JSON nor a CSV grid",
        )),
        None => Ok(text),
    }
}

fn utf8(file: &str, bytes: &[u8], report: &mut Report) -> Result<String, PlanError> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(text.to_owned()),
        Err(error) => error,
    };
    let (good, rest) = bytes.split_at(error.valid_up_to());
    let good = String::from_utf8_lossy(good);
    let place = place(&good, good.len());
    let json = bytes
        .iter()
        .find(|byte| !byte.is_ascii_whitespace())
        .is_some_and(|byte| matches!(byte, b'{' | b'['));
    if json || rest.iter().any(|byte| byte_1252(*byte) == '\0') {
        return Err(PlanError::at(
            file,
            place,
            "this is not UTF-8 text: save the file as UTF-8",
        ));
    }
    report.note(Oddity::Windows1252, place);
    Ok(bytes.iter().map(|byte| byte_1252(*byte)).collect())
}

fn utf16(
    file: &str,
    bytes: &[u8],
    unit: fn([u8; 2]) -> u16,
    report: &mut Report,
) -> Result<String, PlanError> {
    report.note(Oddity::ByteOrderMark, "start of the file");
    let units: Vec<u16> = bytes
        .chunks_exact(2)
        .map(|two| unit([two[0], two[1]]))
        .collect();
    match String::from_utf16(&units) {
        Ok(text) if bytes.len().is_multiple_of(2) => Ok(text),
        _ => Err(PlanError::whole(
            file,
            "it begins like UTF-16 text but is none: save the file as UTF-8",
        )),
    }
}

fn byte_1252(byte: u8) -> char {
    if (0x80..0xA0).contains(&byte) {
        WINDOWS_1252[usize::from(byte - 0x80)]
    } else {
        char::from(byte)
    }
}

/// The line and column of a byte.
fn place(text: &str, at: usize) -> String {
    let before = &text[..at];
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    format!("line {}, column {column}", before.matches('\n').count() + 1)
}

/// A text on one line, without control characters, of at most `longest` characters; and whether it had been otherwise.
pub(super) fn tidy(text: &str, longest: usize) -> (String, bool) {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let joined = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = joined.chars().take(longest).collect();
    let untidy = text.trim().chars().any(char::is_control) || short.len() < joined.len();
    (short.trim_end().to_owned(), untidy)
}
