//! Money back, in memory.

use std::collections::BTreeMap;

use domain::{Cents, DrawId, OrderId};

use super::State;
use crate::books::{Attempt, Operation, OperationKind};
use crate::error::Failure;

/// One order's refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    pub order: OrderId,
    pub amount: Cents,
    pub fee: Cents,
    pub reason: String,
    /// `None` while it is under way; then whether it succeeded.
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

    pub fn has(&self, order: OrderId) -> bool {
        self.rows.contains_key(&order)
    }

    pub fn put(&mut self, refund: Refund) {
        self.rows.insert(refund.order, refund);
    }

    pub fn ended(&mut self, operation: &Operation, attempt: &Attempt) {
        if operation.kind == OperationKind::Refund
            && let Some(refund) = self.rows.get_mut(&operation.order)
        {
            refund.succeeded = Some(matches!(attempt, Attempt::Done));
        }
    }
}

impl State {
    /// Fee refunds for as much as captured orders of the draw can give: refunded ones first, then by age.
    pub fn give_fees_back(&mut self, draw: DrawId) -> Result<(), Failure> {
        let mut left = self.draws.get(draw).ok_or(Failure::NotFound)?.to_return;
        for (order, holds) in self.orders.carriers(draw) {
            let part = holds.min(left);
            if part > Cents::ZERO {
                let refunded = self.orders.get_mut(order)?.give_fee_back(draw, part);
                let key = format!("fee-{order}-{draw}-{}", refunded.0);
                self.operations
                    .refund(order, OperationKind::FeeRefund, key, part);
                left -= part;
            }
        }
        self.draws.get_mut(draw).ok_or(Failure::NotFound)?.to_return = left;
        Ok(())
    }

    /// What voiding took off: for each draw the order's last step, when that was a void.
    pub fn fee_returned(&self, order: OrderId) -> Cents {
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
