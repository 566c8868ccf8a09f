//! Calendar files (RFC 5545): one event per game. Each game has a fixed event id, so that adding a
//! game twice creates no second event.

use domain::{DrawId, Timestamp};
use time::OffsetDateTime;
use time::macros::format_description;

/// Duration of a game in a calendar, in seconds.
const GAME_DURATION_SECONDS: i64 = 2 * 3600;
/// Maximum bytes of a line in a calendar file, without its line end. Longer lines are folded.
const LINE_BYTES_MAX: usize = 75;

/// One game as a calendar event.
#[derive(Clone, Debug)]
pub struct CalendarEvent {
    pub draw: DrawId,
    /// The teams, such as `Redcliffe Sharks v Wynnum Tigers`.
    pub name: String,
    pub league: Option<String>,
    pub kick_off: Timestamp,
    /// Whether the draw was cancelled. Calendars then cross the game out.
    pub cancelled: bool,
    /// The URL of the draw's page.
    pub url: String,
}

/// Writes the calendar file. Lines end in CRLF, and times are in UTC, so no time zone table is
/// needed.
pub fn calendar_file(events: &[CalendarEvent], now: Timestamp) -> String {
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_string(),
        "VERSION:2.0".to_string(),
        "PRODID:-//Football Doubles//EN".to_string(),
        "CALSCALE:GREGORIAN".to_string(),
        "METHOD:PUBLISH".to_string(),
    ];
    for event in events {
        lines.extend(event_lines(event, now));
    }
    lines.push("END:VCALENDAR".to_string());
    lines.iter().map(|line| fold_line(line) + "\r\n").collect()
}

fn event_lines(event: &CalendarEvent, now: Timestamp) -> Vec<String> {
    let league = event
        .league
        .as_ref()
        .map(|league| format!("{league}. "))
        .unwrap_or_default();
    let about = format!(
        "{league}Football Doubles draw {}: {}",
        event.draw, event.url
    );
    vec![
        "BEGIN:VEVENT".to_string(),
        format!("UID:draw-{}@football-doubles", event.draw),
        format!("DTSTAMP:{}", utc_text(now)),
        format!("DTSTART:{}", utc_text(event.kick_off)),
        format!(
            "DTEND:{}",
            utc_text(event.kick_off.plus_seconds(GAME_DURATION_SECONDS))
        ),
        format!("SUMMARY:{}", escape_text(&event.name)),
        format!("DESCRIPTION:{}", escape_text(&about)),
        format!("URL:{}", event.url),
        format!(
            "STATUS:{}",
            if event.cancelled {
                "CANCELLED"
            } else {
                "CONFIRMED"
            }
        ),
        "END:VEVENT".to_string(),
    ]
}

/// Formats a time in UTC, such as `20261120T091000Z`.
fn utc_text(at: Timestamp) -> String {
    let shape = format_description!("[year][month][day]T[hour][minute][second]Z");
    let at = OffsetDateTime::from_unix_timestamp(at.0.div_euclid(1000))
        .unwrap_or(OffsetDateTime::UNIX_EPOCH);
    at.format(shape).unwrap_or_default()
}

/// Escapes a text for a calendar file, so that its characters cannot end the line or the value.
fn escape_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | ';' | ',' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
    out
}

/// Splits a line into parts of at most [`LINE_BYTES_MAX`] bytes, between characters. Each further
/// part begins with a space, as RFC 5545 requires.
fn fold_line(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut bytes = 0;
    for letter in line.chars() {
        if bytes + letter.len_utf8() > LINE_BYTES_MAX {
            out.push_str("\r\n ");
            bytes = 1;
        }
        out.push(letter);
        bytes += letter.len_utf8();
    }
    out
}

#[cfg(test)]
mod properties;

#[cfg(test)]
mod tests {
    use super::*;

    /// The test's current time: 2026-11-20T09:10:00Z.
    const FRIDAY_KICK_OFF: Timestamp = Timestamp(1_795_165_800_000);

    fn event(name: &str) -> CalendarEvent {
        let url = "https://doubles.example.com/draw/1042".to_string();
        CalendarEvent {
            draw: DrawId(1042),
            name: name.into(),
            league: None,
            kick_off: FRIDAY_KICK_OFF,
            cancelled: false,
            url,
        }
    }

    #[test]
    fn game_is_one_event_with_a_stable_id_and_utc_times() {
        let file = calendar_file(
            &[event("Sharks v Tigers")],
            FRIDAY_KICK_OFF.plus_seconds(-3600),
        );
        let expected = [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "PRODID:-//Football Doubles//EN",
            "CALSCALE:GREGORIAN",
            "METHOD:PUBLISH",
            "BEGIN:VEVENT",
            "UID:draw-1042@football-doubles",
            "DTSTAMP:20261120T081000Z",
            "DTSTART:20261120T091000Z",
            "DTEND:20261120T111000Z",
            "SUMMARY:Sharks v Tigers",
            "DESCRIPTION:Football Doubles draw 1042: https://doubles.example.com/draw/10",
            " 42",
            "URL:https://doubles.example.com/draw/1042",
            "STATUS:CONFIRMED",
            "END:VEVENT",
            "END:VCALENDAR",
            "",
        ];
        assert_eq!(file.split("\r\n").collect::<Vec<_>>(), expected);
    }

    #[test]
    fn team_names_are_escaped_and_long_lines_folded() {
        let evil = format!("A\\B; C,D\r\nATTENDEE:x\u{7} {}", "Ünïted ".repeat(20));
        let file = calendar_file(
            &[CalendarEvent {
                cancelled: true,
                ..event(&evil)
            }],
            FRIDAY_KICK_OFF,
        );
        assert!(
            file.contains("SUMMARY:A\\\\B\\; C\\,D\\nATTENDEE:x Ünïted"),
            "{file}"
        );
        assert!(file.contains("STATUS:CANCELLED\r\n"));
        let unfolded = file.replace("\r\n ", "");
        assert!(
            !unfolded.contains("\r\nATTENDEE")
                && !unfolded.replace("\r\n", "").contains(['\r', '\n', '\u{7}'])
        );
        assert!(
            file.split("\r\n").all(|line| line.len() <= LINE_BYTES_MAX),
            "{file}"
        );
        assert!(
            unfolded.contains(&"Ünïted ".repeat(20)),
            "folding cuts no letter"
        );
    }
}
