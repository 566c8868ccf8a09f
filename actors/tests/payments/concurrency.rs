//! Many payments at the same time: each buyer gets the paid tickets once, and one slow payment does
//! not delay the others.

use std::time::Duration;

use actors::FulfilStatus;
use actors::testing::GatewayMethod;
use domain::Cents;
use futures_util::future::join_all;
use persistence::stores::OrderRecord;

use crate::world::{TestWorld, account, intent_of, run_in_paused_time};

async fn open_authorised_order(world: &TestWorld, count: u16) -> OrderRecord {
    let record = world.open_order(&[(1042, count)]).await;
    assert!(world.gateway.authorise(&intent_of(&record)));
    record
}

#[test]
fn concurrent_duplicate_payments_are_fulfilled_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let mut records = Vec::new();
        for _ in 0..20 {
            records.push(open_authorised_order(&world, 2).await);
        }
        // `fulfil` is called three times concurrently for every order.
        let entry_points = records.iter().flat_map(|record| [record, record, record]);
        let results = join_all(entry_points.map(|record| world.fulfil(record))).await;
        assert!(
            results
                .iter()
                .all(|results| results.as_ref().unwrap().status == FulfilStatus::Succeeded)
        );
        world.deliver_queued_webhooks().await;
        world.advance_seconds(60).await;
        assert_eq!(world.sold_in_draw(1042), 40);
        let mut serials: Vec<u16> = Vec::new();
        for record in &records {
            serials.extend(
                world.stored_order(record).tickets[0]
                    .1
                    .iter()
                    .map(|serial| serial.number()),
            );
        }
        serials.sort_unstable();
        assert_eq!(
            serials,
            (1..=40).collect::<Vec<u16>>(),
            "forty tickets, each to one order"
        );
        assert_eq!(
            world.gateway.provider_account_totals(&account()).captured,
            Cents(20 * 1000)
        );
        assert_eq!(world.mails().len(), 20);
        world.assert_consistent();
    });
}

#[test]
fn provider_hanging_on_one_order_delays_no_other_call() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let (slow, quick) = (
            open_authorised_order(&world, 1).await,
            open_authorised_order(&world, 1).await,
        );
        let hangs = slow.order.id.to_string();
        world.gateway.set_call_delays(move |call| {
            let slow = call.verb == GatewayMethod::Capture && call.key.contains(&hangs);
            Duration::from_secs(if slow { 20 } else { 0 })
        });
        let began = tokio::time::Instant::now();
        let waits = world.fulfil(&slow);
        let passes = async {
            assert_eq!(
                world.fulfil(&quick).await.unwrap().status,
                FulfilStatus::Succeeded
            );
            // The draw itself is not blocked, because its commit was made before the call to the
            // provider.
            world.open_order(&[(1042, 3)]).await;
            began.elapsed()
        };
        let (results, passed) = tokio::join!(waits, passes);
        assert!(
            passed < Duration::from_secs(1),
            "the others took {passed:?}"
        );
        assert_eq!(results.unwrap().status, FulfilStatus::Succeeded);
        assert!(began.elapsed() >= Duration::from_secs(20));
        world.assert_consistent();
    });
}
