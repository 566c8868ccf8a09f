//! Delivers mails over SMTP through a connection pool.

use lettre::message::header::ContentType;
use lettre::message::{Mailbox, Message, MultiPart, SinglePart};
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use thiserror::Error;

use crate::config::Secret;
use crate::render::mail::RenderedMail;

/// Why a mail could not be delivered over SMTP.
#[derive(Debug, Error)]
pub enum SmtpError {
    #[error("SMTP_URL cannot be used")]
    Url(#[source] lettre::transport::smtp::Error),
    #[error("an address of the mail cannot be read")]
    Address(#[from] lettre::address::AddressError),
    #[error("the mail cannot be written down")]
    Message(#[from] lettre::error::Error),
    /// The mail server refused the mail. The error contains the server's response, never the
    /// recipient.
    #[error("the mail server did not take it: {0}")]
    Refused(#[source] lettre::transport::smtp::Error),
}

/// A pool of SMTP connections.
pub struct SmtpSender(AsyncSmtpTransport<Tokio1Executor>);

impl SmtpSender {
    /// Opens a connection pool for `smtps://user:password@host`, or `smtp://host:587?tls=required`.
    pub fn new(url: &Secret) -> Result<SmtpSender, SmtpError> {
        let builder =
            AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose()).map_err(SmtpError::Url)?;
        Ok(SmtpSender(builder.build()))
    }

    /// Delivers one mail.
    pub async fn deliver(&self, mail: &RenderedMail) -> Result<(), SmtpError> {
        self.0
            .send(build_message(mail)?)
            .await
            .map_err(SmtpError::Refused)?;
        Ok(())
    }
}

fn build_message(mail: &RenderedMail) -> Result<Message, SmtpError> {
    let mut builder = Message::builder()
        .from(mail.from.parse::<Mailbox>()?)
        .to(Mailbox::new(None, mail.to.parse()?))
        .subject(&mail.subject)
        .message_id(Some(format!("<{}>", mail.message_id)));
    // Leave out a reply address that cannot be parsed, so that buyers still get their tickets. Such
    // an address may have been stored before today's validation existed.
    if let Some(reply_to) = mail
        .reply_to
        .as_ref()
        .and_then(|address| address.parse().ok())
    {
        builder = builder.reply_to(Mailbox::new(None, reply_to));
    }
    let part =
        |kind: ContentType, words: &str| SinglePart::builder().header(kind).body(words.to_string());
    let parts = MultiPart::alternative()
        .singlepart(part(ContentType::TEXT_PLAIN, &mail.text))
        .singlepart(part(ContentType::TEXT_HTML, &mail.html));
    Ok(builder.multipart(parts)?)
}

#[cfg(test)]
mod properties;

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(to: &str, subject: &str) -> RenderedMail {
        RenderedMail {
            message_id: "order-7@doubles.example.com".to_string(),
            kind: "tickets".to_string(),
            to: to.to_string(),
            from: "Football Doubles <tickets@example.com>".to_string(),
            reply_to: Some("club@example.com".to_string()),
            subject: subject.to_string(),
            text: "Your numbers".to_string(),
            html: "<p>Your numbers</p>".to_string(),
        }
    }

    #[test]
    fn repeated_send_keeps_the_same_message_id() {
        let raw = String::from_utf8(
            build_message(&mail("alice@example.com", "2 tickets"))
                .expect("a mail")
                .formatted(),
        );
        let raw = raw.expect("text");
        for line in [
            "Message-ID: <order-7@doubles.example.com>",
            "Reply-To: club@example.com",
            "To: alice@example.com",
            "multipart/alternative",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Type: text/html; charset=utf-8",
        ] {
            assert!(raw.contains(line), "{line} is missing in\n{raw}");
        }
    }

    #[test]
    fn unreadable_reply_address_is_left_out() {
        let mail = RenderedMail {
            reply_to: Some("a..b@x.au".to_string()),
            ..mail("alice@example.com", "2 tickets")
        };
        let raw =
            String::from_utf8(build_message(&mail).expect("a mail").formatted()).expect("text");
        assert!(
            raw.contains("To: alice@example.com") && !raw.contains("Reply-To"),
            "{raw}"
        );
    }

    #[test]
    fn line_breaks_in_subject_or_address_add_no_header() {
        let raw = build_message(&mail(
            "alice@example.com",
            "2 tickets\r\nBcc: everyone@example.com",
        ))
        .expect("a mail");
        let raw = String::from_utf8(raw.formatted()).expect("text");
        assert!(!raw.lines().any(|line| line.starts_with("Bcc:")), "{raw}");
        assert!(
            build_message(&mail(
                "alice@example.com\r\nBcc: everyone@example.com",
                "2 tickets"
            ))
            .is_err()
        );
    }
}
