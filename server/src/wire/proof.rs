//! That the deal was fair, for anyone to check (decision K-1).

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    pub draw_number: i64,
    /// `SHA-256("football-doubles-v1" ‖ draw number ‖ seed)`, published at creation, in hexadecimal.
    pub commitment: String,
    /// 32 bytes in hexadecimal, once the draw is completed and its kick-off has passed (decision E-6).
    pub seed: Option<String>,
    pub revealed: bool,
    pub algorithm: &'static str,
    pub sold_tickets: Vec<u16>,
    pub result: Option<ProofResult>,
    /// As the seed, not before: with the result it tells a ticket's pair.
    pub winning_ticket: Option<u16>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct ProofResult {
    pub home: u8,
    pub away: u8,
}
