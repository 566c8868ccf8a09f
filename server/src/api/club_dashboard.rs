//! What a club's dashboard shows beside its draws: tasks, the pace of sales, buyers and the
//! activity log.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Something that the club has to do.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClubTask {
    /// `enter-result`, `notify-winner`, `remind-winner` (did not answer in time), `pay-winner`,
    /// `connect-stripe` or `confirm-email`.
    pub kind: &'static str,
    /// Since when the task waits.
    pub since: String,
    /// The draw of the task. Null for a task about the club's account.
    pub draw: Option<ClubTaskDraw>,
}

/// The draw that a task is about.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClubTaskDraw {
    pub draw_number: i64,
    pub home_team: String,
    pub away_team: String,
    pub prize: String,
    /// Null before the winner is known, and for viewers, who see no names.
    pub winner_name: Option<String>,
}

/// The sales of a draw compared with the club's last game.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrawPace {
    pub draw_number: i64,
    /// The club's last game.
    pub last_draw_number: i64,
    pub last_home_team: String,
    pub last_away_team: String,
    /// Tickets that the last game had sold as long before its kick-off as it is now before the
    /// kick-off of this draw.
    pub last_sold: u16,
}

/// How a draw's tickets sold over time.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesCurve {
    pub draw_number: i64,
    pub home_team: String,
    pub away_team: String,
    /// Ascending in time: how many minutes before kick-off the sale was, and how many tickets were
    /// sold then.
    pub points: Vec<SalesPoint>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesPoint {
    /// Negative after kick-off.
    pub minutes_before_kick_off: i64,
    pub sold: usize,
}

/// The sales of a draw, and of the club's game before it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrawSales {
    pub this: SalesCurve,
    /// Null when the club has no earlier game.
    pub last: Option<SalesCurve>,
}

/// A paid order of one of the club's buyers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BuyerOrder {
    pub order_id: String,
    pub buyer_name: String,
    pub buyer_email: String,
    pub buyer_phone: Option<String>,
    pub bought_at: String,
    pub total: String,
    pub ticket_count: i64,
    pub draw_numbers: Vec<i64>,
}

/// The outcome of sending a buyer's tickets again.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TicketsResent {
    /// False when the mail was sent often enough within the last hour.
    pub sent: bool,
}

/// An entry of the club's activity log.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClubActivity {
    pub id: i64,
    pub at: String,
    /// The person's name, `your club’s login`, `the platform operator` or `the winner`.
    pub by: String,
    /// The action's name in the audit log, such as `enter-results`.
    pub action: String,
    /// The game of a draw; null for another object.
    pub game: Option<String>,
    pub draw_number: Option<i64>,
}

/// Query parameters of the buyer search.
#[derive(Deserialize)]
pub struct BuyerSearchQuery {
    #[serde(default)]
    pub q: String,
}

/// Query parameters of the activity log.
#[derive(Deserialize)]
pub struct ActivityQuery {
    pub before: Option<i64>,
}
