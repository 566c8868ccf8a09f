//! Two engines on the same books: each draw has one owner, whoever is asked, and nobody waits for the dead.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use actors::Denied;
use domain::{Command, DrawId, OrderId};
use persistence::Ledger;
use persistence::memory::{Call, Fault, Memory};
use persistence::nodes::Boot;

#[path = "support/disk.rs"]
mod disk;
#[path = "neighbours/house.rs"]
mod house;
#[path = "neighbours/orders.rs"]
mod orders;
#[path = "neighbours/takeover.rs"]
mod takeover;
#[path = "support/world.rs"]
mod world;
use house::{House, settled, two};
use world::{play, reserve, snapshot};

const DRAW: DrawId = DrawId(1042);
const A_LEASE: Duration = Duration::from_millis(5_000);

#[test]
fn whoever_is_asked_the_draws_owner_does_it() {
    play(|| async {
        let house = House::with(&[1042]);
        let (one, other) = two(&house).await;
        assert_eq!(other.reserves(7, 3).await.unwrap().held, 3);
        assert_eq!(one.reserves(8, 2).await.unwrap().held, 5);
        assert_eq!(
            other.reserves(9, 170).await,
            Err(Denied::Refused(domain::Refusal::CountOutOfRange {
                max: 50
            }))
        );
        let claims = house.memory.claim(Boot(3), &[DRAW]).await.unwrap();
        assert_eq!(
            claims.elsewhere[0].owner.boot, one.boot,
            "it stays its first owner's"
        );
        assert_eq!(
            house.memory.claim(one.boot, &[DRAW]).await.unwrap().taken[0].epoch,
            2,
            "and was claimed once"
        );
    });
}

#[test]
fn secrets_are_read_without_the_owner() {
    play(|| async {
        let house = House::with(&[1042]);
        let (one, other) = two(&house).await;
        let serials = [
            domain::Serial::new(1).unwrap(),
            domain::Serial::new(169).unwrap(),
        ];
        assert_eq!(
            one.engine.draws.deal(DRAW).await.unwrap(),
            other.engine.draws.deal(DRAW).await.unwrap()
        );
        let cells = one.engine.draws.cells(DRAW, &serials).await.unwrap();
        assert_eq!(
            other.engine.draws.cells(DRAW, &serials).await.unwrap(),
            cells
        );
    });
}

#[test]
fn boards_on_another_node_follow_within_a_second() {
    play(|| async {
        let house = House::with(&[1042]);
        let (one, other) = two(&house).await;
        let mut board = other.engine.draws.watch(DRAW).await.unwrap();
        for order in 1..=20 {
            let told = one.reserves(order, 1).await.unwrap();
            let mut heard = 0;
            let follows = async {
                while heard < told.revision {
                    board.changed().await.unwrap();
                    let now = board.borrow_and_update().revision;
                    assert!(now > heard, "revisions only grow");
                    heard = now;
                }
            };
            tokio::time::timeout(Duration::from_secs(1), follows)
                .await
                .expect("within a second");
        }
    });
}

