//! Kills the server with `kill -9` before and after every step of a purchase. The buyer's page
//! repeats unanswered calls. Every order must have one final outcome, and it must be the one that
//! the buyer saw.

use std::collections::BTreeSet;

use buyer::{Buyer, PageCloseMoment};
use killable_server::KillableServer;
use persistence::failpoint::{self, FailpointSide, PurchaseStep};

#[path = "kills/buyer.rs"]
mod buyer;
#[path = "kills/killable_server.rs"]
mod killable_server;

/// Returns how many tickets the buyer with this number buys. Consecutive buyers buy different
/// numbers, and no draw sells out.
fn ticket_count_of_buyer(number: usize) -> u16 {
    1 + (number % 3) as u16
}

/// Returns the number of rounds, from the environment variable `ROUNDS`.
fn rounds_from_environment() -> usize {
    std::env::var("ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(1)
}

#[actix_web::test]
async fn purchase_survives_a_kill_before_and_after_each_step() {
    const {
        assert!(
            failpoint::FAILPOINTS_COMPILED,
            "the tests' server has the points"
        );
    };
    let mut server = KillableServer::open().await;
    let before = server.total_sold_tickets().await;
    let (mut buyers, mut kills) = (Vec::new(), 0);
    for _ in 0..rounds_from_environment() {
        for step in PurchaseStep::ALL {
            for side in [FailpointSide::Before, FailpointSide::After] {
                let mut buyer = Buyer::open_draw_page(
                    &server,
                    buyers.len(),
                    ticket_count_of_buyer(buyers.len()),
                )
                .await;
                server.arm_fail_point(&failpoint::failpoint_name(step, side));
                // From the step `Allocate` on, a webhook or the reconciler can complete the order
                // without the buyer's page.
                let leave_when = matches!(
                    step,
                    PurchaseStep::Allocate
                        | PurchaseStep::Capture
                        | PurchaseStep::Record
                        | PurchaseStep::Show
                );
                let leave_when = if leave_when && side == FailpointSide::After {
                    PageCloseMoment::AfterTheKill
                } else {
                    PageCloseMoment::WithTickets
                };
                buyer
                    .buy(&mut server, step == PurchaseStep::Confirm, leave_when)
                    .await;
                server.wait_until_killed(step, side).await;
                server.wait_until_mails_are_sent().await;
                println!("{step:?} {side:?}");
                kills += 1;
                buyers.push(buyer);
            }
        }
    }
    server.wait_until_idle().await;
    let mut tickets = BTreeSet::new();
    for buyer in &buyers {
        let tickets_on_order_page = buyer.tickets_on_order_page(&server).await;
        assert_eq!(
            tickets_on_order_page.len(),
            usize::from(buyer.ticket_count),
            "{buyer:?} has {tickets_on_order_page:?}"
        );
        assert!(
            buyer.answered.is_empty() || buyer.answered == tickets_on_order_page,
            "{buyer:?} was told other tickets than {tickets_on_order_page:?}"
        );
        assert!(
            tickets_on_order_page
                .into_iter()
                .all(|ticket| tickets.insert(ticket)),
            "a ticket belongs to two"
        );
        let mails = server.count_mails_to(&buyer.email()).await;
        assert!(
            (1..=2).contains(&mails),
            "{buyer:?} got {mails} mails: one, or two when the mail's record was lost"
        );
    }
    assert_eq!(
        server.total_sold_tickets().await,
        before + tickets.len() as i64
    );
    assert_eq!(
        server.count_captured_intents(&buyers).await,
        buyers.len(),
        "one payment a buyer"
    );
    println!(
        "scripted kills: {kills}, {} purchases, lost 0, sold twice 0, undecided 0, each mailed",
        buyers.len()
    );

    // Counter-check: repeated calls are safe because the page has a client key and a session. A
    // page that lost both opens a second payment.
    server.arm_fail_point(&failpoint::failpoint_name(
        PurchaseStep::Intent,
        FailpointSide::After,
    ));
    let forgetful = Buyer::open_draw_page(&server, buyers.len(), 1).await;
    let forgetful = forgetful.buy_with_lost_cookies(&mut server).await;
    assert_eq!(forgetful.intents.len(), 2);
    server.close();
}
