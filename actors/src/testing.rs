//! Support for tests and simulations: a clock that follows tokio's clock, and a payment provider in
//! memory with fault injection.

mod buyer_actions;
mod clock;
mod gateway;
mod provider;

pub use clock::ManualClock;
pub use gateway::{FakeGateway, Fault, GatewayCall, GatewayMethod};
pub use provider::{FakeIntent, ProviderAccountTotals, platform_application};
