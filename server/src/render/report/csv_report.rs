//! A draw's report as CSV that a spreadsheet opens without running formulas (decision F-6).

use csv::{Terminator, WriterBuilder};

use super::{ReportFacts, ReportRow};
use crate::api::time_format::rfc3339;
use crate::render::date_time_text;
use crate::text::contact_format::PHONE_SEPARATORS;

/// Escapes a text so that no spreadsheet treats the cell as a formula (decision F-6).
pub(super) fn escape_formula(text: &str) -> String {
    let single_line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    // Full-width signs are included, because spreadsheets in East Asian locales treat them as
    // formulas.
    let is_formula_sign = |c: char| "=+-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".contains(c);
    let is_invisible = |c: char| c.is_whitespace() || is_invisible_format(c);
    let is_formula = text.starts_with(['\t', '\r', '\n', '\0'])
        || single_line
            .trim_start_matches(is_invisible)
            .starts_with(is_formula_sign);
    if is_formula {
        format!("'{single_line}")
    } else {
        single_line
    }
}

/// Whether a character is invisible, such as a joiner, a direction mark or a byte order mark.
fn is_invisible_format(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

/// Number of digits of an Australian phone number after its country code.
const AUSTRALIAN_PHONE_DIGITS: usize = 9;

/// Formats a phone number for a CSV cell. An Australian number starts with 0 instead of +61, because
/// a cell that starts with a plus sign would be escaped as a formula, and programs that import the
/// file refuse an escaped number.
pub(super) fn phone_csv_cell(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_digit() || PHONE_SEPARATORS.contains(c);
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
    match text.trim().strip_prefix("+61") {
        Some(rest) if rest.chars().all(is_plain) && digits(rest) == AUSTRALIAN_PHONE_DIGITS => {
            format!("0{}", rest.trim_start())
        }
        _ => escape_formula(text),
    }
}

/// Writes a draw's tickets as CSV: UTF-8 with a byte order mark, CRLF line ends, one row for each
/// ticket and nothing else, so that other programs can import the file.
pub fn csv(facts: &ReportFacts, rows: &[ReportRow]) -> Option<Vec<u8>> {
    let mut bytes = "\u{feff}".as_bytes().to_vec();
    let mut writer = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(&mut bytes);
    let heading = [
        "Ticket",
        "Serial",
        "Home number",
        "Away number",
        "Winner",
        "Buyer name",
        "Buyer email",
        "Buyer phone",
        "Purchased (UTC)",
        "Purchased (local)",
        "Ticket price",
    ];
    writer.write_record(heading).ok()?;
    for row in rows {
        let number = |pick: fn((u8, u8)) -> u8| {
            row.pair
                .map(pick)
                .map_or_else(String::new, |n| n.to_string())
        };
        writer
            .write_record([
                row.number.to_string(),
                row.label.clone(),
                number(|pair| pair.0),
                number(|pair| pair.1),
                if row.won {
                    "yes".to_string()
                } else {
                    String::new()
                },
                escape_formula(row.buyer_text()),
                escape_formula(&row.email),
                phone_csv_cell(&row.phone),
                rfc3339(row.sold_at),
                date_time_text::date_time_with_zone(row.sold_at, &facts.zone),
                facts.price.decimal(),
            ])
            .ok()?;
    }
    drop(writer);
    Some(bytes)
}
