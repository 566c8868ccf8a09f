//! Tests of mails about payments that were not charged, and about disputes. Each is sent exactly
//! once, and only to the people it concerns.

use std::time::Duration;

use actors::testing::{Fault, GatewayMethod};
use actors::{Gateway, NewIntent};
use domain::{AnomalyKind, OrderState, PaymentIntentId};
use persistence::ledger::BuyerDetails;
use persistence::stores::AnomalyStore;
use persistence::stores::OrderRecord;

use crate::world::{KICK_OFF, NOON, TestWorld, account, intent_of, run_in_paused_time};

/// Returns the kind and the recipient of every mail about an order.
fn mails_about_order(world: &TestWorld, record: &OrderRecord) -> Vec<(String, String)> {
    let about = world
        .mails()
        .into_iter()
        .filter(|mail| mail.order == Some(record.order.id));
    about.map(|mail| (mail.kind, mail.to)).collect()
}

fn mail_kinds(world: &TestWorld, record: &OrderRecord) -> Vec<String> {
    mails_about_order(world, record)
        .into_iter()
        .map(|(kind, _)| kind)
        .collect()
}

async fn open_authorised_order(world: &TestWorld, lines: &[(i64, u16)]) -> OrderRecord {
    let record = world.open_order(lines).await;
    assert!(world.gateway.authorise(&intent_of(&record)));
    record
}

#[test]
fn expired_authorisation_is_mailed_once() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&[1042]).await;
        let record = open_authorised_order(&world, &[(1042, 2)]).await;
        world
            .gateway
            .fail_next(GatewayMethod::Capture, Fault::Unavailable);
        world.fulfil(&record).await.unwrap();
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Allocated
        );
        assert!(world.gateway.end_authorisation(&intent_of(&record)));
        for _ in 0..3 {
            world.fulfil(&record).await.unwrap();
        }
        world.deliver_queued_webhooks().await;
        world.restart_engine().await;
        world.advance_seconds(700).await;
        assert_eq!(
            (
                world.stored_order(&record).order.state,
                world.sold_in_draw(1042)
            ),
            (OrderState::Void, 0)
        );
        assert_eq!(
            mails_about_order(&world, &record),
            [("not-charged".to_string(), "alice@example.org".to_string())]
        );
    });
}

/// Kick-off, sold-out tickets and an expired authorisation all end an order without tickets.
#[test]
fn buyer_of_refused_authorised_order_is_mailed_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        let beaten = world.open_order(&[(1042, 2), (1043, 2)]).await;
        world.gateway.require_3d_secure(&intent_of(&beaten));
        world.advance_seconds(200).await;
        for count in [50, 50, 50, 18] {
            world.buy_tickets(&[(1042, 1), (1043, count)]).await;
        }
        assert!(world.gateway.authorise(&intent_of(&beaten)));
        world.fulfil(&beaten).await.unwrap();
        let expired = open_authorised_order(&world, &[(1042, 1)]).await;
        assert!(world.gateway.end_authorisation(&intent_of(&expired)));
        world.advance_seconds(60).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(-5)).await;
        let late = open_authorised_order(&world, &[(1042, 1)]).await;
        world.clock.advance_to(KICK_OFF).await;
        world.fulfil(&late).await.unwrap();
        world.advance_seconds(700).await;
        for record in [&beaten, &expired, &late] {
            assert_eq!(world.stored_order(record).order.state, OrderState::Released);
            assert_eq!(
                mail_kinds(&world, record),
                ["not-charged"],
                "{:?}",
                world.stored_order(record).reason
            );
        }
    });
}

