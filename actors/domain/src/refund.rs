//! Refunds as the payment provider reports them, and what they mean for the order's debt.

use crate::Cents;

/// Why a refund is not complete yet. Source: `pending_reason` of Stripe's refund object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingCause {
    Processing,
    /// The club's balance at the provider is too low. The refund continues when money arrives.
    InsufficientFunds,
    /// The refunded payment itself is not settled yet.
    ChargePending,
    /// The provider gives no reason, or one that is not known.
    Unknown,
}

impl PendingCause {
    pub const ALL: [PendingCause; 4] = [
        PendingCause::Processing,
        PendingCause::InsufficientFunds,
        PendingCause::ChargePending,
        PendingCause::Unknown,
    ];

    /// Returns the provider's name of the cause.
    pub fn name(self) -> &'static str {
        match self {
            PendingCause::Processing => "processing",
            PendingCause::InsufficientFunds => "insufficient_funds",
            PendingCause::ChargePending => "charge_pending",
            PendingCause::Unknown => "unknown",
        }
    }

    /// Parses the provider's name. An unknown name is [`PendingCause::Unknown`].
    pub fn from_name(name: &str) -> PendingCause {
        PendingCause::ALL
            .into_iter()
            .find(|cause| cause.name() == name)
            .unwrap_or(PendingCause::Unknown)
    }
}

/// Why a refund failed. Source: `failure_reason` of Stripe's refund object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundFailure {
    LostOrStolenCard,
    ExpiredOrCanceledCard,
    /// The payment was disputed while its refund was pending.
    ChargeForPendingRefundDisputed,
    InsufficientFunds,
    Declined,
    /// The club cancelled the refund at the provider.
    MerchantRequest,
    /// The provider gives no reason, or one that is not known.
    Unknown,
}

impl RefundFailure {
    pub const ALL: [RefundFailure; 7] = [
        RefundFailure::LostOrStolenCard,
        RefundFailure::ExpiredOrCanceledCard,
        RefundFailure::ChargeForPendingRefundDisputed,
        RefundFailure::InsufficientFunds,
        RefundFailure::Declined,
        RefundFailure::MerchantRequest,
        RefundFailure::Unknown,
    ];

    /// Returns the provider's name of the failure.
    pub fn name(self) -> &'static str {
        match self {
            RefundFailure::LostOrStolenCard => "lost_or_stolen_card",
            RefundFailure::ExpiredOrCanceledCard => "expired_or_canceled_card",
            RefundFailure::ChargeForPendingRefundDisputed => "charge_for_pending_refund_disputed",
            RefundFailure::InsufficientFunds => "insufficient_funds",
            RefundFailure::Declined => "declined",
            RefundFailure::MerchantRequest => "merchant_request",
            RefundFailure::Unknown => "unknown",
        }
    }

    /// Parses the provider's name. An unknown name is [`RefundFailure::Unknown`].
    pub fn from_name(name: &str) -> RefundFailure {
        RefundFailure::ALL
            .into_iter()
            .find(|failure| failure.name() == name)
            .unwrap_or(RefundFailure::Unknown)
    }

    /// Returns what happened, for the operator. Part of an anomaly's note.
    pub fn description(self) -> &'static str {
        match self {
            RefundFailure::LostOrStolenCard => {
                "the refund failed and the money is back with the club: the card was lost or stolen"
            }
            RefundFailure::ExpiredOrCanceledCard => {
                "the refund failed and the money is back with the club: the card expired or was cancelled"
            }
            RefundFailure::ChargeForPendingRefundDisputed => {
                "the refund failed: the payment was disputed before the refund was sent"
            }
            RefundFailure::InsufficientFunds => {
                "the refund failed: the club's balance at the provider is too low"
            }
            RefundFailure::Declined => {
                "the refund failed and the money is back with the club: the buyer's bank declined it"
            }
            RefundFailure::MerchantRequest => {
                "the refund was cancelled at the provider and the money is back with the club"
            }
            RefundFailure::Unknown => {
                "the refund failed and the money is back with the club: the provider gave no reason"
            }
        }
    }
}

/// The note of the anomaly of a refund that waits for the club's balance.
pub const LOW_BALANCE_NOTE: &str =
    "the refund waits: the club's balance at the provider is too low";

/// The status of a refund at the provider. Source: `status` of Stripe's refund object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundStatus {
    Pending(PendingCause),
    /// The buyer must act before the provider can pay. Does not occur with cards.
    RequiresAction,
    Succeeded,
    Failed(RefundFailure),
    Canceled,
}

impl RefundStatus {
    /// Converts the provider's `status`, `pending_reason` and `failure_reason`. `None`: the status
    /// is not known.
    pub fn from_names(
        status: &str,
        pending_reason: Option<&str>,
        failure_reason: Option<&str>,
    ) -> Option<RefundStatus> {
        Some(match status {
            "pending" => RefundStatus::Pending(
                pending_reason.map_or(PendingCause::Unknown, PendingCause::from_name),
            ),
            "requires_action" => RefundStatus::RequiresAction,
            "succeeded" => RefundStatus::Succeeded,
            "failed" => RefundStatus::Failed(
                failure_reason.map_or(RefundFailure::Unknown, RefundFailure::from_name),
            ),
            "canceled" => RefundStatus::Canceled,
            _ => return None,
        })
    }

