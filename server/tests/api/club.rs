//! Tests of the API calls that a club makes (club.md).

mod archived_club;
mod concurrent_results;
mod dashboard;
mod draws;
mod duplicate_draws;
pub mod financials;
mod limits;
mod members;
mod page_and_offers;
mod payments;
mod payouts;
mod refusal_messages;
mod registration;
pub mod reports;
mod sessions;
mod step_up;
mod stripe_account;
pub mod winners;
