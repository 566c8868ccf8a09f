//! The payment sandbox must fail, repeat and save responses exactly like Stripe. Otherwise tests
//! that use it prove nothing.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test may panic")]

mod account;
mod capture;
mod client;
mod confirm;
mod confirmation_token;
mod fault;
mod idempotency;
mod intent;
mod mailbox;
mod page;
mod payment_method_domain;
mod platform;
mod refund;
mod strictness;
mod support;
mod webhook;
