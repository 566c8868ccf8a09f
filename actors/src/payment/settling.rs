//! The last steps of an order at the provider: capture or cancel, and writing down how it ended.

use domain::{AnomalyKind, OrderId, OrderState, PaymentStatus};
use persistence::books::{Attempt, Operation, OperationKind, Tell};
use persistence::failpoint::{self, Step};

use super::leaving::LEFT;
use super::pause::pause_ms;
use super::room::{Later, Room, Visit};
use crate::GatewayError;

/// How long a claimed operation is ours before another worker may claim it: longer than the provider may take to answer twice.
pub(super) const LEASE_MS: i64 = 30_000;
/// An attempt whose outcome is unknown is repeated under its key, which gives the same answer; when that answer is a failure
/// the provider remembers, only a new key gets another. Not before this many attempts, and only after looking.
const SAME_KEY_ATTEMPTS: u32 = 2;
/// An authorisation that could not be cancelled this often is shown to the operator.
const CANCEL_ATTEMPTS_QUIET: u32 = 3;

impl Room {
    pub(super) async fn claim_of(
        &self,
        order: OrderId,
        kind: OperationKind,
    ) -> Result<Option<Operation>, Later> {
        Ok(self
            .books
            .claim_operation(order, kind, self.clock.now(), LEASE_MS)
            .await?)
    }

    /// Writes that an operation is to be tried again; `remembered`: the provider failed under this key, and the effect was not
    /// there.
    pub(super) async fn again(&self, operation: &Operation, remembered: bool) -> Later {
        let at = self.clock.now().plus_ms(pause_ms(
            operation.attempts.saturating_sub(1),
            operation.id as u64,
        ));
        let new_key = (remembered && operation.attempts >= SAME_KEY_ATTEMPTS)
            .then(|| next_key(&operation.key));
        self.nudges.operations.notify_one();
        let again = Attempt::Again {
            attempts: operation.attempts,
            at,
            new_key,
        };
        match self.books.attempted(operation.id, again).await {
            Ok(()) => Later,
            // Its lease ends by itself.
            Err(failure) => Later::from(failure),
        }
    }

    pub(super) async fn done(&self, operation: &Operation) -> Result<(), Later> {
        Ok(self.books.attempted(operation.id, Attempt::Done).await?)
    }

    /// Takes the money, with the application fee of the order's fee steps.
    pub(super) async fn capture(&self, visit: &mut Visit) -> Result<(), Later> {
        let order = visit.record.order.id;
        // Who has just written the operation may try it at once; it is claimed only when that gets no good answer.
        let mine = std::mem::take(&mut visit.allocated)
            .then(|| OperationKind::Capture.first_key(order))
            .flatten();
        let (key, claimed) = match mine {
            Some(key) => (key, None),
            None => {
                let operation = self.claim(visit, OperationKind::Capture).await?;
                (operation.key.clone(), Some(operation))
            }
        };
        let (account, fee) = (
            &visit.record.order.account,
            visit.record.order.application_fee,
        );
        let captures = failpoint::around(
            Step::Capture,
            self.gateway.capture(&key, account, &visit.said.id, fee),
        );
        let error = match captures.await {
            Ok(said) => {
                visit.said = said;
                return Ok(());
            }
            Err(error) => error,
        };
        let operation = match claimed {
            Some(operation) => operation,
            None => self.claim(visit, OperationKind::Capture).await?,
        };
        self.look(visit, &operation, &error).await?;
        if visit.said.status != PaymentStatus::RequiresCapture {
            return Ok(());
        }
        if let GatewayError::Refused { code, .. } = &error {
            let note = format!("the provider refuses to capture an authorised payment: {code}");
            self.raise(visit, AnomalyKind::FailedAllocation, &note)
                .await?;
        }
        Err(self.again(&operation, error.is_remembered()).await)
    }

