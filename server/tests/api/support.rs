//! Test fixtures: a server with its own database, and clients for its API.

pub mod buyer;
pub mod clock;
pub mod club;
pub mod fingerprint;
pub mod schema_check;
pub mod server;
pub mod socket;
pub mod stripe_dashboard;

pub use buyer::Buyer;
pub use server::TestServer;

/// Test cards of the sandbox: one is approved, one is declined, one requires 3-D Secure.
pub const GOOD_CARD: &str = "pm_card_visa";
pub const DECLINED_CARD: &str = "pm_card_chargeDeclined";
pub const CARD_WITH_3DS: &str = "pm_card_threeDSecure2Required";
