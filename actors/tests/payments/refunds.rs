//! Tests of refunds, and of payments that were captured or refunded outside this system.

use std::time::Duration;

use crate::is_not_charged;
use crate::world::{KICK_OFF, TestWorld, account, intent_of, run_in_paused_time};
use actors::testing::{Fault, GatewayCall, GatewayMethod};
use actors::{Denied, FulfilStatus, Gateway, PaymentFailure, RepairError};
use domain::{AnomalyKind, Cents, Command, DrawId, GameResult, OrderState, Refusal, Status};
use persistence::memory::{MemoryCall, MemoryFault as BooksFault};

#[test]
fn external_capture_gets_tickets_while_on_sale() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        world.gateway.authorise(&intent_of(&record));
        world.gateway.capture_in_dashboard(&intent_of(&record));
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        assert_eq!(world.sold_in_draw(1042), 2);
        let anomalies = world.memory.anomaly_records();
        assert_eq!(anomalies[0].anomaly.kind, AnomalyKind::MissingTicket);
        assert!(anomalies[0].resolved_at.is_some(), "raised and healed");
    });
}

#[test]
fn external_capture_after_kick_off_is_refunded() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        let id = intent_of(&record);
        world.gateway.authorise(&id);
        world.gateway.capture_in_dashboard(&id);
        world.clock.advance_to(KICK_OFF.plus_seconds(1)).await;
        // The sweeper found this payment first and allocated its tickets before kick-off. The next
        // order reaches the draw after kick-off.
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Captured
        );

        let world = TestWorld::with_draws(&[1043]).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(-15)).await;
        let record = world.open_order(&[(1043, 2)]).await;
        let id = intent_of(&record);
        world.gateway.authorise(&id);
        world.gateway.capture_in_dashboard(&id);
        world.clock.advance_to(KICK_OFF).await;
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Refunding
        );
        world.advance_seconds(60).await;
        let takings = world.gateway.provider_account_totals(&account());
        assert_eq!(
            (takings.captured, takings.refunded),
            (Cents(1000), Cents(1000))
        );
        assert_eq!(world.sold_in_draw(1043), 0);
        let open: Vec<_> = world
            .memory
            .anomaly_records()
            .into_iter()
            .filter(|row| row.resolved_at.is_none())
            .collect();
        assert!(open.is_empty(), "{open:?}");
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Refunding
        );
    });
}

#[test]
fn lost_payment_is_found_by_listing() {
    run_in_paused_time(|| async {
        use actors::NewIntent;
        let world = TestWorld::with_draws(&[1042]).await;
        world.buy_tickets(&[(1042, 1)]).await;
        let lost_payment = NewIntent {
            order: domain::OrderId(404),
            account: account(),
            amount: Cents(500),
            draws: "1042x1".into(),
        };
        let opened = world
            .gateway
            .create("before-the-backup", &lost_payment)
            .await
            .unwrap();
        world.gateway.authorise(&opened.id);
        world.gateway.capture_in_dashboard(&opened.id);
        let scanned = world
            .engine()
            .reconciler
            .scan_payments(crate::world::NOON)
            .await
            .unwrap();
        assert_eq!((scanned.checked, scanned.raised), (2, 1));
        let anomaly = &world.memory.anomaly_records()[0];
        assert_eq!(
            (
                anomaly.anomaly.kind,
                anomaly.anomaly.payment_intent.as_ref()
            ),
            (AnomalyKind::MissingTicket, Some(&opened.id))
        );
        let again = world
            .engine()
            .reconciler
            .scan_payments(crate::world::NOON)
            .await
            .unwrap();
        assert_eq!(again.raised, 0, "only what is new counts");
        world.gateway.refund_in_dashboard(&opened.id);
        assert_eq!(
            world
                .engine()
                .reconciler
                .scan_payments(crate::world::NOON)
                .await
                .unwrap()
                .healed,
            1
        );
    });
}

