//! Who may say that a payment is there, and that any one of them is enough.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::world::{World, account, intent_of, play};
use actors::testing::{Fault, Verb};
use actors::{Confirmed, FulfilStatus, PaymentFailure};
use domain::{Cents, OrderState, Timestamp};
use persistence::memory::{Call, Fault as BooksFault};
use persistence::nodes::Boot;

#[test]
fn a_purchase_reserves_authorises_allocates_captures_and_mails() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        assert_eq!((world.held(1042), world.sold(1042)), (2, 0));
        assert!(record.client_secret.is_some());
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Waiting
        );

        world.gateway.authorise(&intent_of(&record));
        let fulfilled = world.fulfil(&record).await.unwrap();
        assert_eq!(fulfilled.status, FulfilStatus::Succeeded);
        assert_eq!(fulfilled.record.tickets[0].1.len(), 2);
        assert_eq!((world.held(1042), world.sold(1042)), (0, 2));
        let in_books = world.order(&record);
        assert_eq!(
            in_books.order, fulfilled.record.order,
            "the answer is what the books hold"
        );
        assert_eq!(in_books.tickets, fulfilled.record.tickets);
        let said = world.gateway.intent(&intent_of(&record)).unwrap().said;
        assert_eq!(
            (said.amount_received, said.application_fee),
            (Cents(1000), Cents(35))
        );
        world.pass(5).await;
        assert_eq!(world.mails().len(), 1);
        world.audit();
    });
}

#[test]
fn a_mail_that_is_put_into_the_outbox_leaves_at_once() {
    play(|| async {
        let world = World::with(&[1042]).await;
        // The mailer looks ever more rarely while nobody writes.
        world.pass(300).await;
        let begun = tokio::time::Instant::now();
        let outbox = world.engine().outbox.clone();
        outbox
            .queue("verify-1", "verify", None, "club@example.org", "{}")
            .await
            .unwrap();
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        assert_eq!(world.mails().len(), 1);
        assert_eq!(
            begun.elapsed().as_millis(),
            0,
            "nobody waited for the next look"
        );
    });
}

#[test]
fn five_doors_at_once_give_the_tickets_once_and_take_the_money_once() {
    play(|| async {
        let mut world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 3)]).await;
        let id = intent_of(&record);
        world.gateway.authorise(&id);
        world.restart().await; // the restart scan
        world.pass(25).await; // old enough for the sweeper
        world.deliver_notices().await; // the webhook
        let (payments, reconciler) = (world.payments(), world.engine().reconciler.clone());
        let calls = futures_util::future::join_all((0..20).map(|_| payments.fulfil(&id)));
        let (answers, (), scanned) = futures_util::join!(
            calls,
            reconciler.round(),
            reconciler.scan(crate::world::NOON)
        );
        scanned.unwrap();
        for answer in answers {
            let fulfilled = answer.unwrap();
            assert_eq!(fulfilled.status, FulfilStatus::Succeeded);
            assert_eq!(fulfilled.record.tickets[0].1.len(), 3);
        }
        world.pass(60).await;
        assert_eq!(world.sold(1042), 3);
        assert_eq!(world.gateway.intent(&id).unwrap().captures, 1);
        assert_eq!(world.mails().len(), 1);
        assert_eq!(world.memory.anomaly_records().len(), 0);
        world.audit();
    });
}

#[test]
fn each_door_alone_is_enough() {
    play(|| async {
        for door in ["call", "webhook", "sweeper", "restart scan", "operator"] {
            let mut world = World::with(&[1042]).await;
            let record = world.open(&[(1042, 1)]).await;
            world.gateway.authorise(&intent_of(&record));
            match door {
                "call" => drop(world.fulfil(&record).await.unwrap()),
                "webhook" => world.deliver_notices().await,
                "sweeper" => world.pass(51).await,
                "restart scan" => {
                    world.pass(21).await;
                    world.restart().await;
                }
                _ => drop(
                    world
                        .engine()
                        .reconciler
                        .scan(crate::world::NOON)
                        .await
                        .unwrap(),
                ),
            }
            world.pass(5).await;
            assert_eq!(
                world.order(&record).order.state,
                OrderState::Captured,
                "{door}"
            );
            world.audit();
            world.engine.take().unwrap().kill();
        }
    });
}

