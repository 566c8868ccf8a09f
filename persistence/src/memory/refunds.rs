//! The refunds of the memory store.

use std::collections::BTreeMap;

use domain::{Cents, DrawId, OrderId};

use super::MemoryState;
use crate::error::Failure;
use crate::stores::{AttemptOutcome, Operation, OperationKind};

/// The refund of one order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    pub order: OrderId,
    pub amount: Cents,
    pub fee: Cents,
    pub reason: String,
    /// Whether the refund succeeded. `None` while it is pending.
    pub succeeded: Option<bool>,
}

#[derive(Clone, Default)]
pub(super) struct Refunds {
    rows: BTreeMap<OrderId, Refund>,
}

impl Refunds {
    pub fn all(&self) -> impl Iterator<Item = &Refund> {
        self.rows.values()
    }

    pub fn has_refund(&self, order: OrderId) -> bool {
        self.rows.contains_key(&order)
    }

    pub fn add_refund(&mut self, refund: Refund) {
        self.rows.insert(refund.order, refund);
    }

    pub fn record_attempt_outcome(&mut self, operation: &Operation, attempt: &AttemptOutcome) {
        if operation.kind == OperationKind::Refund
            && let Some(refund) = self.rows.get_mut(&operation.order)
        {
            refund.succeeded = Some(matches!(attempt, AttemptOutcome::Done));
        }
    }
}

impl MemoryState {
    /// Queues refunds of the application fee that the draw owes to its club, up to the fee that its
    /// captured orders hold. Takes the fee of refunded orders first, then of the earliest captured.
    pub fn queue_fee_refunds_of_draw(&mut self, draw: DrawId) -> Result<(), Failure> {
        let mut left = self.draws.get(draw).ok_or(Failure::NotFound)?.to_return;
        for (order, holds) in self.orders.orders_holding_fee(draw) {
            let part = holds.min(left);
            if part > Cents::ZERO {
                let refunded = self.orders.get_mut(order)?.add_refunded_fee(draw, part);
                let key = format!("fee-{order}-{draw}-{}", refunded.0);
                self.operations
                    .add_refund(order, OperationKind::FeeRefund, key, part);
                left -= part;
            }
        }
        self.draws.get_mut(draw).ok_or(Failure::NotFound)?.to_return = left;
        Ok(())
    }

    /// Returns the application fee that voids took back from the order. It is the sum over the
    /// draws whose last fee step for this order is a void.
    pub fn fee_reduction_by_voids(&self, order: OrderId) -> Cents {
        let Ok(row) = self.orders.get(order) else {
            return Cents::ZERO;
        };
        let last_step = |draw| {
            let steps = self.draws.get(draw)?.steps.iter().rev();
            steps
                .filter(|(_, of, _)| *of == order)
                .map(|(_, _, step)| *step)
                .next()
        };
        let steps = row
            .record
            .order
            .lines
            .iter()
            .filter_map(|line| last_step(line.draw));
        steps
            .filter(|step| step.revenue_delta < Cents::ZERO)
            .map(|step| -step.fee_delta)
            .sum()
    }
}
