//! Tests of the API calls that the operator makes (operator.md).

mod access_log;
mod audit_trail;
mod chosen_tickets;
mod console_calls;
mod draw_edits;
mod fresh_code;
mod health;
mod metrics;
mod money_agreement;
mod orphaned_tickets;
mod refusal_messages;
mod refused_allocations;
mod reports;