#[test]
fn a_cart_is_paid_line_by_line_and_captured_once() {
    play(|| async {
        let world = World::with(&[1042, 1043, 1044]).await;
        let record = world.buy(&[(1044, 1), (1042, 2), (1043, 3)]).await;
        let counts: Vec<_> = record
            .tickets
            .iter()
            .map(|(draw, serials)| (draw.0, serials.len()))
            .collect();
        assert_eq!(counts, [(1042, 2), (1043, 3), (1044, 1)]);
        assert_eq!(world.gateway.takings(&account()).captured, Cents(3000));
        world.audit();
    });
}

#[test]
fn a_declined_card_and_then_a_good_one_pay_the_same_order() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
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
            Confirmed::RequiresAction {
                client_secret: record.client_secret.clone().unwrap()
            }
        );
        assert_eq!(
            world.payments().confirm(id, "pm_visa").await.unwrap(),
            Confirmed::Authorised
        );
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        assert_eq!(world.gateway.intents().len(), 1);
        world.audit();
    });
}

#[test]
fn a_confirmation_whose_outcome_nobody_knows_is_neither_a_no_nor_in_the_next_ones_way() {
    play(|| async {
        // A server error that the provider remembers, without effect and in spite of it, and no answer at all.
        for fault in [Fault::CachedError, Fault::TimeoutBefore, Fault::Unavailable] {
            let mut world = World::with(&[1042]).await;
            let record = world.open(&[(1042, 2)]).await;
            let id = record.order.id;
            world.gateway.fail_next(Verb::Confirm, fault);
            let unknown = world.payments().confirm(id, "pm_visa").await;
            assert_eq!(unknown, Err(PaymentFailure::Unavailable), "{fault:?}");
            assert_eq!(
                world.payments().confirm(id, "pm_visa").await,
                Ok(Confirmed::Authorised),
                "{fault:?}"
            );
            assert_eq!(
                world.fulfil(&record).await.unwrap().status,
                FulfilStatus::Succeeded
            );
            world.engine.take().unwrap().kill();
        }
        for fault in [Fault::CachedErrorAfter, Fault::TimeoutAfter] {
            let mut world = World::with(&[1042]).await;
            let record = world.open(&[(1042, 2)]).await;
            let id = record.order.id;
            world.gateway.fail_next(Verb::Confirm, fault);
            let declined = world.payments().confirm(id, "pm_decline").await;
            let (code, message) = ("card_declined".into(), "Your card was declined.".into());
            assert_eq!(
                declined,
                Err(PaymentFailure::Declined { code, message }),
                "read from the intent: {fault:?}"
            );
            world.gateway.fail_next(Verb::Confirm, fault);
            assert_eq!(
                world.payments().confirm(id, "pm_visa").await,
                Ok(Confirmed::Authorised),
                "{fault:?}"
            );
            world.engine.take().unwrap().kill();
        }
    });
}

#[test]
fn an_intent_that_is_past_being_confirmed_is_no_declined_card() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        let id = record.order.id;
        // The first attempt authorises, and its answer is lost; the second comes too late; and no look is answered.
        let mut first = true;
        world.gateway.set_faults(move |asked| match asked.verb {
            Verb::Confirm if std::mem::take(&mut first) => Fault::CachedErrorAfter,
            Verb::Retrieve => Fault::TimeoutBefore,
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
            Ok(Confirmed::Authorised)
        );
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        world.audit();
    });
}

#[test]
fn what_one_card_was_told_is_not_told_of_the_next() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        let id = record.order.id;
        assert!(matches!(
            world.payments().confirm(id, "pm_decline").await,
            Err(PaymentFailure::Declined { .. })
        ));
        // The second card's attempt ends in a server error, and the intent still shows the first one's end.
        world.gateway.fail_next(Verb::Confirm, Fault::CachedError);
        assert_eq!(
            world.payments().confirm(id, "pm_visa").await,
            Err(PaymentFailure::Unavailable)
        );
        assert_eq!(
            world.payments().confirm(id, "pm_visa").await,
            Ok(Confirmed::Authorised)
        );
        world.audit();
    });
}

