//! Lists, checks and repairs anomalies: disagreements between this system and the payment provider.
//! Scans find anomalies, and an operator repairs and resolves them.

use std::sync::Arc;

use domain::{DrawId, PaymentIntentId, Serial};
use persistence::Failure;
use persistence::ledger::BuyerDetails;
use persistence::records::audit::AuditEntry;
use persistence::stores::{AnomalyRecord, OrderRecord};
use tracing::Instrument;

use crate::payments::context::PaymentContext;
use crate::payments::repairs::{
    ChosenTickets, PaymentTickets, RepairError, Repairs, ReturnedAmounts,
};
use crate::reconciler::{PaymentComparison, Reconciler, ScanReport};

const HOUR_MS: i64 = 3_600_000;
/// Longest period that a scan may cover, in hours: thirty days (decision I-3).
const SCAN_HOURS_MAX: u32 = 720;

/// A handle for listing, checking and repairing anomalies. Cheap to clone.
#[derive(Clone)]
pub struct Anomalies {
    context: Arc<PaymentContext>,
    reconciler: Reconciler,
    audit_entry: Option<Arc<AuditEntry>>,
}

/// The numbers of all anomalies that were ever raised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnomalyCounts {
    pub total: u64,
    pub unresolved: u64,
    /// Resolved by a person or automatically.
    pub resolved: u64,
}

impl AnomalyCounts {
    /// Returns the share of resolved anomalies in whole percent, rounded half up. 100 if there
    /// never was one (C:69, decision I-4).
    pub fn resolved_percent(&self) -> u64 {
        match self.total {
            0 => 100,
            total => (self.resolved * 200 + total) / (total * 2),
        }
    }
}

impl Anomalies {
    pub(crate) fn new(context: Arc<PaymentContext>, reconciler: Reconciler) -> Anomalies {
        Anomalies {
            context,
            reconciler,
            audit_entry: None,
        }
    }

    /// Returns a handle for an operator's action. A repair through this handle writes `act` to the
    /// audit log.
    #[must_use]
    pub fn with_audit_entry(&self, act: AuditEntry) -> Anomalies {
        Anomalies {
            audit_entry: Some(Arc::new(act)),
            ..self.clone()
        }
    }