#[test]
fn buyer_without_authorisation_or_email_gets_no_mail() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let lapsed = world.open_order(&[(1042, 1)]).await;
        let declined = world.open_order(&[(1042, 1)]).await;
        assert!(world.gateway.decline(&intent_of(&declined)));
        let left = world.open_order(&[(1042, 1)]).await;
        // The bank authorises the payment while the buyer abandons the order, between reading the
        // intent and cancelling it.
        let (bank, id) = (world.gateway.clone(), intent_of(&left));
        world.gateway.set_call_delays(move |call| {
            if call.verb == GatewayMethod::Cancel {
                bank.authorise(&id);
            }
            Duration::ZERO
        });
        world.payments().abandon(left.order.id).await.unwrap();
        assert!(
            world
                .gateway
                .intent(&intent_of(&left))
                .unwrap()
                .said
                .authorised_at
                .is_some()
        );
        let mut request = world.order_request(&[(1042, 1)]);
        request.buyer = BuyerDetails::default();
        let nameless = world.payments().open(request).await.unwrap();
        assert!(
            world.gateway.authorise(&intent_of(&nameless))
                && world.gateway.end_authorisation(&intent_of(&nameless))
        );
        world.advance_seconds(700).await;
        for record in [&lapsed, &declined, &left, &nameless] {
            assert_eq!(world.stored_order(record).order.state, OrderState::Released);
        }
        assert_eq!(world.memory.mails(), []);
    });
}

#[test]
fn refunded_buyer_gets_no_not_charged_mail() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let refunded = world.buy_tickets(&[(1042, 2)]).await;
        world
            .payments()
            .refund(refunded.order.id, "asked for")
            .await
            .unwrap();
        let disputed = world.buy_tickets(&[(1042, 2)]).await;
        world.gateway.dispute(&intent_of(&disputed));
        world.deliver_queued_webhooks().await;
        world.clock.advance_to(KICK_OFF.plus_seconds(-5)).await;
        let taken = open_authorised_order(&world, &[(1042, 1)]).await;
        assert!(world.gateway.capture_in_dashboard(&intent_of(&taken)));
        world.clock.advance_to(KICK_OFF).await;
        world.advance_seconds(700).await;
        for record in [&refunded, &disputed, &taken] {
            assert_eq!(world.stored_order(record).order.state, OrderState::Void);
        }
        assert_eq!(mail_kinds(&world, &refunded), ["tickets", "refunded"]);
        assert_eq!(mail_kinds(&world, &disputed), ["tickets", "disputed"]);
        assert_eq!(mail_kinds(&world, &taken), ["refunded"]);
    });
}

#[test]
fn dispute_is_mailed_to_the_club_once() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let id = intent_of(&record);
        world.clock.advance_to(KICK_OFF.plus_seconds(60)).await;
        world.gateway.dispute(&id);
        world.deliver_queued_webhooks().await;
        world.advance_seconds(60).await;
        let expected_mails = [
            ("tickets", "alice@example.org"),
            ("disputed", "club-1@club.test"),
        ];
        let expected_mails = expected_mails.map(|(kind, to)| (kind.to_string(), to.to_string()));
        assert_eq!(mails_about_order(&world, &record), expected_mails);
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Captured,
            "the tickets were in the game"
        );
        world
            .memory
            .resolve_healed_anomalies(&id, AnomalyKind::Dispute, KICK_OFF)
            .await
            .unwrap();
        world.restart_engine().await;
        world.engine().reconciler.scan_payments(NOON).await.unwrap();
        world.advance_seconds(60).await;
        assert_eq!(
            world.memory.anomaly_records().len(),
            2,
            "it was raised again"
        );
        assert_eq!(mails_about_order(&world, &record), expected_mails);
    });
}

/// Any account can create a payment whose metadata names an order of another account.
#[test]
fn dispute_of_forged_payment_is_not_mailed() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let forged = NewIntent {
            order: record.order.id,
            account: account(),
            amount: domain::Cents(1000),
            draws: "1042x2".into(),
        };
        let forged: PaymentIntentId = world.gateway.create("forged", &forged).await.unwrap().id;
        assert!(world.gateway.authorise(&forged) && world.gateway.capture_in_dashboard(&forged));
        assert!(world.gateway.dispute(&forged));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(700).await;
        assert!(
            world
                .memory
                .provider_snapshots()
                .iter()
                .any(|seen| seen.intent.id == forged && seen.intent.is_disputed())
        );
        assert_eq!(mail_kinds(&world, &record), ["tickets"]);
    });
}
