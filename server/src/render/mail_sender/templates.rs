//! The texts of queued mails. `kind` selects the template, and `data` carries what the order does
//! not contain:
//!
//! | kind | data |
//! |---|---|
//! | `tickets`, `resend`, `refunded`, `not-charged`, `disputed`, `inquiry` | nothing |
//! | `refund-pending`, `refund-failed`, `refund-failed-operator` | nothing |
//! | `winner` | `draw`, `serial`, `until` (milliseconds), `sealedLink` |
//! | `winner-details` | `draw` |
//! | `prize-paid`, `prize-not-paid` | `draw`, `account` (masked), or no account |
//! | `winner-bank`, `winner-bank-proposed` | `draw`, `account` (masked), `by` |
//! | `results-due`, `results-submitted` | `draw` |
//! | `connect-incomplete`, `account-lost` | `club` |
//! | `account-lost-operator` | `club`, `account`: its id at Stripe |
//! | `draw-cancelled` | `draw`, `reason` |
//! | `kick-off-moved`, `kick-off-moved-club` | `draw`, `reason`, `before` and `after` (milliseconds) |
//! | `kick-off-reminder`, `result-notice` | `draw` |
//! | `correction` | `draw` |
//! | `reset`, `verify` | `sealedLink`, `name` |
//! | `invitation` | `sealedLink`, `name`, `club`, `role` |
//! | `my-tickets` | `sealedLink` |
//! | `waitlist`, `password-changed` | `name` |
//! | `registration-refused` | nothing |
//! | `audit-anchor` | `anchor`, `date` |

use std::sync::Arc;

use actors::Draws;
use domain::{Cents, DrawId, Serial, Timestamp};
use persistence::records::Records;
use persistence::records::clubs::Club;
use persistence::records::listings::Listing;
use persistence::stores::{Mail, OrderRecord};
use serde::Deserialize;

use crate::config::Config;
use crate::render::colour::Colour;
use crate::render::date_time_text;
use crate::render::mail::{
    Confirmation, ConfirmedGame, ConfirmedTicket, Letterhead, MailContent, Paragraph, SimpleMail,
    subject,
};
use crate::services::catalogue::CatalogueFacts;

/// Colour of the header bar of mails that are not from a club.
const DEFAULT_BAR_COLOUR: &str = "#0b5d4b";
const DEFAULT_BUYER_NAME: &str = "Ticket Holder";

mod club;
mod draw_changes;
mod money;
mod operator;
mod reminders;

/// Builds the contents of queued mails.
pub struct MailWriter<'a> {
    pub config: &'a Config,
    pub records: &'a Records,
    pub draws: &'a Draws,
    /// Clubs and draws from the newest reading of the catalogue. Newer draws are missing.
    pub facts: Arc<CatalogueFacts>,
    pub now: Timestamp,
}

