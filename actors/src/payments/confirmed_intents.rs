//! Remembers the provider's answers to confirmations until the fulfilment that follows, so that the
//! fulfilment does not read the same payment intent again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::{OrderId, PaymentIntent};
use tokio::time::Instant;

/// How long an answer is remembered. The caller fulfils the order at once.
const ANSWER_AGE_MAX: Duration = Duration::from_secs(10);
/// Largest number of remembered answers.
const ANSWERS_MAX: usize = 10_000;

/// The answers to confirmations of orders that are not fulfilled yet.
#[derive(Default)]
pub(crate) struct ConfirmedIntents {
    answers: Mutex<BTreeMap<OrderId, ConfirmationAnswer>>,
}

struct ConfirmationAnswer {
    intent: PaymentIntent,
    answered_at: Instant,
}

impl ConfirmedIntents {
    pub(super) fn insert(&self, order: OrderId, intent: PaymentIntent) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= ANSWERS_MAX {
            answers.clear();
        }
        let answered_at = Instant::now();
        answers.insert(
            order,
            ConfirmationAnswer {
                intent,
                answered_at,
            },
        );
    }

    /// Removes and returns the answer of an order. `None`: there is none, or it is too old.
    pub(super) fn take(&self, order: OrderId) -> Option<PaymentIntent> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answers.remove(&order)?;
        (answer.answered_at.elapsed() <= ANSWER_AGE_MAX).then_some(answer.intent)
    }
}
