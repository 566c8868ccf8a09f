//! Tests of a provider that does not answer, and of a process that is killed at every write.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::is_not_charged;
use crate::world::{TestWorld, account, intent_of, order_line, run_in_paused_time};
use actors::testing::{Fault, GatewayMethod};
use actors::{FulfilStatus, PaymentFailure};
use domain::{Cents, Command, DrawId, GameResult, OrderState, PaymentStatus};
use persistence::memory::{MemoryCall, MemoryFault as BooksFault};

const ALL_FAULTS: [Fault; 5] = [
    Fault::TimeoutAfter,
    Fault::TimeoutBefore,
    Fault::CachedError,
    Fault::CachedErrorAfter,
    Fault::Unavailable,
];

#[test]
fn unanswered_capture_is_looked_up() {
    run_in_paused_time(|| async {
        for (fault, expected) in [
            (Fault::TimeoutAfter, FulfilStatus::Succeeded),
            (Fault::CachedErrorAfter, FulfilStatus::Succeeded),
            (Fault::TimeoutBefore, FulfilStatus::Processing),
            (Fault::CachedError, FulfilStatus::Processing),
            (Fault::Unavailable, FulfilStatus::Processing),
        ] {
            let mut world = TestWorld::with_draws(&[1042]).await;
            let record = world.open_order(&[(1042, 2)]).await;
            world.gateway.authorise(&intent_of(&record));
            world.gateway.fail_next(GatewayMethod::Capture, fault);
            assert_eq!(
                world.fulfil(&record).await.unwrap().status,
                expected,
                "{fault:?}"
            );
            world.advance_seconds(60).await;
            assert_eq!(
                world.stored_order(&record).order.state,
                OrderState::Captured,
                "{fault:?}"
            );
            assert_eq!(
                world.gateway.intent(&intent_of(&record)).unwrap().captures,
                1,
                "{fault:?}"
            );
            assert_eq!(world.mails().len(), 1, "{fault:?}");
            assert_eq!(world.memory.anomaly_records().len(), 0, "{fault:?}");
            world.assert_consistent();
            world.engine.take().unwrap().kill();
        }
    });
}

#[test]
fn unanswered_creation_makes_one_intent() {
    run_in_paused_time(|| async {
        for fault in ALL_FAULTS {
            let mut world = TestWorld::with_draws(&[1042]).await;
            let request = world.order_request(&[(1042, 2)]);
            world.gateway.fail_next(GatewayMethod::Create, fault);
            let first = world.payments().open(request.clone()).await;
            let found = matches!(fault, Fault::TimeoutAfter | Fault::CachedErrorAfter);
            assert_eq!(first.is_ok(), found, "{fault:?}");
            let record = loop {
                match world.payments().open(request.clone()).await {
                    Ok(record) => break record,
                    Err(failure) => assert_eq!(failure, PaymentFailure::Unavailable),
                }
                world.advance_seconds(1).await;
            };
            assert_eq!(world.gateway.intents().len(), 1, "{fault:?}");
            assert_eq!(world.held_in_draw(1042), 2, "{fault:?}");
            world.gateway.authorise(&intent_of(&record));
            assert_eq!(
                world.fulfil(&record).await.unwrap().status,
                FulfilStatus::Succeeded
            );
            world.assert_consistent();
            world.engine.take().unwrap().kill();
        }
    });
}

#[test]
fn unanswered_cancellation_ends_without_a_charge() {
    run_in_paused_time(|| async {
        for fault in ALL_FAULTS {
            let mut world = TestWorld::with_draws(&[1042]).await;
            let record = world.open_order(&[(1042, 2)]).await;
            world.gateway.authorise(&intent_of(&record));
            world
                .draws()
                .execute(DrawId(1042), Command::Cancel, None)
                .await
                .unwrap();
            world.gateway.fail_next(GatewayMethod::Cancel, fault);
            assert!(
                is_not_charged(&world.fulfil(&record).await.unwrap().status),
                "{fault:?}"
            );
            world.advance_seconds(60).await;
            assert_eq!(
                world.stored_order(&record).order.state,
                OrderState::Released,
                "{fault:?}"
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
            world.assert_consistent();
            world.engine.take().unwrap().kill();
        }
    });
}

#[test]
fn mail_of_killed_sender_is_sent_by_next_process() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&[1042]).await;
        *world.mailer.hangs.lock().unwrap() = true;
        world.buy_tickets(&[(1042, 2)]).await;
        world.advance_seconds(2).await;
        assert_eq!(world.mails().len(), 0, "it is being sent");
        *world.mailer.hangs.lock().unwrap() = false;
        world.restart_engine().await;
        world.advance_seconds(2).await;
        assert_eq!(
            world.mails().len(),
            1,
            "the dead process's lease is not waited for"
        );
        world.engine.take().unwrap().kill();
    });
}

