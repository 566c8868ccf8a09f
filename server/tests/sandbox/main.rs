//! The payment sandbox must fail, repeat and store results exactly as the real provider does.
//! Otherwise tests against it prove nothing.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test may panic")]

mod account;
mod capture;
mod client;
mod confirm;
mod fault;
mod idempotency;
mod intent;
mod mailbox;
mod page;
mod refund;
mod support;
mod webhook;
