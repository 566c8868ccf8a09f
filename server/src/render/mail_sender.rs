//! Renders and delivers queued mails. The engine's mailer decides when a mail is sent and retries
//! failures.

use std::io;
use std::sync::{Arc, OnceLock};

use actors::{Clock, MailTransport};
use async_trait::async_trait;
use persistence::records::Records;
use persistence::stores::{Mail, OrderRecord};
use tokio::sync::watch;

use crate::config::Config;
use crate::ops::lifecycle::Phase;
use crate::render::mail::{MailContent, RenderedMail};
use crate::services::catalogue::Catalogue;
use smtp::SmtpSender;

#[cfg(feature = "demo")]
mod sandbox_mailbox;
pub mod smtp;
mod templates;

/// Ending of the placeholder address that is stored for a buyer without an e-mail address. No mail
/// is sent to such an address (decision C-11).
pub const PLACEHOLDER_EMAIL_ENDING: &str = "@invalid";

/// Purpose for which links in queued mails are encrypted. The recipient's e-mail address is the
/// second part of the encryption context.
const LINK_SEAL_PURPOSE: &str = "mail-link";

/// Encrypts a link that gives access to an account or a prize claim, so that a reader of the outbox
/// table cannot use the link.
pub fn sealed_link(records: &Records, to: &str, link: &str) -> String {
    records.seal(LINK_SEAL_PURPOSE, to, link)
}

/// Receives mails that are shown to the demo's users instead of being sent.
pub trait Mailbox: Send + Sync {
    /// # Errors
    ///
    /// The mail cannot be stored.
    fn deliver(&self, mail: RenderedMail) -> io::Result<()>;
}

/// How mails are delivered.
pub enum DeliveryMethod {
    /// Mails are shown on the demo's mailbox page.
    Mailbox(Arc<dyn Mailbox>),
    Smtp(SmtpSender),
    /// This server delivers no mails. They stay in the outbox until the next start of a server.
    Held(watch::Receiver<Phase>),
}

/// Renders and delivers the mails that the mailer takes from the outbox.
pub struct MailSender {
    config: Config,
    records: Records,
    /// The catalogue with the names of clubs and draws, set once the engine has started.
    catalogue: OnceLock<Arc<Catalogue>>,
    delivery: DeliveryMethod,
    clock: Arc<dyn Clock>,
}

impl MailSender {
    pub fn new(
        config: Config,
        records: Records,
        delivery: DeliveryMethod,
        clock: Arc<dyn Clock>,
    ) -> MailSender {
        MailSender {
            config,
            records,
            catalogue: OnceLock::new(),
            delivery,
            clock,
        }
    }

    /// Sets the catalogue. Mails are not sent before it is set.
    pub fn set_catalogue(&self, catalogue: Arc<Catalogue>) {
        // Ignore an error: it means that a catalogue was set before, and the first one stays. That
        // does not happen, because the server starts one engine.
        let _ = self.catalogue.set(catalogue);
    }

    async fn deliver(&self, mail: RenderedMail) -> Result<(), String> {
        match &self.delivery {
            DeliveryMethod::Held(phase) => {
                // Ignore an error: it means that the sender of phases was dropped, so the server
                // has stopped.
                let _ = phase.clone().wait_for(|phase| *phase > Phase::Ready).await;
                Err("held until the next start".to_string())
            }
            DeliveryMethod::Mailbox(mailbox) => {
                mailbox.deliver(mail).map_err(|failure| failure.to_string())
            }
            DeliveryMethod::Smtp(smtp) => smtp
                .deliver(&mail)
                .await
                .map_err(|failure| failure.to_string()),
        }
    }
}

#[async_trait]
impl MailTransport for MailSender {
    async fn send(&self, mail: &Mail, order: Option<&OrderRecord>) -> Result<(), String> {
        if mail.to.ends_with(PLACEHOLDER_EMAIL_ENDING) {
            return Ok(());
        }
        let catalogue = self.catalogue.get().ok_or("the draws are not awake yet")?;
        let facts = catalogue.facts();
        let writer = templates::MailWriter {
            config: &self.config,
            records: &self.records,
            draws: catalogue.draws(),
            facts,
            now: self.clock.now(),
        };
        if !writer.is_still_due(mail, order).await? {
            return Ok(());
        }
        let templates::ComposedMail {
            content:
                MailContent {
                    subject,
                    text,
                    html,
                },
            reply_to,
        } = writer.compose_mail(mail, order).await?;
        self.deliver(RenderedMail {
            message_id: mail.message_id.trim_matches(['<', '>']).to_string(),
            kind: mail.kind.clone(),
            to: mail.to.clone(),
            from: self.config.mail.from.clone(),
            reply_to,
            subject,
            text,
            html,
        })
        .await
    }
}
