//! Converts domain values to and from their text form in the tables.

use domain::{AnomalyKind, OrderId, OrderState, PaymentStatus, Status};
use uuid::Uuid;

use crate::error::Failure;
use crate::stores::{OperationKind, PaymentRepair};

pub(crate) fn order_uuid(order: OrderId) -> Uuid {
    Uuid::from_u128(order.0)
}

pub(crate) fn draw_status_text(status: Status) -> &'static str {
    match status {
        Status::Active => "active",
        Status::Closed => "closed",
        Status::Completed => "completed",
        Status::Cancelled => "cancelled",
    }
}

pub(crate) fn parse_draw_status(word: &str) -> Result<Status, Failure> {
    find_word(
        word,
        [
            Status::Active,
            Status::Closed,
            Status::Completed,
            Status::Cancelled,
        ],
        draw_status_text,
    )
}

pub(crate) fn parse_order_state(word: &str) -> Result<OrderState, Failure> {
    OrderState::from_name(word).ok_or_else(|| unknown_word_error(word))
}

pub(crate) fn operation_kind_text(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::Create => "create",
        OperationKind::Update => "update",
        OperationKind::Capture => "capture",
        OperationKind::Cancel => "cancel",
        OperationKind::Refund => "refund",
        OperationKind::FeeRefund => "fee_refund",
    }
}

pub(crate) fn parse_operation_kind(word: &str) -> Result<OperationKind, Failure> {
    use OperationKind::{Cancel, Capture, Create, FeeRefund, Refund, Update};
    find_word(
        word,
        [Create, Update, Capture, Cancel, Refund, FeeRefund],
        operation_kind_text,
    )
}

pub(crate) fn repair_text(repair: PaymentRepair) -> &'static str {
    match repair {
        PaymentRepair::Tickets => "tickets",
        PaymentRepair::Return => "return",
    }
}

pub(crate) fn anomaly_kind_text(kind: AnomalyKind) -> &'static str {
    match kind {
        AnomalyKind::MissingTicket => "missing_ticket",
        AnomalyKind::DuplicatePayment => "duplicate_payment",
        AnomalyKind::FailedAllocation => "failed_allocation",
        AnomalyKind::MismatchedAmount => "mismatched_amount",
        AnomalyKind::OrphanedTicket => "orphaned_ticket",
        AnomalyKind::Dispute => "dispute",
        AnomalyKind::OwedRefund => "owed_refund",
    }
}

pub(crate) fn parse_anomaly_kind(word: &str) -> Result<AnomalyKind, Failure> {
    use AnomalyKind::{
        Dispute, DuplicatePayment, FailedAllocation, MismatchedAmount, MissingTicket,
        OrphanedTicket, OwedRefund,
    };
    find_word(
        word,
        [
            MissingTicket,
            DuplicatePayment,
            FailedAllocation,
            MismatchedAmount,
            OrphanedTicket,
            Dispute,
            OwedRefund,
        ],
        anomaly_kind_text,
    )
}

/// Returns the status in the payment provider's spelling.
pub(crate) fn payment_status_text(status: PaymentStatus) -> &'static str {
    match status {
        PaymentStatus::RequiresPaymentMethod => "requires_payment_method",
        PaymentStatus::RequiresConfirmation => "requires_confirmation",
        PaymentStatus::RequiresAction => "requires_action",
        PaymentStatus::Processing => "processing",
        PaymentStatus::RequiresCapture => "requires_capture",
        PaymentStatus::Succeeded => "succeeded",
        PaymentStatus::Canceled => "canceled",
    }
}

fn find_word<T: Copy, const N: usize>(
    word: &str,
    all: [T; N],
    spell: fn(T) -> &'static str,
) -> Result<T, Failure> {
    all.into_iter()
        .find(|one| spell(*one) == word)
        .ok_or_else(|| unknown_word_error(word))
}

fn unknown_word_error(word: &str) -> Failure {
    Failure::Corrupt(format!("unknown word {word}"))
}
