//! The anomalies of the memory store.

use std::collections::{BTreeMap, BTreeSet};

use domain::{Anomaly, AnomalyKind, Cents, DrawPause, Order, OrderId, PaymentIntentId, Timestamp};

use crate::stores::AnomalyRecord;

#[derive(Clone, Default)]
pub(super) struct Anomalies {
    rows: Vec<AnomalyRecord>,
    open: BTreeMap<(AnomalyKind, String), usize>,
    /// Anomalies that a person closed: kind, payment and note. An equal anomaly is not raised
    /// again.
    dismissed: BTreeSet<(AnomalyKind, PaymentIntentId, String)>,
}

/// Returns what an anomaly is about: its payment if it has one, otherwise its order, otherwise its
/// note.
fn anomaly_subject(anomaly: &Anomaly) -> String {
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

    pub fn raise_anomaly_once(
        &mut self,
        anomaly: &Anomaly,
        amount: Option<Cents>,
        at: Timestamp,
    ) -> bool {
        let key = (anomaly.kind, anomaly_subject(anomaly));
        let same_anomaly = anomaly
            .payment_intent
            .clone()
            .map(|id| (anomaly.kind, id, anomaly.note.clone()));
        if self.open.contains_key(&key)
            || same_anomaly.is_some_and(|same_anomaly| self.dismissed.contains(&same_anomaly))
        {
            return false;
        }
        self.open.insert(key, self.rows.len());
        self.rows.push(AnomalyRecord {
            id: self.rows.len() as u128 + 1,
            anomaly: anomaly.clone(),
            pause: DrawPause::from_note(&anomaly.note),
            amount,
            detected_at: at,
            resolved_at: None,
        });
        true
    }

    pub fn replace_anomaly_note(
        &mut self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        from: &str,
        to: &str,
    ) -> bool {
        let Some(index) = self.open.get(&(kind, payment_intent.0.clone())) else {
            return false;
        };
        let note = &mut self.rows[*index].anomaly.note;
        let is_replaced = note == from;
        if is_replaced {
            to.clone_into(note);
        }
        is_replaced
    }

    /// Returns the open anomalies about a payment, and those about the payment's order that name no
    /// payment. `kind` limits them to one kind; `None` means all.
    pub fn open_anomaly_ids_of_payment(
        &self,
        payment_intent: &PaymentIntentId,
        order: Option<OrderId>,
        kind: Option<AnomalyKind>,
    ) -> Vec<u128> {
        let open = self
            .open
            .iter()
            .filter(|((of, _), _)| kind.is_none_or(|kind| kind == *of));
        let rows = open.map(|(_, index)| &self.rows[*index]);
        let about = |row: &&AnomalyRecord| match &row.anomaly.payment_intent {
            Some(of) => of == payment_intent,
            None => order.is_some() && row.anomaly.order == order,
        };
        rows.filter(about).map(|row| row.id).collect()
    }

    pub fn resolve_anomalies_by_id(&mut self, ids: &[u128], at: Timestamp) -> u64 {
        let rows = &mut self.rows;
        let before = self.open.len();
        self.open.retain(|_, index| {
            let heals = ids.contains(&rows[*index].id);
            if heals {
                rows[*index].resolved_at = Some(at);
            }
            !heals
        });
        (before - self.open.len()) as u64
    }

    pub fn close_anomaly_by_person(&mut self, id: u128, at: Timestamp) -> bool {
        let Some(row) = self
            .rows
            .iter_mut()
            .find(|row| row.id == id && row.resolved_at.is_none())
        else {
            return false;
        };
        row.resolved_at = Some(at);
        self.open
            .remove(&(row.anomaly.kind, anomaly_subject(&row.anomaly)));
        if let Some(payment_intent) = row.anomaly.payment_intent.clone() {
            self.dismissed
                .insert((row.anomaly.kind, payment_intent, row.anomaly.note.clone()));
        }
        true
    }

    /// Returns whether an anomaly about the order is open, or was closed by a person.
    pub fn is_order_reported(&self, kind: AnomalyKind, order: &Order) -> bool {
        let is_open = |row: &AnomalyRecord| row.resolved_at.is_none();
        let about =
            |row: &&AnomalyRecord| row.anomaly.kind == kind && row.anomaly.order == Some(order.id);
        let was_closed = |(of, payment, _): &(AnomalyKind, PaymentIntentId, String)| {
            *of == kind && order.payment_intent.as_ref() == Some(payment)
        };
        self.rows.iter().filter(about).any(is_open) || self.dismissed.iter().any(was_closed)
    }

    pub fn count_raised_and_open_anomalies(&self) -> (u64, u64) {
        (self.rows.len() as u64, self.open.len() as u64)
    }

    /// Returns anomalies, newest first, at most `limit`.
    pub fn newest_anomalies(&self, only_open: bool, limit: usize) -> Vec<AnomalyRecord> {
        let matches = |row: &&AnomalyRecord| !only_open || row.resolved_at.is_none();
        self.rows
            .iter()
            .rev()
            .filter(matches)
            .take(limit)
            .cloned()
            .collect()
    }
}
