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
        self.write_with_retries(async move || {
            anomalies::raise_anomaly_once(postgres.background_pool(), &anomaly, amount, at).await
        })
        .await
    }

    async fn replace_anomaly_note(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        from: &str,
        to: &str,
    ) -> Result<bool, Failure> {
        let (postgres, id) = (self.clone(), payment_intent.clone());
        let (from, to) = (from.to_owned(), to.to_owned());
        self.write_with_retries(async move || {
            let pool = postgres.background_pool();
            anomalies::replace_anomaly_note(pool, &id, kind, &from, &to).await
        })
        .await
    }

    async fn resolve_healed_anomalies(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        at: Timestamp,
    ) -> Result<u64, Failure> {
        let (postgres, id) = (self.clone(), payment_intent.clone());
        self.write_with_retries(async move || {
            anomalies::resolve_healed_anomalies(postgres.background_pool(), &id, kind, at).await
        })
        .await
    }

    async fn open_anomalies_of_payment(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> Result<Vec<u128>, Failure> {
        let (postgres, id) = (self.clone(), payment_intent.clone());
        self.run_on_database_threads(async move {
            anomalies::open_anomaly_ids_of_payment(postgres.background_pool(), &id).await
        })
        .await
    }

    async fn payments_with_open_anomalies(
        &self,
        among: &[PaymentIntentId],
    ) -> Result<BTreeSet<PaymentIntentId>, Failure> {
        let (postgres, among) = (self.clone(), among.to_vec());
        self.run_on_database_threads(async move {
            anomalies::payments_with_open_anomalies(postgres.background_pool(), &among).await
        })
        .await
    }

    async fn resolve_healed_anomalies_by_id(
        &self,
        anomalies: &[u128],
        at: Timestamp,
    ) -> Result<u64, Failure> {
        let (postgres, anomalies) = (self.clone(), anomalies.to_vec());
        self.write_with_retries(async move || {
            anomalies::resolve_healed_anomalies_by_id(postgres.background_pool(), &anomalies, at)
                .await
        })
        .await
    }

    async fn anomalies(&self, only_open: bool, limit: u32) -> Result<Vec<AnomalyRecord>, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            anomalies::newest_anomalies(postgres.background_pool(), only_open, limit).await
        })
        .await
    }

    async fn count_raised_and_open_anomalies(&self) -> Result<(u64, u64), Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            anomalies::count_raised_and_open_anomalies(postgres.background_pool()).await
        })
        .await
    }

    async fn close_anomaly(
        &self,
        anomaly: u128,
        resolution: &str,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let (postgres, resolution) = (self.clone(), resolution.to_string());
        self.write_with_retries(async move || {
            anomalies::close_anomaly_by_person(postgres.background_pool(), anomaly, &resolution, at)
                .await
        })
        .await
    }
}
