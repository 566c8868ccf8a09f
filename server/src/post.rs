//! Mail: what is queued becomes words, and the words leave. The actors' mailer decides when, and tries again.

use std::sync::{Arc, OnceLock};

use actors::{Clock, Post};
use async_trait::async_trait;
use persistence::books::{Mail, OrderRecord};
use persistence::records::Records;
use tokio::sync::watch;

use crate::app::Phase;
use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::render::mail::{RenderedMail, Words};
use crate::sandbox::Sandbox;
use smtp::Smtp;

mod letters;
pub mod smtp;

/// Addresses below this are placeholders of buyers who left none: nothing is ever sent there (decision C-11).
pub const NOBODY: &str = "@invalid";

/// What a link in a queued mail is sealed for; its id is the address it goes to.
const LINK: &str = "mail-link";

/// A link that opens an account, as the outbox may hold it: whoever reads the table alone cannot use it.
pub fn sealed_link(records: &Records, to: &str, link: &str) -> String {
    records.seal(LINK, to, link)
}

/// How a mail leaves.
pub enum Delivery {
    /// The demo's mailbox page.
    Mailbox(Arc<Sandbox>),
    Smtp(Smtp),
    /// Not before the server stops: the mail stays in the outbox for the next one.
    Held(watch::Receiver<Phase>),
}

/// Renders and delivers what the mailer claims from the outbox.
pub struct Postman {
    config: Config,
    records: Records,
    /// Known once the engine has started: what clubs and draws are called, and the numbers on a buyer's tickets.
    catalogue: OnceLock<Arc<Catalogue>>,
    delivery: Delivery,
    clock: Arc<dyn Clock>,
}

impl Postman {
    pub fn new(
        config: Config,
        records: Records,
        delivery: Delivery,
        clock: Arc<dyn Clock>,
    ) -> Postman {
        Postman {
            config,
            records,
            catalogue: OnceLock::new(),
            delivery,
            clock,
        }
    }

    /// Tells the postman whom to ask about clubs, draws and tickets. Mails wait until then.
    pub fn meet(&self, catalogue: Arc<Catalogue>) {
        // A second engine in one process would be a bug; the first one keeps the job.
        let _ = self.catalogue.set(catalogue);
    }

    async fn deliver(&self, mail: RenderedMail) -> Result<(), String> {
        match &self.delivery {
            Delivery::Held(phase) => {
                // A sender that is gone has stopped as well.
                let _ = phase.clone().wait_for(|phase| *phase > Phase::Ready).await;
                Err("held until the next start".to_string())
            }
            Delivery::Mailbox(sandbox) => sandbox
                .mailbox()
                .deliver(mail)
                .map_err(|failure| failure.to_string()),
            Delivery::Smtp(smtp) => smtp
                .deliver(&mail)
                .await
                .map_err(|failure| failure.to_string()),
        }
    }
}

#[async_trait]
impl Post for Postman {
    async fn send(&self, mail: &Mail, order: Option<&OrderRecord>) -> Result<(), String> {
        if mail.to.ends_with(NOBODY) {
            return Ok(());
        }
        let catalogue = self.catalogue.get().ok_or("the draws are not awake yet")?;
        let facts = catalogue.facts();
        let writer = letters::Writer {
            config: &self.config,
            records: &self.records,
            draws: catalogue.draws(),
            facts,
            now: self.clock.now(),
        };
        let letters::Letter {
            words:
                Words {
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
