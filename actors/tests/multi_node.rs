//! Tests with two nodes on the same store. Each draw has one owner, every node answers for every
//! draw, and a dead owner is replaced at once.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use actors::Denied;
use domain::{Command, DrawId, OrderId};
use persistence::Ledger;
use persistence::memory::{MemoryCall, MemoryFault, MemoryStores};
use persistence::nodes::InstanceId;

#[path = "multi_node/orders.rs"]
mod orders;
#[path = "support/slow_ledger.rs"]
mod slow_ledger;
#[path = "multi_node/takeover.rs"]
mod takeover;
#[path = "multi_node/test_nodes.rs"]
mod test_nodes;
#[path = "support/world.rs"]
mod world;
use test_nodes::{TestNodes, start_two_nodes, start_two_settled_nodes};
use world::{draw_snapshot, reserve_command, run_in_paused_time};

const DRAW: DrawId = DrawId(1042);
const LEASE_DURATION: Duration = Duration::from_millis(5_000);

#[test]
fn command_at_any_node_is_executed_by_the_owner() {
    run_in_paused_time(|| async {
        let nodes = TestNodes::with_draws(&[1042]);
        let (one, other) = start_two_nodes(&nodes).await;
        assert_eq!(other.reserve(7, 3).await.unwrap().held, 3);
        assert_eq!(one.reserve(8, 2).await.unwrap().held, 5);
        assert_eq!(
            other.reserve(9, 170).await,
            Err(Denied::Refused(domain::Refusal::CountOutOfRange {
                max: 50
            }))
        );
        let claims = nodes.memory.claim(InstanceId(3), &[DRAW]).await.unwrap();
        assert_eq!(
            claims.elsewhere[0].owner.boot, one.boot,
            "it stays its first owner's"
        );
        assert_eq!(
            nodes.memory.claim(one.boot, &[DRAW]).await.unwrap().taken[0].epoch,
            2,
            "and was claimed once"
        );
    });
}

