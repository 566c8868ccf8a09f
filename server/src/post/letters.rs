//! What each kind of queued mail says. `kind` chooses the letter, `data` carries what the order does not know:
//!
//! | kind | data |
//! |---|---|
//! | `tickets`, `resend`, `refunded`, `not-charged`, `disputed` | nothing: the order says it all |
//! | `winner` | `draw`, `serial`, `until` (milliseconds), `sealedLink` |
//! | `winner-details` | `draw` |
//! | `results-due`, `results-submitted` | `draw` |
//! | `connect-incomplete`, `account-lost` | `club` |
//! | `correction` | `draw` |
//! | `reset`, `verify` | `sealedLink`, `name` |
//! | `invitation` | `sealedLink`, `name`, `club`, `role` |
//! | `my-tickets` | `sealedLink` |
//! | `waitlist`, `password-changed` | `name` |

use std::sync::Arc;

use actors::Draws;
use domain::{Cents, DrawId, Serial, Timestamp};
use persistence::books::{Mail, OrderRecord};
use persistence::records::Records;
use persistence::records::clubs::Club;
use persistence::records::listings::Listing;
use serde::Deserialize;

use crate::catalogue::Facts;
use crate::config::Config;
use crate::render::colour::Colour;
use crate::render::mail::{
    Confirmation, Game, Letterhead, Note, Numbers, Paragraph, Words, subject,
};
use crate::render::when;

/// The bar of a mail that no club sends.
const HOUSE_COLOUR: &str = "#0b5d4b";
const NAME_UNKNOWN: &str = "Ticket Holder";

mod club;
mod money;

pub struct Writer<'a> {
    pub config: &'a Config,
    pub records: &'a Records,
    pub draws: &'a Draws,
    /// Clubs and draws as this process knows them, the newest perhaps not yet.
    pub facts: Arc<Facts>,
    pub now: Timestamp,
}

pub struct Letter {
    pub words: Words,
    /// Questions about a draw go to its organiser (A:12).
    pub reply_to: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Data {
    draw: Option<i64>,
    serial: Option<u16>,
    club: Option<i64>,
    until: Option<i64>,
    name: Option<String>,
    role: Option<String>,
    /// Opens an account, or leads a winner to the prize: sealed for the address it goes to.
    sealed_link: Option<String>,
    /// The same, opened; never stored.
    #[serde(skip)]
    link: Option<String>,
}

impl Writer<'_> {
    pub async fn write(&self, mail: &Mail, order: Option<&OrderRecord>) -> Result<Letter, String> {
        let mut data: Data =
            serde_json::from_str(&mail.data).map_err(|_| "the mail's data cannot be read")?;
        if let Some(sealed) = &data.sealed_link {
            let link = self
                .records
                .unseal(super::LINK, &mail.to, sealed)
                .map_err(|failure| failure.to_string())?;
            // The demo's seed does not know its address yet.
            data.link = Some(if link.starts_with('/') {
                self.page(&link)
            } else {
                link
            });
        }
        match (mail.kind.as_str(), order) {
            ("tickets" | "resend", Some(order)) => self.confirmation(order).await,
            ("refunded", Some(order)) => self.refunded(order).await,
            ("not-charged", Some(order)) => self.not_charged(order).await,
            ("disputed", Some(order)) => self.disputed(order).await,
            ("winner", Some(order)) => self.winner(order, data).await,
            ("correction", Some(order)) => self.correction(order, data).await,
            ("winner-details", _) => self.winner_details(data).await,
            ("results-due", _) => self.results_due(data).await,
            ("results-submitted", _) => self.results_submitted(data).await,
            ("connect-incomplete", _) => self.connect_incomplete(data).await,
            ("account-lost", _) => self.account_lost(data).await,
            ("reset", _) => self.note(self.house(), "Reset your password", data, &RESET),
            ("verify", _) => self.note(self.house(), "Confirm your e-mail address", data, &VERIFY),
            ("password-changed", _) => {
                self.note(self.house(), "Your password was changed", data, &CHANGED)
            }
            ("invitation", _) => self.invitation(data).await,
            ("my-tickets", _) => self.note(
                self.house(),
                "Your Football Doubles tickets",
                data,
                &MY_TICKETS,
            ),
            ("waitlist", _) => self.note(self.house(), "You are on the waitlist", data, &WAITLIST),
            (kind, _) => Err(format!("no letter of kind {kind}")),
        }
    }

