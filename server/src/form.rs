//! Checking a form: every field that is wrong, in the form's order, in the specified words.

use lettre::Address;
use serde_json::json;

use crate::error::Problem;

/// Longest name of a club, a person, a team or a place.
pub const NAME_CHARS_MAX: usize = 100;

/// What is wrong with a form so far; of each field only the first finding.
#[derive(Default)]
pub struct Findings {
    found: Vec<(&'static str, String)>,
}

impl Findings {
    /// Notes `words` for a field unless it is as it should be.
    pub fn need(&mut self, field: &'static str, as_it_should_be: bool, words: &str) {
        if !as_it_should_be && self.found.iter().all(|(known, _)| *known != field) {
            self.found.push((field, words.to_string()));
        }
    }

    /// A name is no longer than [`NAME_CHARS_MAX`].
    pub fn need_short(&mut self, field: &'static str, name: &str) {
        self.need(
            field,
            name.chars().count() <= NAME_CHARS_MAX,
            "Must be at most 100 characters",
        );
    }

    /// The words of the first finding, if there is one.
    pub fn first(&self) -> Option<&str> {
        self.found.first().map(|(_, words)| words.as_str())
    }

    /// # Errors
    /// 400 `invalid`: the first finding as message, all of them by field.
    pub fn finish(self) -> Result<(), Problem> {
        if self.found.is_empty() {
            Ok(())
        } else {
            Err(self.problem())
        }
    }

    /// The same of findings that there are.
    pub fn problem(self) -> Problem {
        let first = self.first().unwrap_or_default().to_string();
        let errors: Vec<_> = self
            .found
            .iter()
            .map(|(field, words)| json!({ "field": field, "message": words }))
            .collect();
        Problem::bad_request("invalid", first).with("errors", errors)
    }
}

/// A field without the spaces around it; absent is empty.
pub fn trimmed(field: &Option<String>) -> String {
    field.as_deref().unwrap_or_default().trim().to_string()
}

/// The address that a mailed link is asked for.
///
/// # Errors
/// 400 `invalid`: it cannot be one.
pub fn asked_address(field: &Option<String>) -> Result<String, Problem> {
    let email = trimmed(field);
    let mut findings = Findings::default();
    findings.need("email", is_email(&email), "Valid email address is required");
    findings.finish()?;
    Ok(email)
}

/// A field that may be left empty.
pub fn optional(field: &Option<String>) -> Option<String> {
    Some(trimmed(field)).filter(|text| !text.is_empty())
}

/// Whether a mail could be sent there: what the mailer itself takes (`post/smtp.rs`), in ASCII, as not every server takes more;
/// with a dot in its domain, without quotes and comments, no longer than mail allows.
pub fn is_email(text: &str) -> bool {
    const LENGTH_MAX: usize = 254;
    let is_plain = text.is_ascii() && !text.contains(['"', '(', ')', '[', ']', '\\']);
    let has_dot = |address: Address| address.domain().contains('.');
    is_plain && text.len() <= LENGTH_MAX && text.parse().is_ok_and(has_dot)
}

/// Whom buyers ask about a draw, as far as it is said.
pub fn contact(findings: &mut Findings, name: Option<&str>, phone: Option<&str>) {
    if let Some(name) = name.map(str::trim) {
        findings.need("contactName", !name.is_empty(), "Contact name is required");
        findings.need_short("contactName", name);
    }
    if let Some(phone) = phone.map(str::trim) {
        findings.need(
            "contactPhone",
            !phone.is_empty(),
            "Contact phone is required",
        );
        findings.need(
            "contactPhone",
            is_phone(phone),
            "Contact phone must be a phone number",
        );
    }
}

/// Digits, six or more, and what people write between them.
pub fn is_phone(text: &str) -> bool {
    const LENGTH_MAX: usize = 30;
    let digits = text.chars().filter(char::is_ascii_digit).count();
    digits >= 6
        && text.len() <= LENGTH_MAX
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || "+-() ./".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_can_be_written_to_are_told_from_others() {
        let long = |letters: usize| format!("{}@b.au", "a".repeat(letters));
        for good in [
            "a@b.au",
            "sam.o'neil+club@mail.example.com",
            "x@xn--bcher-kva.example",
            &long(64),
        ] {
            assert!(is_email(good), "{good}");
        }
        for bad in [
            "",
            "a",
            "a@b",
            "@b.au",
            "a@.au",
            "a@b.",
            "a@b..au",
            "a b@c.au",
            "a@b@c.au",
            "a@b.au,c@d.ef",
            "<a@b.au>",
        ] {
            assert!(!is_email(bad), "{bad:?}");
        }
        // What the mailer would not take, and quotes, comments and letters that some servers do not.
        for bad in [
            "a..b@x.au",
            "jo.@x.au",
            ".jo@x.au",
            "a(b)@x.au",
            "a@-x.au",
            "a@b.au\r\nBcc: x@y.z",
            &long(65),
        ] {
            assert!(!is_email(bad), "{bad:?}");
        }
        for bad in [
            "\"a b\"@x.au",
            "a@[192.0.2.1]",
            "jö@x.au",
            "jo@bücher.example",
        ] {
            assert!(!is_email(bad), "{bad:?}");
        }
        assert!(
            !is_email(&format!("a@{}au", "b.".repeat(126))),
            "255 letters"
        );
    }

    #[test]
    fn phone_numbers_are_told_from_words() {
        for good in ["0400 111 222", "+61 (7) 3000-1234", "131313"] {
            assert!(is_phone(good), "{good}");
        }
        for bad in ["", "12345", "call Sam", "0400 111 222 ext", "=1+1000000"] {
            assert!(!is_phone(bad), "{bad}");
        }
    }

    #[test]
    fn only_the_first_finding_of_a_field_is_told() {
        let mut findings = Findings::default();
        findings.need("name", false, "Club name is required");
        findings.need("name", false, "Club name is too long");
        findings.need("email", true, "Valid email is required");
        findings.need("phone", false, "Contact phone is required");
        let body = findings.finish().expect_err("refused").body("r1");
        let body: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(
            (&body["message"], &body["code"]),
            (&json!("Club name is required"), &json!("invalid"))
        );
        assert_eq!(body["errors"].as_array().map(Vec::len), Some(2));
    }
}
