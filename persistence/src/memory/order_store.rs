//! Implements [`OrderStore`] in memory.

use async_trait::async_trait;
use domain::{OrderId, OrderState, OrderTransition, PaymentIntent, PaymentIntentId, Timestamp};

use super::{MemoryCall, MemoryState, MemoryStores};
use crate::error::Failure;
use crate::ledger::BuyerDetails;
use crate::stores::{
    AgreedTerms, BuyerSource, NotifyBuyer, OperationKind, OrderRecord, OrderStore,
};

/// The payment operations that a successful order needs, from its opening to its capture.
const CAPTURE_PATH_OPERATIONS: [OperationKind; 3] = [
    OperationKind::Create,
    OperationKind::Update,
    OperationKind::Capture,
];

#[async_trait]
impl OrderStore for MemoryStores {
    async fn order(&self, id: OrderId) -> Result<Option<OrderRecord>, Failure> {
        self.read_state("order", |state| state.orders.find_record(id))
    }

    async fn order_by_client_key(&self, client_key: &str) -> Result<Option<OrderRecord>, Failure> {
        self.read_state("order_by_client_key", |state| {
            state.orders.by_client_key(client_key)
        })
    }

    async fn order_by_token(&self, token: &str) -> Result<Option<OrderRecord>, Failure> {
        self.read_state("order_by_token", |state| state.orders.by_token(token))
    }

    async fn order_by_payment_intent(
        &self,
        id: &PaymentIntentId,
    ) -> Result<Option<OrderRecord>, Failure> {
        self.read_state("order_by_payment_intent", |state| {
            state
                .orders
                .id_by_payment_intent(id)
                .and_then(|id| state.orders.find_record(id))
        })
    }

    async fn record_payment_intent(
        &self,
        order: OrderId,
        id: &PaymentIntentId,
        client_secret: &str,
    ) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("opened"), |state| {
            let row = state.orders.get_mut(order)?;
            match &row.record.order.payment_intent {
                Some(known) if known == id => {}
                None if matches!(row.state(), OrderState::Quoted | OrderState::Allocated) => {}
                _ => {
                    return Err(Failure::NotWritten(
                        "the order has another payment intent, or needs none".into(),
                    ));
                }
            }
            row.record.order.payment_intent = Some(id.clone());
            row.record
                .client_secret
                .get_or_insert_with(|| client_secret.into());
            state.orders.set_payment_intent(order, id);
            state
                .operations
                .mark_operations_done(order, &[OperationKind::Create]);
            Ok(())
        })
    }

    async fn fill_buyer_details(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        source: BuyerSource,
    ) -> Result<bool, Failure> {
        self.write_state(MemoryCall::Write("fill_buyer"), |state| {
            let record = &state.orders.get(order)?.record;
            let filled = record.buyer.clone().with_blanks_filled_from(buyer);
            if filled == record.buyer || !state.draws.accepts_buyer_details(record, source) {
                return Ok(filled == record.buyer);
            }
            let email = filled.email.clone();
            state.orders.get_mut(order)?.record.buyer = filled;
            if let Some(email) = &email {
                state.outbox.set_waiting_mails_address(order, email);
            }
            Ok(true)
        })
    }

    async fn correct_buyer_details(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
    ) -> Result<bool, Failure> {
        self.write_state(MemoryCall::Write("correct_buyer"), |state| {
            let Ok(row) = state.orders.get_mut(order) else {
                return Ok(false);
            };
            if row.state() != OrderState::Quoted || row.record.authorised_at.is_some() {
                return Ok(false);
            }
            row.record.buyer = std::mem::take(&mut row.record.buyer).corrected_by(buyer);
            Ok(true)
        })
    }

    async fn record_consent(
        &self,
        order: OrderId,
        at: Timestamp,
        _ip: &str,
        _terms: AgreedTerms,
    ) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("consented"), |state| {
            state
                .orders
                .get_mut(order)?
                .record
                .consent_at
                .get_or_insert(at);
            Ok(())
        })
    }

    async fn record_capture(
        &self,
        order: OrderId,
        _intent: &PaymentIntent,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("captured"), |state| {
            state.capture(order, at)
        })
    }

    async fn reject_order(
        &self,
        order: OrderId,
        reason: &str,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("rejecting"), |state| {
            let row = state.orders.get_mut(order)?;
            if !row.check_transition(OrderTransition::Reject)? {
                return Ok(());
            }
            row.record.reason.get_or_insert_with(|| reason.into());
            state.orders.set_state(order, OrderState::Rejecting);
            state
                .operations
                .drop_pending_operations(order, &CAPTURE_PATH_OPERATIONS);
            state.operations.add_cancel_operation(order, at);
            Ok(())
        })
    }

    async fn release_order(
        &self,
        order: OrderId,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("released"), |state| {
            let row = state.orders.get(order)?;
            if !row.check_transition(OrderTransition::Release)? {
                return Ok(());
            }
            state.end_order(order, OrderState::Released, reason);
            state.queue_not_charged_mail(order, tell, at)
        })
    }

    async fn void_order(
        &self,
        order: OrderId,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("voided"), |state| {
            let row = state.orders.get(order)?;
            if !row.check_transition(OrderTransition::Void)? {
                return Ok(());
            }
            state.end_order(order, OrderState::Void, reason);
            state.queue_not_charged_mail(order, tell, at)
        })
    }
}

impl MemoryState {
    fn capture(&mut self, order: OrderId, at: Timestamp) -> Result<(), Failure> {
        let row = self.orders.get_mut(order)?;
        let capture = OrderTransition::Capture {
            was_captured: row.record.captured_at.is_some(),
        };
        if !row.check_transition(capture)? {
            return Ok(());
        }
        row.record.captured_at = Some(at);
        let to = row.record.buyer.email.clone();
        self.orders.set_state(order, OrderState::Captured);
        self.operations
            .mark_operations_done(order, &[OperationKind::Capture]);
        self.operations.drop_pending_operations(
            order,
            &[
                OperationKind::Create,
                OperationKind::Update,
                OperationKind::Cancel,
            ],
        );
        self.outbox.queue_mail_once(
            &format!("tickets-{order}"),
            "tickets",
            Some(order),
            to.as_deref(),
            "{}",
            at,
        );
        Ok(())
    }

    /// Ends an order in the state `becomes`, and drops its pending operations.
    pub(super) fn end_order(&mut self, order: OrderId, becomes: OrderState, reason: &str) {
        if let Ok(row) = self.orders.get_mut(order) {
            row.record.reason.get_or_insert_with(|| reason.into());
        }
        self.orders.set_state(order, becomes);
        self.operations
            .drop_pending_operations(order, &CAPTURE_PATH_OPERATIONS);
        self.operations
            .drop_pending_operations(order, &[OperationKind::Cancel]);
    }
}
