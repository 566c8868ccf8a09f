//! Repairs by an operator: allocating tickets to a payment without any, storing a missing buyer,
//! and returning a payment that pays for no tickets. Also the consequences of a dispute.

use std::sync::Arc;

use domain::{AccountId, AnomalyKind, DrawId, OrderId, PaymentIntentId, Refusal, Serial, Status};
use persistence::Failure;
use persistence::ledger::BuyerDetails;
use persistence::records::audit::AuditEntry;
use persistence::stores::{BuyerSource, NotifyBuyer, OrderRecord, PaymentRepair};
use thiserror::Error;

use super::context::{Deferred, PaymentContext};
use super::refunds::Refunds;
use crate::Denied;

mod manual_allocation;
mod unmatched_payments;

pub use unmatched_payments::ReturnedAmounts;

/// Tickets that an operator chose for a payment that matches no order (decision M-9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenTickets {
    pub draw: DrawId,
    pub count: u16,
    /// The account of the draw's club. The payment must have been made to this account.
    pub account: AccountId,
}

/// The tickets that a payment is for, according to its order or its metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaymentTickets {
    /// The order of the payment. `None`: the database does not have it.
    pub order: Option<OrderId>,
    /// Draws and counts, from the order or from the payment's metadata at the provider.
    pub draws: Vec<(DrawId, u16)>,
}

/// Why an operator's repair failed. After `Unavailable` a part of the repair may have been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RepairError {
    /// The payment or ticket is unknown, or the payment was never captured.
    #[error("the payment or ticket is unknown")]
    Unknown,
    /// The payment is refunded or being refunded.
    #[error("the payment was refunded")]
    Refunded,
    /// The draw refuses: it has too few tickets or has ended, or the payment was not authorised
    /// before kick-off (rule 5 of the decisions). The operator can only refund.
    #[error("the tickets cannot be allocated: {0}")]
    Refused(Refusal),
    /// No order matches the payment, and its metadata names no tickets. The operator must choose
    /// draw and count.
    #[error("no order matches the payment")]
    NoOrder,
    /// The operator chose tickets for a payment whose order has other tickets.
    #[error("the payment belongs to an order")]
    HasOrder,
    /// The payment was made to another club than the chosen draw's.
    #[error("the payment went to another club")]
    OtherClub,
    /// The amount is not the price of the tickets.
    #[error("the amount does not match the tickets")]
    Mismatch,
    /// The payment's order has its tickets or is getting them. The operator must refund the order
    /// instead.
    #[error("the payment has its tickets")]
    HasTickets,
    /// The order of the ticket already has a buyer.
    #[error("the ticket has a buyer")]
    HasBuyer,
    /// The ticket wins by the entered result, so a second person must approve (decision I-8).
    #[error("the winning ticket needs a second approval")]
    NeedsApproval,
    /// The buyer's bank disputes the payment, so the bank decides about its money.
    #[error("the payment is disputed")]
    Disputed,
    /// The club's balance at the provider does not cover the refund.
    #[error("the club's balance is too low")]
    LowBalance,
    /// The provider could not send the refund to the buyer's card. The money is back with the club.
    #[error("the refund failed")]
    RefundFailed,
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

/// The outcome of a dispute for the tickets of the disputed order (decision C-25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DisputeOutcome {
    /// The tickets were taken back and the order is void.
    Released,
    /// A draw of the order has ended or reached kick-off. The buyer keeps the tickets.
    Kept,
    /// A draw or the database was unavailable. A part of the tickets may have been taken back. The
    /// dispute must be handled again.
    Deferred,
}

/// Executes an operator's repairs of payments and orders.
#[derive(Clone, Copy)]
pub(crate) struct Repairs<'a> {
    context: &'a Arc<PaymentContext>,
}

impl<'a> Repairs<'a> {
    pub(crate) fn new(context: &'a Arc<PaymentContext>) -> Repairs<'a> {
        Repairs { context }
    }

    /// Ends a repair, so that a repair of the other kind (allocation or return) may begin. After
    /// `Unavailable` the repair may still be running, so it blocks the other kind until its
    /// registration expires.
    async fn end_repair<T>(
        self,
        id: &PaymentIntentId,
        repair: PaymentRepair,
        outcome: Result<T, RepairError>,
    ) -> Result<T, RepairError> {
        if !matches!(outcome, Err(RepairError::Unavailable))
            && let Err(failure) = self.context.store.end_repair(id, repair).await
        {
            tracing::warn!(%failure, payment_intent.id = %id, "repair not ended: database error; it lapses by itself");
        }
        outcome
    }

    /// Stores the buyer of paid tickets whose order has no e-mail address.
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
        // Inside the writing transaction, the database checks whether the order has a winning
        // ticket.
        let source = BuyerSource::Operator {
            at: context.clock.now(),
            approved,
        };
        if !context
            .store
            .fill_buyer_details_audited(order, buyer, source, audit_entry.as_ref())
            .await?
        {
            return Err(RepairError::NeedsApproval);
        }
        context.wakeups.mail.notify_one();
        // After an operator's repair, the caller resolves the anomaly in the operator's name.
        if audit_entry.is_none()
            && let Some(id) = &record.order.payment_intent
        {
            context
                .store
                .resolve_healed_anomalies(id, AnomalyKind::OrphanedTicket, context.clock.now())
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
    /// An order that lost a part of its tickets always loses the rest: an order is all or nothing
    /// (decision C-10).
    pub(crate) async fn return_disputed_tickets(self, record: &OrderRecord) -> DisputeOutcome {
        let is_complete = record.tickets.len() == record.order.lines.len();
        if is_complete {
            let now = self.context.clock.now();
            for line in &record.order.lines {
                match self.context.draws.view(line.draw).await {
                    Ok(view) if view.status == Status::Active && now < view.closes_at => {}
                    Ok(_) | Err(Denied::NoSuchDraw | Denied::Refused(_)) => {
                        return DisputeOutcome::Kept;
                    }
                    Err(Denied::Unavailable | Denied::Paused) => return DisputeOutcome::Deferred,
                }
            }
        }
        match self.void_disputed(record).await {
            Ok(()) => DisputeOutcome::Released,
            Err(Deferred) => DisputeOutcome::Deferred,
        }
    }

    /// Takes a disputed order's tickets back and refunds its part of the fee. The bank itself
    /// returns the money. Must run in a job of the order.
    ///
    /// After `Deferred`, a repeated call continues with the rest. The sweeper repeats the call if a
    /// part of the tickets was taken back.
    pub(crate) async fn void_disputed(self, record: &OrderRecord) -> Result<(), Deferred> {
        let context = self.context;
        context.return_tickets(record).await?;
        context
            .store
            .void_order(
                record.order.id,
                "the payment is disputed",
                NotifyBuyer::Nobody,
                context.clock.now(),
            )
            .await?;
        for line in &record.order.lines {
            Refunds::new(context)
                .queue_overpaid_fee_refunds(line.draw)
                .await;
        }
        Ok(())
    }
}
