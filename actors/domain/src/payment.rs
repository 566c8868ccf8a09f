//! The payment intent of the payment provider.

use crate::{
    AccountId, ApplicationId, Cents, DisputeStatus, DrawId, OrderId, PaymentIntentId, PendingCause,
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
    /// Who created the intent.
    pub origin: PaymentOrigin,
    /// The order id from the intent's metadata. `None`: it is missing or cannot be parsed. Another
    /// system may have written it, so it means nothing without [`Self::origin`].
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

/// The marks on a payment intent that tell who created it. Clubs also use their accounts for sales
/// of their own, which this platform must never touch (decision M-10).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaymentOrigin {
    /// The application that created the intent. The provider sets it, and nobody can change it.
    /// `None`: the club itself created the intent.
    pub application: Option<ApplicationId>,
    /// Whether the metadata has this platform's key for the order.
    pub has_order_key: bool,
}

/// Why a payment is not regarded as this platform's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForeignPaymentKind {
    /// No application created the intent: it is the club's own sale.
    NoApplication,
    /// The application of another platform created the intent.
    OtherApplication,
    /// This platform's application created the intent, but the metadata has no key for the order.
    /// An earlier version of this system or another system of the platform created it.
    NoOrderKey,
    /// This platform does not know yet which application it is.
    UnknownPlatform,
}

impl ForeignPaymentKind {
    pub const ALL: [ForeignPaymentKind; 4] = [
        ForeignPaymentKind::NoApplication,
        ForeignPaymentKind::OtherApplication,
        ForeignPaymentKind::NoOrderKey,
        ForeignPaymentKind::UnknownPlatform,
    ];

    /// Returns the name of the kind in metrics.
    pub fn name(self) -> &'static str {
        match self {
            ForeignPaymentKind::NoApplication => "no_application",
            ForeignPaymentKind::OtherApplication => "other_application",
            ForeignPaymentKind::NoOrderKey => "no_order_key",
            ForeignPaymentKind::UnknownPlatform => "unknown_platform",
        }
    }

    /// Whether the payment is this platform's nevertheless if an order of the database has its id.
    /// The id is then proof, because the provider returned it when this platform created the
    /// intent. It is never needed for an intent of the club or of another application.
    pub fn can_have_order(self) -> bool {
        match self {
            ForeignPaymentKind::NoApplication | ForeignPaymentKind::OtherApplication => false,
            ForeignPaymentKind::NoOrderKey | ForeignPaymentKind::UnknownPlatform => true,
        }
    }
}

impl PaymentOrigin {
    /// Returns why the payment is not this platform's, according to its marks. `platform`: this
    /// platform's own application; `None`: it is not known yet. The result is `None` if the payment
    /// is this platform's.
    pub fn foreign_kind(&self, platform: Option<&ApplicationId>) -> Option<ForeignPaymentKind> {
        match (&self.application, platform) {
            (None, _) => Some(ForeignPaymentKind::NoApplication),
            (Some(_), None) => Some(ForeignPaymentKind::UnknownPlatform),
            (Some(application), Some(platform)) if application != platform => {
                Some(ForeignPaymentKind::OtherApplication)
            }
            (Some(_), Some(_)) if !self.has_order_key => Some(ForeignPaymentKind::NoOrderKey),
            (Some(_), Some(_)) => None,
        }
    }
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

    /// Whether the buyer's bank asks about the payment and waits for the club's answer. No money
    /// was taken.
    pub fn has_open_inquiry(&self) -> bool {
        self.dispute == Some(DisputeStatus::WarningNeedsResponse)
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
