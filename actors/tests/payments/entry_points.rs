//! Tests of the five entry points that report a payment. Each of them alone completes the order.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::world::{TestWorld, account, intent_of, run_in_paused_time};
use actors::testing::{Fault, GatewayMethod};
use actors::{ConfirmationOutcome, FulfilStatus, PaymentFailure};
use domain::provider_error::{DeclineGroup, ProviderErrorClass};
use domain::{Cents, OrderState, Timestamp};
use persistence::memory::{MemoryCall, MemoryFault as BooksFault};
use persistence::nodes::InstanceId;
use persistence::stores::WebhookEventStore;

#[test]
fn purchase_reserves_allocates_captures_and_mails() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        assert_eq!((world.held_in_draw(1042), world.sold_in_draw(1042)), (2, 0));
        assert!(record.client_secret.is_some());
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Waiting
        );

        world.gateway.authorise(&intent_of(&record));
        let fulfilled = world.fulfil(&record).await.unwrap();
        assert_eq!(fulfilled.status, FulfilStatus::Succeeded);
        assert_eq!(fulfilled.record.tickets[0].1.len(), 2);
        assert_eq!((world.held_in_draw(1042), world.sold_in_draw(1042)), (0, 2));
        let in_books = world.stored_order(&record);
        assert_eq!(
            in_books.order, fulfilled.record.order,
            "the answer equals the stored order"
        );
        assert_eq!(in_books.tickets, fulfilled.record.tickets);
        let intent = world.gateway.intent(&intent_of(&record)).unwrap().said;
        assert_eq!(
            (intent.amount_received, intent.application_fee),
            (Cents(1000), Cents(35))
        );
        world.advance_seconds(5).await;
        assert_eq!(world.mails().len(), 1);
        world.assert_consistent();
    });
}

#[test]
fn queued_mail_is_sent_at_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        // After five minutes without queued mail the mailer polls only rarely.
        world.advance_seconds(300).await;
        let started = tokio::time::Instant::now();
        let outbox = world.engine().outbox.clone();
        outbox
            .queue_mail_now("verify-1", "verify", None, "club@example.org", "{}")
            .await
            .unwrap();
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        assert_eq!(world.mails().len(), 1);
        assert_eq!(
            started.elapsed().as_millis(),
            0,
            "the mail did not wait for the next poll"
        );
    });
}

#[test]
fn five_entry_points_at_once_fulfil_the_order_once() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 3)]).await;
        let id = intent_of(&record);
        world.gateway.authorise(&id);
        world.restart_engine().await; // entry point: the restart scan
        world.advance_seconds(25).await; // old enough for the sweeper
        world.deliver_queued_webhooks().await; // entry point: the webhook
        let (payments, reconciler) = (world.payments(), world.engine().reconciler.clone());
        let calls = futures_util::future::join_all((0..20).map(|_| payments.fulfil(&id)));
        let (answers, (), scanned) = futures_util::join!(
            calls,
            reconciler.run_pass_without_comparison(),
            reconciler.scan_payments(crate::world::NOON)
        );
        scanned.unwrap();
        for answer in answers {
            let fulfilled = answer.unwrap();
            assert_eq!(fulfilled.status, FulfilStatus::Succeeded);
            assert_eq!(fulfilled.record.tickets[0].1.len(), 3);
        }
        world.advance_seconds(60).await;
        assert_eq!(world.sold_in_draw(1042), 3);
        assert_eq!(world.gateway.intent(&id).unwrap().captures, 1);
        assert_eq!(world.mails().len(), 1);
        assert_eq!(world.memory.anomaly_records().len(), 0);
        world.assert_consistent();
    });
}

#[test]
fn each_entry_point_alone_fulfils_the_order() {
    run_in_paused_time(|| async {
        for entry_point in ["call", "webhook", "sweeper", "restart scan", "operator"] {
            let mut world = TestWorld::with_draws(&[1042]).await;
            let record = world.open_order(&[(1042, 1)]).await;
            world.gateway.authorise(&intent_of(&record));
            match entry_point {
                "call" => drop(world.fulfil(&record).await.unwrap()),
                "webhook" => world.deliver_queued_webhooks().await,
                "sweeper" => world.advance_seconds(51).await,
                "restart scan" => {
                    world.advance_seconds(21).await;
                    world.restart_engine().await;
                }
                _ => drop(
                    world
                        .engine()
                        .reconciler
                        .scan_payments(crate::world::NOON)
                        .await
                        .unwrap(),
                ),
            }
            world.advance_seconds(5).await;
            assert_eq!(
                world.stored_order(&record).order.state,
                OrderState::Captured,
                "{entry_point}"
            );
            world.assert_consistent();
            world.engine.take().unwrap().kill();
        }
    });
}