    /// Returns anomalies, newest first.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn list(&self, only_open: bool, limit: u32) -> Result<Vec<AnomalyRecord>, Failure> {
        self.context.store.anomalies(only_open, limit).await
    }

    /// Returns the numbers of open and resolved anomalies.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn counts(&self) -> Result<AnomalyCounts, Failure> {
        let (total, unresolved) = self.context.store.count_raised_and_open_anomalies().await?;
        Ok(AnomalyCounts {
            total,
            unresolved,
            resolved: total.saturating_sub(unresolved),
        })
    }

    /// Compares the payments of the last hour with the provider, and repairs what can be repaired
    /// automatically (decision I-3).
    ///
    /// # Errors
    /// See [`Reconciler::scan_payments`].
    pub async fn scan_last_hour(&self) -> Result<ScanReport, Failure> {
        self.scan_payments(1).await
    }

    /// Compares the payments of the last `hours_back` hours (1 to 720) with the provider, and
    /// repairs what can be repaired automatically. `raised` in the report counts only anomalies
    /// that this scan added.
    ///
    /// # Errors
    /// See [`Reconciler::scan_payments`].
    pub async fn scan_payments(&self, hours_back: u32) -> Result<ScanReport, Failure> {
        let hours = i64::from(hours_back.clamp(1, SCAN_HOURS_MAX));
        self.reconciler
            .scan_payments(self.context.clock.now().plus_ms(-hours * HOUR_MS))
            .await
    }

    /// Resolves an anomaly in the name of a person ("Mark Resolved"). The same anomaly of the same
    /// payment is not raised again. If it is about a paused draw, the draw is resumed: immediately
    /// on this node, within seconds on another node. `false`: no open anomaly has this id.
    ///
    /// # Errors
    /// The database write failed.
    pub async fn resolve(&self, anomaly: u128, by: &str) -> Result<bool, Failure> {
        let resolved = self
            .context
            .store
            .close_anomaly(anomaly, &format!("by {by}"), self.context.clock.now())
            .await;
        self.context.draws.rescan_ownership();
        resolved
    }

    /// Allocates the missing tickets of a payment, if it was authorised before kick-off and no
    /// result is entered (rule 5 of the decisions, decision I-2). If the database lost the order,
    /// the tickets are read from the payment's metadata. Then `token` becomes the secret of the new
    /// order page: 128 random bits as 32 hexadecimal digits. A repeated call gives the same answer.
    ///
    /// # Errors
    /// [`RepairError`]
    pub async fn allocate_missing_tickets(
        &self,
        payment: &PaymentIntentId,
        buyer: BuyerDetails,
        token: String,
    ) -> Result<OrderRecord, RepairError> {
        self.allocate(payment, None, buyer, token).await
    }

    /// Allocates the tickets that an operator chose for a payment without a matching order. The
    /// amount must be the price of the tickets plus at most the card fee. A repeated call with the
    /// same tickets gives the same answer.
    ///
    /// # Errors
    /// [`RepairError`]
    pub async fn allocate_chosen_tickets(
        &self,
        payment: &PaymentIntentId,
        chosen: ChosenTickets,
        buyer: BuyerDetails,
        token: String,
    ) -> Result<OrderRecord, RepairError> {
        self.allocate(payment, Some(chosen), buyer, token).await
    }

    /// Returns the tickets that [`Self::allocate_missing_tickets`] would allocate.
    ///
    /// # Errors
    /// `Unknown`, `Unavailable`.
    pub async fn tickets_of_payment(
        &self,
        payment: &PaymentIntentId,
    ) -> Result<PaymentTickets, RepairError> {
        Repairs::new(&self.context)
            .tickets_of_payment(payment)
            .await
    }

    async fn allocate(
        &self,
        payment: &PaymentIntentId,
        chosen: Option<ChosenTickets>,
        buyer: BuyerDetails,
        token: String,
    ) -> Result<OrderRecord, RepairError> {
        let (context, payment, audit_entry) = (
            self.context.clone(),
            payment.clone(),
            self.audit_entry.as_deref().cloned(),
        );
        let work = async move {
            let record = Repairs::new(&context)
                .allocate_missing_tickets(&payment, chosen, buyer, token, audit_entry)
                .await?;
            // The payment is compared at once. So the operator sees any remaining anomaly, such as
            // a missing fee, before the next scheduled comparison.
            let _ = PaymentComparison::new(context)
                .compare_order(record.order.id)
                .await;
            Ok(record)
        };
        // The work is spawned, so that it is completed even when the caller stops waiting.
        let allocated = tokio::spawn(work.in_current_span());
        allocated.await.unwrap_or(Err(RepairError::Unavailable))
    }

    /// Returns the money of a payment that pays for no tickets. It is a second payment for an
    /// order, or its order is unknown or has ended. No ticket changes.
    ///
    /// # Errors
    /// `HasTickets`: the order must be refunded instead. `Refunded`, `Unknown`, `Unavailable`.
    pub async fn return_unmatched_payment(
        &self,
        payment: &PaymentIntentId,
    ) -> Result<ReturnedAmounts, RepairError> {
        let (context, payment, audit_entry) = (
            self.context.clone(),
            payment.clone(),
            self.audit_entry.as_deref().cloned(),
        );
        let work = async move {
            Repairs::new(&context)
                .return_unmatched_payment(&payment, audit_entry)
                .await
        };
        let returned = tokio::spawn(work.in_current_span());
        returned.await.unwrap_or(Err(RepairError::Unavailable))
    }

    /// Stores the buyer of paid tickets whose order has no e-mail address. The confirmation mail is
    /// then sent (decisions F-3, I-8).
    ///
    /// # Errors
    /// [`RepairError`]
    pub async fn recover_buyer(
        &self,
        draw: DrawId,
        serial: Serial,
        buyer: BuyerDetails,
        approved: bool,
    ) -> Result<OrderRecord, RepairError> {
        let (context, audit_entry) = (self.context.clone(), self.audit_entry.as_deref().cloned());
        let recovered = tokio::spawn(async move {
            Repairs::new(&context)
                .recover_buyer(draw, serial, &buyer, approved, audit_entry)
                .await
        });
        recovered.await.unwrap_or(Err(RepairError::Unavailable))
    }
}

#[cfg(test)]
mod tests {
    use super::AnomalyCounts;

    #[test]
    fn resolved_percent_is_rounded_and_100_without_anomalies() {
        let rate = |resolved, total| {
            AnomalyCounts {
                total,
                unresolved: total - resolved,
                resolved,
            }
            .resolved_percent()
        };
        assert_eq!(
            [
                rate(0, 0),
                rate(0, 3),
                rate(1, 3),
                rate(2, 3),
                rate(1, 200),
                rate(3, 3)
            ],
            [100, 0, 33, 67, 1, 100]
        );
    }
}
