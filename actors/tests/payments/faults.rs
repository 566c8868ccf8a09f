//! A provider that does not answer, and a process that is killed at every step.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::not_charged;
use crate::world::{World, account, intent_of, line, play};
use actors::testing::{Fault, Verb};
use actors::{FulfilStatus, PaymentFailure};
use domain::{Cents, Command, DrawId, GameResult, OrderState, PaymentStatus};
use persistence::memory::{Call, Fault as BooksFault};

const EVERY: [Fault; 5] = [
    Fault::TimeoutAfter,
    Fault::TimeoutBefore,
    Fault::CachedError,
    Fault::CachedErrorAfter,
    Fault::Unavailable,
];

#[test]
fn a_capture_without_an_answer_is_looked_up() {
    play(|| async {
        for (fault, expected) in [
            (Fault::TimeoutAfter, FulfilStatus::Succeeded),
            (Fault::CachedErrorAfter, FulfilStatus::Succeeded),
            (Fault::TimeoutBefore, FulfilStatus::Processing),
            (Fault::CachedError, FulfilStatus::Processing),
            (Fault::Unavailable, FulfilStatus::Processing),
        ] {
            let mut world = World::with(&[1042]).await;
            let record = world.open(&[(1042, 2)]).await;
            world.gateway.authorise(&intent_of(&record));
            world.gateway.fail_next(Verb::Capture, fault);
            assert_eq!(
                world.fulfil(&record).await.unwrap().status,
                expected,
                "{fault:?}"
            );
            world.pass(60).await;
            assert_eq!(
                world.order(&record).order.state,
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
            world.audit();
            world.engine.take().unwrap().kill();
        }
    });
}

#[test]
fn a_creation_without_an_answer_makes_one_intent_that_the_buyer_gets() {
    play(|| async {
        for fault in EVERY {
            let mut world = World::with(&[1042]).await;
            let wanted = world.wants(&[(1042, 2)]);
            world.gateway.fail_next(Verb::Create, fault);
            let first = world.payments().open(wanted.clone()).await;
            let found = matches!(fault, Fault::TimeoutAfter | Fault::CachedErrorAfter);
            assert_eq!(first.is_ok(), found, "{fault:?}");
            let record = loop {
                match world.payments().open(wanted.clone()).await {
                    Ok(record) => break record,
                    Err(failure) => assert_eq!(failure, PaymentFailure::Unavailable),
                }
                world.pass(1).await;
            };
            assert_eq!(world.gateway.intents().len(), 1, "{fault:?}");
            assert_eq!(world.held(1042), 2, "{fault:?}");
            world.gateway.authorise(&intent_of(&record));
            assert_eq!(
                world.fulfil(&record).await.unwrap().status,
                FulfilStatus::Succeeded
            );
            world.audit();
            world.engine.take().unwrap().kill();
        }
    });
}

#[test]
fn a_cancellation_without_an_answer_ends_without_a_charge() {
    play(|| async {
        for fault in EVERY {
            let mut world = World::with(&[1042]).await;
            let record = world.open(&[(1042, 2)]).await;
            world.gateway.authorise(&intent_of(&record));
            world
                .draws()
                .execute(DrawId(1042), Command::Cancel, None)
                .await
                .unwrap();
            world.gateway.fail_next(Verb::Cancel, fault);
            assert!(
                not_charged(&world.fulfil(&record).await.unwrap().status),
                "{fault:?}"
            );
            world.pass(60).await;
            assert_eq!(
                world.order(&record).order.state,
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
            world.audit();
            world.engine.take().unwrap().kill();
        }
    });
}

#[test]
fn a_mail_whose_sender_was_killed_leaves_with_the_next_process() {
    play(|| async {
        let mut world = World::with(&[1042]).await;
        *world.post.hangs.lock().unwrap() = true;
        world.buy(&[(1042, 2)]).await;
        world.pass(2).await;
        assert_eq!(world.mails().len(), 0, "it is being sent");
        *world.post.hangs.lock().unwrap() = false;
        world.restart().await;
        world.pass(2).await;
        assert_eq!(
            world.mails().len(),
            1,
            "nobody waits for the lease of the dead"
        );
        world.engine.take().unwrap().kill();
    });
}

#[test]
fn a_kill_at_every_step_of_a_purchase_loses_nothing() {
    play(|| async {
        // Kills the process before the n-th call that reaches the books or the provider.
        for step in 1..=24 {
            let mut world = World::with(&[1042, 1043]).await;
            let wanted = world.wants(&[(1042, 2), (1043, 1)]);
            let purchase = {
                let (payments, gateway) = (world.payments(), world.gateway.clone());
                async move {
                    let record = payments.open(wanted).await?;
                    gateway.authorise(&intent_of(&record));
                    payments.fulfil(&intent_of(&record)).await
                }
            };
            let (reached, mut seen) = tokio::sync::oneshot::channel();
            let mut reached = Some(reached);
            let mut calls = 0;
            world.memory.set_faults(move |call| {
                // The workers look around all the time; only what writes is a step.
                let counts = matches!(call, Call::Append(_))
                    || matches!(call, Call::Write(name) if !matches!(name, "claim_operations" | "claim_mail"));
                calls += usize::from(counts);
                if counts
                    && calls == step
                    && let Some(reached) = reached.take()
                {
                    let _ = reached.send(());
                }
                // The process is dead: whether the last write arrived is left to chance.
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
            world.start().await;
            world.deliver_notices().await;
            world.pass(900).await;
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
            assert_eq!(world.sold(1042) == 2, authorised, "step {step}");
            assert_eq!((world.held(1042), world.held(1043)), (0, 0), "step {step}");
            // A kill between the delivery and its record sends it again, under the same message id (E4).
            let mut mails: Vec<_> = world
                .mails()
                .into_iter()
                .map(|mail| mail.message_id)
                .collect();
            mails.dedup();
            assert_eq!(mails.len(), usize::from(authorised), "step {step}");
            assert_eq!(world.memory.anomaly_records().len(), 0, "step {step}");
            world.audit();
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
fn a_refund_without_an_answer_is_made_once() {
    play(|| async {
        for fault in EVERY {
            let mut world = World::with(&[1042]).await;
            let record = world.buy(&[(1042, 2)]).await;
            world.gateway.fail_next(Verb::Refund, fault);
            world
                .payments()
                .refund(record.order.id, "asked for")
                .await
                .unwrap();
            world.pass(60).await;
            let takings = world.gateway.takings(&account());
            assert_eq!(
                (takings.refunded, takings.fees_refunded),
                (Cents(1000), Cents(35)),
                "{fault:?}"
            );
            world.audit();
            world.engine.take().unwrap().kill();
        }
    });
}

#[test]
fn an_update_without_an_answer_reaches_the_provider_later() {
    play(|| async {
        for fault in EVERY {
            let mut world = World::with(&[1042]).await;
            let wanted = world.wants(&[(1042, 2)]);
            let record = world.payments().open(wanted.clone()).await.unwrap();
            let mut more = wanted;
            more.lines = vec![line(1042, 4)];
            world.gateway.fail_next(Verb::Update, fault);
            let _ = world.payments().open(more).await;
            world.pass(20).await;
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
            assert_eq!(world.sold(1042), 4);
            world.audit();
            world.engine.take().unwrap().kill();
        }
    });
}

/// A request that was met with silence may be on its way still: only its own key makes sure that it does nothing twice.
#[test]
fn a_refund_keeps_its_key_through_silence_and_changes_it_when_the_provider_remembers_a_failure() {
    play(|| async {
        for (fault, keys) in [(Fault::TimeoutBefore, 1), (Fault::CachedError, 2)] {
            let mut world = World::with(&[1042]).await;
            let record = world.buy(&[(1042, 2)]).await;
            let asked = Arc::new(Mutex::new(Vec::new()));
            let noted = asked.clone();
            world.gateway.set_faults(move |call| match call.verb {
                Verb::Refund => {
                    let mut noted = noted.lock().unwrap();
                    noted.push(call.key.to_owned());
                    if noted.len() < 4 { fault } else { Fault::None }
                }
                _ => Fault::None,
            });
            world
                .payments()
                .refund(record.order.id, "asked for")
                .await
                .unwrap();
            world.pass(60).await;
            assert_eq!(
                world.gateway.takings(&account()).refunded,
                Cents(1000),
                "{fault:?}"
            );
            let asked = asked.lock().unwrap().clone();
            let different: BTreeSet<&String> = asked.iter().collect();
            assert!(
                asked.len() >= 3 && different.len() >= keys,
                "{fault:?}: {asked:?}"
            );
            assert!(keys > 1 || different.len() == 1, "{fault:?}: {asked:?}");
            world.engine.take().unwrap().kill();
        }
    });
}

/// No answer, and then the provider says that the key is in use (409) or the object locked (429): somebody's request under this key
/// may have had its effect, so another key would do it twice (reliability.md, F26, F27).
#[test]
fn a_key_that_is_in_use_is_waited_for_and_asked_again() {
    play(|| async {
        for verb in [Verb::Create, Verb::Capture, Verb::Cancel, Verb::Refund] {
            let mut world = World::with(&[1042]).await;
            let asked = Arc::new(Mutex::new(Vec::new()));
            let (noted, clock) = (asked.clone(), world.clock.clone());
            world.gateway.set_faults(move |call| {
                if call.verb != verb {
                    return Fault::None;
                }
                let mut noted = noted.lock().unwrap();
                noted.push((call.key.to_owned(), clock.true_now()));
                match noted.len() {
                    1 => Fault::TimeoutBefore,
                    2..=4 => Fault::Unavailable,
                    _ => Fault::None,
                }
            });
            let wanted = world.wants(&[(1042, 2)]);
            let record = loop {
                match world.payments().open(wanted.clone()).await {
                    Ok(record) => break record,
                    Err(failure) => assert_eq!(failure, PaymentFailure::Unavailable),
                }
                world.pass(1).await;
            };
            world.gateway.authorise(&intent_of(&record));
            if verb == Verb::Cancel {
                world
                    .draws()
                    .execute(DrawId(1042), Command::Cancel, None)
                    .await
                    .unwrap();
            }
            world.fulfil(&record).await.unwrap();
            world.pass(60).await;
            if verb == Verb::Refund {
                world
                    .payments()
                    .refund(record.order.id, "asked for")
                    .await
                    .unwrap();
                world.pass(60).await;
            }
            let ended = match verb {
                Verb::Cancel => OrderState::Released,
                Verb::Refund => OrderState::Void,
                _ => OrderState::Captured,
            };
            assert_eq!(world.order(&record).order.state, ended, "{verb:?}");
            assert_eq!(world.gateway.intents().len(), 1, "{verb:?}");
            let asked = asked.lock().unwrap().clone();
            assert!(
                asked.len() >= 5 && asked.iter().all(|(key, _)| *key == asked[0].0),
                "{verb:?}: {asked:?}"
            );
            // It backs off: half a second at least, then one, two, four.
            let pauses = asked
                .windows(2)
                .map(|two| two[1].1.ms_since(two[0].1))
                .take(4);
            assert!(
                pauses
                    .enumerate()
                    .all(|(failed, pause)| pause >= 500 << failed),
                "{verb:?}: {asked:?}"
            );
            world.audit();
            world.engine.take().unwrap().kill();
        }
    });
}

/// The second draw refused, and that could not be written; then somebody at the provider's desk took the money and gave it back.
#[test]
fn half_a_cart_that_was_paid_and_given_back_past_us_keeps_no_tickets() {
    play(|| async {
        let world = World::with(&[1042, 1043]).await;
        let record = world.open(&[(1042, 2), (1043, 3)]).await;
        world.gateway.authorise(&intent_of(&record));
        let result = GameResult::new(1, 1).unwrap();
        world
            .draws()
            .execute(DrawId(1043), Command::Complete { result }, None)
            .await
            .unwrap();
        world.memory.set_faults(|call| match call {
            Call::Write("rejecting") => BooksFault::NotWritten,
            _ => BooksFault::None,
        });
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Processing
        );
        assert_eq!(
            (world.order(&record).order.state, world.sold(1042)),
            (OrderState::Quoted, 2)
        );
        assert!(world.gateway.capture_behind_our_back(&intent_of(&record)));
        assert!(world.gateway.refund_behind_our_back(&intent_of(&record)));
        world.memory.clear_faults();
        world.pass(60).await;
        assert_eq!(
            (world.order(&record).order.state, world.sold(1042)),
            (OrderState::Void, 0)
        );
        assert_eq!(
            world.memory.anomaly_records().len(),
            0,
            "nobody has to be told"
        );
    });
}

#[test]
fn a_provider_that_hangs_on_one_order_does_not_keep_the_others_waiting() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let mut records = Vec::new();
        for _ in 0..5 {
            let record = world.open(&[(1042, 1)]).await;
            world.gateway.authorise(&intent_of(&record));
            records.push(record);
        }
        world.gateway.set_faults(|asked| match asked.verb {
            Verb::Capture => Fault::Unavailable,
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
        world.gateway.set_pace(move |asked| {
            std::time::Duration::from_secs(if asked.key == hanging { 600 } else { 0 })
        });
        world.pass(10).await;
        let captured = |record| world.order(record).order.state == OrderState::Captured;
        assert_eq!(records.iter().filter(|record| captured(record)).count(), 4);
        world.pass(700).await;
        assert!(records.iter().all(captured));
        world.audit();
    });
}

#[test]
fn after_an_outage_everybody_who_authorised_is_served() {
    play(|| async {
        let world = World::with(&[1042, 1043]).await;
        let mut records = Vec::new();
        for number in 0..100 {
            let record = world.open(&[(1042 + number % 2, 1)]).await;
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
        world.pass(1800).await;
        assert_eq!(world.sold(1042), 0);
        world.gateway.clear_faults();
        world.pass(60).await;
        assert!(
            records
                .iter()
                .all(|record| world.order(record).order.state == OrderState::Captured)
        );
        world.pass(60).await;
        assert_eq!(world.mails().len(), 100);
        world.audit();
    });
}