#[test]
fn refund_returns_tickets_and_fee_from_the_charged_order() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        // 63 tickets of $5 reach the fee cap of $11. So the third order pays no fee.
        let first = world.buy_tickets(&[(1042, 50)]).await;
        let second = world.buy_tickets(&[(1042, 13)]).await;
        let third = world.buy_tickets(&[(1042, 20)]).await;
        let fees = |record| {
            world
                .gateway
                .intent(&intent_of(record))
                .unwrap()
                .said
                .application_fee
        };
        assert_eq!(
            (fees(&first), fees(&second), fees(&third)),
            (Cents(875), Cents(225), Cents(0))
        );

        world
            .payments()
            .refund(second.order.id, "asked for")
            .await
            .unwrap();
        world
            .payments()
            .refund(second.order.id, "asked for")
            .await
            .unwrap();
        world.advance_seconds(30).await;
        assert_eq!(world.sold_in_draw(1042), 70);
        world.assert_consistent();
        world
            .payments()
            .refund(third.order.id, "asked for")
            .await
            .unwrap();
        world.advance_seconds(30).await;
        world.assert_consistent();
        world
            .payments()
            .refund(first.order.id, "asked for")
            .await
            .unwrap();
        world.advance_seconds(30).await;
        world.assert_consistent();
        let takings = world.gateway.provider_account_totals(&account());
        assert_eq!(
            (takings.refunded, takings.fees_refunded),
            (takings.captured, Cents(1100))
        );
        assert_eq!(
            world.fulfil(&first).await.unwrap().status,
            FulfilStatus::Refunding
        );
        assert!(world.memory.anomaly_records().is_empty());
    });
}

/// The order has its tickets, although the capture could not be stored yet.
#[test]
fn payment_with_tickets_cannot_be_refunded_manually() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        world.gateway.authorise(&intent_of(&record));
        world.memory.set_faults(|call| match call {
            MemoryCall::Write("captured") => BooksFault::NotWritten,
            _ => BooksFault::None,
        });
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Processing
        );
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Allocated
        );
        let returned = world
            .engine()
            .anomalies
            .return_unmatched_payment(&intent_of(&record))
            .await;
        assert_eq!(returned, Err(RepairError::HasTickets));
        world.memory.clear_faults();
        world.advance_seconds(60).await;
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Captured
        );
        assert_eq!(
            world.gateway.provider_account_totals(&account()).refunded,
            Cents::ZERO
        );
        world.assert_consistent();
    });
}

/// Any node may repair a payment that was captured externally, except while it is being refunded
/// manually.
#[test]
fn payment_being_refunded_manually_gets_no_tickets() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        let id = intent_of(&record);
        assert!(world.gateway.authorise(&id) && world.gateway.capture_in_dashboard(&id));
        world.gateway.set_call_delays(|call| {
            Duration::from_secs(if call.verb == GatewayMethod::Refund {
                60
            } else {
                0
            })
        });
        let anomalies = world.engine().anomalies.clone();
        let manual_refund =
            actix::spawn(async move { anomalies.return_unmatched_payment(&id).await });
        world.advance_seconds(50).await;
        assert_eq!(
            (
                world.stored_order(&record).order.state,
                world.sold_in_draw(1042)
            ),
            (OrderState::Void, 0)
        );
        world.advance_seconds(60).await;
        assert_eq!(manual_refund.await.unwrap().unwrap().amount, Cents(1000));
        assert_eq!(
            (
                world.gateway.provider_account_totals(&account()).refunded,
                world.sold_in_draw(1042)
            ),
            (Cents(1000), 0)
        );
        assert!(
            world
                .memory
                .anomaly_records()
                .iter()
                .all(|record| record.resolved_at.is_some())
        );
    });
}

