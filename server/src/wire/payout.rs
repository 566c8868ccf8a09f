//! Results, payouts and a draw's money, for its club and the operator.

use persistence::records::payouts::Payout as Row;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::claim::BankShown;
use super::draw::Draw;
use super::instant::rfc3339;
use super::loose;
use crate::takings::Takings;

/// The two first try scorers' jersey numbers, 1 to 13; 9 when a team did not score (B:65).
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnterResult {
    #[serde(default, deserialize_with = "loose::whole")]
    pub home_first_try_scorer: Option<i64>,
    #[serde(default, deserialize_with = "loose::whole")]
    pub away_first_try_scorer: Option<i64>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultEntered {
    /// One, as every pair is on a ticket; `sold: false` when nobody bought it (decision D-11). Empty until kick-off.
    pub winning_tickets: Vec<WinningTicket>,
    /// Kick-off, while the winning ticket is withheld until then; else null (decision E-6).
    pub revealed_at: Option<String>,
    pub prize: String,
    pub draw: Draw,
}

/// The winning ticket with its buyer, for the owning club.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WinningTicket {
    pub ticket_number: u16,
    pub serial_number: String,
    pub home_number: u8,
    pub away_number: u8,
    pub sold: bool,
    pub buyer_name: Option<String>,
    pub buyer_email: Option<String>,
    pub buyer_phone: Option<String>,
    /// `pending`, `details_received` or `completed` (decision D-17); null when nobody bought it.
    pub winner_payout_status: Option<&'static str>,
    /// The buyer's bank disputes the payment: no payout until that is resolved (decision C-25).
    pub disputed: bool,
    /// Until when the mailed link takes bank details.
    pub respond_by: Option<String>,
    pub bank: Option<BankShown>,
}

/// Who won, for the club's dashboard.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Winners {
    /// As in the answer of the result.
    pub winning_tickets: Vec<WinningTicket>,
    /// Kick-off, while the winning ticket is withheld until then; else null (decision E-6).
    pub revealed_at: Option<String>,
    pub prize: String,
    /// The winner was written to about this result.
    pub notified: bool,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notified {
    /// Mails queued or sent for this result.
    pub emails_sent: u16,
    pub total_winners: u16,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Payout {
    pub id: i64,
    pub draw_id: i64,
    pub club_id: i64,
    /// `club_share` or `winner`.
    pub r#type: String,
    pub amount: String,
    pub status: String,
    pub recipient_name: Option<String>,
    pub recipient_email: Option<String>,
    pub note: Option<String>,
    pub failure_reason: Option<String>,
    pub created_at: String,
    pub completed_at: Option<String>,
}

impl From<&Row> for Payout {
    fn from(row: &Row) -> Payout {
        Payout {
            id: row.id,
            draw_id: row.draw.0,
            club_id: row.club.0,
            r#type: row.kind.clone(),
            amount: row.amount.decimal(),
            status: row.status.clone(),
            recipient_name: row.recipient_name.clone(),
            recipient_email: row.recipient_email.clone(),
            note: row.note.clone(),
            failure_reason: row.failure_reason.clone(),
            created_at: rfc3339(row.created_at),
            completed_at: row.completed_at.map(rfc3339),
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub struct RecordPayout {
    #[serde(default)]
    pub r#type: String,
}

#[derive(Deserialize, ToSchema)]
pub struct SettlePayout {
    #[serde(default)]
    pub status: String,
    pub note: Option<String>,
}

/// A draw's money (B:119).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Financials {
    pub sold_tickets: u16,
    pub total_revenue: String,
    /// The provider's own fees; estimated where its balance transaction is not known yet (decision D-18).
    pub actual_stripe_fees: String,
    pub fees_estimated: bool,
    pub platform_fee: String,
    pub prize_pool: String,
    /// Revenue less platform fee and less the card fees the club bears.
    pub club_revenue: String,
    pub actual_transaction_count: i64,
    pub card_fees_paid_by_buyers: String,
    /// The prize comes off the club's revenue: the winning ticket was sold, or it is not revealed yet (decisions D-12,
    /// E-6).
    pub prize_due: bool,
    pub club_profit: String,
}

impl From<&Takings> for Financials {
    fn from(takings: &Takings) -> Financials {
        Financials {
            sold_tickets: takings.sold,
            total_revenue: takings.revenue.decimal(),
            actual_stripe_fees: takings.provider_fees.decimal(),
            fees_estimated: takings.is_estimated,
            platform_fee: takings.platform_fee.decimal(),
            prize_pool: takings.prize.decimal(),
            club_revenue: takings.club_revenue().decimal(),
            actual_transaction_count: takings.orders,
            card_fees_paid_by_buyers: takings.passed_on.decimal(),
            prize_due: takings.prize_is_due,
            club_profit: takings.club_profit().decimal(),
        }
    }
}

/// The dashboard's figures (decision B-5).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    pub total_revenue: String,
    pub tickets_sold: u32,
    pub club_profit: String,
    pub fees_estimated: bool,
    pub draws: DrawCounts,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct DrawCounts {
    pub active: usize,
    pub awaiting: usize,
    pub completed: usize,
}
