//! Too late, nearly too late, and just in time.

use std::time::Duration;

use crate::not_charged;
use crate::world::{KICK_OFF, NOON, World, intent_of, play};
use actors::testing::{Fault, Verb};
use actors::{FulfilStatus, PaymentFailure};
use domain::{Command, DrawId, GameResult, OrderState, PaymentStatus, Refusal};
use persistence::Books;
use persistence::books::Tell;

#[test]
fn a_cart_whose_last_draw_has_closed_is_not_charged_and_gives_everything_back() {
    play(|| async {
        let world = World::with(&[1042, 1043]).await;
        let record = world.open(&[(1042, 2), (1043, 3)]).await;
        let result = GameResult::new(1, 1).unwrap();
        world
            .draws()
            .execute(DrawId(1043), Command::Complete { result }, None)
            .await
            .unwrap();
        world.gateway.authorise(&intent_of(&record));
        let fulfilled = world.fulfil(&record).await.unwrap();
        assert_eq!(
            fulfilled.status,
            FulfilStatus::NotCharged {
                reason: "the draw is closed".into()
            }
        );
        assert_eq!(world.order(&record).order.state, OrderState::Released);
        assert_eq!(
            (world.sold(1042), world.held(1042), world.sold(1043)),
            (0, 0, 0)
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
        for _ in 0..3 {
            assert_eq!(
                world.fulfil(&record).await.unwrap().status,
                fulfilled.status,
                "the same on every repeat"
            );
        }
        world.pass(60).await;
        assert!(world.mails().iter().all(|mail| mail.kind != "tickets"));
        world.audit();
    });
}

#[test]
fn an_intent_made_for_an_order_that_was_let_go_meanwhile_is_cancelled_and_never_its_own() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let (wanted, payments) = (world.wants(&[(1042, 2)]), world.payments());
        let order = wanted.id;
        world
            .gateway
            .set_pace(|asked| Duration::from_secs(if asked.verb == Verb::Create { 5 } else { 0 }));
        let opening = tokio::spawn(async move { payments.open(wanted).await });
        world.pass(1).await;
        // Another process does not wait for an answer that this one still hopes for.
        world
            .draws()
            .execute(DrawId(1042), Command::Release { order }, None)
            .await
            .unwrap();
        world
            .memory
            .released(order, "the buyer left", Tell::Nobody, NOON)
            .await
            .unwrap();
        world.pass(10).await;
        assert_eq!(
            opening.await.unwrap().unwrap_err(),
            PaymentFailure::Unavailable
        );
        let made: Vec<_> = world
            .gateway
            .intents()
            .into_iter()
            .map(|intent| intent.said.status)
            .collect();
        assert_eq!(made, [PaymentStatus::Canceled]);
        let record = world.memory.order(order).await.unwrap().unwrap();
        assert_eq!(
            (record.order.state, record.order.payment_intent),
            (OrderState::Released, None)
        );
    });
}

#[test]
fn a_late_authorisation_gets_its_tickets_if_there_is_room() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        world.gateway.challenge(&intent_of(&record)); // before the 3-D Secure page
        world.pass(200).await;
        assert_eq!(world.held(1042), 0, "the reservation lapsed");
        assert!(
            world.gateway.authorise(&intent_of(&record)),
            "the intent is still open"
        );
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        assert_eq!(world.sold(1042), 2);
        world.audit();
    });
}

#[test]
fn a_late_authorisation_without_room_is_not_charged() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        world.gateway.challenge(&intent_of(&record));
        world.pass(200).await;
        for count in [50, 50, 50, 18] {
            world.buy(&[(1042, count)]).await;
        }
        world.gateway.authorise(&intent_of(&record));
        let fulfilled = world.fulfil(&record).await.unwrap();
        assert_eq!(
            fulfilled.status,
            FulfilStatus::NotCharged {
                reason: "only 1 tickets remaining".into()
            }
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
        world.pass(60).await;
        world.audit();
    });
}

#[test]
fn an_order_that_nobody_pays_is_let_go_by_the_sweeper() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        world.pass(190).await;
        let order = world.order(&record);
        assert_eq!(order.order.state, OrderState::Released);
        assert_eq!(
            world
                .gateway
                .intent(&intent_of(&record))
                .unwrap()
                .said
                .status,
            PaymentStatus::Canceled
        );
        assert!(
            !world.gateway.authorise(&intent_of(&record)),
            "a late card finds it closed"
        );
        assert!(not_charged(&world.fulfil(&record).await.unwrap().status));
    });
}

#[test]
fn a_buyer_who_keeps_the_tickets_is_not_swept_away() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        let id = record.order.id;
        for _ in 0..4 {
            world.pass(100).await;
            let until = world.payments().extend(id).await.unwrap();
            assert_eq!(until, actors::Clock::now(&world.clock).plus_seconds(120));
            let shown = world.payments().reservation(id).await.unwrap().unwrap();
            assert_eq!(shown.until, until);
        }
        world.pass(30).await;
        assert_eq!(
            world
                .payments()
                .reservation(id)
                .await
                .unwrap()
                .unwrap()
                .extensions,
            4
        );
        assert_eq!(world.order(&record).order.state, OrderState::Quoted);
        world.pass(200).await;
        assert_eq!(world.payments().reservation(id).await.unwrap(), None);
        let refused = world.payments().extend(id).await.unwrap_err();
        assert_eq!(
            refused,
            PaymentFailure::Refused {
                draw: DrawId(1042),
                refusal: Refusal::ReservationUnknown
            }
        );
    });
}

#[test]
fn authorised_at_the_last_second_sells_and_at_kick_off_does_not() {
    play(|| async {
        let world = World::with(&[1042]).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(-10)).await;
        let (early, late) = (
            world.open(&[(1042, 1)]).await,
            world.open(&[(1042, 1)]).await,
        );
        world.gateway.authorise(&intent_of(&early));
        world.gateway.authorise(&intent_of(&late));
        world.clock.advance_to(KICK_OFF.plus_ms(-1)).await;
        assert_eq!(
            world.fulfil(&early).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        world.clock.advance_to(KICK_OFF).await;
        let fulfilled = world.fulfil(&late).await.unwrap();
        assert_eq!(
            fulfilled.status,
            FulfilStatus::NotCharged {
                reason: "the draw is closed".into()
            }
        );
        assert_eq!(world.sold(1042), 1);
        let closed = world
            .payments()
            .open(world.wants(&[(1042, 1)]))
            .await
            .unwrap_err();
        assert_eq!(
            closed,
            PaymentFailure::Refused {
                draw: DrawId(1042),
                refusal: Refusal::DrawClosed
            }
        );
        world.pass(60).await;
        world.audit();
    });
}

#[test]
fn an_authorisation_that_runs_out_before_the_capture_gives_the_tickets_back() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        world.gateway.authorise(&intent_of(&record));
        world.gateway.fail_next(Verb::Capture, Fault::Unavailable);
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Processing
        );
        world.gateway.expire(&intent_of(&record));
        assert!(not_charged(&world.fulfil(&record).await.unwrap().status));
        assert_eq!(world.sold(1042), 0);
        assert_eq!(world.order(&record).order.state, OrderState::Void);
        world.pass(60).await;
        world.audit();
    });
}
