//! One suite, run against both memories: what holds in the simulations holds in Postgres.

#[path = "support/world.rs"]
mod support;

#[path = "contract/books.rs"]
mod books;
#[path = "contract/ledger.rs"]
mod ledger;
#[path = "contract/messages.rs"]
mod messages;
#[path = "contract/nodes.rs"]
mod nodes;
#[path = "contract/together.rs"]
mod together;

use domain::{Terms, Timestamp};

use support::{TERMS, World};

/// A draw whose kick-off is long over by any right clock.
const OVER: Terms = Terms {
    closes_at: Timestamp(1_600_000_000_000),
    ..TERMS
};

/// Each test twice, on three draws.
macro_rules! contract {
    ($($test:path => $name:ident,)*) => {
        mod in_postgres {
            use super::*;
            $(#[tokio::test] async fn $name() { $test(World::in_postgres(&[TERMS; 3]).await).await })*

            #[tokio::test]
            async fn a_sale_after_kick_off_falls_with_all_that_came_along() {
                together::a_sale_after_kick_off_falls_with_all_that_came_along(World::in_postgres(&[OVER]).await).await;
            }
        }
        mod in_memory {
            use super::*;
            $(#[tokio::test] async fn $name() { $test(World::in_memory(&[TERMS; 3]).await).await })*

            #[tokio::test]
            async fn a_sale_after_kick_off_falls_with_all_that_came_along() {
                together::a_sale_after_kick_off_falls_with_all_that_came_along(World::in_memory(&[OVER]).await).await;
            }
        }
    };
}

contract! {
    ledger::a_claim_loads_what_was_written => a_claim_loads_what_was_written,
    ledger::a_claim_leaves_out_unknown_draws => a_claim_leaves_out_unknown_draws,
    ledger::a_later_claim_fences_the_earlier_owner => a_later_claim_fences_the_earlier_owner,
    ledger::a_stale_revision_is_fenced => a_stale_revision_is_fenced,
    ledger::the_last_line_completes_the_order => the_last_line_completes_the_order,
    ledger::a_void_takes_everything_back => a_void_takes_everything_back,
    ledger::a_void_before_the_capture_refuses_the_order => a_void_before_the_capture_refuses_the_order,
    ledger::a_refusal_comes_before_the_tickets_go_back_and_never_after_all_are_given
        => a_refusal_comes_before_the_tickets_go_back_and_never_after_all_are_given,
    ledger::a_void_of_one_line_of_a_cart_leaves_the_order_quoted => a_void_of_one_line_of_a_cart_leaves_the_order_quoted,
    ledger::tickets_for_a_line_that_does_not_exist_are_not_found => tickets_for_a_line_that_does_not_exist_are_not_found,
    ledger::a_sale_is_only_for_a_quoted_order => a_sale_is_only_for_a_quoted_order,
    ledger::an_order_opened_for_a_payment_is_found_by_it_and_none_is_made_for_it =>
        an_order_opened_for_a_payment_is_found_by_it_and_none_is_made_for_it,
    ledger::an_order_opens_once => an_order_opens_once,
    ledger::a_repriced_order_has_its_new_lines => a_repriced_order_has_its_new_lines,
    ledger::a_whole_life_is_loaded_again => a_whole_life_is_loaded_again,
    ledger::live_draws_are_those_without_an_end => live_draws_are_those_without_an_end,
    together::what_is_written_together_has_a_revision_each => what_is_written_together_has_a_revision_each,
    together::a_reservation_that_lapses_and_comes_again_is_counted_once =>
        a_reservation_that_lapses_and_comes_again_is_counted_once,
    together::the_timers_word_is_written_with_the_others => the_timers_word_is_written_with_the_others,
    together::one_wrong_fence_and_nothing_is_written => one_wrong_fence_and_nothing_is_written,
    together::one_that_contradicts_the_books_and_nothing_is_written =>
        one_that_contradicts_the_books_and_nothing_is_written,
    together::what_a_person_decides_is_written_by_itself => what_a_person_decides_is_written_by_itself,
    nodes::a_draw_is_its_owners_while_the_lease_runs => a_draw_is_its_owners_while_the_lease_runs,
    nodes::a_lease_that_is_over_gives_the_draws_away => a_lease_that_is_over_gives_the_draws_away,
    nodes::a_draw_is_taken_over_from_the_owner_that_was_named_though_its_lease_runs =>
        a_draw_is_taken_over_from_the_owner_that_was_named_though_its_lease_runs,
    nodes::two_claim_the_same_and_each_draw_goes_to_one => two_claim_the_same_and_each_draw_goes_to_one,
    nodes::who_leaves_frees_its_draws => who_leaves_frees_its_draws,
    nodes::the_roll_names_the_others_and_who_is_eldest => the_roll_names_the_others_and_who_is_eldest,
    nodes::a_process_that_is_gone_is_buried_and_a_running_one_is_not =>
        a_process_that_is_gone_is_buried_and_a_running_one_is_not,
    nodes::what_others_wrote_is_heard_and_what_was_lost_is_told => what_others_wrote_is_heard_and_what_was_lost_is_told,
    nodes::a_deal_is_read_without_owning_the_draw => a_deal_is_read_without_owning_the_draw,
    books::an_order_has_one_payment_intent => an_order_has_one_payment_intent,
    books::a_buyer_is_filled_in_and_never_written_over => a_buyer_is_filled_in_and_never_written_over,
    books::a_buyer_is_corrected_until_something_is_authorised => a_buyer_is_corrected_until_something_is_authorised,
    books::money_is_taken_once_and_only_for_tickets => money_is_taken_once_and_only_for_tickets,
    books::a_mail_waits_for_an_address => a_mail_waits_for_an_address,
    books::a_refused_order_is_cancelled_and_released => a_refused_order_is_cancelled_and_released,
    books::an_order_with_tickets_cannot_be_let_go => an_order_with_tickets_cannot_be_let_go,
    books::a_refund_returns_the_fee_from_whoever_carries_it => a_refund_returns_the_fee_from_whoever_carries_it,
    books::a_fee_that_goes_back_waits_for_the_capture_that_carries_it =>
        a_fee_that_goes_back_waits_for_the_capture_that_carries_it,
    books::what_only_a_capture_in_flight_holds_is_owed_until_it_is_captured =>
        what_only_a_capture_in_flight_holds_is_owed_until_it_is_captured,
    books::operations_are_claimed_once_captures_first => operations_are_claimed_once_captures_first,
    books::an_attempt_ends_an_operation_or_puts_it_off => an_attempt_ends_an_operation_or_puts_it_off,
    books::unfinished_and_captured_orders_are_found_by_age => unfinished_and_captured_orders_are_found_by_age,
    messages::a_notice_counts_once => a_notice_counts_once,
    messages::an_anomaly_is_open_once_until_it_heals => an_anomaly_is_open_once_until_it_heals,
    messages::what_a_person_closed_does_not_come_back => what_a_person_closed_does_not_come_back,
    messages::whose_a_ticket_a_payment_and_an_account_is_can_be_asked =>
        whose_a_ticket_a_payment_and_an_account_is_can_be_asked,
    messages::a_mail_leaves_once => a_mail_leaves_once,
    messages::a_notice_is_its_takers_until_that_one_is_gone_or_late =>
        a_notice_is_its_takers_until_that_one_is_gone_or_late,
    messages::a_mail_whose_sender_is_gone_leaves_at_once => a_mail_whose_sender_is_gone_leaves_at_once,
    messages::the_witness_is_written_over => the_witness_is_written_over,
    messages::payments_are_witnessed_together => payments_are_witnessed_together,
    messages::of_a_payment_one_repair_is_under_way_at_a_time => of_a_payment_one_repair_is_under_way_at_a_time,
    messages::the_payments_that_something_is_open_about_are_found_together
        => the_payments_that_something_is_open_about_are_found_together,
    messages::who_is_to_be_told_of_no_charge_reads_it_once_and_nobody_else =>
        who_is_to_be_told_of_no_charge_reads_it_once_and_nobody_else,
    messages::a_club_reads_once_of_a_dispute_of_an_orders_own_payment =>
        a_club_reads_once_of_a_dispute_of_an_orders_own_payment,
}