#[test]
fn notices_are_stored_once_and_may_come_doubled_and_out_of_order() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.buy(&[(1042, 2)]).await;
        let mut notices = world.gateway.take_notices();
        assert!(notices.len() >= 2);
        notices.reverse();
        for notice in &notices {
            assert!(world.payments().notice(notice.clone()).await.unwrap());
        }
        for notice in &notices {
            assert!(!world.payments().notice(notice.clone()).await.unwrap());
        }
        world.pass(30).await;
        use persistence::Books;
        assert!(
            world
                .memory
                .notices_unhandled(Boot(0), Timestamp(i64::MAX), 10)
                .await
                .unwrap()
                .is_empty()
        );
        assert_eq!(world.mails().len(), 1);
        assert_eq!(world.order(&record).order.state, OrderState::Captured);
        world.audit();
    });
}

#[test]
fn every_captured_payment_is_witnessed_within_a_minute() {
    play(|| async {
        let world = World::with(&[1042]).await;
        for _ in 0..12 {
            world.buy(&[(1042, 1)]).await;
        }
        world.pass(40).await;
        assert_eq!(world.memory.witnesses().len(), 12);
        assert!(world.memory.anomaly_records().is_empty());
    });
}

/// More of them than are read at once.
#[test]
fn a_crowds_captured_payments_are_witnessed_from_one_list_a_page_at_a_time() {
    play(|| async {
        const BOUGHT: usize = 600;
        let world = World::with(&[1042, 1043, 1044, 1045]).await;
        world.pass(35).await;
        let (lists, writes) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (listed, written) = (lists.clone(), writes.clone());
        world.gateway.set_faults(move |asked| {
            listed.fetch_add(usize::from(asked.verb == Verb::List), Ordering::Relaxed);
            Fault::None
        });
        world.memory.set_faults(move |call| {
            written.fetch_add(
                usize::from(matches!(call, Call::Write("witness"))),
                Ordering::Relaxed,
            );
            BooksFault::None
        });
        for number in 0..BOUGHT {
            world.buy(&[(1042 + number as i64 % 4, 1)]).await;
            world.clock.advance(Duration::from_millis(10)).await;
        }
        // One round of the schedule is within.
        world.pass(30).await;
        assert_eq!(world.memory.witnesses().len(), BOUGHT);
        // A page of 500 orders, and the rest.
        assert_eq!(writes.load(Ordering::Relaxed), 2);
        // One of what was captured, and one of what the books may have forgotten.
        assert_eq!(lists.load(Ordering::Relaxed), 2);
        assert!(world.memory.anomaly_records().is_empty());
    });
}

#[test]
fn the_mail_waits_for_the_post_office() {
    play(|| async {
        let world = World::with(&[1042]).await;
        *world.post.shut.lock().unwrap() = true;
        world.buy(&[(1042, 1)]).await;
        world.pass(3600).await;
        assert_eq!(world.mails().len(), 0);
        *world.post.shut.lock().unwrap() = false;
        world.pass(120).await;
        assert_eq!(world.mails().len(), 1);
    });
}

#[test]
fn a_caller_that_goes_away_stops_nothing() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        let id = intent_of(&record);
        world.gateway.authorise(&id);
        world
            .gateway
            .set_pace(|_| std::time::Duration::from_millis(300));
        let payments = world.payments();
        let gone =
            tokio::time::timeout(std::time::Duration::from_millis(100), payments.fulfil(&id)).await;
        assert!(
            gone.is_err(),
            "the browser's connection is reset in the middle"
        );
        world.pass(2).await;
        assert_eq!(world.order(&record).order.state, OrderState::Captured);
        world.audit();
    });
}

#[test]
fn an_intent_of_nobody_is_unknown() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let unknown = world
            .payments()
            .fulfil(&domain::PaymentIntentId("pi_nobody".into()))
            .await;
        assert_eq!(unknown.unwrap_err(), PaymentFailure::OrderUnknown);
    });
}
