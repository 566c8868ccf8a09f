//! Many at once: each gets what they paid for, once, and nobody waits for somebody else's trouble.

use std::time::Duration;

use actors::FulfilStatus;
use actors::testing::Verb;
use domain::Cents;
use futures_util::future::join_all;
use persistence::books::OrderRecord;

use crate::world::{World, account, intent_of, play};

async fn authorised(world: &World, count: u16) -> OrderRecord {
    let record = world.open(&[(1042, count)]).await;
    assert!(world.gateway.authorise(&intent_of(&record)));
    record
}

#[test]
fn payments_of_one_draw_that_arrive_together_and_doubled_are_each_fulfilled_once() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let mut records = Vec::new();
        for _ in 0..20 {
            records.push(authorised(&world, 2).await);
        }
        // Every door at the same time, for every order.
        let doors = records.iter().flat_map(|record| [record, record, record]);
        let told = join_all(doors.map(|record| world.fulfil(record))).await;
        assert!(
            told.iter()
                .all(|told| told.as_ref().unwrap().status == FulfilStatus::Succeeded)
        );
        world.deliver_notices().await;
        world.pass(60).await;
        assert_eq!(world.sold(1042), 40);
        let mut serials: Vec<u16> = Vec::new();
        for record in &records {
            serials.extend(
                world.order(record).tickets[0]
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
        assert_eq!(world.gateway.takings(&account()).captured, Cents(20 * 1000));
        assert_eq!(world.mails().len(), 20);
        world.audit();
    });
}

#[test]
fn a_provider_that_hangs_on_one_order_keeps_no_other_waiting() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let (slow, quick) = (authorised(&world, 1).await, authorised(&world, 1).await);
        let hangs = slow.order.id.to_string();
        world.gateway.set_pace(move |asked| {
            let slow = asked.verb == Verb::Capture && asked.key.contains(&hangs);
            Duration::from_secs(if slow { 20 } else { 0 })
        });
        let began = tokio::time::Instant::now();
        let waits = world.fulfil(&slow);
        let passes = async {
            assert_eq!(
                world.fulfil(&quick).await.unwrap().status,
                FulfilStatus::Succeeded
            );
            // The draw itself is free, too: its commit was made before the provider was asked.
            world.open(&[(1042, 3)]).await;
            began.elapsed()
        };
        let (told, passed) = tokio::join!(waits, passes);
        assert!(
            passed < Duration::from_secs(1),
            "the others took {passed:?}"
        );
        assert_eq!(told.unwrap().status, FulfilStatus::Succeeded);
        assert!(began.elapsed() >= Duration::from_secs(20));
        world.audit();
    });
}
