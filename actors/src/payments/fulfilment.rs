//! Fulfilment: turns an authorised payment into tickets and captures it, once. The client's call,
//! the webhook, the sweeper, the restart scan and the operator all end here.
//!
//! The order state and the provider's payment intent decide the next step (`Order::decide`). Steps
//! are repeated until none is left. All of it runs as a job of the order, so it never overlaps.

use domain::{
    Anomaly, AnomalyKind, Authority, OrderId, OrderState, PaymentIntent, PaymentStatus, Refusal,
    order::NextStep,
};
use persistence::failpoint::{self, PurchaseStep};
use persistence::stores::{NotifyBuyer, Operation, OperationKind, OrderRecord};

use super::context::{Deferred, PaymentContext, unavailable};
use crate::{FulfilStatus, FulfilmentResult, PaymentFailure};

mod settlement;

/// Steps of one fulfilment. The longest sequence (allocate, refuse, cancel, release) has six.
const STEPS_MAX: usize = 12;

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
    /// An operation that the caller claimed before.
    pub(super) claimed: Option<Operation>,
    /// This fulfilment made the commit that allocated the order's only line. That commit also
    /// stored the capture operation.
    pub(super) just_allocated: bool,
}

impl<'a> Fulfilment<'a> {
    pub(crate) fn new(context: &'a PaymentContext) -> Fulfilment<'a> {
        Fulfilment { context }
    }

    /// Fulfils an order as far as it is possible now. `claimed`: an operation that the caller
    /// claimed before. It is left in place if it was not needed.
    pub(crate) async fn fulfil(
        self,
        order: OrderId,
        claimed: &mut Option<Operation>,
    ) -> Result<FulfilmentResult, PaymentFailure> {
        let record = self.context.load_order(order).await?;
        if let Some(status) = final_status(&record) {
            return Ok(FulfilmentResult { record, status });
        }
        let Some(id) = record.order.payment_intent.clone() else {
            return self.finish_without_intent(record).await;
        };
        let intent = match failpoint::around(
            PurchaseStep::Ask,
            self.context.gateway.retrieve(&record.order.account, &id),
        )
        .await
        {
            Ok(intent) => intent,
            Err(error) => {
                tracing::warn!(%error, payment_intent.id = %id, "fulfilment deferred: provider error");
                return Err(PaymentFailure::Unavailable);
            }
        };
        let mut state = FulfilmentContext {
            record,
            intent,
            claimed: claimed.take(),
            just_allocated: false,
        };
        let completed = self.run_to_completion(&mut state).await;
        *claimed = state.claimed;
        let status = match completed {
            Ok(Some(status)) => status,
            Ok(None) => return Err(PaymentFailure::Mismatch),
            Err(Deferred) => status_of(&state.record, &state.intent),
        };
        Ok(FulfilmentResult {
            record: state.record,
            status,
        })
    }

    /// Takes steps until none is left. `None`: the payment intent does not match the order.
    async fn run_to_completion(
        self,
        state: &mut FulfilmentContext,
    ) -> Result<Option<FulfilStatus>, Deferred> {
        for _ in 0..STEPS_MAX {
            match state.record.order.decide(&state.intent) {
                NextStep::Wait | NextStep::Done => {
                    return Ok(Some(status_of(&state.record, &state.intent)));
                }
                NextStep::Allocate => match self
                    .context
                    .allocate_tickets(&mut state.record, Authority::Sale, &mut None)
                    .await?
                {
                    Ok(just_allocated) => state.just_allocated = just_allocated,
                    Err(refusal) if self.reject(state, &refusal.to_string()).await? => {}
                    // The intent that was read before the rejection is stale: a later call
                    // continues.
                    Err(_) => return Err(Deferred),
                },
                NextStep::Capture => self.capture(state).await?,
                NextStep::Record => self.record_capture(state).await?,
                NextStep::Cancel => self.cancel(state).await?,
                NextStep::Release => self.release(state).await?,
                NextStep::Void => self.void(state).await?,
                NextStep::Repair => self.repair(state).await?,
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

    /// Handles an order without a payment intent: a rejected one is released, any other waits for
    /// its intent.
    async fn finish_without_intent(
        self,
        mut record: OrderRecord,
    ) -> Result<FulfilmentResult, PaymentFailure> {
        let reason = record.reason.clone().unwrap_or_default();
        if record.order.state == OrderState::Rejecting {
            self.context.return_tickets(&record).await?;
            let at = self.context.clock.now();
            self.context
                .store
                .release(record.order.id, &reason, NotifyBuyer::Nobody, at)
                .await
                .map_err(unavailable)?;
            record.order.state = OrderState::Released;
        }
        let status = match record.order.state {
            OrderState::Released | OrderState::Void => FulfilStatus::NotCharged { reason },
            _ => FulfilStatus::Waiting,
        };
        Ok(FulfilmentResult { record, status })
    }

    /// Rejects the order: stores the decision, then returns its tickets to the draws. The caller
    /// then cancels the authorisation.
    ///
    /// `false`: another node has allocated or ended the order in the meantime. Then nothing is
    /// returned, and the stored state decides what the buyer is told.
    pub(super) async fn reject(
        self,
        state: &mut FulfilmentContext,
        reason: &str,
    ) -> Result<bool, Deferred> {
        let context = self.context;
        let order = state.record.order.id;
        context
            .store
            .reject(order, reason, context.clock.now())
            .await?;
        state.record = context.store.order(order).await?.ok_or(Deferred)?;
        if state.record.order.state != OrderState::Rejecting {
            return Ok(false);
        }
        context.wakeups.operations.notify_one();
        // If this is interrupted, the release step returns the tickets again.
        context.return_tickets(&state.record).await?;
        state.record.tickets.clear();
        Ok(true)
    }

    /// Rejects an order whose payment may still be cancelled.
    pub(super) async fn reject_unpaid(
        self,
        record: OrderRecord,
        intent: PaymentIntent,
        reason: &str,
    ) -> Result<(), Deferred> {
        let mut state = FulfilmentContext {
            record,
            intent,
            claimed: None,
            just_allocated: false,
        };
        self.reject(&mut state, reason).await.map(drop)
    }

    /// Repairs an order whose money was taken without tickets, by hand at the provider or before a
    /// backup was restored. Allocates tickets if that is still allowed, otherwise refunds (decision
    /// C-9). An anomaly is raised in both cases.
    async fn repair(self, state: &mut FulfilmentContext) -> Result<(), Deferred> {
        let context = self.context;
        let order = state.record.order.id;
        if state.intent.is_refunded() {
            // Some lines may have had their tickets before another line was refused.
            context.return_tickets(&state.record).await?;
            return self.void_repaired(state, "the payment was refunded").await;
        }
        self.raise_anomaly(
            state,
            AnomalyKind::MissingTicket,
            "the payment was taken before the order had its tickets",
        )
        .await?;
        // An order that was told "not charged" never gets tickets: its money goes back.
        let refused = if state.record.order.state == OrderState::Quoted {
            let authorised_at = state
                .record
                .authorised_at
                .unwrap_or_else(|| context.clock.now());
            context
                .allocate_tickets(
                    &mut state.record,
                    Authority::Repair { authorised_at },
                    &mut None,
                )
                .await?
                .err()
        } else {
            Some(Refusal::DrawClosed)
        };
        let Some(refusal) = refused else {
            context
                .store
                .resolve_healed(
                    &state.intent.id,
                    AnomalyKind::MissingTicket,
                    context.clock.now(),
                )
                .await?;
            return Ok(());
        };
        context.return_tickets(&state.record).await?;
        let amount = state.intent.amount_received - state.intent.amount_refunded;
        // A payment captured outside this system has no application fee. A payment that another
        // node captured while this node returned the tickets has one, and the draws' ledgers no
        // longer contain it. The refund therefore uses the provider's figure.
        let fee = state.intent.application_fee - state.intent.application_fee_refunded;
        context
            .store
            .queue_refund(order, amount, fee, &refusal.to_string())
            .await?;
        context.wakeups.operations.notify_one();
        self.void_repaired(state, &refusal.to_string()).await
    }

    /// Ends a repaired order whose money went back or is going back.
    async fn void_repaired(
        self,
        state: &mut FulfilmentContext,
        reason: &str,
    ) -> Result<(), Deferred> {
        self.context
            .store
            .void(
                state.record.order.id,
                reason,
                NotifyBuyer::Nobody,
                self.context.clock.now(),
            )
            .await?;
        state.record.order.state = OrderState::Void;
        state.record.reason.get_or_insert_with(|| reason.into());
        state.record.tickets.clear();
        Ok(())
    }

    /// Handles a payment intent that differs from the order. An amount that changed while the buyer
    /// was paying ends without a charge. Any other difference raises an anomaly: `false`.
    async fn resolve_mismatch(self, state: &mut FulfilmentContext) -> Result<bool, Deferred> {
        let (order, intent) = (&state.record.order, &state.intent);
        let is_own_intent = intent.account == order.account
            && intent.order == Some(order.id)
            && order.payment_intent.as_ref() == Some(&intent.id);
        if is_own_intent
            && order.state == OrderState::Quoted
            && intent.status == PaymentStatus::RequiresCapture
        {
            let rejected = self
                .reject(state, "the order changed while it was being paid")
                .await?;
            return if rejected { Ok(true) } else { Err(Deferred) };
        }
        self.raise_anomaly(
            state,
            AnomalyKind::MismatchedAmount,
            "amount, currency, account or order differ from ours",
        )
        .await?;
        Ok(false)
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

    /// Returns the order's operation of a kind: the caller's, or one claimed now.
    async fn claim(
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
}

/// The status of an order whose outcome no longer depends on the provider.
fn final_status(record: &OrderRecord) -> Option<FulfilStatus> {
    match record.order.state {
        OrderState::Captured => Some(FulfilStatus::Succeeded),
        OrderState::Void if record.captured_at.is_some() => Some(FulfilStatus::Refunding),
        _ => None,
    }
}

/// The status to report for an order and its payment intent.
fn status_of(record: &OrderRecord, intent: &PaymentIntent) -> FulfilStatus {
    final_status(record).unwrap_or_else(|| status_in_progress(record, intent))
}

/// The status of an order that is undecided, or whose decision is still being carried out.
fn status_in_progress(record: &OrderRecord, intent: &PaymentIntent) -> FulfilStatus {
    match record.order.state {
        OrderState::Void if intent.is_taken() => FulfilStatus::Refunding,
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
