//! The public proof that a deal was fair (decision K-1).

use serde::Serialize;
use utoipa::ToSchema;

/// The data with which anyone can verify that the tickets of one draw were dealt fairly.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    pub draw_number: i64,
    /// `SHA-256("football-doubles-v1" ‖ draw number ‖ seed)` in hexadecimal, published when the
    /// draw is created.
    pub commitment: String,
    /// The deal's seed: 32 bytes in hexadecimal. Null until the draw is completed and kick-off is
    /// past (decision E-6).
    pub seed: Option<String>,
    pub revealed: bool,
    pub algorithm: &'static str,
    pub sold_tickets: Vec<u16>,
    /// All sales and returns of tickets in their sequence. Null while the seed is.
    ///
    /// Never-sold tickets are sold first, then returned ones, each by ascending number (decision
    /// M-3). Also null for a draw that resold tickets before decision M-3 applied.
    pub ticket_moves: Option<Vec<TicketMove>>,
    pub result: Option<ProofResult>,
    /// Ticket number of the winning ticket. Null while the seed is, because with the result this
    /// number discloses the ticket's number pair.
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