    /// Returns the provider's name of the status.
    pub fn name(self) -> &'static str {
        match self {
            RefundStatus::Pending(_) => "pending",
            RefundStatus::RequiresAction => "requires_action",
            RefundStatus::Succeeded => "succeeded",
            RefundStatus::Failed(_) => "failed",
            RefundStatus::Canceled => "canceled",
        }
    }

    /// Returns the provider's name of the reason. `None`: the status has no reason.
    pub fn reason_name(self) -> Option<&'static str> {
        match self {
            RefundStatus::Pending(cause) => Some(cause.name()),
            RefundStatus::Failed(failure) => Some(failure.name()),
            RefundStatus::RequiresAction | RefundStatus::Succeeded | RefundStatus::Canceled => None,
        }
    }

    /// Why the money did not reach the buyer. `None`: the refund has not failed.
    pub fn failure(self) -> Option<RefundFailure> {
        match self {
            RefundStatus::Failed(failure) => Some(failure),
            RefundStatus::Canceled => Some(RefundFailure::MerchantRequest),
            RefundStatus::Pending(_) | RefundStatus::RequiresAction | RefundStatus::Succeeded => {
                None
            }
        }
    }

    /// Whether the provider has accepted the refund and has not completed it.
    pub fn is_pending(self) -> bool {
        matches!(
            self,
            RefundStatus::Pending(_) | RefundStatus::RequiresAction
        )
    }

    /// Whether a refund in this status may be in status `next` later. A refund that succeeded may
    /// still fail, because the buyer's bank can return the money. A failed refund stays failed.
    pub fn may_become(self, next: RefundStatus) -> bool {
        let rank = |status: RefundStatus| match status {
            RefundStatus::Pending(_) | RefundStatus::RequiresAction => 0,
            RefundStatus::Succeeded => 1,
            RefundStatus::Failed(_) | RefundStatus::Canceled => 2,
        };
        rank(next) > rank(self) || (rank(next) == 0 && rank(self) == 0 && next != self)
    }
}

/// A refund at the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderRefund {
    /// The provider's id of the refund.
    pub id: String,
    pub amount: Cents,
    pub status: RefundStatus,
}

impl ProviderRefund {
    /// Returns the note of the anomaly of a failed refund. It names the refund, so that a later
    /// refund that fails is reported too. `None`: the refund has not failed.
    pub fn failure_note(&self) -> Option<String> {
        let failure = self.status.failure()?;
        Some(format!("{} (refund {})", failure.description(), self.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statuses() -> Vec<RefundStatus> {
        let mut all = vec![
            RefundStatus::RequiresAction,
            RefundStatus::Succeeded,
            RefundStatus::Canceled,
        ];
        all.extend(PendingCause::ALL.map(RefundStatus::Pending));
        all.extend(RefundFailure::ALL.map(RefundStatus::Failed));
        all
    }

    #[test]
    fn refund_status_is_parsed_back_from_its_names() {
        for status in statuses() {
            let (pending, failed) = match status {
                RefundStatus::Pending(cause) => (Some(cause.name()), None),
                RefundStatus::Failed(failure) => (None, Some(failure.name())),
                _ => (None, None),
            };
            assert_eq!(
                RefundStatus::from_names(status.name(), pending, failed),
                Some(status)
            );
        }
        assert_eq!(RefundStatus::from_names("paid", None, None), None);
        assert_eq!(
            RefundStatus::from_names("failed", None, Some("new_reason")),
            Some(RefundStatus::Failed(RefundFailure::Unknown))
        );
    }

    #[test]
    fn refund_status_never_returns_from_failed_or_from_succeeded_to_pending() {
        for before in statuses() {
            assert!(!before.may_become(before), "{before:?}");
            for after in statuses() {
                if before.failure().is_some()
                    || (before == RefundStatus::Succeeded && after.is_pending())
                {
                    assert!(!before.may_become(after), "{before:?} to {after:?}");
                }
            }
        }
        let failed = RefundStatus::Failed(RefundFailure::Declined);
        assert!(RefundStatus::Succeeded.may_become(failed));
        assert!(RefundStatus::Pending(PendingCause::Processing).may_become(failed));
        assert!(
            RefundStatus::Pending(PendingCause::InsufficientFunds)
                .may_become(RefundStatus::Pending(PendingCause::Processing))
        );
    }

    #[test]
    fn every_failure_has_its_own_description() {
        let descriptions: std::collections::BTreeSet<&str> = RefundFailure::ALL
            .iter()
            .map(|failure| failure.description())
            .collect();
        assert_eq!(descriptions.len(), RefundFailure::ALL.len());
    }
}
