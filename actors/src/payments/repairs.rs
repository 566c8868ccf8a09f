//! Repairs by an operator: tickets for a payment without any, a buyer for tickets without one, the
//! return of a payment that no order holds; and the consequences of a dispute.

use std::sync::Arc;

use domain::{AccountId, AnomalyKind, DrawId, OrderId, PaymentIntentId, Refusal, Serial, Status};
use persistence::Failure;
use persistence::ledger::BuyerDetails;
use persistence::records::audit::AuditEntry;
use persistence::stores::{BuyerSource, NotifyBuyer, OrderRecord, Repair};
use thiserror::Error;

use super::context::{Deferred, PaymentContext};
use super::refunds::Refunds;
use crate::Denied;

mod manual_allocation;
mod unmatched_payments;

pub use unmatched_payments::ReturnedPayment;

/// Tickets that an operator chose for a payment that matches no order (decision M-9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenTickets {
    pub draw: DrawId,
    pub count: u16,
    /// The account of the draw's club. The payment must have been made to it.
    pub account: AccountId,
}

/// The tickets that a payment is for, according to its order or its metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedTickets {
    /// The order of the payment, if the database has it.
    pub order: Option<OrderId>,
    /// Draws and counts, from the order or from the payment's metadata at the provider.
    pub draws: Vec<(DrawId, u16)>,
}

/// Why an operator's repair failed. It changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RepairError {
    /// The payment or ticket is unknown, or no money was taken with the payment.
    #[error("nothing of ours is known by this name")]
    Unknown,
    /// The payment is refunded, or its refund is under way.
    #[error("the payment was refunded")]
    Refunded,
    /// The draw refuses: it is full or over, or the payment was not authorised before kick-off
    /// (rule 5 of the decisions). Only a refund remains.
    #[error("the tickets cannot be allocated: {0}")]
    Refused(Refusal),
    /// No order matches the payment, and its metadata names no tickets. The operator must choose
    /// draw and count.
    #[error("no order matches the payment")]
    NoOrder,
    /// Tickets were chosen for a payment whose order has other tickets.
    #[error("the payment belongs to an order")]
    HasOrder,
    /// The payment was made to another club than the chosen draw's.
    #[error("the payment went to another club")]
    OtherClub,
    /// The amount is not the price of the tickets.
    #[error("the amount does not match the tickets")]
    Mismatch,
    /// The payment's order has its tickets or is getting them. The order must be refunded instead.
    #[error("the payment has its tickets")]
    HasTickets,
    /// The ticket has a buyer already.
    #[error("the ticket has a buyer")]
    HasBuyer,
    /// The result is entered and the ticket wins: a second person must approve (decision I-8).
    #[error("the winning ticket needs a second approval")]
    NeedsApproval,
    /// A technical failure. The same request may be sent again.
    #[error("payments are unavailable, try again")]
    Unavailable,
}

impl From<Failure> for RepairError {
    fn from(failure: Failure) -> RepairError {
        tracing::warn!(%failure, "repair deferred: database error");
        RepairError::Unavailable
    }
}

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
