//! Delivers mails to the mailbox of the demo's sandbox.

use std::io;

use sandbox::Sandbox;
use sandbox::mailbox::MailMessage;

use super::Mailbox;
use crate::render::mail::RenderedMail;

impl Mailbox for Sandbox {
    fn deliver(&self, mail: RenderedMail) -> io::Result<()> {
        self.mailbox().deliver(MailMessage {
            message_id: mail.message_id,
            kind: mail.kind,
            to: mail.to,
            from: mail.from,
            reply_to: mail.reply_to,
            subject: mail.subject,
            text: mail.text,
            html: mail.html,
        })
    }
}
