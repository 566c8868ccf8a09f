//! An owner that is alive for the books and dead for its buyers.

use std::time::Duration;

use actors::Denied;
use persistence::Ledger;
use persistence::memory::{Call, Fault};
use persistence::nodes::Boot;

use super::house::{House, two};
use super::world::play;
use super::{A_LEASE, DRAW};

#[test]
fn a_draw_whose_owner_nobody_reaches_is_taken_over_though_its_lease_runs_and_the_owner_asks_who_has_it() {
    play(|| async {
        let house = House::with(&[1042]);
        let (one, other) = two(&house).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        one.is_silent();
        let begun = tokio::time::Instant::now();
        assert_eq!(other.reserves(7, 3).await.unwrap().held, 3);
        assert!(begun.elapsed() < A_LEASE, "nobody waits for a lease that is renewed for ever");
        assert_eq!(house.memory.claim(Boot(3), &[DRAW]).await.unwrap().elsewhere[0].owner.boot, other.boot);
        assert_eq!(one.reserves(8, 2).await.unwrap().held, 5, "it sends its buyers to the new owner");
        assert_eq!(house.memory.draws(), house.memory.replayed(), "one chain of commits");
    });
}

#[test]
fn an_owner_that_hears_nothing_of_the_books_says_nothing_from_memory_when_a_draw_taken_over_is_served() {
    play(|| async {
        let house = House::with(&[1042]);
        let (one, other) = two(&house).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        one.reserves(6, 1).await.unwrap();
        // The former owner's lease runs on, and what it asks the books comes back as it was, or not at all.
        one.is_silent();
        house.memory.set_faults(|call| match call {
            Call::Read("moved") => Fault::NotWritten,
            _ => Fault::None,
        });
        assert_eq!(other.reserves(7, 3).await.unwrap().held, 4);
        let from_memory = one.reserves(6, 1).await;
        assert_eq!(from_memory, Err(Denied::Unavailable), "its memory is older than the other's first word");
    });
}

#[test]
fn a_draw_that_goes_on_stays_with_an_owner_that_does_not_answer() {
    play(|| async {
        let house = House::with(&[1042]);
        let (one, other) = two(&house).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        one.is_silent();
        let busy = async {
            for order in 100..110 {
                tokio::time::sleep(Duration::from_millis(100)).await;
                one.reserves(order, 1).await.unwrap();
            }
        };
        let (asked, ()) = tokio::join!(other.reserves(7, 3), busy);
        assert_eq!(asked, Err(Denied::Unavailable), "its buyer comes again");
        assert_eq!(house.memory.claim(Boot(3), &[DRAW]).await.unwrap().elsewhere[0].owner.boot, one.boot);
    });
}

#[test]
fn who_hears_the_books_badly_takes_no_draw_from_an_owner_that_it_does_not_reach() {
    play(|| async {
        let house = House::with(&[1042]);
        let (one, other) = two(&house).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        other.line.send_replace(false);
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        one.is_silent();
        let mended = async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            other.line.send_replace(true);
        };
        let (asked, ()) = tokio::join!(other.reserves(7, 3), mended);
        assert_eq!(asked, Err(Denied::Unavailable));
        assert_eq!(house.memory.claim(Boot(3), &[DRAW]).await.unwrap().elsewhere[0].owner.boot, one.boot);
    });
}
