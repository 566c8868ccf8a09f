//! Tests of an owner that renews its lease in the database but does not answer other nodes.

use std::time::Duration;

use actors::Denied;
use persistence::Ledger;
use persistence::memory::{MemoryCall, MemoryFault};
use persistence::nodes::InstanceId;

use super::test_nodes::{ANSWER_TIMEOUT, TestNode, TestNodes, start_two_settled_nodes};
use super::world::run_in_paused_time;
use super::{DRAW, LEASE_DURATION};

#[test]
fn unreachable_owner_loses_draw_despite_valid_lease() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        one.drop_requests();
        let started = tokio::time::Instant::now();
        assert_eq!(other.reserve(7, 3).await.unwrap().held, 3);
        assert!(
            started.elapsed() < LEASE_DURATION,
            "takeover does not wait for the renewed lease"
        );
        assert_eq!(owner_in_database(&nodes).await, other.boot);
        assert_eq!(
            one.reserve(8, 2).await.unwrap().held,
            5,
            "it forwards to the new owner"
        );
        assert_eq!(
            nodes.memory.draws(),
            nodes.memory.replayed_draws(),
            "one chain of commits"
        );
    });
}

#[test]
fn former_owner_without_database_does_not_answer_from_memory() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        one.reserve(6, 1).await.unwrap();
        // The former owner's lease is still valid, but its queries to the database return old data
        // or fail.
        one.drop_requests();
        nodes.memory.set_faults(|call| match call {
            MemoryCall::Read("moved") => MemoryFault::NotWritten,
            _ => MemoryFault::None,
        });
        assert_eq!(other.reserve(7, 3).await.unwrap().held, 4);
        let from_memory = one.reserve(6, 1).await;
        assert_eq!(
            from_memory,
            Err(Denied::Unavailable),
            "its state is older than the new owner's"
        );
    });
}

#[test]
fn draw_is_taken_over_when_owners_answers_are_lost() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        one.lose_answers();
        let started = tokio::time::Instant::now();
        assert_eq!(
            other.reserve(7, 3).await.unwrap().held,
            3,
            "executed by the former owner, answered by the new one"
        );
        assert!(started.elapsed() < LEASE_DURATION);
        assert_eq!(owner_in_database(&nodes).await, other.boot);
        assert_eq!(
            one.reserve(8, 2).await.unwrap().held,
            5,
            "the former owner forwards to the new one"
        );
        assert_eq!(
            nodes.memory.draws(),
            nodes.memory.replayed_draws(),
            "one chain of commits"
        );
    });
}

/// Loses the owner's answers, and lets the owner sell one ticket while the other node waits.
async fn lose_answer_while_owner_sells(one: &TestNode, other: &TestNode, orders: [u128; 2]) {
    one.lose_answers();
    let sells = async {
        tokio::time::sleep(ANSWER_TIMEOUT / 2).await;
        one.reserve(orders[1], 1).await.unwrap();
    };
    let (answer, ()) = tokio::join!(other.reserve(orders[0], 3), sells);
    assert_eq!(
        answer,
        Err(Denied::Unavailable),
        "the owner is reachable for others, so the buyer retries"
    );
}

#[test]
fn owner_without_two_answers_loses_a_nearly_idle_draw() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        lose_answer_while_owner_sells(&one, &other, [7, 100]).await;
        assert_eq!(owner_in_database(&nodes).await, one.boot);
        tokio::time::sleep(Duration::from_secs(1)).await;
        let started = tokio::time::Instant::now();
        assert_eq!(other.reserve(8, 2).await.unwrap().held, 6);
        assert!(started.elapsed() < LEASE_DURATION);
        assert_eq!(owner_in_database(&nodes).await, other.boot);
        assert_eq!(
            nodes.memory.draws(),
            nodes.memory.replayed_draws(),
            "one chain of commits"
        );
    });
}

#[test]
fn answer_from_memory_leaves_the_owner_unresponsive() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        lose_answer_while_owner_sells(&one, &other, [7, 100]).await;
        one.deliver_answers();
        assert_eq!(
            other.reserve(7, 3).await.unwrap().held,
            4,
            "the command was already executed"
        );
        one.lose_answers();
        assert_eq!(other.reserve(8, 1).await.unwrap().held, 5);
        assert_eq!(owner_in_database(&nodes).await, other.boot);
    });
}

#[test]
fn answered_write_makes_the_owner_responsive_again() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        lose_answer_while_owner_sells(&one, &other, [7, 100]).await;
        one.deliver_answers();
        assert_eq!(other.reserve(9, 1).await.unwrap().held, 5);
        lose_answer_while_owner_sells(&one, &other, [8, 101]).await;
        assert_eq!(owner_in_database(&nodes).await, one.boot);
    });
}

#[test]
fn active_draw_stays_with_an_unresponsive_owner() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        one.drop_requests();
        let busy = async {
            for order in 100..140 {
                tokio::time::sleep(Duration::from_millis(100)).await;
                one.reserve(order, 1).await.unwrap();
            }
        };
        let retries = async {
            for _ in 0..4 {
                assert_eq!(
                    other.reserve(7, 3).await,
                    Err(Denied::Unavailable),
                    "the buyer retries"
                );
            }
        };
        let ((), ()) = tokio::join!(retries, busy);
        assert_eq!(owner_in_database(&nodes).await, one.boot);
    });
}

#[test]
fn node_with_slow_database_takes_over_no_draw() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        other.database_link.send_replace(false);
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        one.drop_requests();
        let mended = async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            other.database_link.send_replace(true);
        };
        let (answer, ()) = tokio::join!(other.reserve(7, 3), mended);
        assert_eq!(answer, Err(Denied::Unavailable));
        assert_eq!(owner_in_database(&nodes).await, one.boot);
    });
}

#[test]
fn node_with_recently_slow_database_takes_over_no_draw() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        other.database_link.send_replace(false);
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        other.database_link.send_replace(true);
        // Within these 1.3 s the lease is renewed again, on time and without delay.
        tokio::time::sleep(Duration::from_millis(1_300)).await;
        one.drop_requests();
        assert_eq!(
            other.reserve(7, 3).await,
            Err(Denied::Unavailable),
            "a node with packet loss takes over nothing"
        );
        assert_eq!(owner_in_database(&nodes).await, one.boot);
    });
}

#[test]
fn node_without_database_takes_over_no_draw() {
    run_in_paused_time(|| async {
        let (nodes, one, other) = start_two_settled_nodes().await;
        one.drop_requests();
        nodes.memory.set_faults(|call| match call {
            MemoryCall::Read("moved") => MemoryFault::NotWritten,
            _ => MemoryFault::None,
        });
        assert_eq!(
            other.reserve(7, 3).await,
            Err(Denied::Unavailable),
            "the database may hang for both nodes"
        );
        assert_eq!(owner_in_database(&nodes).await, one.boot);
        nodes.memory.set_faults(|_| MemoryFault::None);
        assert_eq!(other.reserve(7, 3).await.unwrap().held, 3);
        assert_eq!(owner_in_database(&nodes).await, other.boot);
    });
}

/// Returns the draw's owner according to the database.
async fn owner_in_database(nodes: &TestNodes) -> InstanceId {
    nodes
        .memory
        .claim(InstanceId(3), &[DRAW])
        .await
        .unwrap()
        .elsewhere[0]
        .owner
        .boot
}
