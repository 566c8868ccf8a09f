//! Tests of the rules of the README. Every deadline and every limit is tested at its last allowed
//! and its first refused value.

#[path = "support/model.rs"]
mod model;
#[path = "support/script.rs"]
mod script;

use script::run_scenario;

/// The example of the architecture page, in which 69 tickets are left. One order may have at most
/// 50 tickets.
#[test]
fn tickets_of_lapsed_reservations_are_sold_until_kick_off() {
    run_scenario(
        "draw   closes 15:00  sold 100
         14:00  reserve A 34 until 14:02   → reserved
         14:00  reserve B 35 until 14:02   → reserved
         14:01  reserve C 1  until 14:03   → TooFewTickets 0
         14:01  reserve A 34 until 14:02   → same
         14:02  reserve C 1  until 14:04   → reserved            // A and B are overdue; the clock decides, not the timer
         14:02  sees                       → held 1
         14:03  allocate A                 → serials 101–134     // late, but enough tickets are free
         14:03  allocate B                 → TooFewTickets 34
         15:00  reserve D 1  until 15:02   → DrawClosed
         14:59  allocate C                 → serials 135–135     // the last second still sells
         14:59  allocate C                 → same
         15:00  allocate E                 → DrawClosed",
    );
}

#[test]
fn reservation_ends_exactly_at_its_expiry_time() {
    run_scenario(
        "draw          closes 15:00  sold 119
         14:00         reserve A 50 until 14:02   → reserved 50 until 14:02
         14:00         wakes                      → 14:02
         14:01:59.999  reserve B 1 until 14:04    → TooFewTickets 0
         14:01:59.999  tick                       → same
         14:01:59.999  extend A until 14:04       → reserved 50 until 14:04
         14:03:59.999  reserve B 1 until 14:06    → TooFewTickets 0
         14:04         extend A until 14:06       → ReservationUnknown
         14:04         reserve B 1 until 14:06    → reserved
         14:04         sees                       → held 1
         14:04         wakes                      → 14:06
         14:05:59.999  tick                       → same
         14:06         tick                       → expired
         14:06         tick                       → same
         14:06         wakes                      → 15:00",
    );
}

#[test]
fn order_with_overdue_reservation_can_reserve_again() {
    run_scenario(
        "draw   closes 15:00
         14:00  reserve A 2 until 14:02   → reserved
         14:01  extend A until 14:03      → reserved
         14:03  reserve A 2 until 14:05   → reserved 2 until 14:05
         14:03  sees                      → held 2",
    );
}

#[test]
fn last_millisecond_before_kick_off_sells_and_kick_off_does_not() {
    run_scenario(
        "draw          closes 15:00
         14:58         reserve A 2 until 15:00:30       → reserved 2 until 15:00  // never past kick-off
         14:58         reserve B 2 until 15:00          → reserved
         14:58         reserve F 1 until 15:00          → reserved
         14:59:59.999  allocate A                       → serials 1–2
         14:59:59.999  reserve C 1 until 15:02          → reserved 1 until 15:00
         14:59:59.999  tick                             → same
         15:00         allocate B                       → DrawClosed
         15:00         reserve B 2 until 15:02          → DrawClosed
         15:00         reserve B 3 until 15:02          → DrawClosed
         15:00         extend B until 15:02             → ReservationUnknown
         15:00         amend price 9.00                 → GameStarted
         15:00         release F                        → released    // a release is always allowed
         15:00         allocate A                       → same        // a repeated allocation too
         15:00         tick                             → closed
         15:00         tick                             → same
         15:00         sees                             → Closed, sold 2, held 0
         15:00         wakes                            → never",
    );
}

#[test]
fn sales_start_at_the_opening_time() {
    run_scenario(
        "draw          opens 13:00  closes 15:00
         12:59:59.999  reserve A 1 until 13:02          → DrawNotOpen
         12:59:59.999  allocate A                       → DrawNotOpen
         13:00         reserve A 1 until 13:02          → reserved
         13:00         allocate B                       → serials 1–1",
    );
}

#[test]
fn order_takes_one_to_fifty_tickets() {
    run_scenario(
        "draw   closes 15:00
         14:00  reserve A 0 until 14:02   → CountOutOfRange 50
         14:00  reserve A 51 until 14:02  → CountOutOfRange 50
         14:00  reserve A 50 until 14:02  → reserved 50
         14:00  reserve B 1 until 14:02   → reserved 1
         14:00  allocate C 0              → CountOutOfRange
         14:00  allocate C 51             → CountOutOfRange
         14:00  allocate C 50             → serials 1–50
         14:00  sees                      → sold 50, held 51",
    );
}

