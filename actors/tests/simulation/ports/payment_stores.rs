//! The payment stores as a simulated process reaches them. A call may be delayed or fail before or
//! after it takes effect.

use std::collections::BTreeSet;
use std::fmt::Debug;

use async_trait::async_trait;
use domain::{
    AccountId, Anomaly, AnomalyKind, Cents, ClubId, DrawId, OrderId, PaymentIntent,
    PaymentIntentId, ProviderRefund, Serial, Timestamp,
};
use persistence::Failure;
use persistence::ledger::BuyerDetails;
use persistence::nodes::InstanceId;
use persistence::stores::{
    AgreedTerms, AnomalyRecord, AnomalyStore, AttemptOutcome, BuyerSource, Mail, NotifyBuyer,
    Operation, OperationKind, OrderRecord, OrderStore, OutboxStore, PaymentOperationStore,
    PaymentRepair, ReconciliationStore, StoredWebhookEvent, WebhookEventStore,
};

use super::{SimulatedPortContext, delay_or_fail_request, delay_or_lose_answer};
use crate::simulation::mutant::Mutant;

pub struct SimulatedPaymentStores(SimulatedPortContext);

impl SimulatedPaymentStores {
    pub fn new(context: SimulatedPortContext) -> SimulatedPaymentStores {
        SimulatedPaymentStores(context)
    }

    /// Adds a line about a call and its result to the simulation's trace.
    fn trace<T: Debug>(
        &self,
        action: &'static str,
        result: &StoreResult<T>,
        describe: impl FnOnce() -> String,
    ) {
        let (world, process) = &self.0;
        world
            .trace
            .record_event(action, &[process.number, u64::from(result.is_ok())], || {
                format!("process {} {}: {result:?}", process.number, describe())
            });
    }
}

type StoreResult<T> = Result<T, Failure>;

/// Calls a method of the shared store, with simulated faults before and after the call.
macro_rules! call_store {
    ($port:ident, $method:ident($($argument:expr),*)) => {{
        delay_or_fail_request(&$port.0).await?;
        let result = $port.0.0.memory.$method($($argument),*).await;
        delay_or_lose_answer(&$port.0).await.and(result)
    }};
}

#[async_trait]
impl OrderStore for SimulatedPaymentStores {
    async fn order(&self, id: OrderId) -> StoreResult<Option<OrderRecord>> {
        let record = call_store!(self, order(id))?;
        Ok(record.map(|record| self.0.0.mutant.mutate_order_record(&self.0.0, record)))
    }

    async fn order_by_client_key(&self, client_key: &str) -> StoreResult<Option<OrderRecord>> {
        call_store!(self, order_by_client_key(client_key))
    }

    async fn order_by_token(&self, token: &str) -> StoreResult<Option<OrderRecord>> {
        call_store!(self, order_by_token(token))
    }

    async fn order_by_payment_intent(
        &self,
        id: &PaymentIntentId,
    ) -> StoreResult<Option<OrderRecord>> {
        if let Some(order) = self.0.0.mutant.order_of_forged_payment(&self.0.0, id) {
            return self.order(order).await;
        }
        call_store!(self, order_by_payment_intent(id))
    }

    async fn record_payment_intent(
        &self,
        order: OrderId,
        id: &PaymentIntentId,
        client_secret: &str,
    ) -> StoreResult<()> {
        call_store!(self, record_payment_intent(order, id, client_secret))
    }

    async fn fill_buyer_details(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        source: BuyerSource,
    ) -> StoreResult<bool> {
        call_store!(self, fill_buyer_details(order, buyer, source))
    }

    async fn correct_buyer_details(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
    ) -> StoreResult<bool> {
        call_store!(self, correct_buyer_details(order, buyer))
    }

    async fn record_consent(
        &self,
        order: OrderId,
        at: Timestamp,
        ip: &str,
        terms: AgreedTerms,
    ) -> StoreResult<()> {
        call_store!(self, record_consent(order, at, ip, terms))
    }

    async fn record_capture(
        &self,
        order: OrderId,
        intent: &PaymentIntent,
        at: Timestamp,
    ) -> StoreResult<()> {
        self.0
            .0
            .mutant
            .mail_repeated_capture(&self.0.0, order, at)
            .await?;
        call_store!(self, record_capture(order, intent, at))
    }

    async fn reject_order(&self, order: OrderId, reason: &str, at: Timestamp) -> StoreResult<()> {
        if self.0.0.mutant == Mutant::ExpiredOrderNotCancelled && reason.contains("lapsed") {
            return call_store!(self, release_order(order, reason, NotifyBuyer::Nobody, at));
        }
        call_store!(self, reject_order(order, reason, at))
    }

