//! Disputes as the payment provider reports them: the buyer's bank takes a payment back, or asks
//! about it.

/// The status of a dispute. Source: `status` of Stripe's dispute object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisputeStatus {
    /// An inquiry: the bank asks about the payment. No money was taken.
    WarningNeedsResponse,
    WarningUnderReview,
    /// The inquiry ended without a dispute.
    WarningClosed,
    NeedsResponse,
    UnderReview,
    AppealNeedsResponse,
    AppealUnderReview,
    /// The money is back with the club.
    Won,
    /// The buyer's bank keeps the money.
    Lost,
    /// The provider ended the dispute before it began.
    Prevented,
    /// A status that is not known. It counts as an open dispute.
    Unknown,
}

impl DisputeStatus {
    pub const ALL: [DisputeStatus; 11] = [
        DisputeStatus::WarningNeedsResponse,
        DisputeStatus::WarningUnderReview,
        DisputeStatus::WarningClosed,
        DisputeStatus::NeedsResponse,
        DisputeStatus::UnderReview,
        DisputeStatus::AppealNeedsResponse,
        DisputeStatus::AppealUnderReview,
        DisputeStatus::Won,
        DisputeStatus::Lost,
        DisputeStatus::Prevented,
        DisputeStatus::Unknown,
    ];

    /// Returns the provider's name of the status.
    pub fn name(self) -> &'static str {
        match self {
            DisputeStatus::WarningNeedsResponse => "warning_needs_response",
            DisputeStatus::WarningUnderReview => "warning_under_review",
            DisputeStatus::WarningClosed => "warning_closed",
            DisputeStatus::NeedsResponse => "needs_response",
            DisputeStatus::UnderReview => "under_review",
            DisputeStatus::AppealNeedsResponse => "appeal_needs_response",
            DisputeStatus::AppealUnderReview => "appeal_under_review",
            DisputeStatus::Won => "won",
            DisputeStatus::Lost => "lost",
            DisputeStatus::Prevented => "prevented",
            DisputeStatus::Unknown => "unknown",
        }
    }

    /// Parses the provider's name. An unknown name is [`DisputeStatus::Unknown`].
    pub fn from_name(name: &str) -> DisputeStatus {
        DisputeStatus::ALL
            .into_iter()
            .find(|status| status.name() == name)
            .unwrap_or(DisputeStatus::Unknown)
    }

    /// Whether the buyer's bank holds the payment's money, or keeps it. Then a refund would pay the
    /// buyer twice.
    pub fn holds_money(self) -> bool {
        match self {
            DisputeStatus::NeedsResponse
            | DisputeStatus::UnderReview
            | DisputeStatus::AppealNeedsResponse
            | DisputeStatus::AppealUnderReview
            | DisputeStatus::Lost
            | DisputeStatus::Unknown => true,
            DisputeStatus::WarningNeedsResponse
            | DisputeStatus::WarningUnderReview
            | DisputeStatus::WarningClosed
            | DisputeStatus::Won
            | DisputeStatus::Prevented => false,
        }
    }

    /// Says for the operator what the status means.
    pub fn description(self) -> &'static str {
        match self {
            DisputeStatus::WarningNeedsResponse => {
                "Inquiry: the buyer's bank asks about the payment. No money was taken. The club should answer."
            }
            DisputeStatus::WarningUnderReview => {
                "Inquiry: the club has answered, and the buyer's bank decides. No money was taken."
            }
            DisputeStatus::WarningClosed => {
                "The inquiry ended without a dispute. The club keeps the money."
            }
            DisputeStatus::NeedsResponse => {
                "Dispute: the buyer's bank has taken the money. The club can answer."
            }
            DisputeStatus::UnderReview => {
                "Dispute: the club has answered, and the buyer's bank decides."
            }
            DisputeStatus::AppealNeedsResponse => {
                "Dispute: the buyer's bank appeals. The club can answer."
            }
            DisputeStatus::AppealUnderReview => {
                "Dispute: the club has answered the appeal, and the card network decides."
            }
            DisputeStatus::Won => "The club won the dispute. The money is back with the club.",
            DisputeStatus::Lost => "The club lost the dispute. The buyer's bank keeps the money.",
            DisputeStatus::Prevented => "The dispute was prevented. The club keeps the money.",
            DisputeStatus::Unknown => "The buyer's bank disputes the payment.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DisputeStatus;

    #[test]
    fn dispute_status_is_parsed_back_from_its_name() {
        for status in DisputeStatus::ALL {
            assert_eq!(DisputeStatus::from_name(status.name()), status);
        }
        assert_eq!(
            DisputeStatus::from_name("escalated"),
            DisputeStatus::Unknown
        );
        assert!(DisputeStatus::Unknown.holds_money());
    }

    #[test]
    fn inquiry_holds_no_money() {
        for status in DisputeStatus::ALL {
            assert!(
                !status.name().starts_with("warning_") || !status.holds_money(),
                "{status:?}"
            );
        }
    }
}
