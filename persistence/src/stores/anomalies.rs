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
    /// The paused draw that the anomaly is about, if it is about one.
    pub pause: Option<DrawPause>,
    pub amount: Option<Cents>,
    pub detected_at: Timestamp,
    pub resolved_at: Option<Timestamp>,
}

/// Stores anomalies. At most one of a kind is open about the same payment.
///
/// # Errors
/// Every method returns [`Failure::NotWritten`] when the database certainly changed nothing, and
/// [`Failure::Unknown`] when a write may or may not have happened.
#[async_trait]
pub trait AnomalyStore: Send + Sync {
    /// Raises an anomaly and returns `true`. Returns `false` when one of its kind is open about its
    /// payment, or when a person has closed the same anomaly before.
    async fn raise_anomaly(
        &self,
        anomaly: &Anomaly,
        amount: Option<Cents>,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// Resolves the open anomalies of one kind about a payment, and those about its order that name
    /// no payment. Anomalies about another payment of the same order stay open. Returns how many
    /// were resolved.
    async fn resolve_healed(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        at: Timestamp,
    ) -> Result<u64, Failure>;
    /// Returns the ids of the open anomalies about a payment, and of those about its order that name
    /// no payment.
    async fn open_anomalies_of(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> Result<Vec<u128>, Failure>;
    /// Returns those of the given payments that have an open anomaly, as in
    /// [`open_anomalies_of`](AnomalyStore::open_anomalies_of).
    async fn payments_with_open_anomalies(
        &self,
        among: &[PaymentIntentId],
    ) -> Result<BTreeSet<PaymentIntentId>, Failure>;
    /// Resolves those of the given anomalies that are still open, because the difference is gone.
    /// Returns how many were resolved.
    async fn resolve_listed(&self, anomalies: &[u128], at: Timestamp) -> Result<u64, Failure>;
    /// Returns anomalies, newest first.
    async fn anomalies(&self, only_open: bool, limit: u32) -> Result<Vec<AnomalyRecord>, Failure>;
    /// Returns how many anomalies were ever raised, and how many of them are open.
    async fn anomaly_counts(&self) -> Result<(u64, u64), Failure>;
    /// Closes an anomaly because a person has dealt with it. The same anomaly about the same
    /// payment is not raised again. Returns `false` when it is not open.
    async fn close_anomaly(
        &self,
        anomaly: u128,
        resolution: &str,
        at: Timestamp,
    ) -> Result<bool, Failure>;
}
