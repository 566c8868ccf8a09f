//! The public proof that a deal was fair (decision K-1).

use serde::Serialize;
use utoipa::ToSchema;

/// The proof of one draw.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    pub draw_number: i64,
    /// `SHA-256("football-doubles-v1" ‖ draw number ‖ seed)` in hexadecimal, published when the
    /// draw is created.
    pub commitment: String,
    /// 32 bytes in hexadecimal, after completion and kick-off (decision E-6).
    pub seed: Option<String>,
    pub revealed: bool,
    pub algorithm: &'static str,
    pub sold_tickets: Vec<u16>,
    /// Tickets in the order in which they were sold and returned, shown together with the seed.
    ///
    /// Never-sold tickets are sold first, then returned ones, each by ascending number (decision
    /// M-3). `null` also for a draw that resold tickets before that rule.
    pub ticket_moves: Option<Vec<TicketMove>>,
    pub result: Option<ProofResult>,
    /// Shown together with the seed. With the result it discloses the ticket's number pair.
    pub winning_ticket: Option<u16>,
}

/// A ticket that was sold or returned.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct TicketMove {
    pub ticket: u16,
    /// Whether the ticket was returned, because its payment failed or was refunded.
    pub returned: bool,
}

/// The winning number pair.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct ProofResult {
    pub home: u8,
    pub away: u8,
}
