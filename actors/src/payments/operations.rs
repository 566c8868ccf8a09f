//! The states of a payment operation: claimed, to be retried, completed. An operation is a call to
//! the provider that is stored before the first attempt, with its own idempotency key.

use domain::{AccountId, OrderId, PaymentIntent, PaymentIntentId};
use persistence::stores::{AttemptOutcome, Operation, OperationKind};

use super::context::{Deferred, PaymentContext};
use super::retry_delay::retry_delay_ms;
use crate::GatewayError;

/// How long a claimed operation belongs to one worker, in milliseconds. Longer than two calls to
/// the provider can take.
pub(super) const OPERATION_LEASE_MS: i64 = 30_000;
/// Number of attempts under one idempotency key before the key may change. The same key returns the
/// lost answer of an earlier attempt. A new key helps only if the provider stored a failure under
/// the old key. A new key is safe only if the operation had no effect.
const ATTEMPTS_PER_IDEMPOTENCY_KEY_MIN: u32 = 2;

impl PaymentContext {
    /// Claims the order's open operation of one kind. `None`: there is none, or another worker has
    /// claimed it.
    pub(super) async fn claim_operation(
        &self,
        order: OrderId,
        kind: OperationKind,
    ) -> Result<Option<Operation>, Deferred> {
        Ok(self
            .store
            .claim_operation(order, kind, self.clock.now(), OPERATION_LEASE_MS)
            .await?)
    }

    /// Schedules the next attempt of an operation. `failure_is_stored`: whether the provider stored
    /// a failure under the operation's key while the operation had no effect.
    pub(super) async fn schedule_retry(
        &self,
        operation: &Operation,
        failure_is_stored: bool,
    ) -> Deferred {
        let at = self.clock.now().plus_ms(retry_delay_ms(
            operation.attempts.saturating_sub(1),
            operation.id as u64,
        ));
        let new_key = (failure_is_stored && operation.attempts >= ATTEMPTS_PER_IDEMPOTENCY_KEY_MIN)
            .then(|| next_idempotency_key(&operation.key));
        self.wakeups.operations.notify_one();
        let again = AttemptOutcome::Again {
            attempts: operation.attempts,
            at,
            new_key,
            why: None,
        };
        self.record_deferral(operation, again).await
    }

    /// Schedules the next attempt of an operation that the provider refused and will accept later.
    /// `why`: the provider's error code, stored for the operator. The next attempt uses a new
    /// idempotency key, because the provider stores the refusal under the old one.
    pub(super) async fn schedule_refused_retry(
        &self,
        operation: &Operation,
        delay_ms: i64,
        why: &str,
    ) -> Deferred {
        let again = AttemptOutcome::Again {
            attempts: operation.attempts,
            at: self.clock.now().plus_ms(delay_ms),
            new_key: Some(next_idempotency_key(&operation.key)),
            why: Some(why.into()),
        };
        self.record_deferral(operation, again).await
    }

    /// Reads the payment intent after a failed attempt, to learn whether the attempt had an effect.
    ///
    /// # Errors
    /// `Deferred`: the attempt certainly had none, or the intent could not be read. The next attempt
    /// is scheduled.
    pub(super) async fn read_intent_after_failure(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
        operation: &Operation,
        error: &GatewayError,
    ) -> Result<PaymentIntent, Deferred> {
        tracing::warn!(%error, order.id = %operation.order, kind = ?operation.kind, "payment operation failed: provider error");
        if matches!(error, GatewayError::Unavailable { .. }) {
            return Err(self.schedule_retry(operation, false).await);
        }
        match self.gateway.retrieve(account, id).await {
            Ok(intent) => Ok(intent),
            Err(_) => Err(self.schedule_retry(operation, false).await),
        }
    }

    async fn record_deferral(&self, operation: &Operation, again: AttemptOutcome) -> Deferred {
        match self.store.record_attempt(operation.id, again).await {
            Ok(()) => Deferred,
            // If this write fails, the operation becomes due again when its lease expires.
            Err(failure) => Deferred::from(failure),
        }
    }

    /// Stores that an operation succeeded or is no longer needed.
    pub(super) async fn complete_operation(&self, operation: &Operation) -> Result<(), Deferred> {
        Ok(self
            .store
            .record_attempt(operation.id, AttemptOutcome::Done)
            .await?)
    }

    /// Stores that the provider refuses an operation for good.
    pub(super) async fn fail_operation(
        &self,
        operation: &Operation,
        why: String,
    ) -> Result<(), Deferred> {
        Ok(self
            .store
            .record_attempt(operation.id, AttemptOutcome::Failed { why })
            .await?)
    }
}

/// Returns the key for a new attempt: `cap-7` → `cap-7/2` → `cap-7/3`.
fn next_idempotency_key(key: &str) -> String {
    match key
        .rsplit_once('/')
        .and_then(|(stem, count)| Some((stem, count.parse::<u32>().ok()?)))
    {
        Some((stem, count)) => format!("{stem}/{}", count + 1),
        None => format!("{key}/2"),
    }
}

#[cfg(test)]
mod tests {
    use super::next_idempotency_key;

    #[test]
    fn next_idempotency_key_increments_its_suffix() {
        assert_eq!(next_idempotency_key("cap-7"), "cap-7/2");
        assert_eq!(next_idempotency_key("cap-7/2"), "cap-7/3");
    }
}
