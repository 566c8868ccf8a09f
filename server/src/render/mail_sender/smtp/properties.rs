//! Property tests: whatever texts a mail contains, it has exactly the intended headers and decodes
//! to the same texts. The decoder here is independent of the library that encodes (RFC 2045 to
//! 2047).

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use proptest::prelude::*;

use super::*;
use crate::text::adversarial_text;

/// Splits a raw mail into its unfolded headers and the body.
fn parse_mail(raw: &str) -> (Vec<(String, String)>, &str) {
    let (head, body) = raw.split_once("\r\n\r\n").expect("an end of the headers");
    let head = head.replace("\r\n ", " ").replace("\r\n\t", "\t");
    let headers = head
        .split("\r\n")
        .map(|line| line.split_once(": ").unwrap_or((line, "")));
    (
        headers
            .map(|(name, value)| (name.to_lowercase(), value.to_string()))
            .collect(),
        body,
    )
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> &'a str {
    headers
        .iter()
        .find(|(of, _)| of == name)
        .map(|(_, value)| value.as_str())
        .unwrap_or_default()
}

/// Decodes quoted-printable: `=XX` and soft line breaks.
fn decode_quoted_printable(text: &str) -> Vec<u8> {
    let text = text.replace("=\r\n", "");
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        if bytes[at] == b'=' {
            out.push(u8::from_str_radix(&text[at + 1..at + 3], 16).expect("two digits"));
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    out
}

/// Decodes the encoded words of a header (RFC 2047). Blanks between two encoded words are ignored.
fn decode_encoded_words(value: &str) -> String {
    let (mut out, mut after_encoded) = (Vec::<u8>::new(), false);
    for (index, word) in value.split(' ').enumerate() {
        let encoded = word
            .strip_prefix("=?utf-8?")
            .and_then(|rest| rest.strip_suffix("?="));
        if index > 0 && !(after_encoded && encoded.is_some()) {
            out.push(b' ');
        }
        match encoded.map(|encoded| encoded.split_at(2)) {
            Some(("b?", data)) => out.extend(BASE64.decode(data).expect("base64")),
            Some((_, data)) => out.extend(decode_quoted_printable(&data.replace('_', " "))),
            None => out.extend(word.as_bytes()),
        }
        after_encoded = encoded.is_some();
    }
    String::from_utf8(out).expect("UTF-8")
}

fn decode_body(part: &str) -> String {
    let (headers, body) = parse_mail(part);
    let bytes = match header(&headers, "content-transfer-encoding") {
        "base64" => BASE64.decode(body.replace("\r\n", "")).expect("base64"),
        "quoted-printable" => decode_quoted_printable(body),
        _ => body.as_bytes().to_vec(),
    };
    String::from_utf8(bytes).expect("UTF-8")
}

/// Converts CRLF and CR line ends to LF, so that texts can be compared.
fn with_lf_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn mail(subject: &str, text: &str, html: &str) -> RenderedMail {
    RenderedMail {
        message_id: "order-7@doubles.example.com".to_string(),
        kind: "tickets".to_string(),
        to: "alice@example.com".to_string(),
        from: "Football Doubles <tickets@example.com>".to_string(),
        reply_to: Some("club@example.com".to_string()),
        subject: subject.to_string(),
        text: text.to_string(),
        html: html.to_string(),
    }
}

proptest! {
    #![proptest_config(adversarial_text::proptest_config(1_000))]

    #[test]
    fn written_mail_parses_back_unchanged(subject in adversarial_text::any_text(), text in adversarial_text::any_text(), html in adversarial_text::any_text()) {
        // Replace runs of white space in the expected subject by single spaces, as `render/mail.rs`
        // does.
        let subject = subject.split_whitespace().collect::<Vec<_>>().join(" ");
        let raw = build_message(&mail(&subject, &text, &html)).expect("a mail").formatted();
        let raw = String::from_utf8(raw).expect("valid UTF-8");
        let (headers, rest) = parse_mail(&raw);
        let mut names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        let expected = ["content-type", "date", "from", "message-id", "mime-version", "reply-to", "subject", "to"];
        prop_assert_eq!(names, expected, "{}", raw);
        prop_assert_eq!(decode_encoded_words(header(&headers, "subject")), subject);
        let kind = header(&headers, "content-type");
        let boundary = kind.split("boundary=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a boundary");
        let border = format!("--{boundary}");
        let parts: Vec<&str> = rest.split(&border).collect();
        prop_assert_eq!(parts.len(), 4, "two parts between three borders\n{}", raw);
        for (part, written) in [(parts[1], &text), (parts[2], &html)] {
            let part = part.trim_start_matches("\r\n").strip_suffix("\r\n").expect("an end of the line");
            prop_assert_eq!(with_lf_line_ends(&decode_body(part)), with_lf_line_ends(written), "{}", raw);
        }
    }

    /// Even a subject whose line breaks were not removed gives a single header.
    #[test]
    fn subject_never_adds_a_header(subject in adversarial_text::any_text()) {
        let Ok(message) = build_message(&mail(&subject, "", "")) else { return Ok(()) };
        let raw = String::from_utf8(message.formatted()).expect("valid UTF-8");
        prop_assert_eq!(parse_mail(&raw).0.len(), 8, "{}", raw);
    }
}
