//! Compares an order with its payment intent and returns the anomalies.

use crate::refund::LOW_BALANCE_NOTE;
use crate::{
    Anomaly, AnomalyKind, Cents, DisputeStatus, Order, OrderState, PaymentIntent, PaymentStatus,
    ProviderRefund,
};

/// The note of the anomaly of a disputed payment.
pub const DISPUTED_NOTE: &str = "the buyer's bank disputes the payment";

/// The note of the anomaly of a payment whose dispute the club lost.
pub const DISPUTE_LOST_NOTE: &str = "the club lost the dispute: the buyer's bank keeps the payment";

/// The note of the anomaly of a payment whose tickets were taken back before the club won the
/// dispute.
const DISPUTE_WON_NOTE: &str =
    "the club won the dispute, but its tickets were taken back: refund the buyer";

/// Returns the note of the anomaly of a disputed payment. `None`: no dispute holds its money.
pub fn dispute_note(intent: &PaymentIntent) -> Option<&'static str> {
    match intent.dispute {
        Some(DisputeStatus::Lost) => Some(DISPUTE_LOST_NOTE),
        _ if intent.is_disputed() => Some(DISPUTED_NOTE),
        _ => None,
    }
}

/// Returns the disagreements between an order and its payment intent that need an operator. A
/// difference that a step of `Order::decide` removes is not an anomaly. A captured payment of an
/// ended order without tickets is always an anomaly, even if a repair then succeeds (decision C-9).
pub fn reconcile(order: Option<&Order>, intent: &PaymentIntent) -> Vec<Anomaly> {
    let found = match order {
        None if intent.is_captured() && !intent.is_refunded() => {
            vec![(
                AnomalyKind::MissingTicket,
                "a payment was taken for an order we do not know",
            )]
        }
        None => Vec::new(),
        Some(order) => compare_with_order(order, intent),
    };
    let failed_refund = intent
        .failed_refund()
        .and_then(ProviderRefund::failure_note);
    let anomaly = |(kind, note): (AnomalyKind, &str)| {
        let (kind, note) = match (kind, &failed_refund) {
            (AnomalyKind::MissingTicket | AnomalyKind::OwedRefund, Some(failed)) => {
                (AnomalyKind::OwedRefund, failed.clone())
            }
            _ => (kind, note.into()),
        };
        Anomaly {
            kind,
            payment_intent: Some(intent.id.clone()),
            order: order.map(|order| order.id),
            note,
        }
    };
    found.into_iter().map(anomaly).collect()
}

fn compare_with_order(order: &Order, intent: &PaymentIntent) -> Vec<(AnomalyKind, &'static str)> {
    use AnomalyKind::{
        Dispute, DuplicatePayment, MismatchedAmount, MissingTicket, OrphanedTicket, OwedRefund,
    };
    let mut found = Vec::new();
    if order.state == OrderState::Captured
        && order
            .payment_intent
            .as_ref()
            .is_some_and(|own| *own != intent.id)
    {
        // The order is paid by a different intent. This intent, which also names the order, is an
        // anomaly only if money was captured with it.
        if intent.is_captured() && !intent.is_refunded() {
            found.push((DuplicatePayment, "a second payment was taken for one order"));
        }
        return found;
    }
    // Before the authorisation a difference between order and intent is harmless, because a resize
    // updates first the order and then the intent.
    let money_at_stake = intent.is_captured() || intent.status == PaymentStatus::RequiresCapture;
    // The anomaly of an order in state `Anomaly` was raised earlier. Raising it again would reopen
    // an anomaly that an operator dismissed.
    if money_at_stake && order.state != OrderState::Anomaly && !order.agrees_with(intent) {
        found.push((
            MismatchedAmount,
            "amount, currency, account or order differ from ours",
        ));
    }
    found.extend(dispute_note(intent).map(|note| (Dispute, note)));
    if intent.is_captured() && intent.refund_waits_for_balance() {
        found.push((OwedRefund, LOW_BALANCE_NOTE));
    }
    match order.state {
        OrderState::Captured if !intent.is_captured() => {
            found.push((
                OrphanedTicket,
                "the tickets are sold but the payment was not taken",
            ));
        }
        OrderState::Captured => {
            if intent.application_fee != order.application_fee {
                found.push((
                    MismatchedAmount,
                    "the application fee taken differs from our ledger",
                ));
            }
            if intent.is_refunded() {
                found.push((
                    OrphanedTicket,
                    "the payment was refunded but the tickets are still sold",
                ));
            } else if intent.amount_refunded > Cents::ZERO {
                found.push((
                    MismatchedAmount,
                    "a part of the payment was refunded outside our books",
                ));
            }
        }
        // A disputed payment has an anomaly already, and the bank decides about its refund.
        OrderState::Released | OrderState::Void
            if intent.is_captured() && !intent.is_refunded() && !intent.is_disputed() =>
        {
            let note = if intent.dispute == Some(DisputeStatus::Won) {
                DISPUTE_WON_NOTE
            } else {
                "a payment was taken for an order without tickets"
            };
            if order.state == OrderState::Released {
                found.push((MissingTicket, note));
            } else if !intent.refund_waits_for_balance() {
                found.push((OwedRefund, note));
            }
        }
        _ => {}
    }
    found
}
