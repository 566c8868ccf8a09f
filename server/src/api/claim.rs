//! A winner's bank details: submitted once, shown masked (decision B-4).

use persistence::records::bank_changes::ProposedBankChange;
use persistence::records::claims::{
    BankDetailsSource as BankSource, ClaimBankDetails, WinnerClaim as ClaimRecord,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::time_format::rfc3339;

/// Bank details as the club or the winner submits them.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct BankDetails {
    /// The secret of the claim link that was mailed to the winner. Absent when the club submits.
    pub token: Option<String>,
    pub account_name: Option<String>,
    /// Bank account number: six to ten digits.
    pub account_number: Option<String>,
    /// Bank branch code (BSB): six digits, with or without a hyphen.
    pub bsb: Option<String>,
}

/// Bank details as they are shown: the name, and the last digits of the numbers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MaskedBankDetails {
    pub account_name: String,
    /// Masked account number: `••••321`.
    pub account_number: String,
    /// Masked bank branch code (BSB): `•••-•21`.
    pub bsb: String,
    pub received_at: String,
    /// Who entered the details: `winner` or `club`.
    pub from: &'static str,
    /// Proposed new details that a second person must approve, because the winner submitted the
    /// current ones.
    pub pending_approval: Option<PendingApproval>,
}

/// Proposed bank details, masked. They replace the winner's details when a second person of the
/// club enters the same details.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingApproval {
    pub account_name: String,
    pub account_number: String,
    pub bsb: String,
    pub expires_at: String,
    /// Whether the caller proposed the details, so that another person has to approve them.
    pub is_own: bool,
}

impl PendingApproval {
    pub fn for_caller(pending: &ProposedBankChange, caller: &str) -> PendingApproval {
        PendingApproval {
            account_name: pending.bank.account_name.clone(),
            account_number: pending.bank.masked_number(),
            bsb: pending.bank.masked_bsb(),
            expires_at: rfc3339(pending.expires_at),
            is_own: pending.by == caller,
        }
    }
}

/// Unmasked bank details, for paying the prize.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnmaskedBankDetails {
    pub account_name: String,
    pub account_number: String,
    /// Bank branch code (BSB): `123-456`.
    pub bsb: String,
}

impl MaskedBankDetails {
    /// Masks a winner's bank details; `None` when none were submitted.
    pub fn from_claim(
        claim: &ClaimRecord,
        bank: &ClaimBankDetails,
        pending_approval: Option<PendingApproval>,
    ) -> Option<MaskedBankDetails> {
        let (at, by) = claim.received?;
        Some(MaskedBankDetails {
            account_name: bank.account_name.clone(),
            account_number: bank.masked_number(),
            bsb: bank.masked_bsb(),
            received_at: rfc3339(at),
            from: match by {
                BankSource::Winner => "winner",
                BankSource::Club => "club",
            },
            pending_approval,
        })
    }
}

impl From<&ClaimBankDetails> for UnmaskedBankDetails {
    fn from(bank: &ClaimBankDetails) -> UnmaskedBankDetails {
        let (start, end) = bank.bsb.split_at_checked(3).unwrap_or((&bank.bsb, ""));
        UnmaskedBankDetails {
            account_name: bank.account_name.clone(),
            account_number: bank.account_number.clone(),
            bsb: format!("{start}-{end}"),
        }
    }
}

/// The data of the winner's claim page, which the mailed link opens without a login.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// State of the claim: `open`, `received` (bank details submitted), `completed` or `expired`.
    pub state: &'static str,
    pub draw_number: i64,
    pub serial_number: String,
    pub home_team: String,
    pub away_team: String,
    pub league: Option<String>,
    pub game_date: String,
    pub timezone: String,
    pub home_number: u8,
    pub away_number: u8,
    pub prize: String,
    pub winner_name: String,
    pub club_name: String,
    pub club_slug: String,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
    pub respond_by: Option<String>,
    /// The bank details that the club has, masked; null when there are none.
    pub bank: Option<MaskedBankDetails>,
}