#[test]
fn kill_at_any_purchase_step_loses_nothing() {
    run_in_paused_time(|| async {
        // Each run of the loop kills the process before a different write to the database.
        for step in 1..=24 {
            let mut world = TestWorld::with_draws(&[1042, 1043]).await;
            let request = world.order_request(&[(1042, 2), (1043, 1)]);
            let purchase = {
                let (payments, gateway) = (world.payments(), world.gateway.clone());
                async move {
                    let record = payments.open(request).await?;
                    gateway.authorise(&intent_of(&record));
                    payments.fulfil(&intent_of(&record)).await
                }
            };
            let (reached, mut seen) = tokio::sync::oneshot::channel();
            let mut reached = Some(reached);
            let mut calls = 0;
            world.memory.set_faults(move |call| {
                // Workers poll all the time, so only the writes below count as steps.
                let counts = matches!(call, MemoryCall::Append(_))
                    || matches!(call, MemoryCall::Write(name) if !matches!(name, "claim_operations" | "claim_mail"));
                calls += usize::from(counts);
                if counts
                    && calls == step
                    && let Some(reached) = reached.take()
                {
                    let _ = reached.send(());
                }
                // The process is dead from here on. In every second run the last write still takes
                // effect.
                if counts && calls >= step {
                    if step % 2 == 0 && calls == step {
                        BooksFault::UnknownWritten
                    } else {
                        BooksFault::UnknownNotWritten
                    }
                } else {
                    BooksFault::None
                }
            });
            let purchase = actix::spawn(purchase);
            let died = tokio::time::timeout(std::time::Duration::from_secs(5), &mut seen)
                .await
                .is_ok();
            world.engine.take().unwrap().kill();
            purchase.abort();
            world.memory.clear_faults();
            world.start_engine().await;
            world.deliver_queued_webhooks().await;
            world.advance_seconds(900).await;
            let authorised = world
                .gateway
                .intents()
                .iter()
                .any(|intent| intent.captures > 0);
            for order in world.memory.orders() {
                let state = order.order.state;
                assert!(
                    matches!(state, OrderState::Captured | OrderState::Released),
                    "step {step}: {state:?}"
                );
                assert_eq!(state == OrderState::Captured, authorised, "step {step}");
            }
            assert_eq!(world.sold_in_draw(1042) == 2, authorised, "step {step}");
            assert_eq!(
                (world.held_in_draw(1042), world.held_in_draw(1043)),
                (0, 0),
                "step {step}"
            );
            // A kill between the delivery of a mail and the record of it sends the mail again under
            // the same message id (rule E4).
            let mut mails: Vec<_> = world
                .mails()
                .into_iter()
                .map(|mail| mail.message_id)
                .collect();
            mails.dedup();
            assert_eq!(mails.len(), usize::from(authorised), "step {step}");
            assert_eq!(world.memory.anomaly_records().len(), 0, "step {step}");
            world.assert_consistent();
            if !died {
                assert!(step > 7, "a purchase has more steps than {step}");
                return;
            }
            world.engine.take().unwrap().kill();
        }
        panic!("a purchase has fewer steps than that");
    });
}

#[test]
fn unanswered_refund_is_made_once() {
    run_in_paused_time(|| async {
        for fault in ALL_FAULTS {
            let mut world = TestWorld::with_draws(&[1042]).await;
            let record = world.buy_tickets(&[(1042, 2)]).await;
            world.gateway.fail_next(GatewayMethod::Refund, fault);
            world
                .payments()
                .refund(record.order.id, "asked for")
                .await
                .unwrap();
            world.advance_seconds(60).await;
            let takings = world.gateway.provider_account_totals(&account());
            assert_eq!(
                (takings.refunded, takings.fees_refunded),
                (Cents(1000), Cents(35)),
                "{fault:?}"
            );
            world.assert_consistent();
            world.engine.take().unwrap().kill();
        }
    });
}

