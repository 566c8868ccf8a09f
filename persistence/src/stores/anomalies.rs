//! Anomalies: differences between the database and the payment provider.

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::{Anomaly, AnomalyKind, Cents, DrawPause, PaymentIntentId, Timestamp};

use crate::error::Failure;

/// An anomaly as it is stored.
#[derive(Clone, Debug)]
pub struct AnomalyRecord {
    pub id: u128,
    pub anomaly: Anomaly,
    /// The pause of the draw, if the anomaly is about a paused draw.
    pub pause: Option<DrawPause>,
    pub amount: Option<Cents>,
    pub detected_at: Timestamp,
    pub resolved_at: Option<Timestamp>,
}

/// Stores anomalies. At most one open anomaly of each kind exists for the same payment.
///
/// # Errors
///
/// Every method returns [`Failure::NotWritten`] when the database certainly changed nothing, and
/// [`Failure::Unknown`] when a write may or may not have happened.
#[async_trait]
pub trait AnomalyStore: Send + Sync {
    /// Stores a new open anomaly and returns `true`. Returns `false` when an anomaly of this kind
    /// about the payment is open, or when a person has closed an equal anomaly before.
    async fn raise_anomaly(
        &self,
        anomaly: &Anomaly,
        amount: Option<Cents>,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// Replaces the note of the open anomaly of one kind about a payment, if its note is `from`,
    /// because the cause has changed. Returns whether it was replaced.
    async fn replace_anomaly_note(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        from: &str,
        to: &str,
    ) -> Result<bool, Failure>;
    /// Resolves the open anomalies of one kind about a payment, because their cause disappeared. An
    /// anomaly is about the payment if it names the payment, or names the payment's order and no
    /// payment. Returns how many were resolved.
    async fn resolve_healed_anomalies(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        at: Timestamp,
    ) -> Result<u64, Failure>;
    /// Returns the ids of the open anomalies that name a payment, or that name the payment's order
    /// and no payment.
    async fn open_anomalies_of_payment(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> Result<Vec<u128>, Failure>;
    /// Returns which of the given payments have an open anomaly, as
    /// [`open_anomalies_of_payment`](AnomalyStore::open_anomalies_of_payment) finds it.
    async fn payments_with_open_anomalies(
        &self,
        among: &[PaymentIntentId],
    ) -> Result<BTreeSet<PaymentIntentId>, Failure>;
    /// Resolves the given anomalies, because the differences that caused them have disappeared.
    /// Skips anomalies that are no longer open. Returns how many were resolved.
    async fn resolve_healed_anomalies_by_id(
        &self,
        anomalies: &[u128],
        at: Timestamp,
    ) -> Result<u64, Failure>;
    /// Returns anomalies, newest first, at most `limit`.
    async fn anomalies(&self, only_open: bool, limit: u32) -> Result<Vec<AnomalyRecord>, Failure>;
    /// Returns two counts: all anomalies that were ever raised, and the open anomalies among them.
    async fn count_raised_and_open_anomalies(&self) -> Result<(u64, u64), Failure>;
    /// Closes an anomaly, because a person has dealt with it. An equal anomaly about the same
    /// payment is not raised again. Returns `false` when the anomaly is not open.
    async fn close_anomaly(
        &self,
        anomaly: u128,
        resolution: &str,
        at: Timestamp,
    ) -> Result<bool, Failure>;
}
