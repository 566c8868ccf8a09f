//! Tests that code which stores work for a background worker also wakes the worker. Without a
//! wakeup, idle workers poll less and less often.

use actors::testing::{Fault, GatewayMethod};
use domain::{Cents, DrawId, OrderState, PaymentStatus, Serial};
use persistence::ledger::BuyerDetails;
use persistence::memory::{MemoryCall, MemoryFault as BooksFault};
use persistence::stores::OrderRecord;
use tokio::time::Instant;

use crate::world::{KICK_OFF, NOON, TestWorld, account, intent_of, run_in_paused_time};

/// Advances the time without new work until every worker polls at its longest interval.
async fn wait_until_workers_idle(world: &TestWorld) {
    world.advance_seconds(300).await;
}

/// Runs `work` and everything that it wakes, and asserts that no time passes.
async fn assert_completes_without_delay(work: impl Future<Output = ()>) {
    let started = Instant::now();
    work.await;
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        started.elapsed().as_millis(),
        0,
        "no worker waited for its next poll"
    );
}

fn refunded_amount(world: &TestWorld) -> Cents {
    world.gateway.provider_account_totals(&account()).refunded
}

fn mail_kinds(world: &TestWorld) -> Vec<String> {
    world.mails().into_iter().map(|mail| mail.kind).collect()
}

async fn buy_order(world: &TestWorld) -> OrderRecord {
    let record = world.buy_tickets(&[(1042, 2)]).await;
    wait_until_workers_idle(world).await;
    record
}

#[test]
fn captured_order_is_mailed_at_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        wait_until_workers_idle(&world).await;
        assert_completes_without_delay(async { _ = world.buy_tickets(&[(1042, 2)]).await }).await;
        assert_eq!(mail_kinds(&world), ["tickets"]);
    });
}

#[test]
fn not_charged_mail_is_sent_at_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        wait_until_workers_idle(&world).await;
        for (had_tickets, mails) in [(false, 1), (true, 2)] {
            let record = world.open_order(&[(1042, 2)]).await;
            assert!(world.gateway.authorise(&intent_of(&record)));
            if had_tickets {
                world
                    .gateway
                    .fail_next(GatewayMethod::Capture, Fault::Unavailable);
                world.fulfil(&record).await.unwrap();
            }
            assert!(world.gateway.end_authorisation(&intent_of(&record)));
            assert_completes_without_delay(async { _ = world.fulfil(&record).await.unwrap() })
                .await;
            assert_eq!(mail_kinds(&world), vec!["not-charged"; mails]);
            wait_until_workers_idle(&world).await;
        }
    });
}

#[test]
fn refund_and_fee_refund_and_mail_are_sent_at_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = buy_order(&world).await;
        assert_completes_without_delay(async {
            world
                .payments()
                .refund(record.order.id, "asked for")
                .await
                .unwrap();
        })
        .await;
        assert_eq!(refunded_amount(&world), Cents(1_000));
        assert_eq!(
            world
                .gateway
                .provider_account_totals(&account())
                .fees_refunded,
            Cents(35)
        );
        assert_eq!(mail_kinds(&world), ["tickets", "refunded"]);
    });
}

#[test]
fn refund_is_sent_at_once_while_its_fee_waits() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = buy_order(&world).await;
        world.memory.set_faults(|call| match call {
            MemoryCall::Write("give_fees_back") => BooksFault::NotWritten,
            _ => BooksFault::None,
        });
        assert_completes_without_delay(async {
            world
                .payments()
                .refund(record.order.id, "asked for")
                .await
                .unwrap();
        })
        .await;
        assert_eq!(refunded_amount(&world), Cents(1_000));
    });
}

#[test]
fn dispute_returns_fee_and_mails_club_at_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = buy_order(&world).await;
        assert!(world.gateway.dispute(&intent_of(&record)));
        assert_completes_without_delay(async {
            _ = world.engine().reconciler.scan_payments(NOON).await.unwrap();
        })
        .await;
        assert_eq!(
            (
                world.stored_order(&record).order.state,
                world.sold_in_draw(1042)
            ),
            (OrderState::Void, 0)
        );
        assert_eq!(
            world
                .gateway
                .provider_account_totals(&account())
                .fees_refunded,
            Cents(35)
        );
        assert_eq!(mail_kinds(&world), ["tickets", "disputed"]);
    });
}

/// Normally the node that rejects an order also cancels its payment. Here the worker must cancel
/// it, and would poll only after seven seconds.
#[test]
fn refused_order_is_cancelled_by_worker_within_seconds() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        wait_until_workers_idle(&world).await;
        world.advance_seconds(4).await;
        let record = world.open_order(&[(1042, 2)]).await;
        let mut is_first = true;
        world.memory.set_faults(move |call| match call {
            MemoryCall::Write("claim_operation") if std::mem::take(&mut is_first) => {
                BooksFault::NotWritten
            }
            _ => BooksFault::None,
        });
        world.payments().abandon(record.order.id).await.unwrap();
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Rejecting,
            "the cancellation was not claimed"
        );
        world.advance_seconds(4).await;
        assert_eq!(
            (
                world.stored_order(&record).order.state,
                world.held_in_draw(1042)
            ),
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
fn mail_to_recovered_buyer_is_sent_at_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let mut request = world.order_request(&[(1042, 1)]);
        request.buyer = BuyerDetails::default();
        let record = world.payments().open(request).await.unwrap();
        assert!(world.gateway.authorise(&intent_of(&record)));
        world.fulfil(&record).await.unwrap();
        wait_until_workers_idle(&world).await;
        let recovered_buyer = world.order_request(&[]).buyer;
        let first = Serial::new(1).unwrap();
        let anomalies = world.engine().anomalies.clone();
        assert_completes_without_delay(async {
            _ = anomalies
                .recover_buyer(DrawId(1042), first, recovered_buyer, true)
                .await
                .unwrap();
        })
        .await;
        assert_eq!(mail_kinds(&world), ["tickets"]);
    });
}

#[test]
fn webhook_is_handled_at_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        wait_until_workers_idle(&world).await;
        let record = world.open_order(&[(1042, 1)]).await;
        assert!(world.gateway.authorise(&intent_of(&record)));
        assert_completes_without_delay(world.deliver_queued_webhooks()).await;
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Captured
        );
    });
}

#[test]
fn capture_after_kick_off_is_refunded_at_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(-15)).await;
        let record = world.open_order(&[(1042, 2)]).await;
        let id = intent_of(&record);
        assert!(world.gateway.authorise(&id));
        world.gateway.capture_in_dashboard(&id);
        world.clock.advance_to(KICK_OFF).await;
        assert_completes_without_delay(async { _ = world.fulfil(&record).await.unwrap() }).await;
        assert_eq!(refunded_amount(&world), Cents(1_000));
    });
}

#[test]
fn failed_provider_call_is_retried_within_seconds() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        wait_until_workers_idle(&world).await;
        let record = world.open_order(&[(1042, 1)]).await;
        assert!(world.gateway.authorise(&intent_of(&record)));
        world
            .gateway
            .fail_next(GatewayMethod::Capture, Fault::Unavailable);
        world.fulfil(&record).await.unwrap();
        assert_ne!(
            world.stored_order(&record).order.state,
            OrderState::Captured
        );
        world.advance_seconds(2).await;
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Captured
        );
    });
}
