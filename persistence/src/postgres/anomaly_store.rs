//! Implements [`AnomalyStore`] in Postgres.

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::{Anomaly, AnomalyKind, Cents, PaymentIntentId, Timestamp};

use super::{Postgres, anomalies};
use crate::error::Failure;
use crate::stores::{AnomalyRecord, AnomalyStore};

#[async_trait]
impl AnomalyStore for Postgres {
    async fn raise_anomaly(
        &self,
        anomaly: &Anomaly,
        amount: Option<Cents>,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let (postgres, anomaly) = (self.clone(), anomaly.clone());
        self.write(async move || {
            anomalies::raise_anomaly_once(postgres.background(), &anomaly, amount, at).await
        })
        .await
    }

    async fn resolve_healed(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        at: Timestamp,
    ) -> Result<u64, Failure> {
        let (postgres, id) = (self.clone(), payment_intent.clone());
        self.write(async move || {
            anomalies::resolve_healed(postgres.background(), &id, kind, at).await
        })
        .await
    }

    async fn open_anomalies_of(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> Result<Vec<u128>, Failure> {
        let (postgres, id) = (self.clone(), payment_intent.clone());
        self.run(async move { anomalies::open_ids_about(postgres.background(), &id).await })
            .await
    }

    async fn payments_with_open_anomalies(
        &self,
        among: &[PaymentIntentId],
    ) -> Result<BTreeSet<PaymentIntentId>, Failure> {
        let (postgres, among) = (self.clone(), among.to_vec());
        self.run(async move { anomalies::payments_with_open(postgres.background(), &among).await })
            .await
    }

    async fn resolve_listed(&self, anomalies: &[u128], at: Timestamp) -> Result<u64, Failure> {
        let (postgres, anomalies) = (self.clone(), anomalies.to_vec());
        self.write(async move || {
            anomalies::resolve_listed(postgres.background(), &anomalies, at).await
        })
        .await
    }

    async fn anomalies(&self, only_open: bool, limit: u32) -> Result<Vec<AnomalyRecord>, Failure> {
        let postgres = self.clone();
        self.run(async move {
            anomalies::newest_anomalies(postgres.background(), only_open, limit).await
        })
        .await
    }

    async fn anomaly_counts(&self) -> Result<(u64, u64), Failure> {
        let postgres = self.clone();
        self.run(async move { anomalies::count_anomalies(postgres.background()).await })
            .await
    }

    async fn close_anomaly(
        &self,
        anomaly: u128,
        resolution: &str,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let (postgres, resolution) = (self.clone(), resolution.to_string());
        self.write(async move || {
            anomalies::close_by_person(postgres.background(), anomaly, &resolution, at).await
        })
        .await
    }
}