/// The contents of a mail and its reply address, without a recipient.
pub struct ComposedMail {
    pub content: MailContent,
    /// Reply address: for a mail about a draw, that of the organising club (specification A, line
    /// 12).
    pub reply_to: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct MailData {
    draw: Option<i64>,
    serial: Option<u16>,
    club: Option<i64>,
    until: Option<i64>,
    /// The kick-off before and after it was moved, in milliseconds.
    before: Option<i64>,
    after: Option<i64>,
    /// The reason that the operator gave for a change.
    reason: Option<String>,
    name: Option<String>,
    role: Option<String>,
    /// The last digits of a bank account number, or the id of a connected account.
    account: Option<String>,
    /// Who entered the bank details: `winner` or `club`.
    by: Option<String>,
    /// The audit log's anchor: the number and keyed hash of its newest entry, and the day.
    anchor: Option<String>,
    date: Option<String>,
    /// A link that gives access to an account or a prize claim, encrypted for the recipient's
    /// address.
    sealed_link: Option<String>,
    /// The decrypted link, which is never stored.
    #[serde(skip)]
    link: Option<String>,
}

impl MailData {
    fn of(mail: &Mail) -> Result<MailData, String> {
        serde_json::from_str(&mail.data).map_err(|_| "the mail's data cannot be read".to_string())
    }
}

impl MailWriter<'_> {
    /// Builds the contents of a queued mail. The error says why the mail cannot be built.
    pub async fn compose_mail(
        &self,
        mail: &Mail,
        order: Option<&OrderRecord>,
    ) -> Result<ComposedMail, String> {
        let mut data = MailData::of(mail)?;
        if let Some(sealed) = &data.sealed_link {
            let link = self
                .records
                .unseal(super::LINK_SEAL_PURPOSE, &mail.to, sealed)
                .map_err(|failure| failure.to_string())?;
            // Complete a link without host: the demo's seed stored it before the server's URL was
            // known.
            data.link = Some(if link.starts_with('/') {
                self.page_url(&link)
            } else {
                link
            });
        }
        match (mail.kind.as_str(), order) {
            ("tickets" | "resend", Some(order)) => self.confirmation_mail(order).await,
            ("refunded", Some(order)) => self.refunded_mail(order).await,
            ("refund-pending", Some(order)) => self.refund_pending_mail(order).await,
            ("refund-failed", Some(order)) => self.refund_failed_mail(order).await,
            ("refund-failed-operator", Some(order)) => {
                self.refund_failed_operator_mail(order).await
            }
            ("not-charged", Some(order)) => self.not_charged_mail(order).await,
            ("disputed", Some(order)) => self.dispute_mail(order).await,
            ("inquiry", Some(order)) => self.inquiry_mail(order).await,
            ("kick-off-moved", Some(order)) => self.kick_off_moved_mail(order, data).await,
            ("kick-off-reminder", Some(order)) => self.kick_off_reminder_mail(order, data).await,
            ("result-notice", Some(order)) => self.result_notice_mail(order, data).await,
            ("winner", Some(order)) => self.winner_mail(order, data).await,
            ("correction", Some(order)) => self.correction_mail(order, data).await,
            ("winner-bank", Some(order)) => self.bank_details_given_mail(order, data).await,
            ("winner-bank-proposed", Some(order)) => {
                self.bank_details_proposed_mail(order, data).await
            }
            ("prize-paid", Some(order)) => self.prize_paid_mail(order, data).await,
            ("prize-not-paid", Some(order)) => self.prize_not_paid_mail(order, data).await,
            ("winner-details", _) => self.winner_details_mail(data).await,
            ("kick-off-moved-club", _) => self.kick_off_moved_club_mail(data).await,
            ("draw-cancelled", _) => self.draw_cancelled_mail(data).await,
            ("results-due", _) => self.results_due_mail(data).await,
            ("results-submitted", _) => self.results_submitted_mail(data).await,
            ("connect-incomplete", _) => self.stripe_onboarding_incomplete_mail(data).await,
            ("account-lost", _) => self.stripe_account_lost_mail(data).await,
            ("account-lost-operator", _) => self.club_cannot_sell_mail(data).await,
            ("reset", _) => self.fixed_text_mail(
                self.default_letterhead(),
                "Reset your password",
                data,
                &PASSWORD_RESET_TEXT,
            ),
            ("verify", _) => self.fixed_text_mail(
                self.default_letterhead(),
                "Confirm your e-mail address",
                data,
                &EMAIL_VERIFICATION_TEXT,
            ),
            ("password-changed", _) => self.fixed_text_mail(
                self.default_letterhead(),
                "Your password was changed",
                data,
                &PASSWORD_CHANGED_TEXT,
            ),
            ("audit-anchor", _) => self.audit_anchor_mail(data),
            ("invitation", _) => self.invitation_mail(data).await,
            ("my-tickets", _) => self.fixed_text_mail(
                self.default_letterhead(),
                "Your Football Doubles tickets",
                data,
                &MY_TICKETS_TEXT,
            ),
            ("registration-refused", _) => self.fixed_text_mail(
                self.default_letterhead(),
                "You have an account already",
                data,
                &REGISTRATION_REFUSED_TEXT,
            ),
            ("waitlist", _) => self.fixed_text_mail(
                self.default_letterhead(),
                "You are on the waitlist",
                data,
                &WAITLIST_TEXT,
            ),
            (kind, _) => Err(format!("no letter of kind {kind}")),
        }
    }

    async fn confirmation_mail(&self, record: &OrderRecord) -> Result<ComposedMail, String> {
        let order = &record.order;
        let club = self.find_club(order.club).await?;
        let mut games = Vec::new();
        let mut listings = Vec::new();
        for (draw, serials) in record.tickets_shown_to_buyer() {
            let listing = match self.facts.listing(*draw) {
                Some(listing) => listing.clone(),
                None => Arc::new(self.read_listing(*draw).await?),
            };
            games.push(self.confirmed_game(&listing, serials).await?);
            listings.push(listing);
        }
        let subjects: Vec<subject::SubjectGame> = listings
            .iter()
            .map(|listing| subject_game(listing))
            .collect();
        let count = order.tickets();
        let confirmation = Confirmation {
            head: self.letterhead(Some(&club)),
            subject: subject::confirmation_subject(count, &subjects),
            buyer: buyer_name(record).to_string(),
            count,
            games,
            subtotal: order.subtotal().to_string(),
            card_fee: (order.card_fee() > Cents::ZERO).then(|| order.card_fee().to_string()),
            total: order.total().to_string(),
            link: self.own_order_url(record),
            calendar: self.page_url(&calendar_path(&record.tickets)),
            reference: order_reference(record),
        };
        let content = confirmation
            .render_parts()
            .map_err(|failure| failure.to_string())?;
        Ok(ComposedMail {
            content,
            reply_to: Some(club.email.clone()),
        })
    }