#[test]
fn unanswered_update_reaches_the_provider_later() {
    run_in_paused_time(|| async {
        for fault in ALL_FAULTS {
            let mut world = TestWorld::with_draws(&[1042]).await;
            let request = world.order_request(&[(1042, 2)]);
            let record = world.payments().open(request.clone()).await.unwrap();
            let mut more = request;
            more.lines = vec![order_line(1042, 4)];
            world.gateway.fail_next(GatewayMethod::Update, fault);
            let _ = world.payments().open(more).await;
            world.advance_seconds(20).await;
            assert_eq!(
                world
                    .gateway
                    .intent(&intent_of(&record))
                    .unwrap()
                    .said
                    .amount,
                Cents(2000),
                "{fault:?}"
            );
            world.gateway.authorise(&intent_of(&record));
            assert_eq!(
                world.fulfil(&record).await.unwrap().status,
                FulfilStatus::Succeeded,
                "{fault:?}"
            );
            assert_eq!(world.sold_in_draw(1042), 4);
            world.assert_consistent();
            world.engine.take().unwrap().kill();
        }
    });
}

/// A request without an answer may still be executed later. Only its idempotency key prevents a
/// second refund.
#[test]
fn refund_changes_its_idempotency_key_only_after_a_stored_error() {
    run_in_paused_time(|| async {
        for (fault, keys) in [(Fault::TimeoutBefore, 1), (Fault::CachedError, 2)] {
            let mut world = TestWorld::with_draws(&[1042]).await;
            let record = world.buy_tickets(&[(1042, 2)]).await;
            let requests = Arc::new(Mutex::new(Vec::new()));
            let request_log = requests.clone();
            world.gateway.set_faults(move |call| match call.verb {
                GatewayMethod::Refund => {
                    let mut request_log = request_log.lock().unwrap();
                    request_log.push(call.key.to_owned());
                    if request_log.len() < 4 {
                        fault
                    } else {
                        Fault::None
                    }
                }
                _ => Fault::None,
            });
            world
                .payments()
                .refund(record.order.id, "asked for")
                .await
                .unwrap();
            world.advance_seconds(60).await;
            assert_eq!(
                world.gateway.provider_account_totals(&account()).refunded,
                Cents(1000),
                "{fault:?}"
            );
            let requests = requests.lock().unwrap().clone();
            let different: BTreeSet<&String> = requests.iter().collect();
            assert!(
                requests.len() >= 3 && different.len() >= keys,
                "{fault:?}: {requests:?}"
            );
            assert!(keys > 1 || different.len() == 1, "{fault:?}: {requests:?}");
            world.engine.take().unwrap().kill();
        }
    });
}

/// After a timeout the provider reports that the key is in use (409) or the object is locked (429).
/// The first request may have had its effect, so another key would repeat it (reliability.md,
/// faults F26 and F27).
#[test]
fn idempotency_key_in_use_is_retried_with_backoff() {
    run_in_paused_time(|| async {
        for verb in [
            GatewayMethod::Create,
            GatewayMethod::Capture,
            GatewayMethod::Cancel,
            GatewayMethod::Refund,
        ] {
            let mut world = TestWorld::with_draws(&[1042]).await;
            let requests = Arc::new(Mutex::new(Vec::new()));
            let (request_log, clock) = (requests.clone(), world.clock.clone());
            world.gateway.set_faults(move |call| {
                if call.verb != verb {
                    return Fault::None;
                }
                let mut request_log = request_log.lock().unwrap();
                request_log.push((call.key.to_owned(), clock.true_now()));
                match request_log.len() {
                    1 => Fault::TimeoutBefore,
                    2..=4 => Fault::Unavailable,
                    _ => Fault::None,
                }
            });
            let request = world.order_request(&[(1042, 2)]);
            let record = loop {
                match world.payments().open(request.clone()).await {
                    Ok(record) => break record,
                    Err(failure) => assert_eq!(failure, PaymentFailure::Unavailable),
                }
                world.advance_seconds(1).await;
            };
            world.gateway.authorise(&intent_of(&record));
            if verb == GatewayMethod::Cancel {
                world
                    .draws()
                    .execute(DrawId(1042), Command::Cancel, None)
                    .await
                    .unwrap();
            }
            world.fulfil(&record).await.unwrap();
            world.advance_seconds(60).await;
            if verb == GatewayMethod::Refund {
                world
                    .payments()
                    .refund(record.order.id, "asked for")
                    .await
                    .unwrap();
                world.advance_seconds(60).await;
            }
            let ended = match verb {
                GatewayMethod::Cancel => OrderState::Released,
                GatewayMethod::Refund => OrderState::Void,
                _ => OrderState::Captured,
            };
            assert_eq!(world.stored_order(&record).order.state, ended, "{verb:?}");
            assert_eq!(world.gateway.intents().len(), 1, "{verb:?}");
            let requests = requests.lock().unwrap().clone();
            assert!(
                requests.len() >= 5 && requests.iter().all(|(key, _)| *key == requests[0].0),
                "{verb:?}: {requests:?}"
            );
            // The pauses grow: they are at least half a second, then one, two and four seconds.
            let pauses = requests
                .windows(2)
                .map(|two| two[1].1.ms_since(two[0].1))
                .take(4);
            assert!(
                pauses
                    .enumerate()
                    .all(|(failed, pause)| pause >= 500 << failed),
                "{verb:?}: {requests:?}"
            );
            world.assert_consistent();
            world.engine.take().unwrap().kill();
        }
    });
}

