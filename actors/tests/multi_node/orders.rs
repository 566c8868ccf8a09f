//! Tests in which two nodes decide on the same order at the same time.

use std::sync::Arc;
use std::time::Duration;

use actors::testing::GatewayMethod;
use actors::{Denied, FulfilStatus, OpenOrderRequest, PaymentFailure};
use domain::{ClubId, OrderId, OrderState, PaymentStatus};
use persistence::ledger::BuyerDetails;
use tokio::time::sleep;

use super::slow_ledger::new_slow_ledger;
use super::test_nodes::{TestNodes, start_two_nodes};
use super::world::{account, intent_of, order_line, run_in_paused_time};

fn order_request(count: u16) -> OpenOrderRequest {
    OpenOrderRequest {
        client_key: "client-1".into(),
        token: "1".repeat(32),
        id: OrderId(1),
        club: ClubId(1),
        account: account(),
        lines: vec![order_line(1042, count)],
        buyer: BuyerDetails::default(),
        source: None,
    }
}

/// One node rejects an order over a slow connection to the draw. Meanwhile another node is asked to
/// fulfil that order.
#[test]
fn rejected_order_is_not_fulfilled_by_another_node() {
    run_in_paused_time(|| async {
        let nodes = TestNodes::with_draws(&[1042]);
        let (owner, other) = start_two_nodes(&nodes).await;
        let record = owner.engine.payments.open(order_request(3)).await.unwrap();
        let id = intent_of(&record);
        assert!(nodes.gateway.authorise(&id));
        nodes.network.set_request_delay(Duration::from_secs(2));
        let fulfilled = async {
            sleep(Duration::from_secs(1)).await;
            owner.engine.payments.fulfil(&id).await
        };
        let (turned_down, fulfilled) = tokio::join!(
            other
                .engine
                .payments
                .abandon_after_amount_change(OrderId(1)),
            fulfilled
        );
        for status in [turned_down.unwrap(), fulfilled.unwrap().status] {
            assert!(
                matches!(status, FulfilStatus::NotCharged { .. }),
                "{status:?}"
            );
        }
        sleep(Duration::from_secs(90)).await;
        let state = nodes.memory.orders()[0].order.state;
        let captures = nodes.gateway.intent(&id).unwrap().captures;
        assert_eq!(
            (state, captures, nodes.memory.draws()[0].sold()),
            (OrderState::Released, 0, 0)
        );
    });
}

/// A client stops waiting for one node and asks another before the first has written anything.
/// Either enough tickets are left, or so few that the second request would be refused.
#[test]
fn same_client_key_at_two_nodes_makes_one_order() {
    for others in [0, 3] {
        run_in_paused_time(move || async move {
            let nodes = TestNodes::with_draws(&[1042]);
            let (owner, other) = start_two_nodes(&nodes).await;
            for order in 0..others {
                owner.reserve(10 + u128::from(order), 45).await.unwrap();
            }
            let once_more = OpenOrderRequest {
                id: OrderId(2),
                token: "2".repeat(32),
                ..order_request(20)
            };
            let (here, there) = tokio::join!(
                owner.engine.payments.open(order_request(20)),
                other.engine.payments.open(once_more)
            );
            assert_eq!(
                here.unwrap().order.id,
                there.unwrap().order.id,
                "with {others} other orders"
            );
            let held = nodes.memory.draws()[0].held();
            assert_eq!(
                (
                    nodes.memory.orders().len(),
                    nodes.gateway.intents().len(),
                    held
                ),
                (1, 1, 45 * others + 20)
            );
        });
    }
}

/// One node creates the payment intent. The other node saw no intent, and releases the reservation
/// over a slow connection.
#[test]
fn order_abandoned_by_one_node_gets_no_intent_from_another() {
    run_in_paused_time(|| async {
        let nodes = TestNodes::with_draws(&[1042]);
        let (owner, other) = start_two_nodes(&nodes).await;
        nodes.gateway.set_call_delays(|call| {
            Duration::from_secs(if call.verb == GatewayMethod::Create {
                2
            } else {
                0
            })
        });
        nodes.network.set_request_delay(Duration::from_secs(2));
        let abandoned = async {
            sleep(Duration::from_secs(1)).await;
            other.engine.payments.refund(OrderId(1), "as asked").await
        };
        let (opened, abandoned) =
            tokio::join!(owner.engine.payments.open(order_request(3)), abandoned);
        assert_eq!(
            (opened.map(drop), abandoned),
            (Err(PaymentFailure::Unavailable), Ok(()))
        );
        sleep(Duration::from_secs(60)).await;
        assert_eq!(nodes.memory.orders()[0].order.state, OrderState::Released);
        let [intent] = &nodes.gateway.intents()[..] else {
            panic!("one intent exists")
        };
        assert_eq!(
            (intent.said.status, nodes.memory.draws()[0].held()),
            (PaymentStatus::Canceled, 0)
        );
    });
}

/// The second request waits behind a commit until the node's lease is over. It must not be answered
/// from memory then.
#[test]
fn queued_command_is_not_answered_from_memory_after_lease_end() {
    run_in_paused_time(|| async {
        let nodes = TestNodes::with_draws(&[1042]);
        let (ledger, control) = new_slow_ledger(nodes.memory.clone());
        let one = Arc::new(nodes.start_node_with_ledger(1, ledger).await);
        let _other = nodes.start_node(2).await;
        sleep(Duration::from_secs(2)).await;
        let (writes, remembers) = (one.clone(), one.clone());
        let written = tokio::task::spawn_local(async move { writes.reserve(7, 3).await });
        sleep(Duration::from_millis(10)).await;
        let remembered = tokio::task::spawn_local(async move { remembers.reserve(7, 3).await });
        one.database_link.send_replace(false);
        while one.engine.draws.may_serve() {
            sleep(Duration::from_millis(10)).await;
        }
        control.permits.add_permits(1);
        assert_eq!(
            written.await.unwrap().map(|view| view.held),
            Ok(3),
            "the command was committed"
        );
        assert_eq!(
            remembered.await.unwrap().map(drop),
            Err(Denied::Unavailable),
            "another node may own the draw by now"
        );
    });
}
