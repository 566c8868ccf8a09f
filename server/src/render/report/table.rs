//! A draw's report as a table that a spreadsheet opens and does not run (decision F-6).

use csv::{Terminator, WriterBuilder};

use super::{Facts, Row, sums};
use crate::render::when;
use crate::takings::Takings;
use crate::wire::instant::rfc3339;

/// A cell that no spreadsheet takes for a formula (decision F-6).
pub(super) fn safe(text: &str) -> String {
    let flat: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    // Their wide forms are read as the same where wide letters are written.
    let sign = |c: char| "=+-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".contains(c);
    let unseen = |c: char| c.is_whitespace() || is_format(c);
    let dangerous = text.starts_with(['\t', '\r', '\n', '\0'])
        || flat.trim_start_matches(unseen).starts_with(sign);
    if dangerous { format!("'{flat}") } else { flat }
}

/// What is there and shows nothing: joiners, directions, marks of order.
fn is_format(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

/// A phone number stays text: no spreadsheet takes its first zero away.
pub(super) fn phone(text: &str) -> String {
    let text = safe(text);
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        format!("'{text}")
    } else {
        text
    }
}

/// UTF-8 with its mark, lines ended as spreadsheets want them, the sums below the rows.
pub fn csv(facts: &Facts, takings: &Takings, rows: &[Row]) -> Option<Vec<u8>> {
    let mut bytes = "\u{feff}".as_bytes().to_vec();
    let mut writer = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .flexible(true)
        .from_writer(&mut bytes);
    let head = [
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
    writer.write_record(head).ok()?;
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
                safe(&row.name),
                safe(&row.email),
                phone(&row.phone),
                rfc3339(row.sold_at),
                when::long(row.sold_at, &facts.zone),
                facts.price.decimal(),
            ])
            .ok()?;
    }
    writer.write_record([""]).ok()?;
    for (name, amount) in sums(facts, takings) {
        writer.write_record([name, amount]).ok()?;
    }
    writer
        .write_record(["Generated", &rfc3339(facts.generated_at)])
        .ok()?;
    drop(writer);
    Some(bytes)
}
