//! Results, payouts and financials of a draw, for its club and the operator.

use persistence::records::payouts::Payout as PayoutRecord;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::claim::MaskedBankDetails;
use super::draw::Draw;
use super::lenient_numbers;
use super::time_format::rfc3339;

/// The jersey numbers of the first try scorers, 1 to 13; 9 when a team did not score.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnterResult {
    #[serde(
        default,
        deserialize_with = "lenient_numbers::deserialize_whole_number"
    )]
    pub home_first_try_scorer: Option<i64>,
    #[serde(
        default,
        deserialize_with = "lenient_numbers::deserialize_whole_number"
    )]
    pub away_first_try_scorer: Option<i64>,
}

/// The response to entering a result.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultEntered {
    /// The winning ticket as a list of one, because every number pair is on exactly one ticket. Its
    /// field `sold` is false when nobody bought it (decision D-11). Empty before kick-off.
    pub winning_tickets: Vec<WinningTicket>,
    /// Time of kick-off, at which the winning ticket is revealed. Null once it is revealed
    /// (decision E-6).
    pub revealed_at: Option<String>,
    pub prize: String,
    pub draw: Draw,
}

/// The winning ticket with its buyer, for the club.
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
    /// `pending`, `details_received` or `completed` (decision D-17); null when the ticket was not
    /// sold.
    pub winner_payout_status: Option<&'static str>,
    /// Whether the buyer's bank disputes the payment. No payout until that is resolved (decision
    /// C-25).
    pub disputed: bool,
    /// When the winner's claim link expires. Afterwards the winner can submit no bank details.
    pub respond_by: Option<String>,
    pub bank: Option<MaskedBankDetails>,
}

/// The winner, for the club's dashboard.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Winners {
    /// The winning ticket as a list of one. Empty before kick-off.
    pub winning_tickets: Vec<WinningTicket>,
    /// Time of kick-off, at which the winning ticket is revealed. Null once it is revealed
    /// (decision E-6).
    pub revealed_at: Option<String>,
    pub prize: String,
    /// Whether the winner was notified of this result.
    pub notified: bool,
    /// When the newest mail to the winner was queued.
    pub notified_at: Option<String>,
    /// Whether the newest mail to the winner could not be delivered.
    pub mail_failed: bool,
    /// Who entered the result, and when. Null when the audit log does not tell.
    pub entered: Option<ResultAuthor>,
}

/// Who entered the current result.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultAuthor {
    /// The person's name, `your club’s login` or `the platform operator`.
    pub by: String,
    pub entered_at: String,
}

/// The body that notifies the winner.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct NotifyWinner {
    /// Whether to send another mail with a new link when the winner was notified before.
    pub again: bool,
}

/// The response to notifying the winner.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WinnerNotified {
    /// Number of mails to the winner queued or sent for this result.
    pub emails_sent: u16,
    pub total_winners: u16,
}

/// A recorded payout.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Payout {
    pub id: i64,
    pub draw_id: i64,
    pub club_id: i64,
    /// Who is paid: `club_share` or `winner`.
    pub r#type: String,
    pub amount: String,
    pub status: String,
    pub recipient_name: Option<String>,
    pub recipient_email: Option<String>,
    pub note: Option<String>,
    pub failure_reason: Option<String>,
    pub created_at: String,
    pub completed_at: Option<String>,
    /// Until when a completed payout to a winner can be set back to pending.
    pub undo_until: Option<String>,
}

/// How long a completed payout to a winner can be undone, in seconds.
pub const PAYOUT_UNDO_SECONDS: i64 = 86_400;

impl From<&PayoutRecord> for Payout {
    fn from(row: &PayoutRecord) -> Payout {
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
            undo_until: row
                .completed_at
                .filter(|_| row.kind == "winner")
                .map(|at| rfc3339(at.plus_seconds(PAYOUT_UNDO_SECONDS))),
        }
    }
}

/// The body that records a payout.
#[derive(Deserialize, ToSchema)]
pub struct RecordPayout {
    #[serde(default)]
    pub r#type: String,
}

/// The body that marks a payout as completed or failed, or sets a completed one back to pending.
#[derive(Deserialize, ToSchema)]
pub struct SettlePayout {
    #[serde(default)]
    pub status: String,
    pub note: Option<String>,
}

/// A draw's financials.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Financials {
    pub sold_tickets: u16,
    /// Paid tickets whose buyer left no e-mail address. They do not count as sold (decision F-3).
    pub tickets_without_buyer: u16,
    pub total_revenue: String,
    /// Stripe's fees; estimated while a balance transaction is missing (decision D-18).
    pub actual_stripe_fees: String,
    pub fees_estimated: bool,
    pub platform_fee: String,
    pub prize_pool: String,
    /// Revenue minus the platform fee and the card fees that the club pays.
    pub club_revenue: String,
    pub actual_transaction_count: i64,
    pub card_fees_paid_by_buyers: String,
    /// Whether the prize reduces the club's profit: the winning ticket was sold, or is not revealed
    /// yet (decisions D-12, E-6).
    pub prize_due: bool,
    pub club_profit: String,
}

/// Totals for the club's dashboard (decision B-5).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClubStats {
    pub total_revenue: String,
    pub tickets_sold: u32,
    /// Paid tickets whose buyer left no e-mail address. They do not count as sold (decision F-3).
    pub tickets_without_buyer: u32,
    pub club_profit: String,
    pub fees_estimated: bool,
    pub draws: DrawCounts,
    /// The draws with paid tickets that have no buyer. Their counts and prizes differ from those of
    /// the public draw.
    pub draws_without_buyers: Vec<DrawWithoutBuyers>,
}

/// A draw with paid tickets whose buyer left no e-mail address.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrawWithoutBuyers {
    pub draw_number: i64,
    pub tickets_without_buyer: u16,
    /// The prize that counts only tickets with a buyer; the announced prize after the result.
    pub prize: String,
}

/// Numbers of a club's draws by status.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct DrawCounts {
    pub active: usize,
    pub awaiting: usize,
    pub completed: usize,
}
