//! What a club is told about its draws and its account, and what its winner reads.

use std::iter;

use domain::access::Role;
use domain::{Serial, Timestamp};
use persistence::books::OrderRecord;

use super::{Data, Letter, Writer, buyer, face};
use crate::render::mail::{Note, Paragraph, subject};
use crate::render::when;

impl Writer<'_> {
    /// With the one-time link to the claim page: the prize waits for the winner's word, for seven days.
    pub(super) async fn winner(&self, record: &OrderRecord, data: Data) -> Result<Letter, String> {
        let (listing, club) = self.draw_of(&data).await?;
        let draw = listing.id();
        let prize = listing.view.prize.to_string();
        let ticket = data
            .serial
            .and_then(Serial::new)
            .ok_or("the mail names no ticket")?;
        let (result, _) = listing.view.result.ok_or("the draw has no result")?;
        let (home, away) = (&listing.home_team, &listing.away_team);
        let result_page = self.page(&format!("/draw/{draw}"));
        let mut paragraphs: Vec<Paragraph> = vec![
            format!("Congratulations {}.", buyer(record)).into(),
            format!(
                "Your ticket {} in {home} v {away} carries {} and {}: the jerseys of the first try scorers.",
                ticket.label(draw),
                result.cell.home(),
                result.cell.away(),
            )
            .into(),
        ];
        let link = match (data.link, data.until) {
            (Some(link), Some(until)) => {
                let until = when::long(Timestamp(until), &listing.zone);
                let asker = listing
                    .contact_name
                    .clone()
                    .zip(listing.contact_phone.clone());
                let asker = asker.map_or_else(String::new, |(name, phone)| {
                    format!(" Questions: {name}, {phone}.")
                });
                paragraphs.push(Paragraph::leading_to("The result:", result_page));
                let words = format!(
                    "{} pays the prize straight to your bank account. Please say which one by {until}. The link below \
                     is yours alone and works once.{asker}",
                    club.name
                );
                paragraphs.push(words.into());
                ("Claim your prize".to_string(), link)
            }
            _ => {
                let words = format!(
                    "{} will contact you to pay the prize. Please answer within 7 days.",
                    club.name
                );
                paragraphs.push(words.into());
                ("See the result".to_string(), result_page)
            }
        };
        let note = Note {
            head: self.letterhead(Some(&club)),
            subject: subject::winner(&prize, &face(&listing)),
            heading: format!("You won {prize}"),
            paragraphs,
            link: Some(link),
        };
        self.finish(note, Some(club.email.clone()))
    }

    pub(super) async fn results_due(&self, data: Data) -> Result<Letter, String> {
        let (listing, club) = self.draw_of(&data).await?;
        let (home, away) = (&listing.home_team, &listing.away_team);
        let sold = listing.view.sold;
        let note = Note {
            head: self.letterhead(Some(&club)),
            subject: subject::about("Results due", &face(&listing)),
            heading: "The game has finished - enter the result".to_string(),
            paragraphs: vec![
                format!("{} sold for {home} v {away}, and their owners are waiting.", count(sold)).into(),
                "Choose the jersey numbers of the two first try scorers, 9 for a team that did not score. It takes four \
                 taps."
                    .into(),
            ],
            link: Some(("Enter the result".to_string(), self.page(&format!("/admin/results/{}", listing.id())))),
        };
        self.finish(note, None)
    }

    pub(super) async fn results_submitted(&self, data: Data) -> Result<Letter, String> {
        let (listing, club) = self.draw_of(&data).await?;
        let draw = listing.id();
        let (result, _) = listing.view.result.ok_or("the draw has no result")?;
        let (home, away) = (&listing.home_team, &listing.away_team);
        let outcome = match listing.view.revealed(self.now) {
            // The result can be undone until then, and the draw sells on (decision E-6).
            None => "Which ticket wins is shown after kick-off, on the result's page.".to_string(),
            Some((_, serial)) if listing.winner_sold == Some(true) => format!(
                "Ticket {} wins {}. Notify the winner from the result's page; the prize is yours to pay.",
                serial.label(draw),
                listing.view.prize
            ),
            Some((_, serial)) => {
                format!(
                    "Ticket {} was not sold, so the prize stays with the club.",
                    serial.label(draw)
                )
            }
        };
        let note = Note {
            head: self.letterhead(Some(&club)),
            subject: subject::about("Result entered", &face(&listing)),
            heading: "The result is in".to_string(),
            paragraphs: vec![
                format!(
                    "{home} #{} and {away} #{} were entered as the first try scorers.",
                    result.cell.home(),
                    result.cell.away()
                )
                .into(),
                outcome.into(),
                Paragraph::leading_to(
                    "Not what happened? Only we can take a result back:",
                    self.config.support.email.clone(),
                ),
            ],
            link: Some((
                "See the result".to_string(),
                self.page(&format!("/admin/results/{draw}")),
            )),
        };
        self.finish(note, None)
    }

    /// That details are there, never which.
    pub(super) async fn winner_details(&self, data: Data) -> Result<Letter, String> {
        let (listing, club) = self.draw_of(&data).await?;
        let prize = listing.view.prize.to_string();
        let note = Note {
            head: self.letterhead(Some(&club)),
            subject: subject::about(&format!("Pay {prize}"), &face(&listing)),
            heading: "Your winner has sent bank details".to_string(),
            paragraphs: vec![
                format!(
                    "The prize of {prize} can be paid now. The details are on the result's page; no mail holds them."
                )
                .into(),
                "When it is paid, mark the payout as completed.".into(),
            ],
            link: Some(("Open the result".to_string(), self.page(&format!("/admin/results/{}", listing.id())))),
        };
        self.finish(note, None)
    }

    /// To one of a club's people, with the link by which they choose a password (decision G-17).
    pub(super) async fn invitation(&self, data: Data) -> Result<Letter, String> {
        let club = self
            .club(
                data.club
                    .map(domain::ClubId)
                    .ok_or("the mail names no club")?,
            )
            .await?;
        let link = data.link.ok_or("the mail has no link")?;
        let role = data
            .role
            .as_deref()
            .and_then(Role::read)
            .ok_or("the mail names no role")?;
        let note = Note {
            head: self.letterhead(Some(&club)),
            subject: subject::invitation(&club.name),
            heading: format!("{} asks you in", club.name),
            paragraphs: vec![
                format!("Hello {}.", data.name.unwrap_or_default()).into(),
                format!("{} sells tickets with Football Doubles, and asks you to help as {}.", club.name, as_what(role))
                    .into(),
                "Choose a password to sign in with this e-mail address. The link is yours alone, works once, and for 72 \
                 hours; the club can send another."
                    .into(),
                "If you do not know the club, you need do nothing.".into(),
            ],
            link: Some(("Choose a password".to_string(), link)),
        };
        self.finish(note, Some(club.email.clone()))
    }

    pub(super) async fn connect_incomplete(&self, data: Data) -> Result<Letter, String> {
        let words = [
            "Buyers pay your club directly, so the club needs an account at Stripe. Draws can be created as soon as it is \
             connected; it takes about ten minutes, and you can stop and go on later.",
        ];
        self.of_account(
            data,
            "One step left before you can sell",
            "Connect your payment account",
            &words,
        )
        .await
    }

    /// The provider let the club sell, and does so no longer.
    pub(super) async fn account_lost(&self, data: Data) -> Result<Letter, String> {
        let heading = "Your payments account needs attention";
        let words = [
            "Stripe has stopped payments to your club's account. Your draws are not on sale until it is put right. \
             Tickets that are sold stay sold.",
            "Your dashboard leads you to Stripe, which says what it still needs to know.",
        ];
        self.of_account(data, heading, heading, &words).await
    }

    /// What a club has to do about its account at the provider, which its dashboard leads to.
    async fn of_account(
        &self,
        data: Data,
        subject: &str,
        heading: &str,
        words: &[&str],
    ) -> Result<Letter, String> {
        let club = self
            .club(
                data.club
                    .map(domain::ClubId)
                    .ok_or("the mail names no club")?,
            )
            .await?;
        let greeting = format!("Hello {}.", club.name);
        let note = Note {
            head: self.letterhead(Some(&club)),
            subject: subject.to_string(),
            heading: heading.to_string(),
            paragraphs: iter::once(greeting.as_str())
                .chain(words.iter().copied())
                .map(Into::into)
                .collect(),
            link: Some((
                "Go to your dashboard".to_string(),
                self.page(&format!("/club/{}/admin", club.slug)),
            )),
        };
        self.finish(note, None)
    }
}

fn as_what(role: Role) -> &'static str {
    match role {
        Role::Owner => "an owner: you may do everything the club does",
        Role::Seller => "a seller: you create draws and offers, enter results and write to winners",
        Role::Viewer => "a viewer: you see draws, counts and money",
    }
}

fn count(sold: u16) -> String {
    if sold == 1 {
        "1 ticket was".to_string()
    } else {
        format!("{sold} tickets were")
    }
}
