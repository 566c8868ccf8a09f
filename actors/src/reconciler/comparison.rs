//! Compares one payment with its order. The domain function `reconcile` finds the disagreements.
//! This module reads order and payment, and stores the result.

use std::slice;
use std::sync::Arc;

use domain::reconciliation::{DISPUTE_LOST_NOTE, DISPUTED_NOTE, dispute_note, reconcile};
use domain::{
    AccountId, Anomaly, AnomalyKind, OrderId, OrderState, PaymentIntent, PaymentIntentId,
    PaymentStatus, Timestamp,
};
use persistence::Failure;
use persistence::stores::OrderRecord;

use super::{PROVIDER_CALL_PAUSE, ScanReport};
use crate::GatewayError;
use crate::payments::context::PaymentContext;
use crate::payments::fulfilment::Fulfilment;
use crate::payments::job_queue::JobKey;
use crate::payments::repairs::{DisputeOutcome, Repairs};

/// How long after the capture a missing e-mail address of the buyer raises an anomaly (decision
/// C-11), in milliseconds.
pub(super) const MISSING_EMAIL_GRACE_MS: i64 = 600_000;

/// Largest number of pending refunds that one pass reads from the provider.
const PENDING_REFUNDS_PER_PASS_MAX: u32 = 200;

/// Compares payments with orders.
#[derive(Clone)]
pub(crate) struct PaymentComparison {
    pub(super) context: Arc<PaymentContext>,
}

/// A payment intent as the provider returned it, with the time of the request. It may have changed
/// at the provider since.
#[derive(Clone)]
pub(super) struct ObservedIntent {
    pub(super) intent: PaymentIntent,
    pub(super) requested_at: Timestamp,
}

impl PaymentComparison {
    pub(crate) fn new(context: Arc<PaymentContext>) -> PaymentComparison {
        PaymentComparison { context }
    }