#[test]
fn deal_and_cells_are_read_without_the_owner() {
    run_in_paused_time(|| async {
        let nodes = TestNodes::with_draws(&[1042]);
        let (one, other) = start_two_nodes(&nodes).await;
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
fn view_on_another_node_is_updated_within_a_second() {
    run_in_paused_time(|| async {
        let nodes = TestNodes::with_draws(&[1042]);
        let (one, other) = start_two_nodes(&nodes).await;
        let mut board = other.engine.draws.watch(DRAW).await.unwrap();
        for order in 1..=20 {
            let view = one.reserve(order, 1).await.unwrap();
            let mut last_revision = 0;
            let follows = async {
                while last_revision < view.revision {
                    board.changed().await.unwrap();
                    let now = board.borrow_and_update().revision;
                    assert!(now > last_revision, "revisions only grow");
                    last_revision = now;
                }
            };
            tokio::time::timeout(Duration::from_secs(1), follows)
                .await
                .expect("within a second");
        }
    });
}

#[test]
fn single_node_never_polls_for_changes() {
    run_in_paused_time(|| async {
        let nodes = TestNodes::with_draws(&[1042]);
        let one = nodes.start_node(1).await;
        let poll_count = Arc::new(Mutex::new(0));
        let count = poll_count.clone();
        nodes.memory.set_faults(move |call| {
            if matches!(
                call,
                persistence::memory::MemoryCall::Read("moved" | "deal")
            ) {
                *count.lock().unwrap() += 1;
            }
            persistence::memory::MemoryFault::None
        });
        for order in 1..=10 {
            one.reserve(order, 1).await.unwrap();
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
        assert_eq!(*poll_count.lock().unwrap(), 0);
    });
}

#[test]
fn draw_of_dead_node_is_taken_over_at_first_request() {
    run_in_paused_time(|| async {
        let nodes = TestNodes::with_draws(&[1042]);
        let (one, other) = start_two_nodes(&nodes).await;
        assert_eq!(other.reserve(7, 3).await.unwrap().held, 3);
        one.kill();
        let started = tokio::time::Instant::now();
        assert_eq!(other.reserve(8, 2).await.unwrap().held, 5);
        assert!(
            started.elapsed() < Duration::from_secs(1),
            "the dead node's lease is not waited for"
        );
    });
}

#[test]
fn draw_of_dead_node_is_taken_over_without_a_request() {
    run_in_paused_time(|| async {
        let nodes = TestNodes::with_draws(&[1042]);
        let (one, other) = start_two_nodes(&nodes).await;
        let mut board = other.engine.draws.watch(DRAW).await.unwrap();
        one.kill();
        // The draw must be closed at kick-off although no command arrives. The owner's timer closes
        // it.
        while board.borrow_and_update().status == domain::Status::Active {
            board.changed().await.unwrap();
        }
        assert_eq!(actors::Clock::now(&nodes.clock), world::KICK_OFF);
    });
}

#[test]
fn draw_of_hung_node_is_taken_over_after_its_lease_and_fenced() {
    run_in_paused_time(|| async {
        let nodes = TestNodes::with_draws(&[1042]);
        let (one, other) = start_two_nodes(&nodes).await;
        one.database_link.send_replace(false);
        one.stop_answering();
        assert_eq!(
            other.reserve(7, 3).await,
            Err(Denied::Unavailable),
            "the owner may still be alive"
        );
        let started = tokio::time::Instant::now();
        while other.reserve(7, 3).await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert!(started.elapsed() <= LEASE_DURATION + Duration::from_millis(200));
        assert_eq!(
            one.reserve(8, 1).await,
            Err(Denied::Unavailable),
            "a node without a lease does not answer"
        );
        one.database_link.send_replace(true);
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(
            one.reserve(8, 1).await.unwrap().held,
            4,
            "it forwards to the new owner"
        );
        assert_eq!(
            nodes
                .memory
                .claim(InstanceId(3), &[DRAW])
                .await
                .unwrap()
                .elsewhere[0]
                .owner
                .boot,
            other.boot
        );
        let (draws, replayed) = (nodes.memory.draws(), nodes.memory.replayed_draws());
        assert_eq!(draws, replayed, "one chain of commits");
    });
}

#[test]
fn node_resuming_after_its_lease_discards_its_state() {
    run_in_paused_time(|| async {
        let nodes = TestNodes::with_draws(&[1042]);
        let (one, other) = start_two_nodes(&nodes).await;
        one.database_link.send_replace(false);
        one.stop_answering();
        nodes.memory.set_faults(|call| match call {
            MemoryCall::Read("moved") => MemoryFault::NotWritten,
            _ => MemoryFault::None,
        });
        while other.reserve(7, 3).await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        one.database_link.send_replace(true);
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
fn node_that_lost_a_draw_keeps_its_views_up_to_date() {
    run_in_paused_time(|| async {
        let nodes = TestNodes::with_draws(&[1042]);
        let (one, other) = start_two_nodes(&nodes).await;
        let mut board = one.engine.draws.watch(DRAW).await.unwrap();
        one.database_link.send_replace(false);
        tokio::time::sleep(LEASE_DURATION + Duration::from_secs(1)).await;
        let view = other.reserve(7, 3).await.unwrap();
        one.database_link.send_replace(true);
        let follows = board.wait_for(|shown| shown.revision >= view.revision);
        tokio::time::timeout(Duration::from_secs(3), follows)
            .await
            .expect("the node learns of the change")
            .unwrap();
        // The former owner receives the new owner's next commit like any commit of another node.
        let view = other.reserve(8, 1).await.unwrap();
        let follows = board.wait_for(|shown| shown.revision >= view.revision);
        tokio::time::timeout(Duration::from_secs(1), follows)
            .await
            .expect("within a second")
            .unwrap();
    });
}

#[test]
fn handed_over_draw_is_owned_by_the_other_node_at_once() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        assert_eq!(one.reserve(7, 3).await.unwrap().held, 3);
        one.engine.hand_over_draws().await;
        let started = tokio::time::Instant::now();
        assert_eq!(
            one.reserve(8, 2).await.unwrap().held,
            5,
            "it forwards to the other node, which claims the draw"
        );
        assert_eq!(other.reserve(9, 1).await.unwrap().held, 6);
        assert!(
            started.elapsed() < Duration::from_secs(1),
            "the lease is not waited for"
        );
        assert_eq!(
            nodes
                .memory
                .claim(InstanceId(3), &[DRAW])
                .await
                .unwrap()
                .elsewhere[0]
                .owner
                .boot,
            other.boot
        );
        one.engine.stop().await;
        assert_eq!(other.reserve(9, 2).await.unwrap().held, 7);
    });
}

/// Makes the draw's actor panic in each of the next `left` commits.
fn make_appends_panic(memory: &MemoryStores, mut left: usize) {
    memory.set_faults(move |call| match call {
        MemoryCall::Append(_) if left > 0 => {
            left -= 1;
            panic!("the ledger panics in the middle of a commit")
        }
        _ => MemoryFault::None,
    });
}

#[test]
fn paused_draw_is_resumed_from_another_node() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        make_appends_panic(&nodes.memory, 4);
        for _ in 0..4 {
            assert_eq!(one.reserve(7, 3).await, Err(Denied::Unavailable));
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        tokio::time::sleep(Duration::from_secs(20)).await;
        assert_eq!(one.reserve(7, 3).await, Err(Denied::Paused));
        assert_eq!(
            other.reserve(7, 3).await,
            Err(Denied::Paused),
            "both nodes answer alike"
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
        let started = tokio::time::Instant::now();
        while other.reserve(7, 3).await == Err(Denied::Paused) {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert!(started.elapsed() <= Duration::from_secs(6));
        assert_eq!(one.reserve(7, 3).await.unwrap().held, 3);
    });
}

#[test]
fn new_draw_is_known_on_the_other_node_within_seconds() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        nodes.memory.add_draw(draw_snapshot(1043));
        one.engine.draws.wake(DrawId(1043)).await.unwrap();
        let knows_draw = || {
            other
                .engine
                .draws
                .views()
                .iter()
                .any(|view| view.draw == DrawId(1043))
        };
        let started = tokio::time::Instant::now();
        while !knows_draw() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert!(started.elapsed() <= Duration::from_secs(6));
        assert!(
            other
                .engine
                .draws
                .execute(DrawId(1043), reserve_command(7, 1), None)
                .await
                .is_ok()
        );
    });
}

#[test]
fn oldest_node_is_the_leader() {
    run_in_paused_time(|| async {
        let (_house, one, other) = start_two_settled_nodes().await;
        assert!(one.engine.draws.is_oldest_node() && !other.engine.draws.is_oldest_node());
        one.kill();
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert!(other.engine.draws.is_oldest_node());
    });
}
