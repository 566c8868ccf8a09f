//! What two nodes decide of one thing at the same time, each by what it knows.

use std::sync::Arc;
use std::time::Duration;

use actors::testing::Verb;
use actors::{Denied, FulfilStatus, OpenOrder, PaymentFailure};
use domain::{ClubId, OrderId, OrderState, PaymentStatus};
use persistence::ledger::BuyerDetails;
use tokio::time::sleep;

use super::disk::slow;
use super::house::{House, two};
use super::world::{account, intent_of, line, play};

fn wants(count: u16) -> OpenOrder {
    OpenOrder {
        client_key: "client-1".into(),
        token: "1".repeat(32),
        id: OrderId(1),
        club: ClubId(1),
        account: account(),
        lines: vec![line(1042, count)],
        buyer: BuyerDetails::default(),
    }
}

/// One is told to turn an order down, and its way to the draw is long; meanwhile the other is asked to fulfil it.
#[test]
fn an_order_that_one_node_turns_down_is_not_fulfilled_by_another_while_its_tickets_go_back() {
    play(|| async {
        let house = House::with(&[1042]);
        let (owner, other) = two(&house).await;
        let record = owner.engine.payments.open(wants(3)).await.unwrap();
        let id = intent_of(&record);
        assert!(house.gateway.authorise(&id));
        house.street.takes(Duration::from_secs(2));
        let fulfilled = async {
            sleep(Duration::from_secs(1)).await;
            owner.engine.payments.fulfil(&id).await
        };
        let (turned_down, fulfilled) =
            tokio::join!(other.engine.payments.turn_down(OrderId(1)), fulfilled);
        for status in [turned_down.unwrap(), fulfilled.unwrap().status] {
            assert!(
                matches!(status, FulfilStatus::NotCharged { .. }),
                "{status:?}"
            );
        }
        sleep(Duration::from_secs(90)).await;
        let state = house.memory.orders()[0].order.state;
        let captures = house.gateway.intent(&id).unwrap().captures;
        assert_eq!(
            (state, captures, house.memory.draws()[0].sold()),
            (OrderState::Released, 0, 0)
        );
    });
}

/// A phone gives up on one node and asks the other, before the first has written anything: there are tickets enough, or so few
/// that the second would be told that none are left.
#[test]
fn what_one_browser_asks_of_two_nodes_at_once_is_one_order_at_both() {
    for others in [0, 3] {
        play(move || async move {
            let house = House::with(&[1042]);
            let (owner, other) = two(&house).await;
            for order in 0..others {
                owner.reserves(10 + u128::from(order), 45).await.unwrap();
            }
            let once_more = OpenOrder {
                id: OrderId(2),
                token: "2".repeat(32),
                ..wants(20)
            };
            let (here, there) = tokio::join!(
                owner.engine.payments.open(wants(20)),
                other.engine.payments.open(once_more)
            );
            assert_eq!(
                here.unwrap().order.id,
                there.unwrap().order.id,
                "beside {others} others"
            );
            let held = house.memory.draws()[0].held();
            assert_eq!(
                (
                    house.memory.orders().len(),
                    house.gateway.intents().len(),
                    held
                ),
                (1, 1, 45 * others + 20)
            );
        });
    }
}

/// One makes its intent; meanwhile the other, which saw none, gives its reservation back over a long way.
#[test]
fn an_order_that_one_node_lets_go_is_given_no_intent_by_another() {
    play(|| async {
        let house = House::with(&[1042]);
        let (owner, other) = two(&house).await;
        house
            .gateway
            .set_pace(|asked| Duration::from_secs(if asked.verb == Verb::Create { 2 } else { 0 }));
        house.street.takes(Duration::from_secs(2));
        let let_go = async {
            sleep(Duration::from_secs(1)).await;
            other.engine.payments.refund(OrderId(1), "as asked").await
        };
        let (opened, let_go) = tokio::join!(owner.engine.payments.open(wants(3)), let_go);
        assert_eq!(
            (opened.map(drop), let_go),
            (Err(PaymentFailure::Unavailable), Ok(()))
        );
        sleep(Duration::from_secs(60)).await;
        assert_eq!(house.memory.orders()[0].order.state, OrderState::Released);
        let [intent] = &house.gateway.intents()[..] else {
            panic!("one was made")
        };
        assert_eq!(
            (intent.said.status, house.memory.draws()[0].held()),
            (PaymentStatus::Canceled, 0)
        );
    });
}

/// The second question waits behind a commit until the lease is over, and would be answered from memory.
#[test]
fn what_was_asked_under_a_lease_is_not_answered_from_memory_when_it_is_over() {
    play(|| async {
        let house = House::with(&[1042]);
        let (ledger, disk) = slow(house.memory.clone());
        let one = Arc::new(house.node_on(1, ledger).await);
        let _other = house.node(2).await;
        sleep(Duration::from_secs(2)).await;
        let (writes, remembers) = (one.clone(), one.clone());
        let written = tokio::task::spawn_local(async move { writes.reserves(7, 3).await });
        sleep(Duration::from_millis(10)).await;
        let remembered = tokio::task::spawn_local(async move { remembers.reserves(7, 3).await });
        one.line.send_replace(false);
        while one.engine.draws.may_serve() {
            sleep(Duration::from_millis(10)).await;
        }
        disk.permits.add_permits(1);
        assert_eq!(
            written.await.unwrap().map(|view| view.held),
            Ok(3),
            "it is in the books"
        );
        assert_eq!(
            remembered.await.unwrap().map(drop),
            Err(Denied::Unavailable),
            "the draw may be another's by now"
        );
    });
}