/// The order's automatic refund waits for the provider. Meanwhile the operator refunds the payment
/// manually.
#[test]
fn manual_refund_during_refund_returns_the_fee_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let first = world.buy_tickets(&[(1042, 50)]).await;
        let second = world.buy_tickets(&[(1042, 33)]).await;
        let away = |call: GatewayCall<'_>| {
            if call.verb == GatewayMethod::Refund {
                Fault::Unavailable
            } else {
                Fault::None
            }
        };
        world.gateway.set_faults(away);
        world
            .payments()
            .refund(first.order.id, "asked for")
            .await
            .unwrap();
        world.advance_seconds(10).await;
        assert_eq!(
            world.gateway.provider_account_totals(&account()).refunded,
            Cents::ZERO
        );
        world.gateway.clear_faults();
        let returned = world
            .engine()
            .anomalies
            .return_unmatched_payment(&intent_of(&first))
            .await
            .unwrap();
        assert_eq!(
            (returned.amount, returned.fee),
            (Cents(25_000), Cents::ZERO)
        );
        world.advance_seconds(120).await;
        let takings = world.gateway.provider_account_totals(&account());
        // 33 tickets of $5 remain, with $5.78 of the $11.00 fee.
        assert_eq!(
            (takings.refunded, takings.fees_refunded),
            (Cents(25_000), Cents(522))
        );
        assert_eq!(
            world.stored_order(&second).order.state,
            OrderState::Captured
        );
        world.assert_consistent();
    });
}

#[test]
fn cancelled_game_refunds_all_orders_even_after_a_kill() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&[1042, 1043]).await;
        let alone = world.buy_tickets(&[(1042, 2)]).await;
        let cart = world.buy_tickets(&[(1042, 1), (1043, 3)]).await;
        let other = world.buy_tickets(&[(1043, 1)]).await;
        let late = world.open_order(&[(1042, 1)]).await;
        world.gateway.authorise(&intent_of(&late));
        // The process is killed when it queues the first refund.
        world.memory.set_faults(|call| match call {
            MemoryCall::Write("refunding") => BooksFault::NotWritten,
            _ => BooksFault::None,
        });
        let cancelled = world
            .payments()
            .cancel_draw(DrawId(1042), "the ground is flooded")
            .await
            .unwrap();
        assert_eq!(
            (cancelled.view.status, cancelled.refunds),
            (Status::Cancelled, 2)
        );
        world.memory.clear_faults();
        world.restart_engine().await;
        world.advance_seconds(90).await;
        for record in [&alone, &cart] {
            assert_eq!(world.stored_order(record).order.state, OrderState::Void);
        }
        assert_eq!((world.sold_in_draw(1042), world.sold_in_draw(1043)), (0, 1));
        assert_eq!(
            world.gateway.provider_account_totals(&account()).refunded,
            Cents(3000)
        );
        assert!(is_not_charged(&world.fulfil(&late).await.unwrap().status));
        assert_eq!(world.stored_order(&other).order.state, OrderState::Captured);
        let refund_mails: Vec<_> = world
            .mails()
            .into_iter()
            .filter(|mail| mail.kind == "refunded")
            .collect();
        assert_eq!(refund_mails.len(), 2);
        world.assert_consistent();

        let again = world
            .payments()
            .cancel_draw(DrawId(1042), "again")
            .await
            .unwrap();
        assert_eq!(again.refunds, 0);
        let result = GameResult::new(1, 1).unwrap();
        world
            .draws()
            .execute(DrawId(1043), Command::Complete { result }, None)
            .await
            .unwrap();
        let refused = world.payments().cancel_draw(DrawId(1043), "too late").await;
        assert_eq!(refused, Err(Denied::Refused(Refusal::AlreadyCompleted)));
    });
}

/// Another node captured the order, including the fee of tickets that were returned meanwhile.
#[test]
fn refused_captured_order_returns_its_fee() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        let id = intent_of(&record);
        world.gateway.authorise(&id);
        world
            .draws()
            .execute(DrawId(1042), Command::Cancel, None)
            .await
            .unwrap();
        world.gateway.set_faults(|call| {
            if call.verb == GatewayMethod::Cancel {
                Fault::TimeoutBefore
            } else {
                Fault::None
            }
        });
        assert!(is_not_charged(&world.fulfil(&record).await.unwrap().status));
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Rejecting
        );
        world
            .gateway
            .capture("another-node", &account(), &id, Cents(35))
            .await
            .unwrap();
        world.gateway.clear_faults();
        world.advance_seconds(120).await;
        let takings = world.gateway.provider_account_totals(&account());
        assert_eq!(
            (takings.refunded, takings.fees, takings.fees_refunded),
            (Cents(1000), Cents(35), Cents(35))
        );
        assert_eq!(world.stored_order(&record).order.state, OrderState::Void);
    });
}

