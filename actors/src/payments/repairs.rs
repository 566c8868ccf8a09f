//! Repairs by an operator: tickets for a payment without any, a buyer for tickets without one, the
//! return of a payment that no order holds; and the consequences of a dispute.

use std::sync::Arc;

use domain::{AnomalyKind, DrawId, PaymentIntentId, Refusal, Serial, Status};
use persistence::Failure;
use persistence::ledger::BuyerDetails;
use persistence::records::audit::AuditEntry;
use persistence::stores::{BuyerSource, NotifyBuyer, OrderRecord, Repair};

use super::context::{Deferred, PaymentContext};
use super::refunds::Refunds;
use crate::Denied;
use crate::anomalies::RepairError;

mod manual_allocation;
mod unmatched_payments;

pub use unmatched_payments::ReturnedPayment;

impl From<Deferred> for RepairError {
    fn from(_: Deferred) -> RepairError {
        RepairError::Unavailable
    }
}

impl From<Denied> for RepairError {
    fn from(denied: Denied) -> RepairError {
        match denied {
            Denied::Refused(refusal) => RepairError::Refused(refusal),
            Denied::NoSuchDraw => RepairError::Refused(Refusal::DrawClosed),
            Denied::Unavailable | Denied::Paused => RepairError::Unavailable,
        }
    }
}

/// Repairs payments and orders.
#[derive(Clone, Copy)]
pub(crate) struct Repairs<'a> {
    context: &'a Arc<PaymentContext>,
}

impl<'a> Repairs<'a> {
    pub(crate) fn new(context: &'a Arc<PaymentContext>) -> Repairs<'a> {
        Repairs { context }
    }

    /// Ends a repair, so that a repair of the other kind may begin. After `Unavailable` the repair
    /// may still be under way: it then blocks the other kind until it lapses.
    async fn end_repair<T>(
        self,
        id: &PaymentIntentId,
        repair: Repair,
        outcome: Result<T, RepairError>,
    ) -> Result<T, RepairError> {
        if !matches!(outcome, Err(RepairError::Unavailable))
            && let Err(failure) = self.context.store.end_repair(id, repair).await
        {
            tracing::warn!(%failure, payment_intent.id = %id, "repair not ended: database error; it lapses by itself");
        }
        outcome
    }

    /// Stores the buyer of tickets that were paid without an address.
    pub(crate) async fn recover_buyer(
        self,
        draw: DrawId,
        serial: Serial,
        buyer: &BuyerDetails,
        approved: bool,
        audit_entry: Option<AuditEntry>,
    ) -> Result<OrderRecord, RepairError> {
        let context = self.context;
        let order = context
            .store
            .ticket_owner(draw, serial)
            .await?
            .ok_or(RepairError::Unknown)?;
        let record = context
            .store
            .order(order)
            .await?
            .ok_or(RepairError::Unknown)?;
        if record.buyer.email.is_some() {
            return Err(RepairError::HasBuyer);
        }
        // The writing transaction checks whether the order holds a winning ticket in any draw.
        let source = BuyerSource::Operator {
            at: context.clock.now(),
            approved,
        };
        if !context
            .store
            .fill_buyer_audited(order, buyer, source, audit_entry.as_ref())
            .await?
        {
            return Err(RepairError::NeedsApproval);
        }
        context.wakeups.mail.notify_one();
        if let Some(id) = &record.order.payment_intent {
            context
                .store
                .resolve_healed(id, AnomalyKind::OrphanedTicket, context.clock.now())
                .await?;
        }
        context
            .store
            .order(order)
            .await?
            .ok_or(RepairError::Unavailable)
    }

    /// Handles a dispute of a captured payment (decision C-25). Must run in a job of the order.
    ///
    /// While every game of the order is ahead, its tickets are released and its part of the fee is
    /// refunded: `true`. The bank moves the money itself. Afterwards the tickets stay, marked as
    /// disputed: `false`.
    pub(crate) async fn release_disputed(self, record: &OrderRecord) -> Result<bool, Failure> {
        let context = self.context;
        let now = context.clock.now();
        for line in &record.order.lines {
            let view = context.draws.view(line.draw).await;
            if !view.is_ok_and(|view| view.status == Status::Active && now < view.closes_at) {
                return Ok(false);
            }
        }
        if context.return_tickets(record).await.is_err() {
            return Ok(false);
        }
        context
            .store
            .void(
                record.order.id,
                "the payment is disputed",
                NotifyBuyer::Nobody,
                now,
            )
            .await?;
        for line in &record.order.lines {
            Refunds::new(context).return_fees(line.draw).await;
        }
        Ok(true)
    }
}
