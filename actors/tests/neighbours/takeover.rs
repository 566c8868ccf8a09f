//! An owner that is alive for the books and dead for its buyers.

use std::time::Duration;

use actors::Denied;
use persistence::Ledger;
use persistence::memory::{Call, Fault};
use persistence::nodes::Boot;

use super::house::{AN_ANSWER, House, Inhabitant, settled};
use super::world::play;
use super::{A_LEASE, DRAW};

#[test]
fn a_draw_whose_owner_nobody_reaches_is_taken_over_though_its_lease_runs_and_the_owner_asks_who_has_it()
 {
    play(|| async {
        let (house, one, other) = settled().await;
        one.is_silent();
        let begun = tokio::time::Instant::now();
        assert_eq!(other.reserves(7, 3).await.unwrap().held, 3);
        assert!(
            begun.elapsed() < A_LEASE,
            "nobody waits for a lease that is renewed for ever"
        );
        assert_eq!(owner(&house).await, other.boot);
        assert_eq!(
            one.reserves(8, 2).await.unwrap().held,
            5,
            "it sends its buyers to the new owner"
        );
        assert_eq!(
            house.memory.draws(),
            house.memory.replayed(),
            "one chain of commits"
        );
    });
}

#[test]
fn an_owner_that_hears_nothing_of_the_books_says_nothing_from_memory_when_a_draw_taken_over_is_served()
 {
    play(|| async {
        let (house, one, other) = settled().await;
        one.reserves(6, 1).await.unwrap();
        // The former owner's lease runs on, and what it asks the books comes back as it was, or not at all.
        one.is_silent();
        house.memory.set_faults(|call| match call {
            Call::Read("moved") => Fault::NotWritten,
            _ => Fault::None,
        });
        assert_eq!(other.reserves(7, 3).await.unwrap().held, 4);
        let from_memory = one.reserves(6, 1).await;
        assert_eq!(
            from_memory,
            Err(Denied::Unavailable),
            "its memory is older than the other's first word"
        );
    });
}

#[test]
fn a_draw_is_taken_over_from_an_owner_that_does_its_errands_and_whose_answers_are_lost() {
    play(|| async {
        let (house, one, other) = settled().await;
        one.is_unheard();
        let begun = tokio::time::Instant::now();
        assert_eq!(
            other.reserves(7, 3).await.unwrap().held,
            3,
            "done by the former owner, told by the new one"
        );
        assert!(begun.elapsed() < A_LEASE);
        assert_eq!(owner(&house).await, other.boot);
        assert_eq!(
            one.reserves(8, 2).await.unwrap().held,
            5,
            "the ghost asks the new owner"
        );
        assert_eq!(
            house.memory.draws(),
            house.memory.replayed(),
            "one chain of commits"
        );
    });
}

/// Its answers are lost, and while the other waits for one it sells once to somebody else.
async fn is_silent_and_sells(one: &Inhabitant, other: &Inhabitant, orders: [u128; 2]) {
    one.is_unheard();
    let sells = async {
        tokio::time::sleep(AN_ANSWER / 2).await;
        one.reserves(orders[1], 1).await.unwrap();
    };
    let (asked, ()) = tokio::join!(other.reserves(orders[0], 3), sells);
    assert_eq!(
        asked,
        Err(Denied::Unavailable),
        "somebody reaches it: its buyer comes again"
    );
}

#[test]
fn an_owner_that_is_silent_again_loses_a_draw_that_hardly_goes_on() {
    play(|| async {
        let (house, one, other) = settled().await;
        is_silent_and_sells(&one, &other, [7, 100]).await;
        assert_eq!(owner(&house).await, one.boot);
        tokio::time::sleep(Duration::from_secs(1)).await;
        let begun = tokio::time::Instant::now();
        assert_eq!(other.reserves(8, 2).await.unwrap().held, 6);
        assert!(begun.elapsed() < A_LEASE);
        assert_eq!(owner(&house).await, other.boot);
        assert_eq!(
            house.memory.draws(),
            house.memory.replayed(),
            "one chain of commits"
        );
    });
}