    async fn confirmed_game(
        &self,
        listing: &Listing,
        serials: &[Serial],
    ) -> Result<ConfirmedGame, String> {
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
        let tickets = cells.into_iter().map(|(serial, cell)| ConfirmedTicket {
            label: serial.label(draw),
            home: cell.home(),
            away: cell.away(),
        });
        Ok(ConfirmedGame {
            home: listing.home_team.clone(),
            away: listing.away_team.clone(),
            league: listing.league.clone(),
            kick_off: date_time_text::date_time_with_zone(view.closes_at, &listing.zone),
            ticket_price: view.price.to_string(),
            prize: view.prize.to_string(),
            tickets: tickets.collect(),
        })
    }

    async fn correction_mail(
        &self,
        record: &OrderRecord,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let (home, away) = (&listing.home_team, &listing.away_team);
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::correction_subject(&subject_game(&listing)),
            heading: "The result was corrected".to_string(),
            paragraphs: vec![
                format!("Hello {}.", buyer_name(record)).into(),
                format!(
                    "We told you that your ticket in {home} v {away} had won. The result had been entered wrongly and \
                     was taken back, so that message no longer holds. We are sorry."
                )
                .into(),
                "If the corrected result makes you the winner, you will hear from us again.".into(),
            ],
            link: Some(self.draw_link("See the draw", &listing)),
        };
        self.compose_simple_mail(note, Some(club.email.clone()))
    }

    fn fixed_text_mail(
        &self,
        head: Letterhead,
        subject: &str,
        data: MailData,
        about: &FixedText,
    ) -> Result<ComposedMail, String> {
        let greeting = data
            .name
            .map_or_else(|| "Hello.".to_string(), |name| format!("Hello {name}."));
        let link = match (about.button, data.link) {
            (Some(button), Some(link)) => Some((button.to_string(), link)),
            (Some(_), None) => return Err("the mail has no link".to_string()),
            (None, _) => None,
        };
        let paragraphs = [greeting.into()]
            .into_iter()
            .chain(
                about
                    .paragraphs
                    .iter()
                    .map(|content| Paragraph::from(*content)),
            )
            .collect();
        let note = SimpleMail {
            head,
            subject: subject.to_string(),
            heading: subject.to_string(),
            paragraphs,
            link,
        };
        self.compose_simple_mail(note, None)
    }

    fn compose_simple_mail(
        &self,
        note: SimpleMail,
        reply_to: Option<String>,
    ) -> Result<ComposedMail, String> {
        Ok(ComposedMail {
            content: note.render_parts().map_err(|failure| failure.to_string())?,
            reply_to,
        })
    }

    async fn find_club(&self, id: domain::ClubId) -> Result<Arc<Club>, String> {
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

    /// Reads a draw from the database, because the draw may be newer than the catalogue.
    async fn read_listing(&self, draw: DrawId) -> Result<Listing, String> {
        let found = self
            .records
            .listings_of_draws([draw])
            .await
            .map_err(|failure| failure.to_string())?;
        found
            .into_iter()
            .next()
            .ok_or_else(|| format!("draw {draw} is gone"))
    }

    async fn read_draw_and_club(&self, data: &MailData) -> Result<(Listing, Arc<Club>), String> {
        let draw = data.draw.map(DrawId).ok_or("the mail names no draw")?;
        let listing = self.read_listing(draw).await?;
        let club = self.find_club(listing.club).await?;
        Ok((listing, club))
    }

    fn default_letterhead(&self) -> Letterhead {
        self.letterhead(None)
    }

    /// Builds header and greeting of a mail about a club's account. Until the club's e-mail address
    /// is confirmed, its reader may be a stranger, so the mail contains no text that the club
    /// chose.
    fn account_mail_parts(&self, club: &Club) -> AccountMailParts {
        if club.email_verified {
            AccountMailParts {
                head: self.letterhead(Some(club)),
                greeting: format!("Hello {}.", club.name),
                dashboard: self.page_url(&format!("/club/{}/admin", club.slug)),
            }
        } else {
            AccountMailParts {
                head: self.default_letterhead(),
                greeting: "Hello.".to_string(),
                dashboard: self.page_url("/admin"),
            }
        }
    }

    fn letterhead(&self, club: Option<&Club>) -> Letterhead {
        let colour = club.and_then(|club| Colour::parse(&club.primary_color));
        Letterhead {
            club: club.map(|club| club.name.clone()),
            bar: colour
                .or_else(|| Colour::parse(DEFAULT_BAR_COLOUR))
                .expect("the default colour is valid"),
            support_email: self.config.support.email.clone(),
            support_sms: self.config.support.sms.clone(),
        }
    }

    /// Returns the link of a mail to a draw's public page.
    fn draw_link(&self, text: &str, listing: &Listing) -> (String, String) {
        let page = self.page_url(&format!("/draw/{}", listing.id()));
        (text.to_string(), page)
    }

    /// Returns the link of a mail to the buyer's own order, with the order's secret.
    fn own_order_link(&self, text: &str, record: &OrderRecord) -> (String, String) {
        (text.to_string(), self.own_order_url(record))
    }

    fn own_order_url(&self, record: &OrderRecord) -> String {
        self.page_url(&format!("/my/{}", record.token))
    }

    fn page_url(&self, path: &str) -> String {
        format!("{}{path}", self.config.public_url)
    }
}

