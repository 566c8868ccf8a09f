//! Compares what we believe of an order with what the provider says: a pure plan, executed by a dull loop.

use crate::{Anomaly, AnomalyKind, Order, OrderState, PaymentIntent, PaymentStatus};

/// Every disagreement that waiting will not mend. What `Order::decide` can mend by itself is not an anomaly.
pub fn reconcile(ours: Option<&Order>, theirs: &PaymentIntent) -> Vec<Anomaly> {
    let anomaly = |kind, note: &str| Anomaly {
        kind,
        payment_intent: Some(theirs.id.clone()),
        order: ours.map(|order| order.id),
        note: note.into(),
    };
    let refunded = theirs.amount_refunded >= theirs.amount_received;
    let Some(order) = ours else {
        return match theirs.status {
            PaymentStatus::Succeeded if !refunded => {
                vec![anomaly(AnomalyKind::MissingTicket, "a payment was taken for an order we do not know")]
            }
            _ => Vec::new(),
        };
    };
    let mut found = Vec::new();
    if !order.agrees_with(theirs) {
        found.push(anomaly(AnomalyKind::MismatchedAmount, "amount, currency, account or order differ from ours"));
    }
    if theirs.disputed {
        found.push(anomaly(AnomalyKind::MismatchedAmount, "the buyer's bank disputes the payment"));
    }
    match (order.state, theirs.status) {
        (OrderState::Captured, PaymentStatus::Succeeded) if theirs.application_fee != order.application_fee => {
            found.push(anomaly(AnomalyKind::MismatchedAmount, "the application fee taken differs from our ledger"));
        }
        (OrderState::Captured, PaymentStatus::Succeeded) if refunded => {
            found.push(anomaly(AnomalyKind::OrphanedTicket, "the payment was refunded but the tickets are still sold"));
        }
        (OrderState::Captured, status) if status != PaymentStatus::Succeeded => {
            found.push(anomaly(AnomalyKind::OrphanedTicket, "the tickets are sold but the payment was not taken"));
        }
        (OrderState::Released | OrderState::Void, PaymentStatus::Succeeded) if !refunded => {
            found.push(anomaly(AnomalyKind::MissingTicket, "a payment was taken for an order without tickets"));
        }
        _ => {}
    }
    found
}