#[test]
fn last_ticket_is_sold_once() {
    run_scenario(
        "draw   closes 15:00  sold 168
         14:00  reserve A 2 until 14:02   → TooFewTickets 1
         14:00  reserve A 1 until 14:02   → reserved
         14:00  reserve B 1 until 14:02   → TooFewTickets 0
         14:00  allocate B                → TooFewTickets 0     // paid, but A has reserved: the authorisation is cancelled
         14:01  allocate A                → serials 169–169
         14:01  allocate B                → TooFewTickets 0
         14:01  sees                      → sold 169, held 0",
    );
}

#[test]
fn reservation_can_be_resized_within_the_free_tickets() {
    run_scenario(
        "draw   closes 15:00  sold 139
         14:00  reserve A 20 until 14:02  → reserved
         14:00  reserve B 10 until 14:02  → reserved
         14:00  reserve A 21 until 14:02  → TooFewTickets 20    // its own twenty count as free for it
         14:01  reserve A 5 until 14:03   → reserved 5 until 14:03
         14:01  reserve B 25 until 14:03  → reserved 25
         14:01  reserve A 6 until 14:03   → TooFewTickets 5
         14:01  sees                      → held 30
         14:01  release B                 → released
         14:01  release B                 → same
         14:01  reserve A 30 until 14:03  → reserved 30
         14:02  allocate A 31             → TooFewTickets 30
         14:02  allocate A 29             → serials 140–168     // the paid count matters, not the reserved one
         14:02  sees                      → sold 168, held 0",
    );
}

#[test]
fn reservation_that_ends_now_or_earlier_is_refused() {
    run_scenario(
        "draw          closes 15:00
         14:00         reserve A 1 until 14:00      → TermsInvalid
         14:00         reserve A 1 until 13:59      → TermsInvalid
         14:00         reserve A 1 until 14:00:00.001  → reserved",
    );
}

#[test]
fn reservation_can_be_extended_ten_times() {
    run_scenario(
        "draw   closes 15:00
         14:00  reserve A 2 until 14:02   → reserved
         14:01  extend A until 14:04      → reserved 2 until 14:04
         14:01  extend A until 14:04      → same               // a repeated extension
         14:01  extend A until 14:03      → same               // never shorter
         14:03  extend A until 14:06      → reserved
         14:05  extend A until 14:08      → reserved
         14:07  extend A until 14:10      → reserved
         14:09  extend A until 14:12      → reserved
         14:11  extend A until 14:14      → reserved
         14:13  reserve A 3 until 14:14   → reserved 3         // resizing does not reset the extensions
         14:13  extend A until 14:16      → reserved
         14:15  extend A until 14:18      → reserved
         14:17  extend A until 14:20      → reserved
         14:19  extend A until 14:22      → reserved 3 until 14:22
         14:21  extend A until 14:24      → ExtensionsUsedUp
         14:21  extend A until 14:22      → same
         14:21  extend B until 14:24      → ReservationUnknown
         14:21  allocate A                → serials 1–3
         14:21  extend A until 14:24      → AlreadyAllocated",
    );
}

#[test]
fn extension_ends_at_kick_off() {
    run_scenario(
        "draw          closes 15:00
         14:57         reserve A 2 until 14:59          → reserved
         14:58         extend A until 15:01             → reserved 2 until 15:00
         14:59:59.999  extend A until 15:03             → same
         15:00         extend A until 15:03             → ReservationUnknown",
    );
}

#[test]
fn order_gets_its_tickets_once() {
    run_scenario(
        "draw   closes 15:00
         14:00  allocate A 3 at 5.00      → serials 1–3
         14:00  allocate A 3 at 5.00      → same
         14:00  allocate A 2              → AlreadyAllocated
         14:00  reserve A 3 until 14:02   → AlreadyAllocated
         15:01  tick                      → closed
         15:01  allocate A 3              → same
         15:02  complete 7-9              → completed
         15:02  allocate A 3              → same
         15:02  sees                      → sold 3, prize 7.50",
    );
}

