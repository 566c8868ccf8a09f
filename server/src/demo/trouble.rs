//! One open anomaly of each type, so that the operator's console has something to show. They are about payments that no
//! book knows: ours and the sandbox's still agree to the cent.

use domain::{Anomaly, AnomalyKind, Cents, DrawId, PaymentIntentId};

use super::seed::Seeding;

const TROUBLES: [(AnomalyKind, &str, Cents, &str); 5] = [
    (AnomalyKind::MissingTicket, "pi_demo_missing", Cents(1_000), "a payment was taken for an order we do not know"),
    (AnomalyKind::DuplicatePayment, "pi_demo_twice", Cents(500), "two payments were taken for one order"),
    (
        AnomalyKind::FailedAllocation,
        "pi_demo_unallocated",
        Cents(2_500),
        "authorised, but the draw was full; the authorisation is not cancelled yet",
    ),
    (AnomalyKind::MismatchedAmount, "pi_demo_disputed", Cents(2_000), "the buyer's bank disputes the payment"),
    (AnomalyKind::OrphanedTicket, "pi_demo_orphan", Cents(300), "the tickets are sold but the payment was not taken"),
];

/// Raises them, a few minutes apart.
pub async fn make(seeding: &Seeding<'_>, draws: &[DrawId]) -> anyhow::Result<()> {
    const APART_MS: i64 = 7 * 60 * 1000;
    for (place, (kind, payment, amount, note)) in (1..).zip(TROUBLES) {
        let about = draws.get(place as usize).map(|draw| format!("draw FD-{draw}: {note}"));
        let anomaly = Anomaly {
            kind,
            payment_intent: Some(PaymentIntentId(payment.to_string())),
            order: None,
            note: about.unwrap_or_else(|| note.to_string()),
        };
        seeding.running.state.books.raise(&anomaly, Some(amount), seeding.now.plus_ms(-place * APART_MS)).await?;
    }
    Ok(())
}