#[test]
fn cart_is_allocated_by_line_and_captured_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043, 1044]).await;
        let record = world.buy_tickets(&[(1044, 1), (1042, 2), (1043, 3)]).await;
        let counts: Vec<_> = record
            .tickets
            .iter()
            .map(|(draw, serials)| (draw.0, serials.len()))
            .collect();
        assert_eq!(counts, [(1042, 2), (1043, 3), (1044, 1)]);
        assert_eq!(
            world.gateway.provider_account_totals(&account()).captured,
            Cents(3000)
        );
        world.assert_consistent();
    });
}

#[test]
fn second_card_after_decline_pays_the_same_order() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        let id = record.order.id;
        let declined = world
            .payments()
            .confirm(id, "pm_decline")
            .await
            .unwrap_err();
        assert!(
            matches!(declined, PaymentFailure::Declined { ref code, .. } if code == "card_declined")
        );
        let action = world.payments().confirm(id, "pm_3ds").await.unwrap();
        assert_eq!(
            action,
            ConfirmationOutcome::RequiresAction {
                client_secret: record.client_secret.clone().unwrap()
            }
        );
        assert_eq!(
            world.payments().confirm(id, "pm_visa").await.unwrap(),
            ConfirmationOutcome::Authorised
        );
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        assert_eq!(world.gateway.intents().len(), 1);
        world.assert_consistent();
    });
}

#[test]
fn unknown_confirmation_is_no_decline_and_can_be_retried() {
    run_in_paused_time(|| async {
        // Faults without an effect: a server error that the provider stores, a timeout before the
        // effect, and no connection. The next loop has the faults after the effect.
        for fault in [Fault::CachedError, Fault::TimeoutBefore, Fault::Unavailable] {
            let mut world = TestWorld::with_draws(&[1042]).await;
            let record = world.open_order(&[(1042, 2)]).await;
            let id = record.order.id;
            world.gateway.fail_next(GatewayMethod::Confirm, fault);
            let unknown = world.payments().confirm(id, "pm_visa").await;
            assert_eq!(unknown, Err(PaymentFailure::Unavailable), "{fault:?}");
            assert_eq!(
                world.payments().confirm(id, "pm_visa").await,
                Ok(ConfirmationOutcome::Authorised),
                "{fault:?}"
            );
            assert_eq!(
                world.fulfil(&record).await.unwrap().status,
                FulfilStatus::Succeeded
            );
            world.engine.take().unwrap().kill();
        }
        for fault in [Fault::CachedErrorAfter, Fault::TimeoutAfter] {
            let mut world = TestWorld::with_draws(&[1042]).await;
            let record = world.open_order(&[(1042, 2)]).await;
            let id = record.order.id;
            world.gateway.fail_next(GatewayMethod::Confirm, fault);
            let declined = world.payments().confirm(id, "pm_decline").await;
            let expected = PaymentFailure::Declined {
                class: ProviderErrorClass::CardDeclined(DeclineGroup::Unexplained),
                code: "card_declined".into(),
                message: "Your card was declined.".into(),
            };
            assert_eq!(declined, Err(expected), "read from the intent: {fault:?}");
            world.gateway.fail_next(GatewayMethod::Confirm, fault);
            assert_eq!(
                world.payments().confirm(id, "pm_visa").await,
                Ok(ConfirmationOutcome::Authorised),
                "{fault:?}"
            );
            world.engine.take().unwrap().kill();
        }
    });
}

#[test]
fn already_confirmed_intent_is_not_reported_as_declined() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        let id = record.order.id;
        // The first attempt authorises but its answer is lost. The second is refused because of the
        // intent's state, and reading the intent fails.
        let mut first = true;
        world.gateway.set_faults(move |call| match call.verb {
            GatewayMethod::Confirm if std::mem::take(&mut first) => Fault::CachedErrorAfter,
            GatewayMethod::Retrieve => Fault::TimeoutBefore,
            _ => Fault::None,
        });
        for attempt in 1..=2 {
            let unknown = world.payments().confirm(id, "pm_visa").await;
            assert_eq!(
                unknown,
                Err(PaymentFailure::Unavailable),
                "attempt {attempt}"
            );
        }
        world.gateway.clear_faults();
        assert_eq!(
            world.payments().confirm(id, "pm_visa").await,
            Ok(ConfirmationOutcome::Authorised)
        );
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        world.assert_consistent();
    });
}

