//! Whatever teams and leagues are called: a calendar file reads back as it was written.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::hostile;

const NOW: Timestamp = Timestamp(1_795_165_800_000);

/// RFC 5545, 3.3.11, backwards.
fn unescaped(value: &str) -> String {
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

/// What a line of a calendar can hold.
fn kept(typed: &str) -> String {
    typed
        .chars()
        .filter(|letter| *letter == '\n' || !letter.is_control())
        .collect()
}

proptest! {
    #![proptest_config(hostile::config(1_000))]

    #[test]
    fn a_calendar_reads_back_as_it_was_written(names in vec((hostile::text(), hostile::text()), 1..5)) {
        let event = |(name, league): &(String, String)| Event {
            draw: DrawId(1042),
            name: name.clone(),
            league: Some(league.clone()),
            kick_off: NOW,
            cancelled: false,
            url: "https://doubles.example.com/draw/1042".to_string(),
        };
        let events: Vec<Event> = names.iter().map(event).collect();
        let file = file(&events, NOW);
        prop_assert!(file.split("\r\n").all(|line| line.len() <= LINE_BYTES_MAX), "{file}");
        let unfolded = file.replace("\r\n ", "");
        let lines: Vec<&str> = unfolded.split("\r\n").collect();
        // Five lines before the games, ten of each, one after them, and the end of the last.
        prop_assert_eq!(lines.len(), 5 + 10 * events.len() + 2, "{}", unfolded);
        prop_assert!(!lines.iter().any(|line| line.contains(char::is_control)), "{unfolded}");
        let values = |key: &'static str| lines.iter().filter_map(move |line| line.strip_prefix(key)).map(unescaped);
        let summaries: Vec<String> = values("SUMMARY:").collect();
        prop_assert_eq!(summaries, names.iter().map(|(name, _)| kept(name)).collect::<Vec<_>>());
        for (said, (_, league)) in values("DESCRIPTION:").zip(&names) {
            prop_assert!(said.starts_with(&kept(league)), "{:?} is not about {:?}", said, league);
        }
    }
}
