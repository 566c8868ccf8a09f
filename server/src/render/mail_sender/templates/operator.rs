//! Mails to operators.

use super::{ComposedMail, MailData, MailWriter};
use crate::render::mail::SimpleMail;

impl MailWriter<'_> {
    /// Tells an operator that a club's account can no longer take payments.
    pub(super) async fn club_cannot_sell_mail(
        &self,
        data: MailData,
    ) -> Result<ComposedMail, String> {
        let (Some(club), Some(account)) = (data.club, data.account) else {
            return Err("the mail names no account".to_string());
        };
        let club = self.find_club(domain::ClubId(club)).await?;
        let heading = format!("{} can no longer sell", club.name);
        let note = SimpleMail {
            head: self.default_letterhead(),
            subject: heading.clone(),
            heading,
            paragraphs: vec![
                format!(
                    "Stripe has stopped payments to the account {account}, or the club has disconnected it. Its draws are \
                     not on sale until it is put right. The club was told."
                )
                .into(),
                "To see what Stripe wants from the club, run this on the server:".into(),
                "server doctor".into(),
            ],
            link: None,
        };
        self.compose_simple_mail(note, None)
    }

    /// Builds the daily mail with the audit log's anchor, which contains the hash of the newest
    /// entry. An administrator of the database cannot change an anchor that was mailed.
    pub(super) fn audit_anchor_mail(&self, data: MailData) -> Result<ComposedMail, String> {
        let (Some(anchor), Some(date)) = (data.anchor, data.date) else {
            return Err("the mail has no anchor".to_string());
        };
        let heading = format!("Audit log anchor of {date}");
        let note = SimpleMail {
            head: self.default_letterhead(),
            subject: heading.clone(),
            heading,
            paragraphs: vec![
                "Keep this mail. It names the newest entry of the audit log and that entry's keyed hash:".into(),
                anchor.clone().into(),
                "To check later that no entry up to this one was changed or removed, run this on the server:".into(),
                format!("server audit --anchor {anchor}").into(),
            ],
            link: None,
        };
        self.compose_simple_mail(note, None)
    }
}
