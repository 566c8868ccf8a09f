//! Anomalies in memory.

use std::collections::BTreeMap;

use domain::{Anomaly, AnomalyKind, Cents, OrderId, PaymentIntentId, Timestamp};

use crate::books::AnomalyRecord;

#[derive(Default)]
pub(super) struct Anomalies {
    rows: Vec<AnomalyRecord>,
    open: BTreeMap<(AnomalyKind, String), usize>,
}

/// What an anomaly is about: a payment, else an order, else what its note says.
fn subject(anomaly: &Anomaly) -> String {
    match (&anomaly.payment_intent, &anomaly.order) {
        (Some(payment_intent), _) => payment_intent.0.clone(),
        (None, Some(order)) => order.to_string(),
        (None, None) => anomaly.note.clone(),
    }
}

impl Anomalies {
    pub fn all(&self) -> impl Iterator<Item = &AnomalyRecord> {
        self.rows.iter()
    }

    pub fn raise(&mut self, anomaly: &Anomaly, amount: Option<Cents>, at: Timestamp) -> bool {
        let key = (anomaly.kind, subject(anomaly));
        if self.open.contains_key(&key) {
            return false;
        }
        self.open.insert(key, self.rows.len());
        self.rows.push(AnomalyRecord {
            id: self.rows.len() as u128 + 1,
            anomaly: anomaly.clone(),
            amount,
            detected_at: at,
            resolved_at: None,
        });
        true
    }

    pub fn heal(
        &mut self,
        payment_intent: &PaymentIntentId,
        order: Option<OrderId>,
        kind: Option<AnomalyKind>,
        at: Timestamp,
    ) -> u64 {
        let rows = &mut self.rows;
        let before = self.open.len();
        self.open.retain(|(of, _), index| {
            let anomaly = &rows[*index].anomaly;
            let about = match &anomaly.payment_intent {
                Some(of) => of == payment_intent,
                None => order.is_some() && anomaly.order == order,
            };
            let heals = about && kind.is_none_or(|kind| kind == *of);
            if heals {
                rows[*index].resolved_at = Some(at);
            }
            !heals
        });
        (before - self.open.len()) as u64
    }

    /// Newest first.
    pub fn list(&self, only_open: bool, limit: usize) -> Vec<AnomalyRecord> {
        let wanted = |row: &&AnomalyRecord| !only_open || row.resolved_at.is_none();
        self.rows.iter().rev().filter(wanted).take(limit).cloned().collect()
    }
}