    /// Ends the authorisation, or the intent before there is one.
    pub(super) async fn cancel(&self, visit: &mut Visit) -> Result<(), Later> {
        let order = visit.record.order.id;
        if visit.record.order.state != OrderState::Rejecting {
            // Released or void already; the intent was found open afterwards and nothing else depends on it.
            let key = format!("cancel-{order}-late");
            let canceled = self
                .gateway
                .cancel(&key, &visit.record.order.account, &visit.said.id)
                .await;
            return match canceled {
                Ok(said) => {
                    visit.said = said;
                    Ok(())
                }
                Err(error) => {
                    tracing::warn!(%error, order.id = %order, "a late intent could not be cancelled");
                    Err(Later)
                }
            };
        }
        let operation = self.claim(visit, OperationKind::Cancel).await?;
        match self
            .gateway
            .cancel(&operation.key, &visit.record.order.account, &visit.said.id)
            .await
        {
            Ok(said) => {
                visit.said = said;
                self.done(&operation).await
            }
            Err(error) => {
                self.look(visit, &operation, &error).await?;
                if matches!(
                    visit.said.status,
                    PaymentStatus::Canceled | PaymentStatus::Succeeded
                ) {
                    return self.done(&operation).await;
                }
                if operation.attempts >= CANCEL_ATTEMPTS_QUIET {
                    let note = "a refused order's authorisation could not be cancelled yet";
                    self.raise(visit, AnomalyKind::FailedAllocation, note)
                        .await?;
                }
                Err(self.again(&operation, error.is_remembered()).await)
            }
        }
    }

    /// Looks what an attempt without a good answer has come to.
    async fn look(
        &self,
        visit: &mut Visit,
        operation: &Operation,
        error: &GatewayError,
    ) -> Result<(), Later> {
        tracing::warn!(%error, order.id = %operation.order, kind = ?operation.kind, "an operation has no good answer");
        if matches!(error, GatewayError::Unavailable(_)) {
            return Err(self.again(operation, false).await);
        }
        match self
            .gateway
            .retrieve(&visit.record.order.account, &visit.said.id)
            .await
        {
            Ok(said) => {
                visit.said = said;
                Ok(())
            }
            Err(_) => Err(self.again(operation, false).await),
        }
    }

    /// The money is taken: written down together with the one confirmation mail.
    pub(super) async fn captured(&self, visit: &mut Visit) -> Result<(), Later> {
        let at = self.clock.now();
        failpoint::around(
            Step::Record,
            self.books.captured(visit.record.order.id, &visit.said, at),
        )
        .await?;
        visit.record.order.state = OrderState::Captured;
        visit.record.captured_at = Some(at);
        self.nudges.mail.notify_one();
        Ok(())
    }

    /// Nothing was charged and nothing is held.
    pub(super) async fn released(&self, visit: &mut Visit) -> Result<(), Later> {
        self.give_back(&visit.record).await?;
        let tell = self.to_tell(visit).await?;
        let reason = visit
            .record
            .reason
            .clone()
            .unwrap_or_else(|| "the payment was cancelled".into());
        let at = self.clock.now();
        // First, because nobody comes back to an order that is over.
        self.books
            .heal(&visit.said.id, AnomalyKind::FailedAllocation, at)
            .await?;
        self.books
            .released(visit.record.order.id, &reason, tell, at)
            .await?;
        if tell == Tell::Buyer {
            self.nudges.mail.notify_one();
        }
        visit.record.order.state = OrderState::Released;
        visit.record.reason = Some(reason);
        visit.record.tickets.clear();
        Ok(())
    }

    /// Who had authorised the payment waits for tickets, and is told that there are none; but not who left.
    async fn to_tell(&self, visit: &Visit) -> Result<Tell, Later> {
        let (record, said) = (&visit.record, &visit.said);
        if record.authorised_at.is_none() && said.authorised_at.is_none() {
            return Ok(Tell::Nobody);
        }
        let reason = match &record.reason {
            Some(reason) => Some(reason.clone()),
            // Another node may have refused it since this one read it.
            None => self
                .books
                .order(record.order.id)
                .await?
                .and_then(|record| record.reason),
        };
        Ok(if reason.as_deref() == Some(LEFT) {
            Tell::Nobody
        } else {
            Tell::Buyer
        })
    }

    /// It had tickets, and the authorisation ended before it was captured.
    pub(super) async fn voided(&self, visit: &mut Visit) -> Result<(), Later> {
        self.give_back(&visit.record).await?;
        let reason = "the authorisation ended before it could be captured";
        let at = self.clock.now();
        // First, because nobody comes back to an order that is over.
        self.books
            .heal(&visit.said.id, AnomalyKind::FailedAllocation, at)
            .await?;
        self.books
            .voided(visit.record.order.id, reason, Tell::Buyer, at)
            .await?;
        self.nudges.mail.notify_one();
        visit.record.order.state = OrderState::Void;
        visit.record.reason = Some(reason.into());
        visit.record.tickets.clear();
        Ok(())
    }
}

/// `cap-7` → `cap-7/2` → `cap-7/3`.
fn next_key(key: &str) -> String {
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
    use super::next_key;

    #[test]
    fn a_new_key_counts_its_attempts() {
        assert_eq!(next_key("cap-7"), "cap-7/2");
        assert_eq!(next_key("cap-7/2"), "cap-7/3");
    }
}
