//! Fulfilment: allocates the tickets of an authorised payment and captures it, once. The client's
//! call, the webhook, the sweeper, the restart scan and the operator all call it.
//!
//! The order state and the provider's payment intent determine the next step (`Order::decide`).
//! Steps are repeated until none is left. All steps run in a job of the order, so two fulfilments
//! of one order never overlap.
//!
//! This file has every step of a successful purchase. The other steps are in the modules
//! `rejection` and `repair`.

use domain::{
    AllocationAuthority, Anomaly, AnomalyKind, OrderId, OrderState, PaymentIntent, PaymentIntentId,
    PaymentStatus, order::NextStep,
};
use persistence::failpoint::{self, PurchaseStep};
use persistence::stores::{Operation, OperationKind, OrderRecord};

use super::context::{Deferred, PaymentContext};
use crate::{FulfilStatus, FulfilmentResult, GatewayError, PaymentFailure};

mod rejection;
mod repair;

/// Largest number of steps in one fulfilment. The longest sequence (allocate, refuse, cancel,
/// release) has six.
const FULFILMENT_STEPS_MAX: usize = 12;

/// Fulfils orders. Its methods must run in a job of the order.
#[derive(Clone, Copy)]
pub(crate) struct Fulfilment<'a> {
    context: &'a PaymentContext,
}

/// The state of one fulfilment between its steps.
pub(super) struct FulfilmentContext {
    pub(super) record: OrderRecord,
    /// The payment intent as the provider last returned it.
    pub(super) intent: PaymentIntent,
    /// An operation that the caller has claimed for this fulfilment. `None`: none is claimed.
    pub(super) claimed: Option<Operation>,
    /// Whether this fulfilment made the commit that allocated the order's only line. That commit
    /// also stored the capture operation.
    pub(super) just_allocated: bool,
}

