//! What the payment provider says of a payment intent.

use crate::{AccountId, Cents, DrawId, OrderId, PaymentIntentId, Timestamp};

/// The provider's states, in its own spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentStatus {
    RequiresPaymentMethod,
    RequiresConfirmation,
    RequiresAction,
    Processing,
    /// The buyer has authorised it; the money is not taken yet.
    RequiresCapture,
    Succeeded,
    Canceled,
}

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
    /// Lower case ISO code; ours is `aud`.
    pub currency: String,
    /// The order named in the intent's metadata, if it can be read.
    pub order: Option<OrderId>,
    /// The provider's own fee, once its balance transaction is known (decision D-18).
    pub provider_fee: Option<Cents>,
    pub disputed: bool,
    /// When the buyer authorised it, once that happened.
    pub authorised_at: Option<Timestamp>,
    /// Which draws it pays for and how many tickets of each, as its metadata say: all there is of an order the books forgot.
    pub draws: Vec<(DrawId, u16)>,
    /// How it was paid, in the provider's words: `card`, or the wallet; `None` before there is a charge.
    pub method: Option<String>,
    /// Why the last attempt to pay failed, while nothing better came of the intent.
    pub decline: Option<Decline>,
}

/// The provider's "no" to one attempt to pay, in its own words for the buyer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decline {
    pub code: String,
    pub message: String,
    /// The provider's name of what was tried.
    pub payment_method: Option<String>,
}

impl PaymentIntent {
    /// The money left the buyer.
    pub fn is_taken(&self) -> bool {
        self.status == PaymentStatus::Succeeded
    }

    /// All that was taken went back.
    pub fn is_refunded(&self) -> bool {
        self.amount_refunded >= self.amount_received
    }
}