    async fn confirmation(&self, record: &OrderRecord) -> Result<Letter, String> {
        let order = &record.order;
        let club = self.club(order.club).await?;
        let mut games = Vec::new();
        let mut listings = Vec::new();
        for (draw, serials) in &record.tickets {
            let listing = match self.facts.listing(*draw) {
                Some(listing) => listing.clone(),
                None => Arc::new(self.listing(*draw).await?),
            };
            games.push(self.game(&listing, serials).await?);
            listings.push(listing);
        }
        let subjects: Vec<subject::Game> = listings.iter().map(|listing| face(listing)).collect();
        let count = order.tickets();
        let confirmation = Confirmation {
            head: self.letterhead(Some(&club)),
            subject: subject::confirmation(count, &subjects),
            buyer: buyer(record).to_string(),
            count,
            games,
            subtotal: order.subtotal().to_string(),
            card_fee: (order.card_fee() > Cents::ZERO).then(|| order.card_fee().to_string()),
            total: order.total().to_string(),
            link: self.page(&format!("/my/{}", record.token)),
            calendar: self.page(&calendar(&record.tickets)),
            reference: reference(record),
        };
        let words = confirmation
            .write()
            .map_err(|failure| failure.to_string())?;
        Ok(Letter {
            words,
            reply_to: Some(club.email.clone()),
        })
    }

    async fn game(&self, listing: &Listing, serials: &[Serial]) -> Result<Game, String> {
        let draw = listing.id();
        let cells = self
            .draws
            .cells(draw, serials)
            .await
            .map_err(|denied| denied.to_string())?;
        let view = self
            .draws
            .view(draw)
            .await
            .map_err(|denied| denied.to_string())?;
        let tickets = cells.into_iter().map(|(serial, cell)| Numbers {
            label: serial.label(draw),
            home: cell.home(),
            away: cell.away(),
        });
        Ok(Game {
            home: listing.home_team.clone(),
            away: listing.away_team.clone(),
            league: listing.league.clone(),
            kick_off: when::long(view.closes_at, &listing.zone),
            ticket_price: view.price.to_string(),
            prize: view.prize.to_string(),
            tickets: tickets.collect(),
        })
    }

    async fn correction(&self, record: &OrderRecord, data: Data) -> Result<Letter, String> {
        let (listing, club) = self.draw_of(&data).await?;
        let (home, away) = (&listing.home_team, &listing.away_team);
        let note = Note {
            head: self.letterhead(Some(&club)),
            subject: subject::correction(&face(&listing)),
            heading: "The result was corrected".to_string(),
            paragraphs: vec![
                format!("Hello {}.", buyer(record)).into(),
                format!(
                    "We told you that your ticket in {home} v {away} had won. The result had been entered wrongly and \
                     was taken back, so that message no longer holds. We are sorry."
                )
                .into(),
                "If the corrected result makes you the winner, you will hear from us again.".into(),
            ],
            link: Some(("See the draw".to_string(), self.page(&format!("/draw/{}", listing.id())))),
        };
        self.finish(note, Some(club.email.clone()))
    }

    fn note(
        &self,
        head: Letterhead,
        subject: &str,
        data: Data,
        about: &About,
    ) -> Result<Letter, String> {
        let hello = data
            .name
            .map_or_else(|| "Hello.".to_string(), |name| format!("Hello {name}."));
        let link = match (about.button, data.link) {
            (Some(button), Some(link)) => Some((button.to_string(), link)),
            (Some(_), None) => return Err("the mail has no link".to_string()),
            (None, _) => None,
        };
        let paragraphs = [hello.into()]
            .into_iter()
            .chain(about.paragraphs.iter().map(|words| Paragraph::from(*words)))
            .collect();
        let note = Note {
            head,
            subject: subject.to_string(),
            heading: subject.to_string(),
            paragraphs,
            link,
        };
        self.finish(note, None)
    }

    fn finish(&self, note: Note, reply_to: Option<String>) -> Result<Letter, String> {
        Ok(Letter {
            words: note.write().map_err(|failure| failure.to_string())?,
            reply_to,
        })
    }