#[test]
fn refusals_are_checked_in_a_fixed_order() {
    run_scenario(
        "draw   closes 15:00  sold 169
         14:00  reserve A 51 until 13:00            → CountOutOfRange    // before the time and the free tickets
         14:00  reserve A 50 until 13:00            → TermsInvalid       // before the free tickets
         14:00  allocate A 51 at 4.00               → CountOutOfRange    // before the price
         14:00  allocate A 50 at 4.00               → PriceChanged       // before the free tickets
         14:00  allocate A 50                       → TooFewTickets 0
         15:00  reserve A 51 until 13:00            → DrawClosed         // before everything
         15:00  allocate A 51 at 4.00               → DrawClosed
         15:00  allocate A 51 authorised 14:00      → CountOutOfRange",
    );
}

#[test]
fn repair_needs_authorisation_before_kick_off_and_no_result() {
    run_scenario(
        "draw          closes 15:00  sold 119
         14:59         reserve B 50 until 15:00                  → reserved
         14:59         allocate A 1 authorised 14:50             → TooFewTickets 0   // it does not push others out
         15:00         tick                                      → closed
         15:10         allocate A 1                              → DrawClosed
         15:10         allocate A 1 authorised 15:00             → DrawClosed
         15:10         allocate A 1 authorised 14:59:59.999      → serials 120–120
         15:10         allocate A 1 authorised 14:59:59.999      → same
         17:00         complete 7-9                              → completed
         17:01         allocate B 1 authorised 14:59             → DrawClosed
         17:02         undo                                      → undone to Closed
         17:03         allocate B 1 authorised 14:59             → Revealed   // its pairs are public
         17:04         cancel                                    → cancelled
         17:05         allocate C 1 authorised 14:59             → DrawClosed",
    );
}

#[test]
fn returned_ticket_is_sold_after_never_sold_tickets() {
    run_scenario(
        "draw   closes 15:00  sold 110
         14:00  allocate A 4              → serials 111–114
         14:00  allocate B 50             → serials 115–164
         14:01  void A                    → voided 111–114
         14:02  allocate C 3              → serials 165–167
         14:02  allocate D 4              → serials 111–112,168–169
         14:03  allocate E 2              → serials 113–114",
    );
}

#[test]
fn lowest_free_serial_is_sold_next() {
    run_scenario(
        "draw   closes 15:00
         14:00  allocate A 2              → serials 1–2 fee 0.35
         14:00  allocate B 3              → serials 3–5 fee 0.53
         14:00  allocate C 1              → serials 6–6 fee 0.17   // f(30.00) − f(25.00) = 1.05 − 0.88
         14:01  void B                    → voided 3–5 fee -0.52
         14:01  void B                    → same
         14:01  sees                      → sold 3, fee 0.53
         14:02  allocate D 1              → serials 7–7
         14:02  allocate E 3              → serials 8–10
         14:02  allocate B 1              → serials 11–11
         14:02  sees                      → sold 8, fee 1.40",
    );
}

#[test]
fn fee_stops_at_its_cap_and_falls_with_refunds() {
    run_scenario(
        "draw   closes 15:00  price 100.00
         14:00  allocate A 3              → serials 1–3 fee 10.50
         14:00  allocate B 1              → serials 4–4 fee 0.50
         14:00  allocate C 50             → serials 5–54 fee 0.00
         14:01  void A                    → voided 1–3 fee 0.00
         14:01  void C                    → voided 5–54 fee -7.50
         14:01  sees                      → sold 1, fee 3.50",
    );
}

#[test]
fn unpaid_fee_is_added_to_the_next_sale() {
    run_scenario(
        "draw   closes 15:00  price 100.00
         14:00  allocate A 4              → serials 1–4 fee 11.00
         14:00  allocate B 1              → serials 5–5 fee 0.00
         14:01  void A uncharged          → voided 1–4 fee -11.00    // nobody paid it, and B was captured without a fee
         14:01  sees                      → sold 1, fee 0.00
         14:02  allocate C 1              → serials 6–6 fee 7.00     // 3.5 % of both
         14:03  allocate D 4              → serials 7–10 fee 4.00
         14:04  void C                    → voided 6–6 fee 0.00      // still at the cap
         14:05  void D uncharged          → voided 7–10 fee -7.50    // D's 4.00 were never paid; 3.50 of C's are returned
         14:05  sees                      → sold 1, fee 3.50",
    );
}
