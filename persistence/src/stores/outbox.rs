//! The mail outbox.

use async_trait::async_trait;
use domain::{OrderId, Timestamp};

use crate::error::Failure;
use crate::nodes::InstanceId;

/// A mail that was claimed for sending.
#[derive(Clone, Debug)]
pub struct Mail {
    pub id: i64,
    /// The template: `tickets`, `not-charged`, `disputed`, `winner`, `reset`, …
    pub kind: String,
    pub order: Option<OrderId>,
    pub to: String,
    /// The template's data beyond the order, as JSON text.
    pub data: String,
    /// Fixed when the mail is queued, so that a mail sent twice is one message to the reader
    /// (effect E4 of the failure catalogue).
    pub message_id: String,
    /// The number of claims so far, including this one.
    pub attempts: u32,
}

/// Stores mails until they are sent.
///
/// # Errors
/// Every method returns [`Failure::NotWritten`] when the database certainly changed nothing, and
/// [`Failure::Unknown`] when a write may or may not have happened.
#[async_trait]
pub trait OutboxStore: Send + Sync {
    /// Queues a mail. Returns `false` when its dedupe key was queued before.
    async fn queue_mail(
        &self,
        dedupe_key: &str,
        kind: &str,
        order: Option<OrderId>,
        to: &str,
        data: &str,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// Claims mails for the node `sender` for `lease_ms`, oldest first: those that are due, and
    /// those whose sender is gone ([`crate::nodes::GONE_MS`]).
    async fn claim_mail(
        &self,
        sender: InstanceId,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Mail>, Failure>;
    /// Records that a mail was sent.
    async fn mail_sent(&self, mail: i64, at: Timestamp) -> Result<(), Failure>;
    /// Records that sending failed. The mail is tried again at `again`, or never if `None`.
    async fn mail_failed(
        &self,
        mail: i64,
        why: &str,
        again: Option<Timestamp>,
    ) -> Result<(), Failure>;
}