    async fn club(&self, id: domain::ClubId) -> Result<Arc<Club>, String> {
        if let Some(club) = self.facts.club(id) {
            return Ok(club.clone());
        }
        let found = self
            .records
            .club(id)
            .await
            .map_err(|failure| failure.to_string())?;
        found
            .map(Arc::new)
            .ok_or_else(|| format!("club {id} is gone"))
    }

    /// As the books say: what is decided of a draw may be newer there than anywhere else.
    async fn listing(&self, draw: DrawId) -> Result<Listing, String> {
        let found = self
            .records
            .listings_of([draw])
            .await
            .map_err(|failure| failure.to_string())?;
        found
            .into_iter()
            .next()
            .ok_or_else(|| format!("draw {draw} is gone"))
    }

    async fn draw_of(&self, data: &Data) -> Result<(Listing, Arc<Club>), String> {
        let draw = data.draw.map(DrawId).ok_or("the mail names no draw")?;
        let listing = self.listing(draw).await?;
        let club = self.club(listing.club).await?;
        Ok((listing, club))
    }

    fn house(&self) -> Letterhead {
        self.letterhead(None)
    }

    fn letterhead(&self, club: Option<&Club>) -> Letterhead {
        let colour = club.and_then(|club| Colour::parse(&club.primary_color));
        Letterhead {
            club: club.map(|club| club.name.clone()),
            bar: colour
                .or_else(|| Colour::parse(HOUSE_COLOUR))
                .expect("the house's colour is one"),
            support_email: self.config.support.email.clone(),
            support_sms: self.config.support.sms.clone(),
        }
    }

    fn page(&self, path: &str) -> String {
        format!("{}{path}", self.config.public_url)
    }
}

/// The words of a letter that needs no order.
struct About {
    paragraphs: &'static [&'static str],
    button: Option<&'static str>,
}

const RESET: About = About {
    paragraphs: &[
        "Somebody asked for a new password for this account. The link works once, for 30 minutes.",
        "If it was not you, nothing has changed and you need do nothing.",
    ],
    button: Some("Choose a new password"),
};
const CHANGED: About = About {
    paragraphs: &[
        "The password of this account was changed just now, and every browser that was signed in has been signed out.",
        "If it was not you, ask for a new link on the log-in page at once, and tell us: the address below is read by people.",
    ],
    button: None,
};
const VERIFY: About = About {
    paragraphs: &[
        "Please confirm that this address is yours, so that we can reach you about your draws. The link works once, for \
         seven days.",
    ],
    button: Some("Confirm this address"),
};
const MY_TICKETS: About = About {
    paragraphs: &[
        "Somebody asked for the tickets bought with this e-mail address. The link shows all of them, for 24 hours.",
        "If it was not you, you need do nothing: nobody else has this link. Do not pass it on.",
    ],
    button: Some("See my tickets"),
};
const WAITLIST: About = About {
    paragraphs: &[
        "Thanks for your interest in Football Doubles. We will write to you when new clubs can join.",
    ],
    button: None,
};

fn face(listing: &Listing) -> subject::Game<'_> {
    subject::Game {
        home: &listing.home_team,
        away: &listing.away_team,
        kick_off: listing.view.closes_at,
        zone: &listing.zone,
    }
}

fn buyer(record: &OrderRecord) -> &str {
    record.buyer.name.as_deref().unwrap_or(NAME_UNKNOWN)
}

/// All games of an order in one calendar file.
fn calendar(tickets: &[(DrawId, Vec<Serial>)]) -> String {
    let mut draws = tickets.iter().map(|(draw, _)| draw.to_string());
    let first = draws.next().unwrap_or_default();
    let others: Vec<String> = draws.collect();
    let also = if others.is_empty() {
        String::new()
    } else {
        format!("?also={}", others.join(","))
    };
    format!("/api/draws/{first}/calendar.ics{also}")
}

/// What buyer and support call an order: the end of its payment's id.
fn reference(record: &OrderRecord) -> String {
    const LETTERS: usize = 8;
    let id = record
        .order
        .payment_intent
        .as_ref()
        .map_or_else(|| record.order.id.to_string(), |id| id.0.clone());
    let from = id.len().saturating_sub(LETTERS);
    id.get(from..).unwrap_or(&id).to_uppercase()
}
