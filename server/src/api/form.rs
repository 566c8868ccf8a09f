//! Validates forms and collects every wrong field, in the form's order, with the specified texts.

use serde_json::json;
use url::Url;

use crate::api::error::Problem;
use crate::text::contact_format::{is_email, is_phone};
use crate::text::plain_text::is_forbidden_character;

/// Maximum characters in the name of a club, person, team or place.
pub const NAME_CHARS_MAX: usize = 100;

/// The errors found so far in a form's fields, at most one per field.
#[derive(Default)]
pub struct FormErrors {
    found: Vec<(&'static str, String)>,
}

impl FormErrors {
    /// Adds the error `message` for a field unless `is_valid`.
    pub fn require(&mut self, field: &'static str, is_valid: bool, message: &str) {
        if !is_valid && self.found.iter().all(|(known, _)| *known != field) {
            self.found.push((field, message.to_string()));
        }
    }

    /// Requires a name of at most [`NAME_CHARS_MAX`] characters.
    pub fn require_short_name(&mut self, field: &'static str, name: &str) {
        self.require(
            field,
            name.chars().count() <= NAME_CHARS_MAX,
            "Must be at most 100 characters",
        );
    }

    /// Returns the text of the first error, if any.
    pub fn first_message(&self) -> Option<&str> {
        self.found.first().map(|(_, message)| message.as_str())
    }

    /// Returns `Ok` if no field has an error.
    ///
    /// # Errors
    ///
    /// 400 `invalid` with the first error as message and all errors by field.
    pub fn into_result(self) -> Result<(), Problem> {
        if self.found.is_empty() {
            Ok(())
        } else {
            Err(self.into_problem())
        }
    }

    /// Builds a 400 `invalid` from the errors. At least one error must have been added.
    pub fn into_problem(self) -> Problem {
        let first = self.first_message().unwrap_or_default().to_string();
        let errors: Vec<_> = self
            .found
            .iter()
            .map(|(field, message)| json!({ "field": field, "message": message }))
            .collect();
        Problem::bad_request("invalid", first).with_field("errors", errors)
    }
}

/// The field without surrounding spaces; empty when absent.
pub fn trimmed(field: Option<&str>) -> String {
    field.unwrap_or_default().trim().to_string()
}

/// Returns the trimmed e-mail address of a form, to which a link will be mailed.
///
/// # Errors
/// 400 `invalid`: not an e-mail address.
pub fn required_email(field: Option<&str>) -> Result<String, Problem> {
    let email = trimmed(field);
    let mut findings = FormErrors::default();
    findings.require("email", is_email(&email), "Valid email address is required");
    findings.into_result()?;
    Ok(email)
}

/// The trimmed field; `None` when it is empty or absent.
pub fn trimmed_or_none(field: Option<&str>) -> Option<String> {
    Some(trimmed(field)).filter(|text| !text.is_empty())
}

/// Maximum bytes in a picture's URL or upload path.
const PICTURE_URL_BYTES_MAX: usize = 500;

/// Normalises a picture's address: the path of an upload (`/uploads/…`), or an absolute `https:` or
/// `http:` URL.
///
/// `None` when the text is neither, or contains a character that could end an HTML attribute.
pub fn normalised_picture_url(text: &str) -> Option<String> {
    let is_plain = |text: &str| {
        text.len() <= PICTURE_URL_BYTES_MAX
            && !text.contains(|letter: char| {
                letter.is_whitespace()
                    || is_forbidden_character(letter)
                    || "\"'<>\\`".contains(letter)
            })
    };
    if text.starts_with("/uploads/") {
        return (is_plain(text) && !text.contains("..")).then(|| text.to_string());
    }
    let url = Url::parse(text).ok().filter(|_| is_plain(text))?;
    let is_web = matches!(url.scheme(), "https" | "http") && text.contains("://");
    let fits = is_web && url.has_host() && url.username().is_empty() && url.password().is_none();
    Some(String::from(url)).filter(|address| fits && is_plain(address))
}

/// Checks name and phone of a draw's contact for buyers. An absent part is not checked.
pub fn check_contact(findings: &mut FormErrors, name: Option<&str>, phone: Option<&str>) {
    if let Some(name) = name.map(str::trim) {
        findings.require("contactName", !name.is_empty(), "Contact name is required");
        findings.require_short_name("contactName", name);
    }
    if let Some(phone) = phone.map(str::trim) {
        findings.require(
            "contactPhone",
            !phone.is_empty(),
            "Contact phone is required",
        );
        findings.require(
            "contactPhone",
            is_phone(phone),
            "Contact phone must be a phone number",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_first_error_of_a_field_is_reported() {
        let mut findings = FormErrors::default();
        findings.require("name", false, "Club name is required");
        findings.require("name", false, "Club name is too long");
        findings.require("email", true, "Valid email is required");
        findings.require("phone", false, "Contact phone is required");
        let body = findings.into_result().expect_err("refused").body("r1");
        let body: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(
            (&body["message"], &body["code"]),
            (&json!("Club name is required"), &json!("invalid"))
        );
        assert_eq!(body["errors"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn picture_urls_are_normalised_or_refused() {
        for (text, stored) in [
            ("https://Example.com", "https://example.com/"),
            (
                "HTTPS://example.com:443/a b".trim_end_matches(" b"),
                "https://example.com/a",
            ),
            (
                "https://example.com/ä.png",
                "https://example.com/%C3%A4.png",
            ),
            ("http://127.0.0.1:9/x.png", "http://127.0.0.1:9/x.png"),
            ("/uploads/abc.png", "/uploads/abc.png"),
        ] {
            assert_eq!(
                normalised_picture_url(text).as_deref(),
                Some(stored),
                "{text}"
            );
        }
        for bad in [
            "",
            "javascript:alert(1)",
            "https:example.com",
            "https://",
            "//evil.test/x.png",
            "https://evil.test/\"onerror=\"alert(1)",
            "https://evil.test/x\n.png",
            "https://evil.test/x'y",
            "https://evil.test/\u{202e}gnp.x",
            "https://user:word@evil.test/x.png",
            "https://ex ample.com",
            "/uploads/../x",
            "/uploads/a\"b",
            "ftp://example.com/logo.png",
        ] {
            assert_eq!(normalised_picture_url(bad), None, "{bad:?}");
        }
    }
}
