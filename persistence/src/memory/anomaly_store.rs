//! Implements [`AnomalyStore`] in memory.

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::{Anomaly, AnomalyKind, Cents, PaymentIntentId, Timestamp};

use super::{MemoryCall, MemoryStores};
use crate::error::Failure;
use crate::stores::{AnomalyRecord, AnomalyStore};

#[async_trait]
impl AnomalyStore for MemoryStores {
    async fn raise_anomaly(
        &self,
        anomaly: &Anomaly,
        amount: Option<Cents>,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        self.write_state(MemoryCall::Write("raise"), |state| {
            Ok(state.anomalies.raise_anomaly_once(anomaly, amount, at))
        })
    }

    async fn replace_anomaly_note(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        from: &str,
        to: &str,
    ) -> Result<bool, Failure> {
        self.write_state(MemoryCall::Write("note"), |state| {
            let anomalies = &mut state.anomalies;
            Ok(anomalies.replace_anomaly_note(payment_intent, kind, from, to))
        })
    }

    async fn resolve_healed_anomalies(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        at: Timestamp,
    ) -> Result<u64, Failure> {
        self.write_state(MemoryCall::Write("heal"), |state| {
            let order = state.orders.id_by_payment_intent(payment_intent);
            let open =
                state
                    .anomalies
                    .open_anomaly_ids_of_payment(payment_intent, order, Some(kind));
            Ok(state.anomalies.resolve_anomalies_by_id(&open, at))
        })
    }

    async fn open_anomalies_of_payment(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> Result<Vec<u128>, Failure> {
        self.read_state("open_about", |state| {
            let order = state.orders.id_by_payment_intent(payment_intent);
            state
                .anomalies
                .open_anomaly_ids_of_payment(payment_intent, order, None)
        })
    }

    async fn payments_with_open_anomalies(
        &self,
        among: &[PaymentIntentId],
    ) -> Result<BTreeSet<PaymentIntentId>, Failure> {
        self.read_state("reported", |state| {
            let is_reported = |id: &&PaymentIntentId| {
                let order = state.orders.id_by_payment_intent(id);
                !state
                    .anomalies
                    .open_anomaly_ids_of_payment(id, order, None)
                    .is_empty()
            };
            among.iter().filter(is_reported).cloned().collect()
        })
    }

    async fn resolve_healed_anomalies_by_id(
        &self,
        anomalies: &[u128],
        at: Timestamp,
    ) -> Result<u64, Failure> {
        self.write_state(MemoryCall::Write("heal_known"), |state| {
            Ok(state.anomalies.resolve_anomalies_by_id(anomalies, at))
        })
    }

    async fn anomalies(&self, only_open: bool, limit: u32) -> Result<Vec<AnomalyRecord>, Failure> {
        self.read_state("anomalies", |state| {
            state.anomalies.newest_anomalies(only_open, limit as usize)
        })
    }

    async fn count_raised_and_open_anomalies(&self) -> Result<(u64, u64), Failure> {
        self.read_state("anomaly_counts", |state| {
            state.anomalies.count_raised_and_open_anomalies()
        })
    }

    async fn close_anomaly(
        &self,
        anomaly: u128,
        _resolution: &str,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        self.write_state(MemoryCall::Write("resolve"), |state| {
            Ok(state.anomalies.close_anomaly_by_person(anomaly, at))
        })
    }
}