/// The tickets of the cancelled draw were returned first. After that no ticket of the cancelled
/// draw shows that a refund is due.
#[test]
fn partially_returned_cart_is_refunded_by_the_sweeper() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        let cart = world.buy_tickets(&[(1042, 1), (1043, 3)]).await;
        world.memory.set_faults(|call| match call {
            MemoryCall::Append(appends) if appends[0].draw == DrawId(1043) => {
                BooksFault::NotWritten
            }
            _ => BooksFault::None,
        });
        world
            .payments()
            .cancel_draw(DrawId(1042), "the ground is flooded")
            .await
            .unwrap();
        assert_eq!((world.sold_in_draw(1042), world.sold_in_draw(1043)), (0, 3));
        world.memory.clear_faults();
        world.advance_seconds(90).await;
        assert_eq!(world.stored_order(&cart).order.state, OrderState::Void);
        assert_eq!(
            world.gateway.provider_account_totals(&account()).refunded,
            Cents(2000)
        );
        world.assert_consistent();
    });
}

#[test]
fn interrupted_refund_is_finished_by_the_sweeper() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        world.memory.set_faults(|call| match call {
            MemoryCall::Write("refunding") => BooksFault::NotWritten,
            _ => BooksFault::None,
        });
        let cut_off = world.payments().refund(record.order.id, "asked for").await;
        assert_eq!(cut_off, Err(PaymentFailure::Unavailable));
        assert_eq!(world.sold_in_draw(1042), 0);
        world.memory.clear_faults();
        world.restart_engine().await;
        world.advance_seconds(60).await;
        assert_eq!(
            world.gateway.provider_account_totals(&account()).refunded,
            Cents(1000)
        );
        assert_eq!(world.stored_order(&record).order.state, OrderState::Void);
        world.assert_consistent();
    });
}

#[test]
fn external_refunds_and_disputes_become_anomalies() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let (refunded, disputed) = (
            world.buy_tickets(&[(1042, 2)]).await,
            world.buy_tickets(&[(1042, 1)]).await,
        );
        world.gateway.refund_in_dashboard(&intent_of(&refunded));
        world.gateway.dispute(&intent_of(&disputed));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(30).await;
        let kinds: Vec<_> = world
            .memory
            .anomaly_records()
            .iter()
            .map(|row| row.anomaly.kind)
            .collect();
        assert_eq!(kinds.len(), 2, "{kinds:?}");
        assert!(
            kinds.contains(&AnomalyKind::OrphanedTicket) && kinds.contains(&AnomalyKind::Dispute)
        );
    });
}

#[test]
fn second_payment_is_a_duplicate_and_unused_intent_is_ignored() {
    run_in_paused_time(|| async {
        use actors::NewIntent;
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let again = NewIntent {
            order: record.order.id,
            account: account(),
            amount: Cents(1000),
            draws: "1042x2".into(),
        };
        let unused = world.gateway.create("lost-answer", &again).await.unwrap();
        let second = world.gateway.create("second", &again).await.unwrap();
        world.gateway.authorise(&second.id);
        world.gateway.capture_in_dashboard(&second.id);
        let scanned = world
            .engine()
            .reconciler
            .scan_payments(crate::world::NOON)
            .await
            .unwrap();
        assert_eq!((scanned.checked, scanned.raised), (3, 1));
        let anomaly = &world.memory.anomaly_records()[0].anomaly;
        assert_eq!(
            (anomaly.kind, anomaly.payment_intent.as_ref()),
            (AnomalyKind::DuplicatePayment, Some(&second.id))
        );
        assert_eq!(world.gateway.intent(&unused.id).unwrap().captures, 0);
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Captured
        );
        world.gateway.refund_in_dashboard(&second.id);
        assert_eq!(
            world
                .engine()
                .reconciler
                .scan_payments(crate::world::NOON)
                .await
                .unwrap()
                .healed,
            1
        );
    });
}
