//! For tests and simulations: a clock that follows tokio's, and a payment provider in memory that fails on demand.

mod clock;
mod gateway;
mod people;
mod provider;

pub use clock::ManualClock;
pub use gateway::{Asked, FakeGateway, Fault, Verb};
pub use provider::{Intent, Takings};
