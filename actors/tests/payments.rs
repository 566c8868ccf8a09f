//! Tests of payments. Five entry points call one idempotent `fulfil`. However often and through
//! whichever entry point a payment is reported, its tickets are allocated once and its money is
//! captured once.

use actors::FulfilStatus;

#[path = "payments/anomalies.rs"]
mod anomalies;
#[path = "payments/concurrency.rs"]
mod concurrency;
#[path = "payments/entry_points.rs"]
mod entry_points;
#[path = "payments/faults.rs"]
mod faults;
#[path = "payments/foreign_payments.rs"]
mod foreign_payments;
#[path = "payments/late_payments.rs"]
mod late_payments;
#[path = "payments/mails.rs"]
mod mails;
#[path = "payments/open_anomalies.rs"]
mod open_anomalies;
#[path = "payments/order_opening.rs"]
mod order_opening;
#[path = "payments/provider_calls.rs"]
mod provider_calls;
#[path = "payments/refund_and_dispute_endings.rs"]
mod refund_and_dispute_endings;
#[path = "payments/refunds.rs"]
mod refunds;
#[path = "payments/restored_backup.rs"]
mod restored_backup;
#[path = "payments/revealed_draws.rs"]
mod revealed_draws;
#[path = "payments/worker_wakeups.rs"]
mod worker_wakeups;
#[path = "support/world.rs"]
mod world;

fn is_not_charged(status: &FulfilStatus) -> bool {
    matches!(status, FulfilStatus::NotCharged { .. })
}