    async fn release_order(
        &self,
        order: OrderId,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> StoreResult<()> {
        call_store!(self, release_order(order, reason, tell, at))
    }

    async fn void_order(
        &self,
        order: OrderId,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> StoreResult<()> {
        call_store!(self, void_order(order, reason, tell, at))
    }
}

#[async_trait]
impl ReconciliationStore for SimulatedPaymentStores {
    async fn unfinished_orders(
        &self,
        opened_before: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<OrderRecord>> {
        call_store!(self, unfinished_orders(opened_before, limit))
    }

    async fn orders_captured_since(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<OrderRecord>> {
        call_store!(self, orders_captured_since(since, limit))
    }

    async fn orders_of_cancelled_draws(&self, limit: u32) -> StoreResult<Vec<OrderRecord>> {
        call_store!(self, orders_of_cancelled_draws(limit))
    }

    async fn captured_orders_without_email(
        &self,
        captured_before: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<OrderRecord>> {
        call_store!(self, captured_orders_without_email(captured_before, limit))
    }

    async fn newest_order_opened_at(&self) -> StoreResult<Option<Timestamp>> {
        call_store!(self, newest_order_opened_at())
    }

    async fn connected_accounts(&self) -> StoreResult<Vec<AccountId>> {
        call_store!(self, connected_accounts())
    }

    async fn record_provider_snapshots(
        &self,
        intents: &[PaymentIntent],
        at: Timestamp,
    ) -> StoreResult<()> {
        call_store!(self, record_provider_snapshots(intents, at))
    }

    async fn account_of_payment(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> StoreResult<Option<AccountId>> {
        call_store!(self, account_of_payment(payment_intent))
    }

    async fn club_of_account(&self, account: &AccountId) -> StoreResult<Option<ClubId>> {
        call_store!(self, club_of_account(account))
    }

    async fn ticket_owner(&self, draw: DrawId, serial: Serial) -> StoreResult<Option<OrderId>> {
        call_store!(self, ticket_owner(draw, serial))
    }
}

#[async_trait]
impl PaymentOperationStore for SimulatedPaymentStores {
    async fn claim_operations(
        &self,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> StoreResult<Vec<Operation>> {
        let claimed = call_store!(self, claim_operations(now, lease_ms, limit))?;
        Ok(claimed
            .into_iter()
            .filter(|operation| self.0.0.mutant.allows_operation_claim(operation))
            .collect())
    }

    async fn claim_operation(
        &self,
        order: OrderId,
        kind: OperationKind,
        now: Timestamp,
        lease_ms: i64,
    ) -> StoreResult<Option<Operation>> {
        let claimed = call_store!(self, claim_operation(order, kind, now, lease_ms))?;
        Ok(claimed.filter(|operation| self.0.0.mutant.allows_operation_claim(operation)))
    }

    async fn record_attempt(&self, operation: i64, attempt: AttemptOutcome) -> StoreResult<()> {
        call_store!(self, record_attempt(operation, attempt))
    }

    async fn fee_to_refund_for_voided_tickets(&self, order: OrderId) -> StoreResult<Cents> {
        call_store!(self, fee_to_refund_for_voided_tickets(order))
    }

    async fn fee_refunded_so_far(&self, order: OrderId) -> StoreResult<Cents> {
        call_store!(self, fee_refunded_so_far(order))
    }

    async fn queue_refund(
        &self,
        order: OrderId,
        amount: Cents,
        fee: Cents,
        reason: &str,
    ) -> StoreResult<()> {
        call_store!(self, queue_refund(order, amount, fee, reason))
    }

    async fn record_refund_status(
        &self,
        order: OrderId,
        refund: &ProviderRefund,
        at: Timestamp,
    ) -> StoreResult<bool> {
        call_store!(self, record_refund_status(order, refund, at))
    }

    async fn orders_with_pending_refunds(&self, limit: u32) -> StoreResult<Vec<OrderId>> {
        call_store!(self, orders_with_pending_refunds(limit))
    }

    async fn draws_owing_fee_refunds(&self) -> StoreResult<Vec<DrawId>> {
        call_store!(self, draws_owing_fee_refunds())
    }

    async fn queue_fee_refunds(&self, draw: DrawId) -> StoreResult<()> {
        call_store!(self, queue_fee_refunds(draw))
    }

    async fn begin_repair(
        &self,
        id: &PaymentIntentId,
        repair: PaymentRepair,
        at: Timestamp,
    ) -> StoreResult<bool> {
        call_store!(self, begin_repair(id, repair, at))
    }

    async fn end_repair(&self, id: &PaymentIntentId, repair: PaymentRepair) -> StoreResult<()> {
        call_store!(self, end_repair(id, repair))
    }
}

#[async_trait]
impl WebhookEventStore for SimulatedPaymentStores {
    async fn store_event(
        &self,
        notice: &StoredWebhookEvent,
        receiver: InstanceId,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let world = &self.0.0;
        world.mutant.remember_forged_payment(world, notice);
        let stored = call_store!(
            self,
            store_event(
                &world.mutant.mutate_webhook_event(world, notice),
                receiver,
                at
            )
        );
        if stored == Ok(true) {
            world.monitor.record_stored_webhook(notice);
        }
        stored
    }

    async fn unhandled_events(
        &self,
        receiver: InstanceId,
        overdue: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<StoredWebhookEvent>> {
        call_store!(self, unhandled_events(receiver, overdue, limit))
    }

    async fn mark_event_handled(&self, event_id: &str, at: Timestamp) -> StoreResult<()> {
        call_store!(self, mark_event_handled(event_id, at))
    }
}

#[async_trait]
impl OutboxStore for SimulatedPaymentStores {
    async fn queue_mail(
        &self,
        dedupe_key: &str,
        kind: &str,
        order: Option<OrderId>,
        to: &str,
        data: &str,
        at: Timestamp,
    ) -> StoreResult<bool> {
        call_store!(self, queue_mail(dedupe_key, kind, order, to, data, at))
    }

    async fn claim_mail(
        &self,
        sender: InstanceId,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> StoreResult<Vec<Mail>> {
        call_store!(self, claim_mail(sender, now, lease_ms, limit))
    }

    async fn mark_mail_sent(&self, mail: i64, at: Timestamp) -> StoreResult<()> {
        call_store!(self, mark_mail_sent(mail, at))
    }

    async fn record_mail_failure(
        &self,
        mail: i64,
        why: &str,
        again: Option<Timestamp>,
    ) -> StoreResult<()> {
        call_store!(self, record_mail_failure(mail, why, again))
    }
}

#[async_trait]
impl AnomalyStore for SimulatedPaymentStores {
    async fn raise_anomaly(
        &self,
        anomaly: &Anomaly,
        amount: Option<Cents>,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let raised = async { call_store!(self, raise_anomaly(anomaly, amount, at)) }.await;
        self.trace("raises", &raised, || {
            format!(
                "{:?} of {:?}: {}",
                anomaly.kind, anomaly.payment_intent, anomaly.note
            )
        });
        raised
    }

    async fn replace_anomaly_note(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        from: &str,
        to: &str,
    ) -> StoreResult<bool> {
        call_store!(self, replace_anomaly_note(payment_intent, kind, from, to))
    }

    async fn resolve_healed_anomalies(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        at: Timestamp,
    ) -> StoreResult<u64> {
        let healed =
            async { call_store!(self, resolve_healed_anomalies(payment_intent, kind, at)) }.await;
        self.trace("heals", &healed, || format!("{kind:?} of {payment_intent}"));
        healed
    }

    async fn open_anomalies_of_payment(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> StoreResult<Vec<u128>> {
        call_store!(self, open_anomalies_of_payment(payment_intent))
    }

    async fn payments_with_open_anomalies(
        &self,
        among: &[PaymentIntentId],
    ) -> StoreResult<BTreeSet<PaymentIntentId>> {
        call_store!(self, payments_with_open_anomalies(among))
    }

    async fn resolve_healed_anomalies_by_id(
        &self,
        anomalies: &[u128],
        at: Timestamp,
    ) -> StoreResult<u64> {
        let healed =
            async { call_store!(self, resolve_healed_anomalies_by_id(anomalies, at)) }.await;
        self.trace("heals", &healed, || format!("anomalies {anomalies:?}"));
        healed
    }

    async fn anomalies(&self, only_open: bool, limit: u32) -> StoreResult<Vec<AnomalyRecord>> {
        call_store!(self, anomalies(only_open, limit))
    }

    async fn count_raised_and_open_anomalies(&self) -> StoreResult<(u64, u64)> {
        call_store!(self, count_raised_and_open_anomalies())
    }

    async fn close_anomaly(
        &self,
        anomaly: u128,
        resolution: &str,
        at: Timestamp,
    ) -> StoreResult<bool> {
        call_store!(self, close_anomaly(anomaly, resolution, at))
    }
}
