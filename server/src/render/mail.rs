//! Mails: text and HTML of the same words, readable without images, on a phone, in the dark (ux.md section 5).

use askama::Template;
use serde::{Deserialize, Serialize};

use crate::render::colour::Colour;

pub mod subject;

/// A mail ready to leave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RenderedMail {
    /// Without angle brackets; the same on every attempt, so that a doubled send is one message to the reader (E4).
    pub message_id: String,
    /// `tickets`, `winner`, `correction`, …
    pub kind: String,
    pub to: String,
    pub from: String,
    pub reply_to: Option<String>,
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// What a mail says, before it has an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// What stands on a mail that no club sends.
const HOUSE: &str = "Football Doubles";

/// The club a mail speaks for, if any, and where its reader gets help.
#[derive(Clone, Debug)]
pub struct Letterhead {
    /// `None`: the house speaks for itself.
    pub club: Option<String>,
    pub bar: Colour,
    pub support_email: String,
    pub support_sms: String,
}

impl Letterhead {
    fn sender(&self) -> &str {
        self.club.as_deref().unwrap_or(HOUSE)
    }

    fn signature(&self) -> String {
        self.club.as_ref().map_or_else(
            || format!("{HOUSE}."),
            |club| format!("{HOUSE}, for {club}."),
        )
    }

    fn bar_text(&self) -> &'static str {
        self.bar.text()
    }
}

/// One draw of a confirmation.
#[derive(Clone, Debug)]
pub struct Game {
    pub home: String,
    pub away: String,
    pub league: Option<String>,
    /// With the zone's name.
    pub kick_off: String,
    pub ticket_price: String,
    /// What the winner would get with the tickets sold so far.
    pub prize: String,
    pub tickets: Vec<Numbers>,
}

/// A ticket as its owner sees it.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// `FD-1042-007`.
    pub label: String,
    pub home: u8,
    pub away: u8,
}

/// The buyer's receipt: their tickets with their own numbers (decision D16 of ux.md: the owner sees them at once).
#[derive(Clone, Debug)]
pub struct Confirmation {
    pub head: Letterhead,
    pub subject: String,
    pub buyer: String,
    pub count: u16,
    pub games: Vec<Game>,
    pub subtotal: String,
    /// Only when the club passes the card fee on.
    pub card_fee: Option<String>,
    pub total: String,
    /// The buyer's own page.
    pub link: String,
    /// The games as a calendar file.
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
    pub fn write(&self) -> askama::Result<Words> {
        words(
            &self.subject,
            ConfirmationText(self),
            ConfirmationHtml(self),
        )
    }
}

/// What a letter says at a time: words, and perhaps an address of ours after them, which the HTML part makes a link. Words are
/// never searched for addresses: what a person typed stays words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paragraph {
    words: String,
    address: Option<String>,
}

impl Paragraph {
    /// The words end before the address, which is the paragraph's last word.
    pub fn leading_to(words: &str, address: String) -> Paragraph {
        Paragraph {
            words: words.to_string(),
            address: Some(address),
        }
    }

    /// Of a page, or of a mailbox.
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

/// A few paragraphs and at most one link: every other mail.
#[derive(Clone, Debug)]
pub struct Note {
    pub head: Letterhead,
    pub subject: String,
    pub heading: String,
    pub paragraphs: Vec<Paragraph>,
    /// Words on the button, and where it leads.
    pub link: Option<(String, String)>,
}

#[derive(Template)]
#[template(path = "mail/note.txt")]
struct NoteText<'a>(&'a Note);

#[derive(Template)]
#[template(path = "mail/note.html")]
struct NoteHtml<'a>(&'a Note);

impl Note {
    pub fn write(&self) -> askama::Result<Words> {
        words(&self.subject, NoteText(self), NoteHtml(self))
    }
}

fn words(subject: &str, text: impl Template, html: impl Template) -> askama::Result<Words> {
    // A line break in a team's name must not become a header of its own (ASVS 1.3.11).
    let subject = subject.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(Words {
        subject,
        text: text.render()?,
        html: html.render()?,
    })
}

#[cfg(test)]
mod tests;
