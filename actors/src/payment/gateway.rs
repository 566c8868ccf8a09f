//! What we need of a payment provider.

use async_trait::async_trait;
use domain::{AccountId, Cents, OrderId, PaymentIntent, PaymentIntentId, Timestamp};
use thiserror::Error;

/// The code of a refusal that says only that the intent is past what was asked: confirmed, captured or cancelled before.
pub const UNEXPECTED_STATE: &str = "payment_intent_unexpected_state";

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GatewayError {
    /// The provider said no, and will say no again: a decline, a wrong state, a wrong amount.
    #[error("refused by the provider: {code}: {message}")]
    Refused { code: String, message: String },
    /// Certainly had no effect (429, connection refused): the same key may be tried again.
    #[error("provider unavailable: {0}")]
    Unavailable(String),
    /// No answer after sending: it may have had its effect, or may have it yet. Only the same key gives the lost answer, and
    /// makes sure that a request that is late does nothing twice.
    #[error("outcome unknown: {0}")]
    Unknown(String),
    /// The provider's own server error: it may have had its effect. The provider remembers the failure under the key, for
    /// late requests, too; so look first, then use a new one.
    #[error("outcome unknown: the provider failed: {0}")]
    Failed(String),
}

impl GatewayError {
    /// Asking again under the same key would bring the same failure; and nothing that was asked under it has an effect any more.
    pub fn is_remembered(&self) -> bool {
        matches!(self, GatewayError::Failed(_))
    }
}

/// A new payment intent on the club's own account (decision C-24).
#[derive(Clone, Debug)]
pub struct NewIntent {
    pub order: OrderId,
    pub account: AccountId,
    pub amount: Cents,
    /// `1042x3,1043x2`: which draws and how many, without personal data, so that a restored backup can name them.
    pub draws: String,
}

/// A payment intent as the browser needs it.
#[derive(Clone, Debug)]
pub struct Opened {
    pub id: PaymentIntentId,
    pub client_secret: String,
    pub intent: PaymentIntent,
}

/// The payment provider. Every write takes its operation's idempotency key.
#[async_trait]
pub trait Gateway: Send + Sync {
    async fn create(&self, key: &str, new: &NewIntent) -> Result<Opened, GatewayError>;
    /// Changes the amount of an intent that is not authorised yet.
    async fn update(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        new: &NewIntent,
    ) -> Result<Opened, GatewayError>;
    async fn retrieve(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError>;
    /// Confirms with a payment method that the browser made (decision C-5); the answer may ask for an action.
    async fn confirm(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        payment_method: &str,
    ) -> Result<Opened, GatewayError>;
    async fn capture(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        application_fee: Cents,
    ) -> Result<PaymentIntent, GatewayError>;
    async fn cancel(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError>;
    /// Refunds an amount; the application fee is never refunded proportionally (decision D-3).
    async fn refund(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<(), GatewayError>;
    /// Gives back a part of the application fee taken with an intent.
    async fn refund_fee(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<(), GatewayError>;
    /// The account's intents created since a time, newest first: what the reconciler scans.
    async fn list(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Vec<PaymentIntent>, GatewayError>;
    /// Finds the intent of an order whose creation had no answer: by metadata, among those created since a time.
    async fn find(
        &self,
        account: &AccountId,
        order: OrderId,
        since: Timestamp,
    ) -> Result<Option<Opened>, GatewayError>;
}
