//! The payment intent of the payment provider.

use crate::{AccountId, Cents, DrawId, OrderId, PaymentIntentId, Timestamp};

/// The states of a payment intent, as the provider spells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentStatus {
    RequiresPaymentMethod,
    RequiresConfirmation,
    RequiresAction,
    Processing,
    /// Authorised by the buyer, not captured yet.
    RequiresCapture,
    Succeeded,
    Canceled,
}

/// A payment intent as the provider returned it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentIntent {
    pub id: PaymentIntentId,
    pub account: AccountId,
    pub status: PaymentStatus,
    pub amount: Cents,
    pub amount_received: Cents,
    pub amount_refunded: Cents,
    pub application_fee: Cents,
    pub application_fee_refunded: Cents,
    /// ISO currency code in lower case. Orders use `aud`.
    pub currency: String,
    /// The order id from the intent's metadata. `None`: it is missing or cannot be parsed.
    pub order: Option<OrderId>,
    /// The fee that the provider charged. `None`: the provider has not recorded the charge's
    /// balance transaction yet (decision D-18).
    pub provider_fee: Option<Cents>,
    pub disputed: bool,
    /// When the buyer authorised the payment. `None`: not yet.
    pub authorised_at: Option<Timestamp>,
    /// Draws and ticket counts from the intent's metadata. They show what was bought if the
    /// database lost the order.
    pub draws: Vec<(DrawId, u16)>,
    /// The provider's type of payment method: `card`, or the name of the wallet. `None`: there is
    /// no charge yet.
    pub method: Option<String>,
    /// Why the last attempt to pay failed. `None`: it did not fail.
    pub decline: Option<Decline>,
}

/// A declined attempt to pay. `message` is the provider's text and is shown to the buyer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decline {
    pub code: String,
    pub message: String,
    /// The provider's id of the payment method.
    pub payment_method: Option<String>,
}

impl PaymentIntent {
    /// Whether the payment was captured.
    pub fn is_captured(&self) -> bool {
        self.status == PaymentStatus::Succeeded
    }

    /// Whether the whole captured amount was refunded.
    pub fn is_refunded(&self) -> bool {
        self.amount_refunded >= self.amount_received
    }
}
