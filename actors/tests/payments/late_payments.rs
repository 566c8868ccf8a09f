//! Tests of payments that arrive too late, just in time, or at the deadline.

use std::time::Duration;

use crate::is_not_charged;
use crate::world::{KICK_OFF, NOON, TestWorld, intent_of, run_in_paused_time};
use actors::testing::{Fault, GatewayMethod};
use actors::{FulfilStatus, PaymentFailure};
use domain::{Command, DrawId, GameResult, OrderState, PaymentStatus, Refusal};
use persistence::stores::NotifyBuyer;
use persistence::stores::OrderStore;

#[test]
fn cart_with_closed_draw_is_released_and_not_charged() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        let record = world.open_order(&[(1042, 2), (1043, 3)]).await;
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
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Released
        );
        assert_eq!(
            (
                world.sold_in_draw(1042),
                world.held_in_draw(1042),
                world.sold_in_draw(1043)
            ),
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
        world.advance_seconds(60).await;
        assert!(world.mails().iter().all(|mail| mail.kind != "tickets"));
        world.assert_consistent();
    });
}

#[test]
fn intent_of_abandoned_order_is_cancelled() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let (request, payments) = (world.order_request(&[(1042, 2)]), world.payments());
        let order = request.id;
        world.gateway.set_call_delays(|call| {
            Duration::from_secs(if call.verb == GatewayMethod::Create {
                5
            } else {
                0
            })
        });
        let opening = tokio::spawn(async move { payments.open(request).await });
        world.advance_seconds(1).await;
        // Another process releases the order. It cannot know that this process still waits for the
        // provider's answer.
        world
            .draws()
            .execute(DrawId(1042), Command::Release { order }, None)
            .await
            .unwrap();
        world
            .memory
            .release_order(order, "the buyer left", NotifyBuyer::Nobody, NOON)
            .await
            .unwrap();
        world.advance_seconds(10).await;
        assert_eq!(
            opening.await.unwrap().unwrap_err(),
            PaymentFailure::Unavailable
        );
        let statuses: Vec<_> = world
            .gateway
            .intents()
            .into_iter()
            .map(|intent| intent.said.status)
            .collect();
        assert_eq!(statuses, [PaymentStatus::Canceled]);
        let record = world.memory.order(order).await.unwrap().unwrap();
        assert_eq!(
            (record.order.state, record.order.payment_intent),
            (OrderState::Released, None)
        );
    });
}

#[test]
fn late_authorisation_gets_tickets_while_available() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        world.gateway.require_3d_secure(&intent_of(&record)); // the buyer is on the 3-D Secure page
        world.advance_seconds(200).await;
        assert_eq!(world.held_in_draw(1042), 0, "the reservation lapsed");
        assert!(
            world.gateway.authorise(&intent_of(&record)),
            "the intent is still open"
        );
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        assert_eq!(world.sold_in_draw(1042), 2);
        world.assert_consistent();
    });
}

#[test]
fn late_authorisation_of_full_draw_is_not_charged() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        world.gateway.require_3d_secure(&intent_of(&record));
        world.advance_seconds(200).await;
        for count in [50, 50, 50, 18] {
            world.buy_tickets(&[(1042, count)]).await;
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
        world.advance_seconds(60).await;
        world.assert_consistent();
    });
}

#[test]
fn unpaid_order_is_released_by_the_sweeper() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        world.advance_seconds(190).await;
        let order = world.stored_order(&record);
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
        assert!(is_not_charged(&world.fulfil(&record).await.unwrap().status));
    });
}

#[test]
fn extended_reservation_is_not_swept() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        let id = record.order.id;
        for _ in 0..4 {
            world.advance_seconds(100).await;
            let until = world.payments().extend(id).await.unwrap();
            assert_eq!(until, actors::Clock::now(&world.clock).plus_seconds(120));
            let shown = world.payments().reservation(id).await.unwrap().unwrap();
            assert_eq!(shown.until, until);
        }
        world.advance_seconds(30).await;
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
        assert_eq!(world.stored_order(&record).order.state, OrderState::Quoted);
        world.advance_seconds(200).await;
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
fn payment_gets_tickets_until_kick_off_and_not_after() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(-10)).await;
        let (early, late) = (
            world.open_order(&[(1042, 1)]).await,
            world.open_order(&[(1042, 1)]).await,
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
        assert_eq!(world.sold_in_draw(1042), 1);
        let closed = world
            .payments()
            .open(world.order_request(&[(1042, 1)]))
            .await
            .unwrap_err();
        assert_eq!(
            closed,
            PaymentFailure::Refused {
                draw: DrawId(1042),
                refusal: Refusal::DrawClosed
            }
        );
        world.advance_seconds(60).await;
        world.assert_consistent();
    });
}

#[test]
fn expired_authorisation_releases_the_tickets() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        world.gateway.authorise(&intent_of(&record));
        world
            .gateway
            .fail_next(GatewayMethod::Capture, Fault::Unavailable);
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Processing
        );
        world.gateway.end_authorisation(&intent_of(&record));
        assert!(is_not_charged(&world.fulfil(&record).await.unwrap().status));
        assert_eq!(world.sold_in_draw(1042), 0);
        assert_eq!(world.stored_order(&record).order.state, OrderState::Void);
        world.advance_seconds(60).await;
        world.assert_consistent();
    });
}