impl<'a> Fulfilment<'a> {
    pub(crate) fn new(context: &'a PaymentContext) -> Fulfilment<'a> {
        Fulfilment { context }
    }

    /// Fulfils an order as far as it is possible now. `claimed`: an operation that the caller has
    /// claimed. If fulfilment does not use it, it stays in `claimed`.
    pub(crate) async fn fulfil(
        self,
        order: OrderId,
        claimed: &mut Option<Operation>,
    ) -> Result<FulfilmentResult, PaymentFailure> {
        let confirmed = self.context.confirmed_intents.take(order);
        self.fulfil_known_intent(order, claimed, confirmed).await
    }

    /// Like [`Self::fulfil`]. `known`: the order's payment intent as the provider has just returned
    /// it, so that it need not be read again for every next step.
    pub(crate) async fn fulfil_known_intent(
        self,
        order: OrderId,
        claimed: &mut Option<Operation>,
        known: Option<PaymentIntent>,
    ) -> Result<FulfilmentResult, PaymentFailure> {
        let record = self.context.load_order(order).await?;
        if let Some(status) = final_status(&record) {
            return Ok(FulfilmentResult { record, status });
        }
        let Some(id) = record.order.payment_intent.clone() else {
            return self.finish_without_intent(record).await;
        };
        let known = known.filter(|intent| is_safe_with_earlier_data(record.order.decide(intent)));
        let intent = match known {
            Some(intent) => intent,
            None => self.read_intent(&record, &id).await?,
        };
        let mut state = FulfilmentContext {
            record,
            intent,
            claimed: claimed.take(),
            just_allocated: false,
        };
        let completed = self.run_remaining_steps(&mut state).await;
        *claimed = state.claimed;
        let status = match completed {
            Ok(Some(status)) => status,
            Ok(None) => return Err(PaymentFailure::Mismatch),
            Err(Deferred) => status_of_order(&state.record, &state.intent),
        };
        Ok(FulfilmentResult {
            record: state.record,
            status,
        })
    }

    async fn read_intent(
        self,
        record: &OrderRecord,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, PaymentFailure> {
        let read = failpoint::run_between_failpoints(
            PurchaseStep::Ask,
            self.context.gateway.retrieve(&record.order.account, id),
        );
        read.await.map_err(|error| {
            tracing::warn!(%error, payment_intent.id = %id, "fulfilment deferred: provider error");
            PaymentFailure::Unavailable
        })
    }

    /// Executes steps until none is left. `None`: the payment intent does not match the order.
    async fn run_remaining_steps(
        self,
        state: &mut FulfilmentContext,
    ) -> Result<Option<FulfilStatus>, Deferred> {
        for _ in 0..FULFILMENT_STEPS_MAX {
            match state.record.order.decide(&state.intent) {
                NextStep::Wait | NextStep::Done => {
                    return Ok(Some(status_of_order(&state.record, &state.intent)));
                }
                NextStep::Allocate => match self
                    .context
                    .allocate_tickets(&mut state.record, AllocationAuthority::Sale, &mut None)
                    .await?
                {
                    Ok(just_allocated) => state.just_allocated = just_allocated,
                    Err(refusal) if self.reject_order(state, &refusal.to_string()).await? => {}
                    // Another node has allocated or ended the order, so the intent that was read
                    // before is outdated. A later call continues.
                    Err(_) => return Err(Deferred),
                },
                NextStep::Capture => self.capture_payment(state).await?,
                NextStep::Record => self.record_capture(state).await?,
                NextStep::Cancel => self.cancel_intent(state).await?,
                NextStep::Release => self.release_order(state).await?,
                NextStep::Void => self.void_order(state).await?,
                NextStep::Repair => self.repair_captured_order(state).await?,
                NextStep::Mismatch => {
                    if !self.resolve_mismatch(state).await? {
                        return Ok(None);
                    }
                }
            }
        }
        tracing::error!(order.id = %state.record.order.id, "fulfilment stopped: too many steps");
        Err(Deferred)
    }

    /// Captures the payment with the order's application fee, the sum of the fees of its
    /// allocations.
    async fn capture_payment(self, state: &mut FulfilmentContext) -> Result<(), Deferred> {
        let context = self.context;
        let order = state.record.order.id;
        // The fulfilment that stored the operation attempts it at once under its first key. It
        // claims the operation only when that attempt fails.
        let first_key = std::mem::take(&mut state.just_allocated)
            .then(|| OperationKind::Capture.first_idempotency_key(order))
            .flatten();
        let (key, claimed) = if let Some(key) = first_key {
            (key, None)
        } else {
            let operation = self
                .ensure_operation_claimed(state, OperationKind::Capture)
                .await?;
            (operation.key.clone(), Some(operation))
        };
        let (account, fee) = (
            &state.record.order.account,
            state.record.order.application_fee,
        );
        let capture = failpoint::run_between_failpoints(
            PurchaseStep::Capture,
            context
                .gateway
                .capture(&key, account, &state.intent.id, fee),
        );
        let error = match capture.await {
            Ok(intent) => {
                state.intent = intent;
                return Ok(());
            }
            Err(error) => error,
        };
        let operation = match claimed {
            Some(operation) => operation,
            None => {
                self.ensure_operation_claimed(state, OperationKind::Capture)
                    .await?
            }
        };
        self.refresh_intent(state, &operation, &error).await?;
        if state.intent.status != PaymentStatus::RequiresCapture {
            return Ok(());
        }
        if let GatewayError::Refused { class, code, .. } = &error {
            let words = class.guide().operator;
            let note =
                format!("the provider refuses to capture an authorised payment: {code}. {words}");
            self.raise_anomaly(state, AnomalyKind::FailedAllocation, &note)
                .await?;
        }
        Err(context
            .schedule_retry(&operation, error.is_stored_under_idempotency_key())
            .await)
    }

    /// Reads the payment intent again after a failed attempt, to learn whether the attempt had an
    /// effect.
    async fn refresh_intent(
        self,
        state: &mut FulfilmentContext,
        operation: &Operation,
        error: &GatewayError,
    ) -> Result<(), Deferred> {
        let (account, id) = (&state.record.order.account, &state.intent.id);
        state.intent = self
            .context
            .read_intent_after_failure(account, id, operation, error)
            .await?;
        Ok(())
    }

    /// Stores that the payment was captured. The same transaction queues the confirmation mail.
    async fn record_capture(self, state: &mut FulfilmentContext) -> Result<(), Deferred> {
        let at = self.context.clock.now();
        failpoint::run_between_failpoints(
            PurchaseStep::Record,
            self.context
                .store
                .record_capture(state.record.order.id, &state.intent, at),
        )
        .await?;
        state.record.order.state = OrderState::Captured;
        state.record.captured_at = Some(at);
        self.context.wakeups.mail.notify_one();
        Ok(())
    }

    /// Returns the order's operation of a kind: the one that the caller claimed, or one that is
    /// claimed now.
    async fn ensure_operation_claimed(
        self,
        state: &mut FulfilmentContext,
        kind: OperationKind,
    ) -> Result<Operation, Deferred> {
        if let Some(operation) = state.claimed.take_if(|claimed| claimed.kind == kind) {
            return Ok(operation);
        }
        self.context
            .claim_operation(state.record.order.id, kind)
            .await?
            .ok_or(Deferred)
    }

    async fn raise_anomaly(
        self,
        state: &FulfilmentContext,
        kind: AnomalyKind,
        note: &str,
    ) -> Result<(), Deferred> {
        let anomaly = Anomaly {
            kind,
            payment_intent: Some(state.intent.id.clone()),
            order: Some(state.record.order.id),
            note: note.into(),
        };
        let is_new = self
            .context
            .store
            .raise_anomaly(
                &anomaly,
                Some(state.intent.amount),
                self.context.clock.now(),
            )
            .await?;
        if is_new {
            tracing::error!(order.id = %state.record.order.id, ?kind, note, "an anomaly was raised");
        }
        Ok(())
    }
}

/// Whether a step may follow from an intent that was read some moments ago.
///
/// `Allocate` and `Cancel` lead to a call that the provider refuses if the intent has changed: the
/// capture or the cancellation. Then the intent is read again. `Done` changes nothing. An authorised
/// intent never becomes unauthorised again, only captured or cancelled. The other steps store the
/// provider's data or rely on the current state, so they need the newest data.
fn is_safe_with_earlier_data(step: NextStep) -> bool {
    matches!(step, NextStep::Allocate | NextStep::Cancel | NextStep::Done)
}

/// Returns the status of an order whose outcome no longer depends on the provider. `None`: the
/// outcome still depends on it.
fn final_status(record: &OrderRecord) -> Option<FulfilStatus> {
    match record.order.state {
        OrderState::Captured => Some(FulfilStatus::Succeeded),
        OrderState::Void if record.captured_at.is_some() => Some(FulfilStatus::Refunding),
        _ => None,
    }
}

/// Returns the status to report for an order and its payment intent.
fn status_of_order(record: &OrderRecord, intent: &PaymentIntent) -> FulfilStatus {
    final_status(record).unwrap_or_else(|| status_of_unfinished_order(record, intent))
}

/// Returns the status of an order that is undecided, or whose decision is still being executed.
fn status_of_unfinished_order(record: &OrderRecord, intent: &PaymentIntent) -> FulfilStatus {
    match record.order.state {
        OrderState::Void if intent.is_captured() => FulfilStatus::Refunding,
        OrderState::Rejecting | OrderState::Released | OrderState::Void => {
            FulfilStatus::NotCharged {
                reason: record.reason.clone().unwrap_or_default(),
            }
        }
        OrderState::Quoted
            if !matches!(
                intent.status,
                PaymentStatus::RequiresCapture | PaymentStatus::Succeeded
            ) =>
        {
            FulfilStatus::Waiting
        }
        _ => FulfilStatus::Processing,
    }
}
