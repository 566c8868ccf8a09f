//! Whoever writes something for a worker beside something else tells the worker: left alone, it looks ever more rarely.

use actors::testing::{Fault, Verb};
use domain::{Cents, DrawId, OrderState, PaymentStatus, Serial};
use persistence::books::OrderRecord;
use persistence::ledger::BuyerDetails;
use persistence::memory::{Call, Fault as BooksFault};
use tokio::time::Instant;

use crate::world::{KICK_OFF, NOON, World, account, intent_of, play};

/// So long nobody writes anything that every worker rests as long as it ever does.
async fn workers_rest(world: &World) {
    world.pass(300).await;
}

/// Everything that follows by itself has followed, before any time has passed.
async fn at_once(work: impl Future<Output = ()>) {
    let begun = Instant::now();
    work.await;
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        begun.elapsed().as_millis(),
        0,
        "nobody waited for a worker's next look"
    );
}

fn refunded(world: &World) -> Cents {
    world.gateway.takings(&account()).refunded
}

fn kinds(world: &World) -> Vec<String> {
    world.mails().into_iter().map(|mail| mail.kind).collect()
}

async fn bought(world: &World) -> OrderRecord {
    let record = world.buy(&[(1042, 2)]).await;
    workers_rest(world).await;
    record
}

#[test]
fn a_captured_orders_mail_leaves_at_once() {
    play(|| async {
        let world = World::with(&[1042]).await;
        workers_rest(&world).await;
        at_once(async { _ = world.buy(&[(1042, 2)]).await }).await;
        assert_eq!(kinds(&world), ["tickets"]);
    });
}

#[test]
fn a_mail_that_nothing_was_charged_leaves_at_once() {
    play(|| async {
        let world = World::with(&[1042]).await;
        workers_rest(&world).await;
        for (had_tickets, mails) in [(false, 1), (true, 2)] {
            let record = world.open(&[(1042, 2)]).await;
            assert!(world.gateway.authorise(&intent_of(&record)));
            if had_tickets {
                world.gateway.fail_next(Verb::Capture, Fault::Unavailable);
                world.fulfil(&record).await.unwrap();
            }
            assert!(world.gateway.expire(&intent_of(&record)));
            at_once(async { _ = world.fulfil(&record).await.unwrap() }).await;
            assert_eq!(kinds(&world), vec!["not-charged"; mails]);
            workers_rest(&world).await;
        }
    });
}

#[test]
fn a_refunds_money_fee_and_mail_leave_at_once() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = bought(&world).await;
        at_once(async {
            world
                .payments()
                .refund(record.order.id, "asked for")
                .await
                .unwrap()
        })
        .await;
        assert_eq!(refunded(&world), Cents(1_000));
        assert_eq!(world.gateway.takings(&account()).fees_refunded, Cents(35));
        assert_eq!(kinds(&world), ["tickets", "refunded"]);
    });
}

#[test]
fn a_refunds_money_leaves_at_once_though_its_fee_has_to_wait() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = bought(&world).await;
        world.memory.set_faults(|call| match call {
            Call::Write("give_fees_back") => BooksFault::NotWritten,
            _ => BooksFault::None,
        });
        at_once(async {
            world
                .payments()
                .refund(record.order.id, "asked for")
                .await
                .unwrap()
        })
        .await;
        assert_eq!(refunded(&world), Cents(1_000));
    });
}

#[test]
fn the_fee_of_a_disputed_payment_whose_tickets_are_released_and_the_clubs_mail_leave_at_once() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = bought(&world).await;
        assert!(world.gateway.dispute(&intent_of(&record)));
        at_once(async { _ = world.engine().reconciler.scan(NOON).await.unwrap() }).await;
        assert_eq!(
            (world.order(&record).order.state, world.sold(1042)),
            (OrderState::Void, 0)
        );
        assert_eq!(world.gateway.takings(&account()).fees_refunded, Cents(35));
        assert_eq!(kinds(&world), ["tickets", "disputed"]);
    });
}

/// Whoever refuses an order cancels it. Left to the worker that has a while to wait: its next look by itself is in seven seconds.
#[test]
fn an_order_that_is_refused_is_cancelled_within_seconds_though_not_by_whoever_refused_it() {
    play(|| async {
        let world = World::with(&[1042]).await;
        workers_rest(&world).await;
        world.pass(4).await;
        let record = world.open(&[(1042, 2)]).await;
        let mut is_first = true;
        world.memory.set_faults(move |call| match call {
            Call::Write("claim_operation") if std::mem::take(&mut is_first) => {
                BooksFault::NotWritten
            }
            _ => BooksFault::None,
        });
        world.payments().abandon(record.order.id).await.unwrap();
        assert_eq!(
            world.order(&record).order.state,
            OrderState::Rejecting,
            "the cancellation was not claimed"
        );
        world.pass(4).await;
        assert_eq!(
            (world.order(&record).order.state, world.held(1042)),
            (OrderState::Released, 0)
        );
        assert_eq!(
            world
                .gateway
                .intent(&intent_of(&record))
                .unwrap()
                .said
                .status,
            PaymentStatus::Canceled
        );
    });
}

#[test]
fn the_mail_of_a_buyer_who_is_known_at_last_leaves_at_once() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let mut wanted = world.wants(&[(1042, 1)]);
        wanted.buyer = BuyerDetails::default();
        let record = world.payments().open(wanted).await.unwrap();
        assert!(world.gateway.authorise(&intent_of(&record)));
        world.fulfil(&record).await.unwrap();
        workers_rest(&world).await;
        let somebody = world.wants(&[]).buyer;
        let first = Serial::new(1).unwrap();
        let anomalies = world.engine().anomalies.clone();
        at_once(async {
            _ = anomalies
                .recover(DrawId(1042), first, somebody, true)
                .await
                .unwrap()
        })
        .await;
        assert_eq!(kinds(&world), ["tickets"]);
    });
}

#[test]
fn a_notice_is_handled_at_once() {
    play(|| async {
        let world = World::with(&[1042]).await;
        workers_rest(&world).await;
        let record = world.open(&[(1042, 1)]).await;
        assert!(world.gateway.authorise(&intent_of(&record)));
        at_once(world.deliver_notices()).await;
        assert_eq!(world.order(&record).order.state, OrderState::Captured);
    });
}

#[test]
fn money_that_was_taken_too_late_for_tickets_goes_back_at_once() {
    play(|| async {
        let world = World::with(&[1042]).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(-15)).await;
        let record = world.open(&[(1042, 2)]).await;
        let id = intent_of(&record);
        assert!(world.gateway.authorise(&id));
        world.gateway.capture_behind_our_back(&id);
        world.clock.advance_to(KICK_OFF).await;
        at_once(async { _ = world.fulfil(&record).await.unwrap() }).await;
        assert_eq!(refunded(&world), Cents(1_000));
    });
}

#[test]
fn what_the_provider_could_not_do_is_tried_again_within_seconds() {
    play(|| async {
        let world = World::with(&[1042]).await;
        workers_rest(&world).await;
        let record = world.open(&[(1042, 1)]).await;
        assert!(world.gateway.authorise(&intent_of(&record)));
        world.gateway.fail_next(Verb::Capture, Fault::Unavailable);
        world.fulfil(&record).await.unwrap();
        assert_ne!(world.order(&record).order.state, OrderState::Captured);
        world.pass(2).await;
        assert_eq!(world.order(&record).order.state, OrderState::Captured);
    });
}