    /// Compares all payments of an account that were created since a time.
    pub(super) async fn compare_payments_of_account(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<ScanReport, Failure> {
        let mut report = ScanReport::default();
        for observed in self.list_payments(account, since).await? {
            report.add(self.compare_observed_intent(&observed).await?);
        }
        Ok(report)
    }

    /// Lists the payments of an account that this platform created since a time. Payments of others
    /// are only counted.
    pub(super) async fn list_payments(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Vec<ObservedIntent>, Failure> {
        let requested_at = self.context.clock.now();
        let intents = self
            .context
            .gateway
            .list(account, since)
            .await
            .map_err(provider_failure)?;
        let mut payments = Vec::with_capacity(intents.len());
        for intent in intents {
            if self.context.is_platform_payment(&intent).await? {
                payments.push(ObservedIntent {
                    intent,
                    requested_at,
                });
            }
        }
        Ok(payments)
    }

    async fn fetch_observed_intent(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<ObservedIntent, GatewayError> {
        let requested_at = self.context.clock.now();
        let intent = self.context.gateway.retrieve(account, id).await?;
        Ok(ObservedIntent {
            intent,
            requested_at,
        })
    }

    /// Compares a payment with its order, if it has one.
    pub(super) async fn compare_observed_intent(
        &self,
        observed: &ObservedIntent,
    ) -> Result<ScanReport, Failure> {
        let record = self.find_order_of_intent(&observed.intent).await?;
        self.compare_with_order(record.as_ref(), observed).await
    }

    /// Reads an order's payment from the provider and compares the payment with the order.
    pub(crate) async fn compare_order(&self, order: OrderId) -> Result<ScanReport, Failure> {
        tokio::time::sleep(PROVIDER_CALL_PAUSE).await;
        let Some(record) = self.context.store.order(order).await? else {
            return Ok(ScanReport::default());
        };
        let Some(id) = &record.order.payment_intent else {
            return Ok(ScanReport::default());
        };
        let observed = self
            .fetch_observed_intent(&record.order.account, id)
            .await
            .map_err(provider_failure)?;
        self.compare_with_order(Some(&record), &observed).await
    }

    /// Reads a payment intent that the database lacks from the provider, and compares it with its
    /// order, if it has one. An intent that this platform did not create is only counted.
    pub(crate) async fn compare_intent_missing_from_database(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<ScanReport, Failure> {
        let observed = match self.fetch_observed_intent(account, id).await {
            Ok(observed) => observed,
            // The provider does not know the intent on this account, so there is nothing to
            // compare.
            Err(GatewayError::Refused { .. }) => return Ok(ScanReport::default()),
            Err(error) => return Err(provider_failure(error)),
        };
        if !self.context.is_platform_payment(&observed.intent).await? {
            return Ok(ScanReport::default());
        }
        let record = self.find_order_of_intent(&observed.intent).await?;
        self.compare_with_order(record.as_ref(), &observed).await
    }

    /// Whether the database has no order for a payment.
    pub(super) async fn has_no_order(&self, observed: &ObservedIntent) -> Result<bool, Failure> {
        Ok(self.find_order_of_intent(&observed.intent).await?.is_none())
    }

    async fn find_order_of_intent(
        &self,
        intent: &PaymentIntent,
    ) -> Result<Option<OrderRecord>, Failure> {
        let store = &self.context.store;
        match store.order_by_payment_intent(&intent.id).await? {
            Some(record) => Ok(Some(record)),
            None => match intent.order {
                Some(order) => store.order(order).await,
                None => Ok(None),
            },
        }
    }

    /// Stores the observed payment and the disagreements with its order.
    ///
    /// A disagreement is checked a second time in a job of the order, because the order may be in
    /// processing. A payment with an open anomaly is checked again as well. An anomaly must only be
    /// resolved by data that was read after it was raised. A node that hung may have older data.
    async fn compare_with_order(
        &self,
        record: Option<&OrderRecord>,
        observed: &ObservedIntent,
    ) -> Result<ScanReport, Failure> {
        let is_open = record.is_some_and(|record| record.captured_at.is_none());
        let needs_fulfilment = matches!(
            observed.intent.status,
            PaymentStatus::RequiresCapture | PaymentStatus::Succeeded
        );
        if is_open
            && needs_fulfilment
            && let Some(record) = record
        {
            // A disagreement that a fulfilment can remove is removed, not reported.
            let (order, context) = (record.order.id, self.context.clone());
            let _ = self
                .context
                .jobs
                .run_job(JobKey::Order(order), async move {
                    Fulfilment::new(&context).fulfil(order, &mut None).await
                })
                .await;
            return self.reread_and_compare(Some(order), observed.clone()).await;
        }
        if record.is_none()
            && observed.intent.order.is_some()
            && observed.intent.status == PaymentStatus::RequiresCapture
        {
            return self.cancel_payment_of_lost_order(observed).await;
        }
        let agrees = reconcile(record.map(|record| &record.order), &observed.intent).is_empty();
        if agrees
            && self
                .context
                .store
                .open_anomalies_of_payment(&observed.intent.id)
                .await?
                .is_empty()
        {
            return self.store_comparison_result(record, observed, &[]).await;
        }
        self.reread_and_compare(record.map(|record| record.order.id), observed.clone())
            .await
    }

    /// Compares captured orders with their listed payments, and returns the payments that agree.
    /// Nearly all agree and have no open anomaly. They are stored in one write, because hundreds of
    /// payments may be captured per minute.
    pub(super) async fn compare_captured_orders(
        &self,
        listed: Vec<(&OrderRecord, ObservedIntent)>,
    ) -> Result<Vec<PaymentIntent>, Failure> {
        let Some(requested_at) = listed.first().map(|(_, observed)| observed.requested_at) else {
            return Ok(Vec::new());
        };
        let (store, now) = (&self.context.store, self.context.clock.now());
        let ids: Vec<PaymentIntentId> = listed
            .iter()
            .map(|(_, observed)| observed.intent.id.clone())
            .collect();
        let reported = store.payments_with_open_anomalies(&ids).await?;
        let (mut agreeing, mut others) = (Vec::new(), Vec::new());
        for (record, observed) in listed {
            let agrees = reconcile(Some(&record.order), &observed.intent).is_empty()
                && anomaly_of_missing_email(record, now).is_none();
            if agrees && !reported.contains(&observed.intent.id) {
                agreeing.push(observed.intent);
            } else {
                others.push((record, observed));
            }
        }
        store
            .record_provider_snapshots(&agreeing, requested_at)
            .await?;
        for (record, observed) in others {
            if self
                .compare_with_order(Some(record), &observed)
                .await?
                .unsettled
                == 0
            {
                agreeing.push(observed.intent);
            }
        }
        Ok(agreeing)
    }

    /// Cancels an authorised payment of this platform whose order the database lost. It is unknown what the buyer
    /// was promised, so the buyer is not charged. The order cannot be a new one, because an order
    /// is stored before its intent is created.
    async fn cancel_payment_of_lost_order(
        &self,
        observed: &ObservedIntent,
    ) -> Result<ScanReport, Failure> {
        let intent = &observed.intent;
        tracing::warn!(payment_intent.id = %intent.id, "authorisation cancelled: its order is unknown");
        let requested_at = self.context.clock.now();
        let key = format!("forgotten-{}", intent.id);
        let intent = self
            .context
            .gateway
            .cancel(&key, &intent.account, &intent.id)
            .await
            .map_err(provider_failure)?;
        let canceled = ObservedIntent {
            intent,
            requested_at,
        };
        self.store_comparison_result(None, &canceled, &[]).await
    }

    /// Reads order and payment again, in a job of the order if there is one, and stores the result.
    async fn reread_and_compare(
        &self,
        order: Option<OrderId>,
        earlier: ObservedIntent,
    ) -> Result<ScanReport, Failure> {
        let Some(order) = order else {
            let open = self
                .context
                .store
                .open_anomalies_of_payment(&earlier.intent.id)
                .await?;
            let observed = self
                .fetch_observed_intent(&earlier.intent.account, &earlier.intent.id)
                .await
                .map_err(provider_failure)?;
            return self.store_comparison_result(None, &observed, &open).await;
        };
        let this = self.clone();
        let work = async move {
            let store = &this.context.store;
            let open = store.open_anomalies_of_payment(&earlier.intent.id).await?;
            let mut record = store.order(order).await?;
            let observed = this
                .fetch_observed_intent(&earlier.intent.account, &earlier.intent.id)
                .await
                .map_err(provider_failure)?;
            // Another payment may name this order in its metadata. A dispute of that payment does
            // not affect the order.
            let is_own_payment = |record: &&OrderRecord| {
                record.order.payment_intent.as_ref() == Some(&observed.intent.id)
            };
            let captured = record
                .as_ref()
                .filter(is_own_payment)
                .filter(|record| record.order.state == OrderState::Captured);
            let mut is_deferred = false;
            if observed.intent.is_disputed()
                && let Some(captured) = captured
            {
                let outcome = Repairs::new(&this.context)
                    .return_disputed_tickets(captured)
                    .await;
                is_deferred = outcome == DisputeOutcome::Deferred;
                if outcome != DisputeOutcome::Kept {
                    record = store.order(order).await?;
                }
            }
            let mut report = this
                .store_comparison_result(record.as_ref(), &observed, &open)
                .await?;
            report.deferred = u64::from(is_deferred);
            Ok(report)
        };
        let compared = self.context.jobs.run_job(JobKey::Order(order), work).await;
        compared.unwrap_or_else(|| Err(Failure::NotWritten("too much payment work".into())))
    }

    /// Stores the observed payment, raises anomalies, and resolves those whose disagreement is
    /// gone. `open`: the anomalies that were open before order and payment were read.
    async fn store_comparison_result(
        &self,
        record: Option<&OrderRecord>,
        observed: &ObservedIntent,
        open: &[u128],
    ) -> Result<ScanReport, Failure> {
        let (store, now) = (&self.context.store, self.context.clock.now());
        let ObservedIntent {
            intent,
            requested_at,
        } = observed;
        store
            .record_provider_snapshots(slice::from_ref(intent), *requested_at)
            .await?;
        if intent.is_disputed() || intent.has_open_inquiry() {
            // The write above has queued a mail to the club.
            self.context.wakeups.mail.notify_one();
        }
        self.record_refund_of_order(record, intent).await?;
        let mut report = ScanReport {
            checked: 1,
            ..ScanReport::default()
        };
        let mut anomalies = reconcile(record.map(|record| &record.order), intent);
        anomalies.extend(record.and_then(|record| anomaly_of_missing_email(record, now)));
        // Captured money without tickets is not final: a fulfilment will change the order, even if
        // the payment does not change. So the payment is unsettled.
        let has_money = intent.is_captured() && !intent.is_refunded();
        let is_in_progress = has_money && record.is_some_and(|record| record.captured_at.is_none());
        report.unsettled = u64::from(is_in_progress || !anomalies.is_empty());
        if dispute_note(intent) == Some(DISPUTE_LOST_NOTE) {
            let kind = AnomalyKind::Dispute;
            store
                .replace_anomaly_note(&intent.id, kind, DISPUTED_NOTE, DISPUTE_LOST_NOTE)
                .await?;
        }
        for anomaly in &anomalies {
            if store
                .raise_anomaly(anomaly, Some(intent.amount), now)
                .await?
            {
                tracing::error!(payment_intent.id = %intent.id, kind = ?anomaly.kind, anomaly.note, "an anomaly was raised");
                report.raised += 1;
            }
        }
        if intent.dispute.is_some() && dispute_note(intent).is_none() {
            // The dispute is won or ended. Another anomaly, such as missing tickets, stays open.
            report.healed += store
                .resolve_healed_anomalies(&intent.id, AnomalyKind::Dispute, now)
                .await?;
        }
        if report.unsettled == 0 && !open.is_empty() {
            report.healed += store.resolve_healed_anomalies_by_id(open, now).await?;
        }
        Ok(report)
    }
}

impl PaymentComparison {
    /// Stores the provider's status of the order's refund, if it has one.
    async fn record_refund_of_order(
        &self,
        record: Option<&OrderRecord>,
        intent: &PaymentIntent,
    ) -> Result<(), Failure> {
        let is_own =
            |record: &&OrderRecord| record.order.payment_intent.as_ref() == Some(&intent.id);
        let Some(record) = record.filter(is_own) else {
            return Ok(());
        };
        let Some(refund) = intent.refund_of(record.order.total()) else {
            return Ok(());
        };
        let now = self.context.clock.now();
        let is_new = self
            .context
            .store
            .record_refund_status(record.order.id, refund, now)
            .await?;
        if is_new {
            tracing::info!(order.id = %record.order.id, status = refund.status.name(), "refund status changed");
            self.context.wakeups.mail.notify_one();
        }
        Ok(())
    }

    /// Compares the orders whose refunds are pending at the provider, because the webhook event of
    /// a completed or failed refund may be lost.
    pub(super) async fn compare_orders_with_pending_refunds(&self) -> Result<(), Failure> {
        let orders = self
            .context
            .store
            .orders_with_pending_refunds(PENDING_REFUNDS_PER_PASS_MAX)
            .await?;
        for order in orders {
            // A comparison that fails is repeated later.
            let _ = self.compare_order(order).await;
        }
        Ok(())
    }
}

fn provider_failure(error: GatewayError) -> Failure {
    Failure::NotWritten(format!("the provider could not be asked: {error}"))
}

/// Returns an anomaly if the order is paid and its buyer has left no e-mail address for
/// [`MISSING_EMAIL_GRACE_MS`]. `None`: there is no anomaly.
fn anomaly_of_missing_email(record: &OrderRecord, now: Timestamp) -> Option<Anomaly> {
    let is_overdue = record
        .captured_at
        .is_some_and(|at| now.ms_since(at) > MISSING_EMAIL_GRACE_MS);
    let applies =
        record.order.state == OrderState::Captured && record.buyer.email.is_none() && is_overdue;
    applies.then(|| Anomaly {
        kind: AnomalyKind::OrphanedTicket,
        payment_intent: record.order.payment_intent.clone(),
        order: Some(record.order.id),
        note: "the tickets are paid but their buyer left no address".into(),
    })
}