/// The second draw refused its line, but the rejection could not be written. Then the payment was
/// captured and refunded in the provider's dashboard.
#[test]
fn externally_refunded_half_cart_keeps_no_tickets() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        let record = world.open_order(&[(1042, 2), (1043, 3)]).await;
        world.gateway.authorise(&intent_of(&record));
        let result = GameResult::new(1, 1).unwrap();
        world
            .draws()
            .execute(DrawId(1043), Command::Complete { result }, None)
            .await
            .unwrap();
        world.memory.set_faults(|call| match call {
            MemoryCall::Write("rejecting") => BooksFault::NotWritten,
            _ => BooksFault::None,
        });
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Processing
        );
        assert_eq!(
            (
                world.stored_order(&record).order.state,
                world.sold_in_draw(1042)
            ),
            (OrderState::Quoted, 2)
        );
        assert!(world.gateway.capture_in_dashboard(&intent_of(&record)));
        assert!(world.gateway.refund_in_dashboard(&intent_of(&record)));
        world.memory.clear_faults();
        world.advance_seconds(60).await;
        assert_eq!(
            (
                world.stored_order(&record).order.state,
                world.sold_in_draw(1042)
            ),
            (OrderState::Void, 0)
        );
        assert_eq!(
            world.memory.anomaly_records().len(),
            0,
            "no anomaly is raised"
        );
    });
}

#[test]
fn provider_hanging_on_one_order_delays_no_other_capture() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let mut records = Vec::new();
        for _ in 0..5 {
            let record = world.open_order(&[(1042, 1)]).await;
            world.gateway.authorise(&intent_of(&record));
            records.push(record);
        }
        world.gateway.set_faults(|call| match call.verb {
            GatewayMethod::Capture => Fault::Unavailable,
            _ => Fault::None,
        });
        for record in &records {
            assert_eq!(
                world.fulfil(record).await.unwrap().status,
                FulfilStatus::Processing
            );
        }
        world.gateway.clear_faults();
        let hanging = format!("cap-{}", records[0].order.id);
        world.gateway.set_call_delays(move |call| {
            std::time::Duration::from_secs(if call.key == hanging { 600 } else { 0 })
        });
        world.advance_seconds(10).await;
        let captured = |record| world.stored_order(record).order.state == OrderState::Captured;
        assert_eq!(records.iter().filter(|record| captured(record)).count(), 4);
        world.advance_seconds(700).await;
        assert!(records.iter().all(captured));
        world.assert_consistent();
    });
}

#[test]
fn authorised_orders_are_fulfilled_after_an_outage() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        let mut records = Vec::new();
        for number in 0..100 {
            let record = world.open_order(&[(1042 + number % 2, 1)]).await;
            world.gateway.authorise(&intent_of(&record));
            records.push(record);
        }
        world.gateway.set_faults(|_| Fault::Unavailable);
        for record in &records {
            assert_eq!(
                world.fulfil(record).await.unwrap_err(),
                PaymentFailure::Unavailable
            );
        }
        world.advance_seconds(1800).await;
        assert_eq!(world.sold_in_draw(1042), 0);
        world.gateway.clear_faults();
        world.advance_seconds(60).await;
        assert!(
            records
                .iter()
                .all(|record| world.stored_order(record).order.state == OrderState::Captured)
        );
        world.advance_seconds(60).await;
        assert_eq!(world.mails().len(), 100);
        world.assert_consistent();
    });
}
