//! Drains the outbox: every queued mail leaves once, or is tried again later.

use async_trait::async_trait;
use persistence::books::{Mail, OrderRecord};

/// Renders and delivers one mail. The server gives it: actors know no templates and no SMTP.
#[async_trait]
pub trait Post: Send + Sync {
    /// Delivers a mail under its fixed message id; `order` is the mail's order as the books hold it.
    ///
    /// # Errors
    /// One sentence for the log, without personal data; the mailer tries again with growing pauses.
    async fn send(&self, mail: &Mail, order: Option<&OrderRecord>) -> Result<(), String>;
}
