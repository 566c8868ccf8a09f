//! Property tests: a calendar file parses to the texts it was written from, whatever the names of
//! teams and leagues.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::text::adversarial_text;

const NOW: Timestamp = Timestamp(1_795_165_800_000);

/// Reverses the escaping of RFC 5545, section 3.3.11.
fn unescape_text(value: &str) -> String {
    let mut letters = value.chars();
    let mut out = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n' | 'N') => out.push('\n'),
                Some(escaped) => out.push(escaped),
                None => out.push('\\'),
            },
            letter => out.push(letter),
        }
    }
    out
}

/// Removes control characters except line breaks, because a calendar line cannot contain them.
fn without_control_characters(typed: &str) -> String {
    typed
        .chars()
        .filter(|letter| *letter == '\n' || !letter.is_control())
        .collect()
}

proptest! {
    #![proptest_config(adversarial_text::proptest_config(1_000))]

    #[test]
    fn written_calendar_parses_back_unchanged(names in vec((adversarial_text::any_text(), adversarial_text::any_text()), 1..5)) {
        let event = |(name, league): &(String, String)| CalendarEvent {
            draw: DrawId(1042),
            name: name.clone(),
            league: Some(league.clone()),
            kick_off: NOW,
            cancelled: false,
            url: "https://doubles.example.com/draw/1042".to_string(),
        };
        let events: Vec<CalendarEvent> = names.iter().map(event).collect();
        let file = calendar_file(&events, NOW);
        prop_assert!(file.split("\r\n").all(|line| line.len() <= LINE_BYTES_MAX), "{file}");
        let unfolded = file.replace("\r\n ", "");
        let lines: Vec<&str> = unfolded.split("\r\n").collect();
        // Five lines before the games, ten for each game, one after them, and an empty string after
        // the last line end.
        prop_assert_eq!(lines.len(), 5 + 10 * events.len() + 2, "{}", unfolded);
        prop_assert!(!lines.iter().any(|line| line.contains(char::is_control)), "{unfolded}");
        let values = |key: &'static str| lines.iter().filter_map(move |line| line.strip_prefix(key)).map(unescape_text);
        let summaries: Vec<String> = values("SUMMARY:").collect();
        prop_assert_eq!(summaries, names.iter().map(|(name, _)| without_control_characters(name)).collect::<Vec<_>>());
        for (description, (_, league)) in values("DESCRIPTION:").zip(&names) {
            prop_assert!(description.starts_with(&without_control_characters(league)), "{:?} is not about {:?}", description, league);
        }
    }
}
