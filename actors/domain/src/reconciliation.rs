//! Compares what we believe of an order with what the provider says: a pure plan, executed by a dull loop.

use crate::{Anomaly, AnomalyKind, Cents, Order, OrderState, PaymentIntent, PaymentStatus};

/// Every disagreement that waiting will not mend. What `Order::decide` can mend by itself is not an anomaly, but money
/// already taken without tickets is one at once: a person hears of it even if the repair succeeds (decision C-9).
pub fn reconcile(ours: Option<&Order>, theirs: &PaymentIntent) -> Vec<Anomaly> {
    let found = match ours {
        None if theirs.is_taken() && !theirs.is_refunded() => {
            vec![(
                AnomalyKind::MissingTicket,
                "a payment was taken for an order we do not know",
            )]
        }
        None => Vec::new(),
        Some(order) => compare(order, theirs),
    };
    let anomaly = |(kind, note): (AnomalyKind, &str)| Anomaly {
        kind,
        payment_intent: Some(theirs.id.clone()),
        order: ours.map(|order| order.id),
        note: note.into(),
    };
    found.into_iter().map(anomaly).collect()
}

fn compare(order: &Order, theirs: &PaymentIntent) -> Vec<(AnomalyKind, &'static str)> {
    use AnomalyKind::{DuplicatePayment, MismatchedAmount, MissingTicket, OrphanedTicket};
    let mut found = Vec::new();
    if order.state == OrderState::Captured
        && order
            .payment_intent
            .as_ref()
            .is_some_and(|ours| *ours != theirs.id)
    {
        // The order has its own payment. Another intent that names it is only of interest when it took money too.
        if theirs.is_taken() && !theirs.is_refunded() {
            found.push((DuplicatePayment, "a second payment was taken for one order"));
        }
        return found;
    }
    // While nothing can be taken a difference hurts nobody: a resized order and its intent are updated one after the other.
    let money_at_stake = theirs.is_taken() || theirs.status == PaymentStatus::RequiresCapture;
    // An order in `Anomaly` has been reported and waits for a person; reporting it again would undo a dismissal.
    if money_at_stake && order.state != OrderState::Anomaly && !order.agrees_with(theirs) {
        found.push((
            MismatchedAmount,
            "amount, currency, account or order differ from ours",
        ));
    }
    if theirs.disputed {
        found.push((MismatchedAmount, "the buyer's bank disputes the payment"));
    }
    match order.state {
        OrderState::Captured if !theirs.is_taken() => {
            found.push((
                OrphanedTicket,
                "the tickets are sold but the payment was not taken",
            ));
        }
        OrderState::Captured => {
            if theirs.application_fee != order.application_fee {
                found.push((
                    MismatchedAmount,
                    "the application fee taken differs from our ledger",
                ));
            }
            if theirs.is_refunded() {
                found.push((
                    OrphanedTicket,
                    "the payment was refunded but the tickets are still sold",
                ));
            } else if theirs.amount_refunded > Cents::ZERO {
                found.push((
                    MismatchedAmount,
                    "a part of the payment was refunded outside our books",
                ));
            }
        }
        // What the bank took back is not ours to refund, and is reported above.
        OrderState::Released | OrderState::Void
            if theirs.is_taken() && !theirs.is_refunded() && !theirs.disputed =>
        {
            found.push((
                MissingTicket,
                "a payment was taken for an order without tickets",
            ));
        }
        _ => {}
    }
    found
}
