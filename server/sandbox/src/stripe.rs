//! Stripe's API below `/sandbox/stripe/v1/`: its objects, their state, and the calls that read and
//! change them.

pub mod account;
pub mod api;
pub mod api_call;
pub mod balance_transaction;
pub mod card;
pub mod charge;
pub mod dispute;
pub mod early_fraud_warning;
pub mod event;
pub mod failure;
pub mod fee;
pub mod form;
pub mod id;
pub mod idempotency;
pub mod intent;
pub mod journal_record;
pub mod ledger;
pub mod listing;
pub mod payment_method;
pub mod refund;
pub mod route;
pub mod snapshot;
pub mod state;
pub mod table;
