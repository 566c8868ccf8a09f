//! Stripe's API below `/sandbox/stripe/v1/`: its objects, their state, and the calls that read and
//! change them.

pub mod account;
pub mod api;
pub mod call;
pub mod card;
pub mod charge;
pub mod dispute;
pub mod event;
pub mod failure;
pub mod fee;
pub mod form;
pub mod id;
pub mod idempotency;
pub mod intent;
pub mod ledger;
pub mod listing;
pub mod method;
pub mod record;
pub mod refund;
pub mod route;
pub mod snapshot;
pub mod state;
pub mod table;
pub mod transaction;
