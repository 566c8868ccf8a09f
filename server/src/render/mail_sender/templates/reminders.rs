//! The two mails that a buyer asked for: before kick-off, and once the result is in. They are sent
//! only while they are true and wanted.

use domain::{DrawId, OrderState, Status};
use persistence::stores::{Mail, OrderRecord};

use super::{ComposedMail, MailData, MailWriter, buyer_name, subject_game};
use crate::render::date_time_text;
use crate::render::mail::{Paragraph, SimpleMail, subject};

const KICK_OFF_KIND: &str = "kick-off-reminder";
const RESULT_KIND: &str = "result-notice";

impl MailWriter<'_> {
    /// Whether a queued mail may still be sent. A reminder is dropped if its order was refunded, its
    /// buyer stopped the mails, or its moment has passed. The error says why it cannot be decided.
    pub async fn is_still_due(
        &self,
        mail: &Mail,
        order: Option<&OrderRecord>,
    ) -> Result<bool, String> {
        if mail.kind != KICK_OFF_KIND && mail.kind != RESULT_KIND {
            return Ok(true);
        }
        let Some(record) = order.filter(|record| record.order.state == OrderState::Captured) else {
            return Ok(false);
        };
        let draw = MailData::of(mail)?
            .draw
            .map(DrawId)
            .ok_or("the mail names no draw")?;
        let view = self.read_listing(draw).await?.view;
        let in_time = if mail.kind == KICK_OFF_KIND {
            matches!(view.status, Status::Active | Status::Closed) && self.now < view.closes_at
        } else {
            view.public_result(self.now).is_some()
        };
        let wanted = self.records.has_order_reminder(record.order.id).await;
        Ok(in_time && wanted.map_err(|failure| failure.to_string())?)
    }

    pub(super) async fn kick_off_reminder_mail(
        &self,
        record: &OrderRecord,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let kick_off = date_time_text::date_time_with_zone(listing.view.closes_at, &listing.zone);
        let (home, away) = (&listing.home_team, &listing.away_team);
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::subject_naming_game("Kick-off soon", &subject_game(&listing)),
            heading: "Your game starts soon".to_string(),
            paragraphs: vec![
                format!("Hello {}.", buyer_name(record)).into(),
                format!("{home} v {away} kicks off on {kick_off}.").into(),
                format!("The prize pool is {} so far.", listing.view.prize).into(),
                self.stop_paragraph(record),
            ],
            link: Some(self.own_order_link("See your tickets", record)),
        };
        self.compose_simple_mail(note, Some(club.email.clone()))
    }

    /// Says that the result is in, without the numbers: the page shows a corrected result too.
    pub(super) async fn result_notice_mail(
        &self,
        record: &OrderRecord,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let (listing, club) = self.read_draw_and_club(&data).await?;
        let (home, away) = (&listing.home_team, &listing.away_team);
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject::subject_naming_game("The result is in", &subject_game(&listing)),
            heading: "The result is in".to_string(),
            paragraphs: vec![
                format!("Hello {}.", buyer_name(record)).into(),
                format!(
                    "The first try scorers of {home} v {away} were entered. Your tickets show whether you won."
                )
                .into(),
                self.stop_paragraph(record),
            ],
            link: Some(self.own_order_link("See your tickets", record)),
        };
        self.compose_simple_mail(note, Some(club.email.clone()))
    }

    fn stop_paragraph(&self, record: &OrderRecord) -> Paragraph {
        let page = format!("{}?reminder=off", self.own_order_url(record));
        Paragraph::ending_with_link(
            "You asked for this mail when you bought your tickets. To stop these mails:",
            page,
        )
    }
}
