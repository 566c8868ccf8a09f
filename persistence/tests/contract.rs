//! Runs one test suite against the memory store and against Postgres. So the rules that hold in
//! simulations, which use the memory store, also hold in Postgres.

#[path = "support/world.rs"]
mod support;

#[path = "contract/ledger.rs"]
mod ledger;
#[path = "contract/messages.rs"]
mod messages;
#[path = "contract/nodes.rs"]
mod nodes;
#[path = "contract/purchases.rs"]
mod purchases;
#[path = "contract/together.rs"]
mod together;

use domain::{Terms, Timestamp};

use support::{TERMS, TestWorld};

/// Terms of a draw whose kick-off has passed by any correct clock.
const TERMS_WITH_PAST_KICK_OFF: Terms = Terms {
    closes_at: Timestamp(1_600_000_000_000),
    ..TERMS
};

/// Defines each test twice, once for each store. Each test gets three draws.
macro_rules! contract {
    ($($test:path => $name:ident,)*) => {
        mod in_postgres {
            use super::*;
            $(#[tokio::test] async fn $name() { $test(TestWorld::in_postgres(&[TERMS; 3]).await).await })*

            #[tokio::test]
            async fn sale_after_kick_off_prevents_all_commits() {
                together::sale_after_kick_off_prevents_all_commits(TestWorld::in_postgres(&[TERMS_WITH_PAST_KICK_OFF]).await).await;
            }
        }
        mod in_memory {
            use super::*;
            $(#[tokio::test] async fn $name() { $test(TestWorld::in_memory(&[TERMS; 3])).await })*

            #[tokio::test]
            async fn sale_after_kick_off_prevents_all_commits() {
                together::sale_after_kick_off_prevents_all_commits(TestWorld::in_memory(&[TERMS_WITH_PAST_KICK_OFF])).await;
            }
        }
    };
}

contract! {
    ledger::claim_loads_the_written_state => claim_loads_the_written_state,
    ledger::claim_leaves_out_unknown_draws => claim_leaves_out_unknown_draws,
    ledger::later_claim_fences_the_earlier_owner => later_claim_fences_the_earlier_owner,
    ledger::stale_revision_is_fenced => stale_revision_is_fenced,
    ledger::last_line_completes_the_order => last_line_completes_the_order,
    ledger::void_reverts_tickets_fee_and_reservation => void_reverts_tickets_fee_and_reservation,
    ledger::void_before_the_capture_rejects_the_order => void_before_the_capture_rejects_the_order,
    ledger::reject_works_until_all_tickets_are_allocated
        => reject_works_until_all_tickets_are_allocated,
    ledger::void_of_one_cart_line_leaves_the_order_quoted => void_of_one_cart_line_leaves_the_order_quoted,
    ledger::allocation_without_a_line_is_not_found => allocation_without_a_line_is_not_found,
    ledger::sale_needs_a_quoted_order => sale_needs_a_quoted_order,
    ledger::order_opened_with_a_payment_creates_no_intent =>
        order_opened_with_a_payment_creates_no_intent,
    ledger::order_is_opened_only_once => order_is_opened_only_once,
    ledger::repriced_order_has_its_new_lines => repriced_order_has_its_new_lines,
    ledger::claim_restores_the_draw_in_every_stage => claim_restores_the_draw_in_every_stage,
    ledger::live_draws_are_not_completed_or_cancelled => live_draws_are_not_completed_or_cancelled,
    together::commits_written_together_have_their_own_revisions => commits_written_together_have_their_own_revisions,
    together::expired_and_renewed_reservation_counts_once =>
        expired_and_renewed_reservation_counts_once,
    together::timer_commit_is_written_with_the_others => timer_commit_is_written_with_the_others,
    together::one_fenced_commit_prevents_all_commits => one_fenced_commit_prevents_all_commits,
    together::one_refused_commit_prevents_all_commits =>
        one_refused_commit_prevents_all_commits,
    together::commit_with_audit_entry_is_written_alone => commit_with_audit_entry_is_written_alone,
    nodes::draw_stays_with_its_owner_while_the_lease_runs => draw_stays_with_its_owner_while_the_lease_runs,
    nodes::expired_lease_frees_the_draws => expired_lease_frees_the_draws,
    nodes::takeover_ignores_only_the_lease_of_the_named_owner =>
        takeover_ignores_only_the_lease_of_the_named_owner,
    nodes::concurrent_claims_give_each_draw_to_one_node => concurrent_claims_give_each_draw_to_one_node,
    nodes::leaving_node_frees_its_draws => leaving_node_frees_its_draws,
    nodes::renewal_returns_other_nodes_and_the_eldest => renewal_returns_other_nodes_and_the_eldest,
    nodes::ended_process_is_removed_and_a_running_one_is_not =>
        ended_process_is_removed_and_a_running_one_is_not,
    nodes::changed_and_lost_draws_are_reported => changed_and_lost_draws_are_reported,
    nodes::deal_is_read_without_owning_the_draw => deal_is_read_without_owning_the_draw,
    purchases::order_has_one_payment_intent => order_has_one_payment_intent,
    purchases::buyer_details_are_filled_and_never_replaced => buyer_details_are_filled_and_never_replaced,
    purchases::buyer_details_close_after_capture_and_result => buyer_details_close_after_capture_and_result,
    purchases::buyer_is_corrected_until_the_authorisation => buyer_is_corrected_until_the_authorisation,
    purchases::capture_is_recorded_once_and_only_with_tickets => capture_is_recorded_once_and_only_with_tickets,
    purchases::mail_waits_for_an_address => mail_waits_for_an_address,
    purchases::refused_order_is_cancelled_and_released => refused_order_is_cancelled_and_released,
    purchases::refunded_order_gets_no_tickets => refunded_order_gets_no_tickets,
    purchases::refund_status_of_the_provider_is_followed_to_its_end
        => refund_status_of_the_provider_is_followed_to_its_end,
    purchases::order_with_tickets_cannot_be_ended => order_with_tickets_cannot_be_ended,
    purchases::refund_takes_the_fee_from_the_orders_that_hold_it => refund_takes_the_fee_from_the_orders_that_hold_it,
    purchases::fee_refund_waits_for_the_capture_that_holds_the_fee =>
        fee_refund_waits_for_the_capture_that_holds_the_fee,
    purchases::fee_held_by_a_pending_capture_is_owed_until_captured =>
        fee_held_by_a_pending_capture_is_owed_until_captured,
    purchases::operations_are_claimed_once_captures_first => operations_are_claimed_once_captures_first,
    purchases::attempt_ends_or_postpones_an_operation => attempt_ends_or_postpones_an_operation,
    purchases::open_and_captured_orders_are_found_by_age => open_and_captured_orders_are_found_by_age,
    messages::webhook_event_is_stored_once => webhook_event_is_stored_once,
    messages::anomaly_is_open_once_until_it_heals => anomaly_is_open_once_until_it_heals,
    messages::anomaly_closed_by_a_person_is_not_raised_again => anomaly_closed_by_a_person_is_not_raised_again,
    messages::owners_of_ticket_payment_and_account_are_found =>
        owners_of_ticket_payment_and_account_are_found,
    messages::mail_is_sent_once => mail_is_sent_once,
    messages::event_waits_for_its_receiver_until_gone_or_overdue =>
        event_waits_for_its_receiver_until_gone_or_overdue,
    messages::mail_of_a_gone_sender_is_claimed_at_once => mail_of_a_gone_sender_is_claimed_at_once,
    messages::note_of_an_open_anomaly_is_replaced_once => note_of_an_open_anomaly_is_replaced_once,
    messages::inquiry_about_an_order_mails_its_club_once
        => inquiry_about_an_order_mails_its_club_once,
    messages::newer_snapshot_replaces_the_older => newer_snapshot_replaces_the_older,
    messages::snapshots_are_stored_in_one_call => snapshots_are_stored_in_one_call,
    messages::payment_has_one_kind_of_repair_at_a_time => payment_has_one_kind_of_repair_at_a_time,
    messages::payments_with_open_anomalies_are_found_together
        => payments_with_open_anomalies_are_found_together,
    messages::not_charged_mail_is_queued_once_for_waiting_buyers =>
        not_charged_mail_is_queued_once_for_waiting_buyers,
    messages::dispute_of_an_order_mails_its_club_once =>
        dispute_of_an_order_mails_its_club_once,
}
