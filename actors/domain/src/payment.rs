//! The payment intent of the payment provider.

use crate::{
    AccountId, Cents, DisputeStatus, DrawId, OrderId, PaymentIntentId, PendingCause,
    ProviderRefund, RefundStatus, Timestamp,
};

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
    /// The amount of the refunds that the provider has accepted and that have not failed.
    pub amount_refunded: Cents,
    /// The refunds of the payment, newest first.
    pub refunds: Vec<ProviderRefund>,
    pub application_fee: Cents,
    pub application_fee_refunded: Cents,
    /// ISO currency code in lower case. Orders use `aud`.
    pub currency: String,
    /// The order id from the intent's metadata. `None`: it is missing or cannot be parsed.
    pub order: Option<OrderId>,
    /// The fee that the provider charged. `None`: the provider has not recorded the charge's
    /// balance transaction yet (decision D-18).
    pub provider_fee: Option<Cents>,
    /// The status of the payment's dispute or inquiry. `None`: there never was one.
    pub dispute: Option<DisputeStatus>,
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

    /// Whether the buyer's bank holds the payment's money because of a dispute.
    pub fn is_disputed(&self) -> bool {
        self.dispute.is_some_and(DisputeStatus::holds_money)
    }

    /// Whether the whole captured amount was refunded.
    pub fn is_refunded(&self) -> bool {
        self.amount_refunded >= self.amount_received
    }

    /// Returns the refund that decides whether `amount` was refunded: the newest one of at least
    /// this amount that has not failed, otherwise the newest failed one. `None`: there is no refund
    /// of this amount.
    pub fn refund_of(&self, amount: Cents) -> Option<&ProviderRefund> {
        let of_amount = || self.refunds.iter().filter(|refund| refund.amount >= amount);
        of_amount()
            .find(|refund| refund.status.failure().is_none())
            .or_else(|| of_amount().next())
    }

    /// Whether a refund is accepted but waits for the club's balance.
    pub fn refund_waits_for_balance(&self) -> bool {
        self.refunds
            .iter()
            .any(|refund| refund.status == RefundStatus::Pending(PendingCause::InsufficientFunds))
    }

    /// Returns the newest refund if every refund of the payment failed. `None`: none failed, or
    /// another one was accepted.
    pub fn failed_refund(&self) -> Option<&ProviderRefund> {
        let all_failed = self
            .refunds
            .iter()
            .all(|refund| refund.status.failure().is_some());
        self.refunds.first().filter(|_| all_failed)
    }
}