struct AccountMailParts {
    head: Letterhead,
    greeting: String,
    dashboard: String,
}

/// The fixed texts of a kind of mail that needs no data of an order.
struct FixedText {
    paragraphs: &'static [&'static str],
    button: Option<&'static str>,
}

const PASSWORD_RESET_TEXT: FixedText = FixedText {
    paragraphs: &[
        "Somebody asked for a new password for this account. The link works once, for 30 minutes.",
        "If it was not you, nothing has changed and you need do nothing.",
    ],
    button: Some("Choose a new password"),
};
const PASSWORD_CHANGED_TEXT: FixedText = FixedText {
    paragraphs: &[
        "The password of this account was changed just now, and every browser that was signed in has been signed out.",
        "If it was not you, ask for a new link on the log-in page at once, and tell us: the address below is read by people.",
    ],
    button: None,
};
const EMAIL_VERIFICATION_TEXT: FixedText = FixedText {
    paragraphs: &[
        "Please confirm that this address is yours, so that we can reach you about your draws. The link works once, for \
         seven days.",
    ],
    button: Some("Confirm this address"),
};
const MY_TICKETS_TEXT: FixedText = FixedText {
    paragraphs: &[
        "Somebody asked for the tickets bought with this e-mail address. The link shows all of them, for 24 hours.",
        "If it was not you, you need do nothing: nobody else has this link. Do not pass it on.",
    ],
    button: Some("See my tickets"),
};
const REGISTRATION_REFUSED_TEXT: FixedText = FixedText {
    paragraphs: &[
        "Somebody filled in our registration form for clubs with this e-mail address. It has an account already, so nothing \
         was changed.",
        "If it was you, log in, or ask for a new password on the log-in page. If it was not you, you need do nothing.",
    ],
    button: None,
};
const WAITLIST_TEXT: FixedText = FixedText {
    paragraphs: &[
        "Thanks for your interest in Football Doubles. We will write to you when new clubs can join.",
    ],
    button: None,
};

fn subject_game(listing: &Listing) -> subject::SubjectGame<'_> {
    subject::SubjectGame {
        home: &listing.home_team,
        away: &listing.away_team,
        kick_off: listing.view.closes_at,
        zone: &listing.zone,
    }
}

fn buyer_name(record: &OrderRecord) -> &str {
    record.buyer.name.as_deref().unwrap_or(DEFAULT_BUYER_NAME)
}

/// Builds the URL path of a calendar file with all games of an order.
fn calendar_path(tickets: &[(DrawId, Vec<Serial>)]) -> String {
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

/// Returns the reference by which buyers and support name an order: the last characters of its
/// payment intent's id.
fn order_reference(record: &OrderRecord) -> String {
    const REFERENCE_CHARS: usize = 8;
    let id = record
        .order
        .payment_intent
        .as_ref()
        .map_or_else(|| record.order.id.to_string(), |id| id.0.clone());
    let from = id.len().saturating_sub(REFERENCE_CHARS);
    id.get(from..).unwrap_or(&id).to_uppercase()
}
