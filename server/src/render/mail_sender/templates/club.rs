//! Mails to a club about its draws and its account, and mails to its winners.

use std::iter;

use domain::access::Role;
use domain::{Serial, Timestamp};
use persistence::records::clubs::Club;
use persistence::records::listings::Listing;
use persistence::stores::OrderRecord;

use super::{AccountMailParts, ComposedMail, MailData, MailWriter, buyer_name, subject_game};
use crate::render::date_time_text;
use crate::render::mail::{Paragraph, SimpleMail, subject};

impl MailWriter<'_> {
    /// Builds the mail to a winner, with the single-use link to the claim page, which is valid for
    /// seven days.
    pub(super) async fn winner_mail(
        &self,
        record: &OrderRecord,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let draw = listing.id();
        let prize = listing.view.prize.to_string();
        let ticket = data
            .serial
            .and_then(Serial::new)
            .ok_or("the mail names no ticket")?;
        let (result, _) = listing.view.result.ok_or("the draw has no result")?;
        let (home, away) = (&listing.home_team, &listing.away_team);
        let result_page = self.page_url(&format!("/draw/{draw}"));
        let mut paragraphs: Vec<Paragraph> = vec![
            format!("Congratulations {}.", buyer_name(record)).into(),
            format!(
                "Your ticket {} in {home} v {away} carries {} and {}: the jerseys of the first try scorers.",
                ticket.label(draw),
                result.cell.home(),
                result.cell.away(),
            )
            .into(),
        ];
        let link = if let (Some(link), Some(until)) = (data.link, data.until) {
            let until = date_time_text::date_time_with_zone(Timestamp(until), &listing.zone);
            let contact = listing
                .contact_name
                .clone()
                .zip(listing.contact_phone.clone());
            let contact = contact.map_or_else(String::new, |(name, phone)| {
                format!(" Questions: {name}, {phone}.")
            });
            paragraphs.push(Paragraph::ending_with_link("The result:", result_page));
            let text = format!(
                "{} pays the prize straight to your bank account. Please say which one by {until}. The link below \
                 is yours alone and works once.{contact}",
                club.name
            );
            paragraphs.push(text.into());
            ("Claim your prize".to_string(), link)
        } else {
            let text = format!(
                "{} will contact you to pay the prize. Please answer within 7 days.",
                club.name
            );
            paragraphs.push(text.into());
            ("See the result".to_string(), result_page)
        };
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::winner_subject(&prize, &subject_game(&listing)),
            heading: format!("You won {prize}"),
            paragraphs,
            link: Some(link),
        };
        self.compose_simple_mail(note, Some(club.email.clone()))
    }

    /// Asks a club to enter the result of a finished game.
    pub(super) async fn results_due_mail(&self, data: MailData) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let (home, away) = (&listing.home_team, &listing.away_team);
        let sold = listing.view.sold;
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::subject_naming_game("Results due", &subject_game(&listing)),
            heading: "The game has finished - enter the result".to_string(),
            paragraphs: vec![
                format!("{} sold for {home} v {away}, and their owners are waiting.", ticket_count_with_verb(sold)).into(),
                "Choose the jersey numbers of the two first try scorers, 9 for a team that did not score. It takes four \
                 taps."
                    .into(),
            ],
            link: Some(("Enter the result".to_string(), self.page_url(&format!("/admin/results/{}", listing.id())))),
        };
        self.compose_simple_mail(note, None)
    }

    /// Confirms an entered result to the club.
    pub(super) async fn results_submitted_mail(
        &self,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let draw = listing.id();
        let (result, _) = listing.view.result.ok_or("the draw has no result")?;
        let (home, away) = (&listing.home_team, &listing.away_team);
        let outcome = match listing.view.public_result(self.now) {
            // Do not name the winning ticket before kick-off, because the result can be undone and
            // tickets are sold again (decision E-6).
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
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::subject_naming_game("Result entered", &subject_game(&listing)),
            heading: "The result is in".to_string(),
            paragraphs: vec![
                format!(
                    "{home} #{} and {away} #{} were entered as the first try scorers.",
                    result.cell.home(),
                    result.cell.away()
                )
                .into(),
                outcome.into(),
                Paragraph::ending_with_link(
                    "Not what happened? Only we can take a result back:",
                    self.config.support.email.clone(),
                ),
            ],
            link: Some((
                "See the result".to_string(),
                self.page_url(&format!("/admin/results/{draw}")),
            )),
        };
        self.compose_simple_mail(note, None)
    }

    /// Tells the club that the winner submitted bank details, without the details themselves.
    pub(super) async fn winner_details_mail(&self, data: MailData) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let prize = listing.view.prize.to_string();
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::subject_naming_game(&format!("Pay {prize}"), &subject_game(&listing)),
            heading: "Your winner has sent bank details".to_string(),
            paragraphs: vec![
                format!(
                    "The prize of {prize} can be paid now. The details are on the result's page; no mail holds them."
                )
                .into(),
                "When it is paid, mark the payout as completed.".into(),
            ],
            link: Some(("Open the result".to_string(), self.page_url(&format!("/admin/results/{}", listing.id())))),
        };
        self.compose_simple_mail(note, None)
    }

    /// Tells the winner that the club has paid the prize, and to which account.
    pub(super) async fn prize_paid_mail(
        &self,
        record: &OrderRecord,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let prize = listing.view.prize.to_string();
        let (home, away) = (&listing.home_team, &listing.away_team);
        let account = data.account.as_deref().map(|masked| {
            let digits = masked.trim_start_matches('•');
            format!("Paid to the account that ends in {digits}.")
        });
        let mut paragraphs: Vec<Paragraph> = vec![
            format!("Hello {}.", buyer_name(record)).into(),
            format!(
                "{} has paid your prize of {prize} for {home} v {away}.",
                club.name
            )
            .into(),
        ];
        paragraphs.extend(account.map(Paragraph::from));
        paragraphs.push(
            "It may take a day to reach your account. If it does not arrive, answer this mail."
                .into(),
        );
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::subject_naming_game("Your prize is paid", &subject_game(&listing)),
            heading: format!("{prize} is on its way"),
            paragraphs,
            link: Some(self.draw_link("See the result", &listing)),
        };
        self.compose_simple_mail(note, Some(club.email.clone()))
    }

    /// Tells the winner that the earlier mail about the payment was a mistake.
    pub(super) async fn prize_not_paid_mail(
        &self,
        record: &OrderRecord,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let prize = listing.view.prize.to_string();
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::subject_naming_game("Your prize is not paid yet", &subject_game(&listing)),
            heading: "Your prize is not paid yet".to_string(),
            paragraphs: vec![
                format!("Hello {}.", buyer_name(record)).into(),
                format!(
                    "{} told you that your prize of {prize} was paid. That was a mistake: it is still to be paid.",
                    club.name
                )
                .into(),
                "We will write again when it is paid. Questions? Answer this mail.".into(),
            ],
            link: Some(self.draw_link("See the result", &listing)),
        };
        self.compose_simple_mail(note, Some(club.email.clone()))
    }

    /// Tells the winner that the bank details were entered or changed. Replies go to the platform,
    /// not to the club.
    pub(super) async fn bank_details_given_mail(
        &self,
        record: &OrderRecord,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let account = data.account.as_deref().ok_or("the mail names no account")?;
        let (home, away) = (&listing.home_team, &listing.away_team);
        let entered = match data.by.as_deref() {
            Some("winner") => {
                format!("You gave the account {account} for your prize in {home} v {away}.")
            }
            _ => format!(
                "{} entered the account {account} for your prize in {home} v {away}.",
                club.name
            ),
        };
        let paragraphs = vec![
            format!("Hello {}.", buyer_name(record)).into(),
            entered.into(),
            "The prize is paid to this account.".into(),
            Paragraph::ending_with_link(
                "If this is not right, write to us at once:",
                self.config.support.email.clone(),
            ),
        ];
        self.bank_details_mail(&listing, &club, "Bank details for your prize", paragraphs)
    }

    /// Tells the winner that a member of the club wants to change the bank details, and that a
    /// second member must enter the same details.
    pub(super) async fn bank_details_proposed_mail(
        &self,
        record: &OrderRecord,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let account = data.account.as_deref().ok_or("the mail names no account")?;
        let (home, away) = (&listing.home_team, &listing.away_team);
        let paragraphs = vec![
            format!("Hello {}.", buyer_name(record)).into(),
            format!(
                "{} wants to send your prize in {home} v {away} to the account {account} instead of the account you gave.",
                club.name
            )
            .into(),
            "The account you gave stays until a second person enters the same details, within 7 days.".into(),
            Paragraph::ending_with_link(
                "If you did not ask for this, write to us at once:",
                self.config.support.email.clone(),
            ),
        ];
        self.bank_details_mail(
            &listing,
            &club,
            "Another account for your prize",
            paragraphs,
        )
    }

    fn bank_details_mail(
        &self,
        listing: &Listing,
        club: &Club,
        heading: &str,
        paragraphs: Vec<Paragraph>,
    ) -> Result<ComposedMail, String> {
        let note = SimpleMail {
            head: self.letterhead(Some(club)),
            subject: subject::subject_naming_game("Your prize", &subject_game(listing)),
            heading: heading.to_string(),
            paragraphs,
            link: Some(self.draw_link("See the draw", listing)),
        };
        self.compose_simple_mail(note, None)
    }

    /// Invites a member of a club, with the link to choose a password (decision G-17).
    pub(super) async fn invitation_mail(&self, data: MailData) -> Result<ComposedMail, String> {
        let club = self
            .find_club(
                data.club
                    .map(domain::ClubId)
                    .ok_or("the mail names no club")?,
            )
            .await?;
        let link = data.link.ok_or("the mail has no link")?;
        let role = data
            .role
            .as_deref()
            .and_then(Role::from_name)
            .ok_or("the mail names no role")?;
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::invitation_subject(&club.name),
            heading: format!("{} asks you in", club.name),
            paragraphs: vec![
                format!("Hello {}.", data.name.unwrap_or_default()).into(),
                format!("{} sells tickets with Football Doubles, and asks you to help as {}.", club.name, role_description(role))
                    .into(),
                "Choose a password to sign in with this e-mail address. The link is yours alone, works once, and for 72 \
                 hours; the club can send another."
                    .into(),
                "If you do not know the club, you need do nothing.".into(),
            ],
            link: Some(("Choose a password".to_string(), link)),
        };
        self.compose_simple_mail(note, Some(club.email.clone()))
    }

    /// Asks a new club to connect its Stripe account.
    pub(super) async fn stripe_onboarding_incomplete_mail(
        &self,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let text = [
            "Buyers pay your club directly, so the club needs an account at Stripe. Draws can be created as soon as it is \
             connected; it takes about ten minutes, and you can stop and go on later.",
        ];
        self.stripe_account_mail(
            data,
            "One step left before you can sell",
            "Connect your payment account",
            &text,
        )
        .await
    }

    /// Tells a club that Stripe has disabled its account.
    pub(super) async fn stripe_account_lost_mail(
        &self,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let heading = "Your payments account needs attention";
        let text = [
            "Stripe has stopped payments to your club's account. Your draws are not on sale until it is put right. \
             Tickets that are sold stay sold.",
            "Your dashboard leads you to Stripe, which says what it still needs to know.",
        ];
        self.stripe_account_mail(data, heading, heading, &text)
            .await
    }

    /// Builds a mail about the club's Stripe account with a link to the club's dashboard.
    async fn stripe_account_mail(
        &self,
        data: MailData,
        subject: &str,
        heading: &str,
        text: &[&str],
    ) -> Result<ComposedMail, String> {
        let club = self
            .find_club(
                data.club
                    .map(domain::ClubId)
                    .ok_or("the mail names no club")?,
            )
            .await?;
        let AccountMailParts {
            head,
            greeting,
            dashboard,
        } = self.account_mail_parts(&club);
        let note = SimpleMail {
            head,
            subject: subject.to_string(),
            heading: heading.to_string(),
            paragraphs: iter::once(greeting.as_str())
                .chain(text.iter().copied())
                .map(Into::into)
                .collect(),
            link: Some(("Go to your dashboard".to_string(), dashboard)),
        };
        self.compose_simple_mail(note, None)
    }
}

fn role_description(role: Role) -> &'static str {
    match role {
        Role::Owner => "an owner: you may do everything the club does",
        Role::Seller => "a seller: you create draws and offers, enter results and write to winners",
        Role::Viewer => "a viewer: you see draws, counts and money",
    }
}

fn ticket_count_with_verb(sold: u16) -> String {
    if sold == 1 {
        "1 ticket was".to_string()
    } else {
        format!("{sold} tickets were")
    }
}
