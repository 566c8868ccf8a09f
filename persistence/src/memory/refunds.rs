//! The refunds of the memory store.

use std::collections::BTreeMap;

use domain::{Cents, DrawId, OrderId, ProviderRefund, RefundStatus, Timestamp};

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
    /// The refund at the provider. `None` before the provider accepted it.
    pub provider: Option<ProviderRefund>,
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
            let is_pending = refund
                .provider
                .as_ref()
                .is_some_and(|provider| provider.status.is_pending());
            refund.succeeded = match attempt {
                AttemptOutcome::Done => (!is_pending).then_some(true),
                _ => Some(false),
            };
        }
    }

    /// Returns the orders whose refund the provider has accepted but not completed.
    pub fn orders_with_pending_refunds(&self) -> impl Iterator<Item = OrderId> {
        let is_pending = |refund: &&Refund| refund.succeeded.is_none() && refund.provider.is_some();
        self.rows
            .values()
            .filter(is_pending)
            .map(|refund| refund.order)
    }
}

/// Whether the provider's refund is news about the stored one, or a later refund after the stored
/// one failed.
fn replaces(stored: Option<&ProviderRefund>, refund: &ProviderRefund) -> bool {
    match stored {
        None => true,
        Some(stored) if stored.id == refund.id => stored.status.may_become(refund.status),
        Some(stored) => stored.status.failure().is_some(),
    }
}

/// Returns an invented e-mail address for the operator. The memory store holds no operators.
const OPERATOR_EMAIL: &str = "operator@platform.test";

impl MemoryState {
    /// Stores the provider's status of an order's refund, and queues the mails that it causes.
    pub fn record_refund_status(
        &mut self,
        order: OrderId,
        refund: &ProviderRefund,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let Some(stored) = self.refunds.rows.get_mut(&order) else {
            return Ok(false);
        };
        if !replaces(stored.provider.as_ref(), refund) {
            return Ok(false);
        }
        stored.provider = Some(refund.clone());
        let status = refund.status;
        if self
            .operations
            .correct_ended_refund(order, status.failure())
        {
            stored.succeeded = match status.failure() {
                Some(_) => Some(false),
                None => (!status.is_pending()).then_some(true),
            };
        }
        let to = self.orders.get(order)?.record.buyer.email.clone();
        let (kind, key) = match status {
            RefundStatus::Pending(_) | RefundStatus::RequiresAction => {
                ("refund-pending", format!("refund-pending-{order}"))
            }
            RefundStatus::Succeeded => ("refunded", format!("refunded-{order}")),
            RefundStatus::Failed(_) | RefundStatus::Canceled => {
                ("refund-failed", format!("refund-failed-{}", refund.id))
            }
        };
        if let Some(to) = to {
            self.outbox
                .queue_mail_once(&key, kind, Some(order), Some(&to), "{}", at);
        }
        if status.failure().is_some() {
            let key = format!("{key}-1");
            self.outbox.queue_mail_once(
                &key,
                "refund-failed-operator",
                Some(order),
                Some(OPERATOR_EMAIL),
                "{}",
                at,
            );
        }
        Ok(true)
    }

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
    pub fn fee_to_refund_for_voided_tickets(&self, order: OrderId) -> Cents {
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
