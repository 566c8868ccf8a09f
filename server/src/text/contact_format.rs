//! Formats of e-mail addresses and phone numbers.

use lettre::Address;
use lettre::message::Mailbox;

/// Whether mail can be sent to the e-mail address. The mail library must accept the address. It
/// must be ASCII, because not every mail server accepts more, have a dot in its domain, and have at
/// most 254 characters. Quotes and comments are refused.
pub fn is_email(text: &str) -> bool {
    const EMAIL_CHARS_MAX: usize = 254;
    let is_plain = text.is_ascii() && !text.contains(['"', '(', ')', '[', ']', '\\']);
    let has_dot = |address: Address| address.domain().contains('.');
    is_plain && text.len() <= EMAIL_CHARS_MAX && text.parse().is_ok_and(has_dot)
}

/// Whether the text is an e-mail address with an optional name: `Football Doubles
/// <tickets@example.com>`.
pub fn is_mailbox(text: &str) -> bool {
    text.parse()
        .is_ok_and(|mailbox: Mailbox| is_email(mailbox.email.as_ref()))
}

/// Characters that people write between the digits of a phone number.
pub const PHONE_SEPARATORS: &str = "-() ./";

/// Whether the text has six or more digits and otherwise only usual separators.
pub fn is_phone(text: &str) -> bool {
    const PHONE_CHARS_MAX: usize = 30;
    let digits = text.chars().filter(char::is_ascii_digit).count();
    digits >= 6
        && text.len() <= PHONE_CHARS_MAX
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || c == '+' || PHONE_SEPARATORS.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_addresses_are_accepted_only_if_deliverable() {
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
        // Addresses that the mail library refuses, or that contain quotes, comments or letters that
        // some mail servers refuse.
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
    fn phone_numbers_need_six_digits_and_no_words() {
        for good in ["0400 111 222", "+61 (7) 3000-1234", "131313"] {
            assert!(is_phone(good), "{good}");
        }
        for bad in ["", "12345", "call Sam", "0400 111 222 ext", "=1+1000000"] {
            assert!(!is_phone(bad), "{bad}");
        }
    }
}
