//! Builds mails: a text and an HTML part with the same contents, readable without images, on a
//! phone and in dark mode (ux.md section 5).

use askama::Template;

use crate::render::colour::Colour;

pub mod subject;

/// A mail ready to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedMail {
    /// Message-ID without angle brackets. It is the same on every attempt, so that mail programs
    /// recognise a repeated send as the same message.
    pub message_id: String,
    /// Kind of the mail: `tickets`, `winner`, `correction`, …
    pub kind: String,
    pub to: String,
    pub from: String,
    pub reply_to: Option<String>,
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// Subject, text and HTML of a mail without its recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailContent {
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// The sender's name on mails that are not from a club.
const PLATFORM_NAME: &str = "Football Doubles";

/// Sender information shown in a mail: the club, if any, and the support contacts.
#[derive(Clone, Debug)]
pub struct Letterhead {
    /// Name of the sending club; `None` for a mail from the platform itself.
    pub club: Option<String>,
    pub bar: Colour,
    pub support_email: String,
    pub support_sms: String,
}

impl Letterhead {
    fn sender(&self) -> &str {
        self.club.as_deref().unwrap_or(PLATFORM_NAME)
    }

    fn signature(&self) -> String {
        self.club.as_ref().map_or_else(
            || format!("{PLATFORM_NAME}."),
            |club| format!("{PLATFORM_NAME}, for {club}."),
        )
    }

    fn bar_text_colour(&self) -> &'static str {
        self.bar.readable_text_colour()
    }
}

/// One draw in a confirmation mail, with the buyer's tickets.
#[derive(Clone, Debug)]
pub struct ConfirmedGame {
    pub home: String,
    pub away: String,
    pub league: Option<String>,
    /// Kick-off as text with the name of the time zone.
    pub kick_off: String,
    pub ticket_price: String,
    /// The prize as text, at the current number of sold tickets.
    pub prize: String,
    pub tickets: Vec<ConfirmedTicket>,
}

/// A ticket in a confirmation mail, with its number pair.
#[derive(Clone, Debug)]
pub struct ConfirmedTicket {
    /// Serial number of the ticket: `FD-1042-007`.
    pub label: String,
    pub home: u8,
    pub away: u8,
}

/// The buyer's confirmation mail. It contains the number pairs, because buyers may see the pairs of
/// their own tickets at once (decision D16 of ux.md).
#[derive(Clone, Debug)]
pub struct Confirmation {
    pub head: Letterhead,
    pub subject: String,
    pub buyer: String,
    pub count: u16,
    pub games: Vec<ConfirmedGame>,
    pub subtotal: String,
    /// The card fee; `None` unless the club passes the fee on to the buyer.
    pub card_fee: Option<String>,
    pub total: String,
    /// The URL of the buyer's order page.
    pub link: String,
    /// The URL of the games as a calendar file.
    pub calendar: String,
    pub reference: String,
}

#[derive(Template)]
#[template(path = "mail/confirmation.txt")]
struct ConfirmationText<'a>(&'a Confirmation);

#[derive(Template)]
#[template(path = "mail/confirmation.html")]
struct ConfirmationHtml<'a>(&'a Confirmation);

impl Confirmation {
    pub fn render_parts(&self) -> askama::Result<MailContent> {
        mail_content(
            &self.subject,
            ConfirmationText(self),
            ConfirmationHtml(self),
        )
    }
}

/// One paragraph of a mail: text, and optionally a URL or e-mail address after it, which the HTML
/// part shows as a link. The text itself is not searched for addresses, so text that a user typed
/// never becomes a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paragraph {
    words: String,
    address: Option<String>,
}

impl Paragraph {
    /// Builds a paragraph that ends with a URL or an e-mail address, which the HTML part shows as a
    /// link.
    pub fn ending_with_link(words: &str, address: String) -> Paragraph {
        Paragraph {
            words: words.to_string(),
            address: Some(address),
        }
    }

    /// Returns the `href` of a paragraph's address: a URL unchanged, an e-mail address with
    /// `mailto:`.
    fn href(address: &str) -> String {
        let is_mailbox = address.contains('@') && !address.contains(['/', ':']);
        if is_mailbox {
            format!("mailto:{address}")
        } else {
            address.to_string()
        }
    }
}

impl From<String> for Paragraph {
    fn from(words: String) -> Paragraph {
        Paragraph {
            words,
            address: None,
        }
    }
}

impl From<&str> for Paragraph {
    fn from(words: &str) -> Paragraph {
        Paragraph::from(words.to_string())
    }
}

/// A simple mail with a few paragraphs and at most one button.
#[derive(Clone, Debug)]
pub struct SimpleMail {
    pub head: Letterhead,
    pub subject: String,
    pub heading: String,
    pub paragraphs: Vec<Paragraph>,
    /// The button's text and target URL; `None` for a mail without a button.
    pub link: Option<(String, String)>,
}

#[derive(Template)]
#[template(path = "mail/note.txt")]
struct SimpleMailText<'a>(&'a SimpleMail);

#[derive(Template)]
#[template(path = "mail/note.html")]
struct SimpleMailHtml<'a>(&'a SimpleMail);

impl SimpleMail {
    pub fn render_parts(&self) -> askama::Result<MailContent> {
        mail_content(&self.subject, SimpleMailText(self), SimpleMailHtml(self))
    }
}

fn mail_content(
    subject: &str,
    text: impl Template,
    html: impl Template,
) -> askama::Result<MailContent> {
    // Remove line breaks from the subject, because a line break in a team's name could start
    // another mail header (ASVS 1.3.11).
    let subject = subject.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(MailContent {
        subject,
        text: text.render()?,
        html: html.render()?,
    })
}

#[cfg(test)]
mod tests;
