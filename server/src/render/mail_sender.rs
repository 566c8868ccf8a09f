//! Sends mails: renders a queued mail and delivers it. The engine's mailer decides when, and
//! retries.

use std::io;
use std::sync::{Arc, OnceLock};

use actors::{Clock, Post};
use async_trait::async_trait;
use persistence::records::Records;
use persistence::stores::{Mail, OrderRecord};
use tokio::sync::watch;

use crate::config::Config;
use crate::ops::lifecycle::Phase;
use crate::render::mail::{MailContent, RenderedMail};
use crate::services::catalogue::Catalogue;
use smtp::Smtp;

#[cfg(feature = "demo")]
mod sandbox_mailbox;
pub mod smtp;
mod templates;

/// Suffix of placeholder addresses of buyers without an address. Nothing is sent to them (decision
/// C-11).
pub const NOBODY: &str = "@invalid";

/// The purpose for which links in queued mails are sealed. The address of the mail is the id.
const LINK: &str = "mail-link";

/// Seals a link that opens an account, for storage in the outbox. A reader of the table cannot use
/// it.
pub fn sealed_link(records: &Records, to: &str, link: &str) -> String {
    records.seal(LINK, to, link)
}

/// Collects mails instead of sending them.
pub trait Mailbox: Send + Sync {
    /// # Errors
    ///
    /// The mail cannot be stored.
    fn deliver(&self, mail: RenderedMail) -> io::Result<()>;
}

/// How a mail leaves.
pub enum DeliveryMethod {
    /// The demo's mailbox page.
    Mailbox(Arc<dyn Mailbox>),
    Smtp(Smtp),
    /// Not delivered before the server stops. The mail stays in the outbox for the next server.
    Held(watch::Receiver<Phase>),
}

/// Renders and delivers the mails that the mailer takes from the outbox.
pub struct MailSender {
    config: Config,
    records: Records,
    /// Set once the engine has started. It provides the names of clubs and draws.
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

    /// Provides the catalogue. Mails wait until then.
    pub fn set_catalogue(&self, catalogue: Arc<Catalogue>) {
        // A second engine in one process would be a bug. The first catalogue is kept.
        let _ = self.catalogue.set(catalogue);
    }

    async fn deliver(&self, mail: RenderedMail) -> Result<(), String> {
        match &self.delivery {
            DeliveryMethod::Held(phase) => {
                // An error means that the sender is gone, so the server has stopped as well.
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
impl Post for MailSender {
    async fn send(&self, mail: &Mail, order: Option<&OrderRecord>) -> Result<(), String> {
        if mail.to.ends_with(NOBODY) {
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
        let templates::ComposedMail {
            content:
                MailContent {
                    subject,
                    text,
                    html,
                },
            reply_to,
        } = writer.write(mail, order).await?;
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
