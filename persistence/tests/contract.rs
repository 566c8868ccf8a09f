//! One suite, run against both memories: what holds in the simulations holds in Postgres.

mod support;

#[path = "contract/ledger.rs"]
mod ledger;

use support::{TERMS, World};

/// Each test twice, on three draws.
macro_rules! contract {
    ($($test:path => $name:ident,)*) => {
        mod in_postgres {
            use super::*;
            $(#[tokio::test] async fn $name() { $test(World::in_postgres(&[TERMS; 3]).await).await })*
        }
        mod in_memory {
            use super::*;
            $(#[tokio::test] async fn $name() { $test(World::in_memory(&[TERMS; 3]).await).await })*
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
    ledger::a_void_of_one_line_of_a_cart_leaves_the_order_quoted => a_void_of_one_line_of_a_cart_leaves_the_order_quoted,
    ledger::tickets_for_a_line_that_does_not_exist_are_not_found => tickets_for_a_line_that_does_not_exist_are_not_found,
    ledger::a_sale_is_only_for_a_quoted_order => a_sale_is_only_for_a_quoted_order,
    ledger::an_order_opens_once => an_order_opens_once,
    ledger::a_repriced_order_has_its_new_lines => a_repriced_order_has_its_new_lines,
    ledger::a_whole_life_is_loaded_again => a_whole_life_is_loaded_again,
    ledger::live_draws_are_those_without_an_end => live_draws_are_those_without_an_end,
}
