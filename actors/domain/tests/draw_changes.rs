//! Tests of the changes of a draw besides sales: amended terms, a postponed game, results,
//! cancellation.

#[path = "support/model.rs"]
mod model;
#[path = "support/script.rs"]
mod script;

use script::run_scenario;

#[test]
fn price_change_is_refused_while_a_ticket_is_reserved() {
    run_scenario(
        "draw   closes 15:00
         14:00  reserve A 1 until 14:02   → reserved
         14:01  amend price 6.00          → TermsKept 1         // a buyer was promised the price
         14:02  amend price 6.00          → amended             // the reservation has ended
         14:02  sees                      → held 0
         14:02  allocate A 1 at 5.00      → PriceChanged
         14:02  allocate A 1 at 6.00      → serials 1–1",
    );
}

#[test]
fn price_and_prize_cannot_change_after_the_first_sale() {
    run_scenario(
        "draw   closes 15:00
         14:00  amend price 6.00 prize 60 rounding up  → amended
         14:00  amend price 6.00          → same
         14:00  amend price 0.00          → TermsInvalid
         14:00  amend price 0.01          → amended
         14:00  amend price 10000.01      → TermsInvalid
         14:00  amend price 10000.00      → amended
         14:00  amend prize 0             → TermsInvalid
         14:00  amend prize 101           → TermsInvalid
         14:00  amend prize 100           → amended
         14:00  amend prize 1 price 5.00  → amended
         14:00  amend opens 15:00         → TermsInvalid
         14:00  amend closes 14:00        → TermsInvalid
         14:00  allocate A 2              → serials 1–2
         14:01  amend price 6.00          → TermsLocked 2
         14:01  amend prize 2             → TermsLocked 2
         14:01  amend closes 16:00        → amended             // the game may still move
         14:01  wakes                     → 16:00
         14:01  void A                    → voided 1–2
         14:01  amend price 6.00          → amended",
    );
}

#[test]
fn only_the_operator_postpones_a_game_after_kick_off() {
    run_scenario(
        "draw          closes 15:00
         14:00         allocate A 2                     → serials 1–2
         14:59:59.999  describe                         → described
         14:59:59.999  describe operator                → described
         15:00         describe                         → GameStarted
         15:00         amend closes 17:00               → GameStarted
         15:01         tick                             → closed
         15:01         amend closes 17:00               → GameStarted
         15:02         describe operator                → described    // a name may be corrected at any time
         15:02         override price 6.00              → TermsInvalid // its kick-off is past
         15:02         override price 6.00 closes 17:00 → TermsLocked 2
         15:02         override closes 15:02            → TermsInvalid
         15:02         override closes 17:00            → reopened
         15:02         wakes                            → 17:00
         15:03         allocate B 1                     → serials 3–3
         17:00         tick                             → closed
         18:00         complete 7-9                     → completed
         18:01         override closes 19:00            → DrawNotActive
         18:01         describe                         → DrawNotActive
         18:01         describe operator                → described",
    );
}

#[test]
fn only_an_ended_draw_can_be_archived() {
    run_scenario(
        "draw   closes 15:00
         14:00  archive                   → NotCompleted
         14:00  unarchive                 → same
         15:00  tick                      → closed
         15:01  archive                   → NotCompleted
         16:00  complete 7-9              → completed
         16:01  archive                   → archived
         16:01  archive                   → same
         16:02  unarchive                 → unarchived
         16:03  archive                   → archived
         16:04  undo                      → undone to Closed    // awaiting its result, it must be seen
         16:04  archive                   → NotCompleted
         16:05  cancel                    → cancelled
         16:06  archive                   → archived",
    );
}

#[test]
fn earlier_kick_off_shortens_longer_reservations() {
    run_scenario(
        "draw          closes 15:00
         14:00         reserve A 1 until 14:10          → reserved
         14:00         reserve B 1 until 14:02          → reserved
         14:01         amend closes 14:05               → amended
         14:01         sees                             → held 2
         14:04:59.999  extend A until 14:12             → same
         14:05         allocate A                       → DrawClosed
         14:05         tick                             → closed",
    );
}

#[test]
fn result_on_an_active_draw_closes_it_first() {
    run_scenario(
        "draw   closes 15:00
         14:00  allocate A 2              → serials 1–2
         14:00  reserve B 2 until 14:02   → reserved
         14:01  complete 13-1             → completed prize 5.00
         14:01  sees                      → Completed, sold 2, held 0
         14:01  wakes                     → never
         14:01  allocate B                → DrawClosed
         14:01  reserve B 2 until 14:03   → DrawClosed
         14:01  amend closes 16:00        → DrawNotActive
         14:01  cancel                    → AlreadyCompleted",
    );
}

#[test]
fn result_is_valid_until_it_is_undone() {
    run_scenario(
        "draw          closes 15:00
         14:00         undo                             → NotCompleted
         14:00         allocate A 2                     → serials 1–2
         14:50         complete 7-9                     → completed
         14:50         complete 7-9                     → same
         14:50         complete 9-7                     → AlreadyCompleted
         14:59:59.999  undo                             → undone to Active    // kick-off is ahead: nothing was revealed
         14:59:59.999  undo                             → NotCompleted
         14:59:59.999  allocate B 1                     → serials 3–3
         14:59:59.999  complete 9-7                     → completed prize 7.50
         15:00         undo                             → undone to Closed
         15:00         allocate C 1                     → DrawClosed
         15:00         allocate C 1 authorised 14:59    → Revealed            // its pairs are public
         15:00         override closes 17:00            → Revealed
         15:00         complete 9-9                     → completed
         15:01         undo                             → undone to Closed
         15:01         cancel                           → cancelled",
    );
}

#[test]
fn refund_after_the_result_changes_neither_prize_nor_winner() {
    run_scenario(
        "draw   closes 15:00
         14:00  allocate A 4              → serials 1–4
         15:00  tick                      → closed
         16:00  complete 13-4             → completed prize 10.00 winner 1    // the golden deal: ticket 1 carries 13–4
         16:01  void A                    → voided 1–4 fee -0.70
         16:01  sees                      → Completed, sold 0, prize 10.00, fee 0.00",
    );
}

#[test]
fn cancelled_draw_sells_nothing_and_allows_voids() {
    run_scenario(
        "draw   closes 15:00
         14:00  allocate A 2              → serials 1–2
         14:00  reserve B 2 until 14:02   → reserved
         14:01  cancel                    → cancelled
         14:01  cancel                    → same
         14:01  sees                      → Cancelled, sold 2, held 0
         14:01  wakes                     → never
         14:01  reserve B 2 until 14:03   → DrawClosed
         14:01  complete 7-9              → DrawClosed
         14:01  undo                      → NotCompleted
         15:01  tick                      → same
         15:01  void A                    → voided 1–2",
    );
}
