//! Where a winner's prize is to be sent: told once, shown masked (decision B-4).

use persistence::records::claims::{Bank, Claim as Row, From as By};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::instant::rfc3339;

/// As the club or the winner tells it.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct BankTold {
    /// Of the mailed link; the club's own call has none.
    pub token: Option<String>,
    pub account_name: Option<String>,
    /// Six to ten digits.
    pub account_number: Option<String>,
    /// Six digits, with or without a hyphen.
    pub bsb: Option<String>,
}

/// As it is shown: who, and the last digits.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BankShown {
    pub account_name: String,
    /// `••••321`.
    pub account_number: String,
    /// `•••-•21`.
    pub bsb: String,
    pub received_at: String,
    /// `winner` or `club`.
    pub from: &'static str,
}

/// Whole, for the one moment in which the club types it into its bank's page.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BankWhole {
    pub account_name: String,
    pub account_number: String,
    /// `123-456`.
    pub bsb: String,
}

/// The club's own password, asked for once more.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct PasswordAgain {
    pub password: Option<String>,
}

impl BankShown {
    /// `None`: nobody told it.
    pub fn of(claim: &Row, bank: &Bank) -> Option<BankShown> {
        let (at, by) = claim.received?;
        Some(BankShown {
            account_name: bank.account_name.clone(),
            account_number: format!("••••{}", last(&bank.account_number, 3)),
            bsb: format!("•••-•{}", last(&bank.bsb, 2)),
            received_at: rfc3339(at),
            from: match by {
                By::Winner => "winner",
                By::Club => "club",
            },
        })
    }
}

impl From<&Bank> for BankWhole {
    fn from(bank: &Bank) -> BankWhole {
        let (start, end) = bank.bsb.split_at_checked(3).unwrap_or((&bank.bsb, ""));
        BankWhole {
            account_name: bank.account_name.clone(),
            account_number: bank.account_number.clone(),
            bsb: format!("{start}-{end}"),
        }
    }
}

fn last(digits: &str, count: usize) -> &str {
    digits
        .get(digits.len().saturating_sub(count)..)
        .unwrap_or_default()
}

/// What the winner's own page shows. The link is the key; no login.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// `open`, `received`, `completed` or `expired`.
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
}
