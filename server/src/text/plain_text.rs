//! Removes characters that no stored text may contain: control characters, and characters that are
//! invisible or change the text's direction. Request bodies are cleaned in one place, before any
//! field is read (`routes/body.rs`).

use std::borrow::Cow;

use serde_json::Value;

/// Names of the JSON fields that may contain several lines.
const MULTILINE_FIELDS: [&str; 3] = ["note", "primaryCopy", "reason"];

/// Whether no stored text may contain this character. Line breaks count as forbidden too.
pub fn is_forbidden_character(letter: char) -> bool {
    letter.is_control() || is_line_separator(letter) || is_invisible(letter)
}

fn is_line_separator(letter: char) -> bool {
    matches!(letter, '\u{2028}' | '\u{2029}')
}

/// Whether a character has no width or changes the direction of text.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether a character joins its neighbours. Persian, Indian scripts and emoji need joiners;
/// between Latin letters a joiner is only an invisible character.
fn is_joiner(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}')
}

/// Cleans a single-line text. Removes invisible characters, and replaces control characters with a
/// space, so that two words are never joined.
pub fn sanitise_line(text: &str) -> String {
    sanitise_text(text, |_| false)
}

/// Cleans a text with several lines. Removes and replaces characters like [`sanitise_line()`], but
/// keeps line breaks.
fn sanitise_multiline(text: &str) -> String {
    sanitise_text(text, |letter| matches!(letter, '\n' | '\r'))
}

fn sanitise_text(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_wide = |index: Option<usize>| {
        index
            .and_then(|index| letters.get(index))
            .is_some_and(|neighbour| !neighbour.is_ascii())
    };
    let mut clean = String::with_capacity(text.len());
    for (index, letter) in letters.iter().copied().enumerate() {
        if is_kept(letter) {
            clean.push(letter);
        } else if is_joiner(letter) {
            let joins = is_wide(index.checked_sub(1)) && is_wide(Some(index + 1));
            clean.extend(joins.then_some(letter));
        } else if letter.is_control() || is_line_separator(letter) {
            clean.push(' ');
        } else if !is_invisible(letter) {
            clean.push(letter);
        }
    }
    clean
}

/// Cleans every text in a JSON body, except passwords, which are never shown. A body that is not
/// JSON is returned unchanged.
pub fn sanitise_json_body(body: &[u8]) -> Cow<'_, [u8]> {
    // A body of plain ASCII without `\` escapes and DEL contains nothing to clean, so parsing is
    // skipped. JSON allows no other control character inside a text.
    if body
        .iter()
        .all(|byte| byte.is_ascii() && !matches!(byte, b'\\' | b'\x7f'))
    {
        return Cow::Borrowed(body);
    }
    let Ok(mut value) = serde_json::from_slice::<Value>(body) else {
        return Cow::Borrowed(body);
    };
    if !sanitise_json_value("", &mut value) {
        return Cow::Borrowed(body);
    }
    serde_json::to_vec(&value).map_or(Cow::Borrowed(body), Cow::Owned)
}

/// Cleans all texts in a JSON value. Returns whether any text changed.
fn sanitise_json_value(field: &str, value: &mut Value) -> bool {
    match value {
        Value::String(text) if !field.to_ascii_lowercase().contains("password") => {
            let clean = if MULTILINE_FIELDS.contains(&field) {
                sanitise_multiline(text)
            } else {
                sanitise_line(text)
            };
            let has_changed = clean != *text;
            *text = clean;
            has_changed
        }
        // `|` instead of `||`, so that every element is cleaned.
        Value::Array(items) => items.iter_mut().fold(false, |changed, item| {
            sanitise_json_value(field, item) | changed
        }),
        Value::Object(fields) => fields.iter_mut().fold(false, |changed, (name, value)| {
            sanitise_json_value(name, value) | changed
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_removed_and_visible_text_stays() {
        for (text, clean) in [
            ("Bron\u{200b}cos\u{202e}", "Broncos"),
            ("a@b.au\u{b}v@example.com", "a@b.au v@example.com"),
            ("one\r\ntwo\u{85}\u{2028}three\u{2029}", "one  two  three "),
            ("Bron\u{200d}cos\u{200c}", "Broncos"),
            (
                "\u{2066}x\u{2069}\u{200e}\u{200f}\u{feff}\u{ad}\u{e0041}",
                "x",
            ),
            (
                "Zoë O’Neil 👩\u{200d}👧 می\u{200c}خواهم",
                "Zoë O’Neil 👩\u{200d}👧 می\u{200c}خواهم",
            ),
        ] {
            assert_eq!(sanitise_line(text), clean, "{text:?}");
        }
        assert_eq!(sanitise_multiline("one\ntwo\u{202e}\u{1b}"), "one\ntwo ");
    }

    #[test]
    fn every_text_in_a_body_is_cleaned_except_passwords() {
        let body = r#"{"a":"x\u202ey","b":[{"note":"1\n2\u0007"}],"c":"1\n2","newPassword":"x\u200by","n":1.5}"#;
        let clean: Value =
            serde_json::from_slice(&sanitise_json_body(body.as_bytes())).expect("JSON");
        let expected = serde_json::json!({ "a": "xy", "b": [{ "note": "1\n2 " }], "c": "1 2", "newPassword": "x\u{200b}y", "n": 1.5 });
        assert_eq!(clean, expected);
        assert_eq!(
            *sanitise_json_body(b"{\"a\":\"x\x7fy\"}"),
            *b"{\"a\":\"x y\"}"
        );
        for untouched in ["{\"a\":\"b\"}", "{", "\u{e9}", "{\"a\":\"\u{e9}\"}"] {
            assert!(
                matches!(sanitise_json_body(untouched.as_bytes()), Cow::Borrowed(_)),
                "{untouched}"
            );
        }
    }
}
