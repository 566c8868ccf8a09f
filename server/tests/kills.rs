//! `kill -9` before and after every step of a purchase: the server is started again, the buyer's page repeats what it had no
//! answer to, and every order ends decided, once, as its buyer was told.

use std::collections::BTreeSet;

use buyer::{Buyer, Leaves};
use house::House;
use persistence::failpoint::{self, Side, Step};

#[path = "kills/buyer.rs"]
mod buyer;
#[path = "kills/house.rs"]
mod house;

/// Tickets of each purchase: no two neighbours alike, and never more than a draw has left.
fn wanted(number: usize) -> u16 {
    1 + (number % 3) as u16
}

/// `ROUNDS` plays all of it so often.
fn rounds() -> usize {
    std::env::var("ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(1)
}

#[actix_web::test]
async fn a_purchase_survives_a_kill_before_and_after_each_of_its_steps() {
    const { assert!(failpoint::COMPILED, "the tests' server has the points") };
    let mut house = House::open().await;
    let before = house.sold().await;
    let (mut buyers, mut kills) = (Vec::new(), 0);
    for _ in 0..rounds() {
        for step in Step::ALL {
            for side in [Side::Before, Side::After] {
                let mut buyer = Buyer::comes(&house, buyers.len(), wanted(buyers.len())).await;
                house.arm(&failpoint::name(step, side));
                // From here on the house can do without the buyer: the notice or the reconciler is enough.
                let leaves = matches!(
                    step,
                    Step::Allocate | Step::Capture | Step::Record | Step::Show
                );
                let leaves = if leaves && side == Side::After {
                    Leaves::AfterTheKill
                } else {
                    Leaves::WithTickets
                };
                buyer.buys(&mut house, step == Step::Confirm, leaves).await;
                house.has_died(step, side).await;
                house.has_mailed().await;
                println!("{step:?} {side:?}");
                kills += 1;
                buyers.push(buyer);
            }
        }
    }
    house.is_calm().await;
    let mut tickets = BTreeSet::new();
    for buyer in &buyers {
        let has = buyer.has(&house).await;
        assert_eq!(has.len(), usize::from(buyer.wants), "{buyer:?} has {has:?}");
        assert!(
            buyer.told.is_empty() || buyer.told == has,
            "{buyer:?} was told other tickets than {has:?}"
        );
        assert!(
            has.into_iter().all(|ticket| tickets.insert(ticket)),
            "a ticket belongs to two"
        );
        let mails = house.mails(&buyer.email()).await;
        assert!(
            (1..=2).contains(&mails),
            "{buyer:?} got {mails} mails: one, or two when the post office was cut off"
        );
    }
    assert_eq!(house.sold().await, before + tickets.len() as i64);
    assert_eq!(
        house.payment_intents(&buyers).await,
        buyers.len(),
        "one payment a buyer"
    );
    println!(
        "scripted kills: {kills}, {} purchases, lost 0, sold twice 0, undecided 0, each mailed",
        buyers.len()
    );

    // What makes it so is the page's own key and session: one that forgets them asks for a second payment.
    house.arm(&failpoint::name(Step::Intent, Side::After));
    let forgetful = Buyer::comes(&house, buyers.len(), 1).await;
    let forgetful = forgetful.buys_twice(&mut house).await;
    assert_eq!(forgetful.intents.len(), 2);
    house.close();
}
