//! The outbox: mails that are queued in the database until they are sent.

use async_trait::async_trait;
use domain::{OrderId, Timestamp};

use crate::error::Failure;
use crate::nodes::InstanceId;

/// A mail that a node has claimed for sending.
#[derive(Clone, Debug)]
pub struct Mail {
    pub id: i64,
    /// The name of the mail's template: `tickets`, `not-charged`, `disputed`, `winner`, `reset`, …
    pub kind: String,
    pub order: Option<OrderId>,
    pub to: String,
    /// Data for the template in addition to the order, as JSON text.
    pub data: String,
    /// The message id in the mail's header. It is chosen when the mail is queued. So mail programs
    /// show a mail that was sent twice only once (effect E4 of the failure catalogue).
    pub message_id: String,
    /// How often the mail was claimed so far, including the current claim.
    pub attempts: u32,
}

/// Stores mails until they are sent.
///
/// # Errors
/// Every method returns [`Failure::NotWritten`] when the database certainly changed nothing, and
/// [`Failure::Unknown`] when a write may or may not have happened.
#[async_trait]
pub trait OutboxStore: Send + Sync {
    /// Queues a mail. Returns `false` when a mail with the same dedupe key was queued before.
    async fn queue_mail(
        &self,
        dedupe_key: &str,
        kind: &str,
        order: Option<OrderId>,
        to: &str,
        data: &str,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// Claims mails for the node `sender` for `lease_ms` milliseconds, oldest first. Claims mails
    /// that are due, and mails that were claimed by a node that is gone
    /// ([`crate::nodes::GONE_AFTER_LEASE_END_MS`]).
    async fn claim_mail(
        &self,
        sender: InstanceId,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Mail>, Failure>;
    /// Records that a mail was sent.
    async fn mark_mail_sent(&self, mail: i64, at: Timestamp) -> Result<(), Failure>;
    /// Records that sending failed. The mail is tried again at the time `again`, or never if it is
    /// `None`.
    async fn record_mail_failure(
        &self,
        mail: i64,
        why: &str,
        again: Option<Timestamp>,
    ) -> Result<(), Failure>;
}
