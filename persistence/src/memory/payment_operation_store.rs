//! Implements [`PaymentOperationStore`] in memory.

use async_trait::async_trait;
use domain::{
    Cents, DrawId, OrderId, OrderState, OrderTransition, PaymentIntentId, ProviderRefund, Timestamp,
};

use super::{MemoryCall, MemoryState, MemoryStores, Refund};
use crate::error::Failure;
use crate::stores::{
    AttemptOutcome, Operation, OperationKind, PaymentOperationStore, PaymentRepair,
};

#[async_trait]
impl PaymentOperationStore for MemoryStores {
    async fn claim_operations(
        &self,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Operation>, Failure> {
        self.write_state(MemoryCall::Write("claim_operations"), |state| {
            Ok(state
                .operations
                .claim_due_operations(now, lease_ms, limit as usize))
        })
    }

    async fn claim_operation(
        &self,
        order: OrderId,
        kind: OperationKind,
        now: Timestamp,
        lease_ms: i64,
    ) -> Result<Option<Operation>, Failure> {
        self.write_state(MemoryCall::Write("claim_operation"), |state| {
            Ok(state
                .operations
                .claim_operation_of_order(order, kind, now, lease_ms))
        })
    }

    async fn record_attempt(&self, operation: i64, attempt: AttemptOutcome) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("attempted"), |state| {
            if let Some(ended) = state
                .operations
                .record_attempt_outcome(operation, &attempt)?
            {
                state.refunds.record_attempt_outcome(&ended, &attempt);
            }
            Ok(())
        })
    }

    async fn fee_to_refund_for_voided_tickets(&self, order: OrderId) -> Result<Cents, Failure> {
        self.read_state("fee_returned", |state| {
            state.fee_to_refund_for_voided_tickets(order)
        })
    }

    async fn fee_refunded_so_far(&self, order: OrderId) -> Result<Cents, Failure> {
        self.read_state("fee_given_back", |state| {
            state
                .operations
                .sum_done_amounts(order, OperationKind::FeeRefund)
        })
    }

    async fn queue_refund(
        &self,
        order: OrderId,
        amount: Cents,
        fee: Cents,
        reason: &str,
    ) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("refunding"), |state| {
            state.queue_refund_and_void_order(order, amount, fee, reason)
        })
    }

    async fn record_refund_status(
        &self,
        order: OrderId,
        refund: &ProviderRefund,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        self.write_state(MemoryCall::Write("refund_status"), |state| {
            state.record_refund_status(order, refund, at)
        })
    }

    async fn orders_with_pending_refunds(&self, limit: u32) -> Result<Vec<OrderId>, Failure> {
        self.read_state("pending_refunds", |state| {
            let orders = state.refunds.orders_with_pending_refunds();
            orders.take(limit as usize).collect()
        })
    }

    async fn draws_owing_fee_refunds(&self) -> Result<Vec<DrawId>, Failure> {
        self.read_state("draws_owing_fees", |state| {
            state.draws.draws_owing_fee_refunds()
        })
    }

    async fn queue_fee_refunds(&self, draw: DrawId) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("give_fees_back"), |state| {
            state.queue_fee_refunds_of_draw(draw)
        })
    }

    async fn begin_repair(
        &self,
        id: &PaymentIntentId,
        repair: PaymentRepair,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        self.write_state(MemoryCall::Write("begin_repair"), |state| {
            Ok(state.repairs.begin(id, repair, at))
        })
    }

    async fn end_repair(&self, id: &PaymentIntentId, repair: PaymentRepair) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("end_repair"), |state| {
            state.repairs.end(id, repair);
            Ok(())
        })
    }
}

impl MemoryState {
    fn queue_refund_and_void_order(
        &mut self,
        order: OrderId,
        amount: Cents,
        fee: Cents,
        reason: &str,
    ) -> Result<(), Failure> {
        let row = self.orders.get(order)?;
        if self.refunds.has_refund(order) {
            return Ok(());
        }
        let is_open = row.check_transition(OrderTransition::Refund)?;
        if amount <= Cents::ZERO {
            return Err(Failure::NotWritten(
                "a refund needs a positive amount".into(),
            ));
        }
        let state = row.state();
        self.operations.add_refund(
            order,
            OperationKind::Refund,
            format!("refund-{order}"),
            amount,
        );
        self.refunds.add_refund(Refund {
            order,
            amount,
            fee,
            reason: reason.into(),
            succeeded: None,
            provider: None,
        });
        if state != OrderState::Captured && fee > Cents::ZERO {
            self.operations.add_refund(
                order,
                OperationKind::FeeRefund,
                format!("fee-{order}"),
                fee,
            );
        }
        if is_open {
            self.end_order(order, OrderState::Void, reason);
        }
        Ok(())
    }
}