#[test]
fn a_node_by_itself_asks_the_books_nothing() {
    play(|| async {
        let house = House::with(&[1042]);
        let one = house.node(1).await;
        let asked = Arc::new(Mutex::new(0));
        let count = asked.clone();
        house.memory.set_faults(move |call| {
            if matches!(call, persistence::memory::Call::Read("moved" | "deal")) {
                *count.lock().unwrap() += 1;
            }
            persistence::memory::Fault::None
        });
        for order in 1..=10 {
            one.reserves(order, 1).await.unwrap();
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
        assert_eq!(*asked.lock().unwrap(), 0);
    });
}

#[test]
fn a_dead_nodes_draws_are_taken_by_whoever_is_asked_at_once() {
    play(|| async {
        let house = House::with(&[1042]);
        let (one, other) = two(&house).await;
        assert_eq!(other.reserves(7, 3).await.unwrap().held, 3);
        one.dies();
        let begun = tokio::time::Instant::now();
        assert_eq!(other.reserves(8, 2).await.unwrap().held, 5);
        assert!(
            begun.elapsed() < Duration::from_secs(1),
            "nobody waits for the lease of the dead"
        );
    });
}

#[test]
fn a_dead_nodes_draws_find_an_owner_though_nobody_asks() {
    play(|| async {
        let house = House::with(&[1042]);
        let (one, other) = two(&house).await;
        let mut board = other.engine.draws.watch(DRAW).await.unwrap();
        one.dies();
        // Kick-off must come all the same, and it comes by the owner's timer.
        while board.borrow_and_update().status == domain::Status::Active {
            board.changed().await.unwrap();
        }
        assert_eq!(actors::Clock::now(&house.clock), world::KICK_OFF);
    });
}

#[test]
fn a_hung_nodes_draws_are_taken_when_its_lease_is_over_and_its_ghost_writes_nothing() {
    play(|| async {
        let house = House::with(&[1042]);
        let (one, other) = two(&house).await;
        one.line.send_replace(false);
        one.is_mute();
        assert_eq!(
            other.reserves(7, 3).await,
            Err(Denied::Unavailable),
            "it may still be alive"
        );
        let begun = tokio::time::Instant::now();
        while other.reserves(7, 3).await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert!(begun.elapsed() <= A_LEASE + Duration::from_millis(200));
        assert_eq!(
            one.reserves(8, 1).await,
            Err(Denied::Unavailable),
            "it knows itself that it may not be believed"
        );
        one.line.send_replace(true);
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(
            one.reserves(8, 1).await.unwrap().held,
            4,
            "and asks the new owner"
        );
        assert_eq!(
            house
                .memory
                .claim(Boot(3), &[DRAW])
                .await
                .unwrap()
                .elsewhere[0]
                .owner
                .boot,
            other.boot
        );
        let (draws, replayed) = (house.memory.draws(), house.memory.replayed());
        assert_eq!(draws, replayed, "one chain of commits");
    });
}

#[test]
fn who_hung_past_its_lease_forgets_what_it_knew_before_it_serves_again() {
    play(|| async {
        let house = House::with(&[1042]);
        let (one, other) = two(&house).await;
        one.line.send_replace(false);
        one.is_mute();
        house.memory.set_faults(|call| match call {
            Call::Read("moved") => Fault::NotWritten,
            _ => Fault::None,
        });
        while other.reserves(7, 3).await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        one.line.send_replace(true);
        while !one.engine.draws.may_serve() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let release = Command::Release { order: OrderId(7) };
        let done = one.engine.draws.execute(DRAW, release, None).await.unwrap();
        assert!(
            done.written && done.view.held == 0,
            "it remembered no such order, for which there is nothing to do"
        );
    });
}

#[test]
fn a_node_that_lost_a_draw_unasked_learns_it_and_its_boards_follow() {
    play(|| async {
        let house = House::with(&[1042]);
        let (one, other) = two(&house).await;
        let mut board = one.engine.draws.watch(DRAW).await.unwrap();
        one.line.send_replace(false);
        tokio::time::sleep(A_LEASE + Duration::from_secs(1)).await;
        let told = other.reserves(7, 3).await.unwrap();
        one.line.send_replace(true);
        let follows = board.wait_for(|view| view.revision >= told.revision);
        tokio::time::timeout(Duration::from_secs(3), follows)
            .await
            .expect("it hears of it")
            .unwrap();
        // What the owner writes from now on arrives like everything of others.
        let told = other.reserves(8, 1).await.unwrap();
        let follows = board.wait_for(|view| view.revision >= told.revision);
        tokio::time::timeout(Duration::from_secs(1), follows)
            .await
            .expect("within a second")
            .unwrap();
    });
}

#[test]
fn who_hands_over_still_answers_and_the_others_own_at_once() {
    play(|| async {
        let (house, one, other) = settled().await;
        assert_eq!(one.reserves(7, 3).await.unwrap().held, 3);
        one.engine.hand_over().await;
        let begun = tokio::time::Instant::now();
        assert_eq!(
            one.reserves(8, 2).await.unwrap().held,
            5,
            "it asks the other, which claims"
        );
        assert_eq!(other.reserves(9, 1).await.unwrap().held, 6);
        assert!(
            begun.elapsed() < Duration::from_secs(1),
            "nobody waits for a lease"
        );
        assert_eq!(
            house
                .memory
                .claim(Boot(3), &[DRAW])
                .await
                .unwrap()
                .elsewhere[0]
                .owner
                .boot,
            other.boot
        );
        one.engine.stop().await;
        assert_eq!(other.reserves(9, 2).await.unwrap().held, 7);
    });
}

/// Lets the draw's actor panic in so many commits in a row.
fn panic_in_appends(memory: &Memory, mut left: usize) {
    memory.set_faults(move |call| match call {
        Call::Append(_) if left > 0 => {
            left -= 1;
            panic!("the ledger panics in the middle of a commit")
        }
        _ => Fault::None,
    });
}

#[test]
fn a_draw_paused_on_one_node_is_woken_at_the_others_console() {
    play(|| async {
        let (house, one, other) = settled().await;
        panic_in_appends(&house.memory, 4);
        for _ in 0..4 {
            assert_eq!(one.reserves(7, 3).await, Err(Denied::Unavailable));
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        tokio::time::sleep(Duration::from_secs(20)).await;
        assert_eq!(one.reserves(7, 3).await, Err(Denied::Paused));
        assert_eq!(
            other.reserves(7, 3).await,
            Err(Denied::Paused),
            "whoever is asked"
        );
        let open = other.engine.anomalies.list(true, 10).await.unwrap();
        assert_eq!(open.len(), 1, "{open:?}");
        assert!(
            other
                .engine
                .anomalies
                .resolve(open[0].id, "the operator")
                .await
                .unwrap()
        );
        let begun = tokio::time::Instant::now();
        while other.reserves(7, 3).await == Err(Denied::Paused) {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert!(begun.elapsed() <= Duration::from_secs(6));
        assert_eq!(one.reserves(7, 3).await.unwrap().held, 3);
    });
}

#[test]
fn a_draw_made_on_one_node_is_known_on_the_other_within_seconds() {
    play(|| async {
        let (house, one, other) = settled().await;
        house.memory.add_draw(snapshot(1043));
        one.engine.draws.wake(DrawId(1043)).await.unwrap();
        let known = || {
            other
                .engine
                .draws
                .views()
                .iter()
                .any(|view| view.draw == DrawId(1043))
        };
        let begun = tokio::time::Instant::now();
        while !known() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert!(begun.elapsed() <= Duration::from_secs(6));
        assert!(
            other
                .engine
                .draws
                .execute(DrawId(1043), reserve(7, 1), None)
                .await
                .is_ok()
        );
    });
}

#[test]
fn the_eldest_looks_after_what_one_node_is_enough_for() {
    play(|| async {
        let (_house, one, other) = settled().await;
        assert!(one.engine.draws.is_eldest() && !other.engine.draws.is_eldest());
        one.dies();
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert!(other.engine.draws.is_eldest());
    });
}
