//! The interface to the payment provider.

use async_trait::async_trait;
use domain::provider_error::{ErrorRepair, ProviderErrorClass};
use domain::{
    AccountId, ApplicationId, Cents, OrderId, PaymentIntent, PaymentIntentId, ProviderRefund,
    Timestamp,
};
use thiserror::Error;

/// Why a call to the provider failed, and whether and how it may be retried. The class has the words
/// for buyer, club and operator (`ProviderErrorClass::guide`).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GatewayError {
    /// The provider refuses, and would refuse again: a declined card, a wrong state, a wrong
    /// amount. `message` is the provider's text; it is for the log, and for the buyer only if the
    /// class is about the card.
    #[error("refused by the provider: {code}: {message}")]
    Refused {
        class: ProviderErrorClass,
        code: String,
        message: String,
    },
    /// The call certainly had no effect (status 429, or connection refused). It may be repeated
    /// under the same idempotency key.
    #[error("provider unavailable: {why}")]
    Unavailable {
        class: ProviderErrorClass,
        why: String,
    },
    /// The request was sent, but no answer came: its effect may have happened, or may still happen.
    /// It must be repeated under the same idempotency key. That returns the lost answer and
    /// prevents a second effect.
    #[error("outcome unknown: {why}")]
    Unknown {
        class: ProviderErrorClass,
        why: String,
    },
    /// A server error of the provider, or an idempotency key that another request has used: the
    /// effect may have happened. The key returns this failure again, so a retry needs a new key. The
    /// caller must check the intent first.
    #[error("outcome unknown: the provider failed: {why}")]
    Failed {
        class: ProviderErrorClass,
        why: String,
    },
}

impl GatewayError {
    /// Builds the error of a call that was not sent.
    pub fn unavailable(why: impl Into<String>) -> GatewayError {
        GatewayError::Unavailable {
            class: ProviderErrorClass::Network,
            why: why.into(),
        }
    }

    /// Builds the error of a call that was sent and has no readable answer.
    pub fn unknown(why: impl Into<String>) -> GatewayError {
        GatewayError::Unknown {
            class: ProviderErrorClass::Network,
            why: why.into(),
        }
    }

    /// Builds the error of an error answer. Its class says how the call may be retried.
    /// `is_from_provider`: whether the provider itself answered, not a proxy before it.
    pub fn of_answer(
        class: ProviderErrorClass,
        code: String,
        message: String,
        is_from_provider: bool,
    ) -> GatewayError {
        match class.guide().repair {
            // This request had no effect. If an earlier request under the same idempotency key had
            // an effect, a retry returns the answer to that request.
            ErrorRepair::RepeatRequest => GatewayError::Unavailable { class, why: code },
            ErrorRepair::ReadThenRepeat if is_from_provider => {
                GatewayError::Failed { class, why: code }
            }
            // The provider may still execute the request.
            ErrorRepair::ReadThenRepeat => GatewayError::Unknown { class, why: code },
            ErrorRepair::AskBuyerForCard
            | ErrorRepair::AskBuyerToAuthenticate
            | ErrorRepair::ReadPayment
            | ErrorRepair::WaitForMoney
            | ErrorRepair::AskOperator
            | ErrorRepair::StopAccount => GatewayError::Refused {
                class,
                code,
                message,
            },
        }
    }

    /// Returns the class of the error.
    pub fn class(&self) -> ProviderErrorClass {
        match self {
            GatewayError::Refused { class, .. }
            | GatewayError::Unavailable { class, .. }
            | GatewayError::Unknown { class, .. }
            | GatewayError::Failed { class, .. } => *class,
        }
    }

    /// Whether the provider stored the failure under the idempotency key. A retry under this key
    /// returns the same failure, and earlier requests under it have no further effect.
    pub fn is_stored_under_idempotency_key(&self) -> bool {
        matches!(self, GatewayError::Failed { .. })
    }
}

/// What a payment intent is confirmed with. The browser or a native app sends its id, whose prefix
/// is the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentSource<'a> {
    /// `ctoken_…`: the payment details that Stripe.js collected. Confirms one intent, once.
    ConfirmationToken(&'a str),
    /// `tok_…`: a card or wallet token, from which a payment method must be made first (decision
    /// C-6).
    CardToken(&'a str),
    /// `pm_…`
    PaymentMethod(&'a str),
}

impl PaymentSource<'_> {
    /// Returns the type of an id. An id of an unknown type counts as a payment method, which the
    /// provider refuses.
    pub fn of_id(id: &str) -> PaymentSource<'_> {
        if id.starts_with("ctoken_") {
            PaymentSource::ConfirmationToken(id)
        } else if id.starts_with("tok_") {
            PaymentSource::CardToken(id)
        } else {
            PaymentSource::PaymentMethod(id)
        }
    }
}

/// The data for creating a payment intent on the club's own account (decision C-24).
#[derive(Clone, Debug)]
pub struct NewIntent {
    pub order: OrderId,
    pub account: AccountId,
    pub amount: Cents,
    /// Draws and ticket counts, as in `1042x3,1043x2`, for the intent's metadata. If a restored
    /// database lacks the order, they name its tickets. No personal data.
    pub draws: String,
}

/// A payment intent with the client secret that the browser needs to pay it.
#[derive(Clone, Debug)]
pub struct OpenedIntent {
    pub id: PaymentIntentId,
    pub client_secret: String,
    pub intent: PaymentIntent,
}

/// The payment provider. Every write takes the idempotency key of its operation.
///
/// # Errors
/// All methods fail with [`GatewayError`].
#[async_trait]
pub trait Gateway: Send + Sync {
    /// Creates a payment intent.
    async fn create(&self, key: &str, new: &NewIntent) -> Result<OpenedIntent, GatewayError>;
    /// Changes the amount of a payment intent that is not authorised yet.
    async fn update(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        new: &NewIntent,
    ) -> Result<OpenedIntent, GatewayError>;
    /// Reads a payment intent.
    async fn retrieve(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError>;
    /// Confirms a payment intent with the browser's confirmation token or another
    /// [`PaymentSource`], given as its id (decision C-5). The returned intent may require an action
    /// of the buyer.
    async fn confirm(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        source: &str,
    ) -> Result<OpenedIntent, GatewayError>;
    /// Captures an authorised payment intent.
    async fn capture(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        application_fee: Cents,
    ) -> Result<PaymentIntent, GatewayError>;
    /// Cancels a payment intent, whether it is authorised or not.
    async fn cancel(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError>;
    /// Refunds an amount of a payment intent. The provider must not refund a proportional part of
    /// the application fee (decision D-3). The returned refund may be pending, or may have failed.
    async fn refund(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<ProviderRefund, GatewayError>;
    /// Refunds a part of a payment intent's application fee.
    async fn refund_fee(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<(), GatewayError>;
    /// Lists the payment intents of an account that were created since a time, newest first.
    async fn list(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Vec<PaymentIntent>, GatewayError>;
    /// Finds an order's open intent that this platform created, among those created since a time.
    /// Used when the answer to the creation was lost. `None`: there is none, or this platform does
    /// not know its own application yet.
    async fn find_open_intent(
        &self,
        account: &AccountId,
        order: OrderId,
        since: Timestamp,
    ) -> Result<Option<OpenedIntent>, GatewayError>;
    /// Returns the application that the provider names as the creator of this platform's intents.
    /// `None`: it is not known yet, because this platform has neither created an intent nor earned
    /// a fee.
    async fn platform_application(&self) -> Result<Option<ApplicationId>, GatewayError>;
}