#[test]
fn decline_of_first_card_is_not_reported_for_the_second() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        let id = record.order.id;
        assert!(matches!(
            world.payments().confirm(id, "pm_decline").await,
            Err(PaymentFailure::Declined { .. })
        ));
        // The attempt with the second card ends in a server error. The intent still contains the
        // decline of the first card.
        world
            .gateway
            .fail_next(GatewayMethod::Confirm, Fault::CachedError);
        assert_eq!(
            world.payments().confirm(id, "pm_visa").await,
            Err(PaymentFailure::Unavailable)
        );
        assert_eq!(
            world.payments().confirm(id, "pm_visa").await,
            Ok(ConfirmationOutcome::Authorised)
        );
        world.assert_consistent();
    });
}

#[test]
fn doubled_and_reordered_webhooks_are_stored_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let mut notices = world.gateway.take_webhook_events();
        assert!(notices.len() >= 2);
        notices.reverse();
        for notice in &notices {
            assert!(
                world
                    .payments()
                    .store_webhook_event(notice.clone())
                    .await
                    .unwrap()
            );
        }
        for notice in &notices {
            assert!(
                !world
                    .payments()
                    .store_webhook_event(notice.clone())
                    .await
                    .unwrap()
            );
        }
        world.advance_seconds(30).await;
        assert!(
            world
                .memory
                .unhandled_events(InstanceId(0), Timestamp(i64::MAX), 10)
                .await
                .unwrap()
                .is_empty()
        );
        assert_eq!(world.mails().len(), 1);
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Captured
        );
        world.assert_consistent();
    });
}

#[test]
fn captured_payments_are_recorded_within_a_minute() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        for _ in 0..12 {
            world.buy_tickets(&[(1042, 1)]).await;
        }
        world.advance_seconds(40).await;
        assert_eq!(world.memory.provider_snapshots().len(), 12);
        assert!(world.memory.anomaly_records().is_empty());
    });
}

/// There are more payments than one page of the database query returns.
#[test]
fn many_captured_payments_are_recorded_page_by_page() {
    run_in_paused_time(|| async {
        const ORDERS_BOUGHT: usize = 600;
        let world = TestWorld::with_draws(&[1042, 1043, 1044, 1045]).await;
        world.advance_seconds(35).await;
        let (lists, writes) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (listed, written) = (lists.clone(), writes.clone());
        world.gateway.set_faults(move |call| {
            listed.fetch_add(
                usize::from(call.verb == GatewayMethod::List),
                Ordering::Relaxed,
            );
            Fault::None
        });
        world.memory.set_faults(move |call| {
            written.fetch_add(
                usize::from(matches!(call, MemoryCall::Write("witness"))),
                Ordering::Relaxed,
            );
            BooksFault::None
        });
        for number in 0..ORDERS_BOUGHT {
            world.buy_tickets(&[(1042 + number as i64 % 4, 1)]).await;
            world.clock.advance(Duration::from_millis(10)).await;
        }
        // In these 30 seconds the reconciler makes one scheduled pass.
        world.advance_seconds(30).await;
        assert_eq!(world.memory.provider_snapshots().len(), ORDERS_BOUGHT);
        // One write for a page of 500 orders, and one for the page with the rest.
        assert_eq!(writes.load(Ordering::Relaxed), 2);
        // One list call for the captured orders, and one for payments that the database may have
        // lost.
        assert_eq!(lists.load(Ordering::Relaxed), 2);
        assert!(world.memory.anomaly_records().is_empty());
    });
}

#[test]
fn mail_is_retried_until_the_server_is_up() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        *world.mailer.is_down.lock().unwrap() = true;
        world.buy_tickets(&[(1042, 1)]).await;
        world.advance_seconds(3600).await;
        assert_eq!(world.mails().len(), 0);
        *world.mailer.is_down.lock().unwrap() = false;
        world.advance_seconds(120).await;
        assert_eq!(world.mails().len(), 1);
    });
}

#[test]
fn disconnected_caller_does_not_stop_fulfilment() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        let id = intent_of(&record);
        world.gateway.authorise(&id);
        world
            .gateway
            .set_call_delays(|_| std::time::Duration::from_millis(300));
        let payments = world.payments();
        let gone =
            tokio::time::timeout(std::time::Duration::from_millis(100), payments.fulfil(&id)).await;
        assert!(
            gone.is_err(),
            "the browser's connection is reset in the middle"
        );
        world.advance_seconds(2).await;
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Captured
        );
        world.assert_consistent();
    });
}

#[test]
fn unknown_payment_intent_is_reported() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let unknown = world
            .payments()
            .fulfil(&domain::PaymentIntentId("pi_nobody".into()))
            .await;
        assert_eq!(unknown.unwrap_err(), PaymentFailure::OrderUnknown);
    });
}
