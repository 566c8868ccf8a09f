//! A server of one's own, and the people who meet it.

pub mod buyer;
pub mod clock;
pub mod club;
pub mod dashboard;
pub mod server;
pub mod shape;
pub mod socket;

pub use buyer::Buyer;
pub use server::TestServer;

/// A card that is approved, one that is declined, one that asks for 3-D Secure.
pub const GOOD_CARD: &str = "pm_card_visa";
pub const BAD_CARD: &str = "pm_card_chargeDeclined";
pub const CARD_WITH_3DS: &str = "pm_card_threeDSecure2Required";