#[test]
fn an_owner_that_only_said_what_it_knew_by_heart_since_loses_it_too() {
    play(|| async {
        let (house, one, other) = settled().await;
        is_silent_and_sells(&one, &other, [7, 100]).await;
        one.is_heard();
        assert_eq!(
            other.reserves(7, 3).await.unwrap().held,
            4,
            "there was nothing left to do"
        );
        one.is_unheard();
        assert_eq!(other.reserves(8, 1).await.unwrap().held, 5);
        assert_eq!(owner(&house).await, other.boot);
    });
}

#[test]
fn an_owner_that_has_written_since_and_said_so_was_not_silent_before() {
    play(|| async {
        let (house, one, other) = settled().await;
        is_silent_and_sells(&one, &other, [7, 100]).await;
        one.is_heard();
        assert_eq!(other.reserves(9, 1).await.unwrap().held, 5);
        is_silent_and_sells(&one, &other, [8, 101]).await;
        assert_eq!(owner(&house).await, one.boot);
    });
}

#[test]
fn a_draw_that_goes_on_stays_with_an_owner_that_does_not_answer_however_often_it_is_asked() {
    play(|| async {
        let (house, one, other) = settled().await;
        one.is_silent();
        let busy = async {
            for order in 100..140 {
                tokio::time::sleep(Duration::from_millis(100)).await;
                one.reserves(order, 1).await.unwrap();
            }
        };
        let asks = async {
            for _ in 0..4 {
                assert_eq!(
                    other.reserves(7, 3).await,
                    Err(Denied::Unavailable),
                    "its buyer comes again"
                );
            }
        };
        let ((), ()) = tokio::join!(asks, busy);
        assert_eq!(owner(&house).await, one.boot);
    });
}

#[test]
fn who_hears_the_books_badly_takes_no_draw_from_an_owner_that_it_does_not_reach() {
    play(|| async {
        let (house, one, other) = settled().await;
        other.line.send_replace(false);
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        one.is_silent();
        let mended = async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            other.line.send_replace(true);
        };
        let (asked, ()) = tokio::join!(other.reserves(7, 3), mended);
        assert_eq!(asked, Err(Denied::Unavailable));
        assert_eq!(owner(&house).await, one.boot);
    });
}

#[test]
fn who_heard_the_books_late_a_moment_ago_takes_no_draw_either() {
    play(|| async {
        let (house, one, other) = settled().await;
        other.line.send_replace(false);
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        other.line.send_replace(true);
        // The next renewal comes when it is due, and at once.
        tokio::time::sleep(Duration::from_millis(1_300)).await;
        one.is_silent();
        assert_eq!(
            other.reserves(7, 3).await,
            Err(Denied::Unavailable),
            "who loses packets blames nobody"
        );
        assert_eq!(owner(&house).await, one.boot);
    });
}

#[test]
fn who_hears_nothing_of_the_books_while_an_owner_is_silent_does_not_blame_the_owner() {
    play(|| async {
        let (house, one, other) = settled().await;
        one.is_silent();
        house.memory.set_faults(|call| match call {
            Call::Read("moved") => Fault::NotWritten,
            _ => Fault::None,
        });
        assert_eq!(
            other.reserves(7, 3).await,
            Err(Denied::Unavailable),
            "the database may stand still for both"
        );
        assert_eq!(owner(&house).await, one.boot);
        house.memory.set_faults(|_| Fault::None);
        assert_eq!(other.reserves(7, 3).await.unwrap().held, 3);
        assert_eq!(owner(&house).await, other.boot);
    });
}

/// By the books.
async fn owner(house: &House) -> Boot {
    house
        .memory
        .claim(Boot(3), &[DRAW])
        .await
        .unwrap()
        .elsewhere[0]
        .owner
        .boot
}
