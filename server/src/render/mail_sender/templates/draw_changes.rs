//! Mails about a cancelled draw or a moved kick-off: to the club and to the ticket holders.

use domain::{Status, Timestamp};
use persistence::records::listings::Listing;
use persistence::stores::OrderRecord;

use super::{ComposedMail, MailData, MailWriter, order_reference, subject_game};
use crate::render::date_time_text;
use crate::render::mail::{Paragraph, SimpleMail, subject};

impl MailWriter<'_> {
    /// Tells a ticket holder that the kick-off was moved.
    pub(super) async fn kick_off_moved_mail(
        &self,
        record: &OrderRecord,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let mut paragraphs = kick_off_moved_paragraphs(&listing, &data)?;
        paragraphs.push(
            format!(
                "Your tickets stay valid. You need not do anything. Reference {}.",
                order_reference(record)
            )
            .into(),
        );
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::subject_naming_game("New kick-off", &subject_game(&listing)),
            heading: "The kick-off was moved".to_string(),
            paragraphs,
            link: Some(self.own_order_link("See your tickets", record)),
        };
        self.compose_simple_mail(note, Some(club.email.clone()))
    }

    /// Tells the club that the kick-off of its draw was moved.
    pub(super) async fn kick_off_moved_club_mail(
        &self,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let mut paragraphs = kick_off_moved_paragraphs(&listing, &data)?;
        paragraphs.push(
            "Every ticket holder with an e-mail address was told. Their tickets stay valid.".into(),
        );
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::subject_naming_game("New kick-off", &subject_game(&listing)),
            heading: "The kick-off was moved".to_string(),
            paragraphs,
            link: Some(self.draw_link("See the draw", &listing)),
        };
        self.compose_simple_mail(note, None)
    }

    /// Tells the club that its draw was cancelled.
    pub(super) async fn draw_cancelled_mail(&self, data: MailData) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::subject_naming_game("Draw cancelled", &subject_game(&listing)),
            heading: "Your draw was cancelled".to_string(),
            paragraphs: vec![
                cancellation_text(&listing, data.reason.as_deref()).into(),
                "Every buyer gets the whole payment back, with the platform's fee, and is told the reason. You need not \
                 do anything."
                    .into(),
            ],
            link: Some(self.draw_link("See the draw", &listing)),
        };
        self.compose_simple_mail(note, None)
    }

    /// Says which games of a refunded order were cancelled, and why. Empty when the order was
    /// refunded for another reason.
    pub(super) async fn cancelled_games_paragraphs(
        &self,
        record: &OrderRecord,
    ) -> Result<Vec<Paragraph>, String> {
        let mut paragraphs = Vec::new();
        for listing in self.read_games(record).await? {
            if listing.view.status != Status::Cancelled {
                continue;
            }
            let reason = self
                .records
                .cancellation_reason(listing.id())
                .await
                .map_err(|failure| failure.to_string())?;
            paragraphs.push(cancellation_text(&listing, reason.as_deref()).into());
        }
        Ok(paragraphs)
    }
}

fn cancellation_text(listing: &Listing, reason: Option<&str>) -> String {
    let kick_off = date_time_text::date_time_with_zone(listing.view.closes_at, &listing.zone);
    let (home, away) = (&listing.home_team, &listing.away_team);
    format!(
        "The draw for {home} v {away} on {kick_off} was cancelled.{}",
        reason_text(reason)
    )
}

/// Writes the reason as it was typed, after a space. Empty without a reason.
fn reason_text(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!(" Reason: {reason}"))
}

fn kick_off_moved_paragraphs(listing: &Listing, data: &MailData) -> Result<Vec<Paragraph>, String> {
    let (Some(before), Some(after)) = (data.before, data.after) else {
        return Err("the mail names no kick-off".to_string());
    };
    let [before, after] =
        [before, after].map(|at| date_time_text::date_time_with_zone(Timestamp(at), &listing.zone));
    let (home, away) = (&listing.home_team, &listing.away_team);
    Ok(vec![
        format!("{home} v {away} now kicks off on {after}.").into(),
        format!(
            "Before, it was {before}.{}",
            reason_text(data.reason.as_deref())
        )
        .into(),
    ])
}
