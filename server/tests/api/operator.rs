//! Tests of the API calls that the operator makes (operator.md).

mod access_log;
mod audit_trail;
mod console_calls;
mod draw_change_mails;
mod draw_edits;
mod foreign_payments;
mod fresh_operator_code;
mod health;
mod metrics;
mod money_reconciliation;
mod orphaned_tickets;
mod refund_and_dispute_endings;
mod refusal_messages;
mod refused_allocations;
mod reports;
mod result_reminders;
mod unmatched_payments;
