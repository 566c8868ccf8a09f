//! Tests of refunds that are pending, fail, or are not covered by the club's balance, and of
//! disputes that end.

use actors::PaymentFailure;
use actors::testing::GatewayMethod;
use domain::reconciliation::{DISPUTE_LOST_NOTE, DISPUTED_NOTE};
use domain::{
    Anomaly, AnomalyKind, Cents, DisputeStatus, OrderState, PendingCause, RefundFailure,
    RefundStatus,
};
use persistence::memory::OperationState;
use persistence::stores::{OperationKind, OrderRecord};

use crate::world::{KICK_OFF, TestWorld, account, intent_of, run_in_paused_time};

const DAY_SECONDS: u64 = 86_400;

fn open_anomalies(world: &TestWorld) -> Vec<Anomaly> {
    let records = world.memory.anomaly_records();
    let open = records
        .into_iter()
        .filter(|record| record.resolved_at.is_none());
    open.map(|record| record.anomaly).collect()
}

/// Returns the kinds of the mails about the order, oldest first, without the tickets.
fn mail_kinds(world: &TestWorld, record: &OrderRecord) -> Vec<String> {
    let mails = world.memory.mails();
    let about = mails
        .into_iter()
        .filter(|mail| mail.order == Some(record.order.id) && mail.kind != "tickets");
    about.map(|mail| mail.kind).collect()
}

fn refund_succeeded(world: &TestWorld) -> Option<bool> {
    world.memory.refunds()[0].succeeded
}

async fn refund(world: &TestWorld, record: &OrderRecord) {
    let refunded = world.payments().refund(record.order.id, "asked for").await;
    refunded.expect("the refund begins");
    world.advance_seconds(10).await;
}

#[test]
fn pending_refund_is_told_as_refunded_only_when_it_succeeds() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let pending = RefundStatus::Pending(PendingCause::Processing);
        world.gateway.set_new_refund_status(Some(pending));
        refund(&world, &record).await;
        assert_eq!(refund_succeeded(&world), None);
        assert_eq!(mail_kinds(&world, &record), ["refund-pending"]);
        assert_eq!(open_anomalies(&world), []);
        let id = intent_of(&record);
        assert!(world.gateway.settle_refund(&id, RefundStatus::Succeeded));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(10).await;
        assert_eq!(refund_succeeded(&world), Some(true));
        assert_eq!(mail_kinds(&world, &record), ["refund-pending", "refunded"]);
        assert_eq!(open_anomalies(&world), []);
        world.assert_consistent();
    });
}

#[test]
fn lost_webhook_of_a_completed_refund_is_made_up_for_by_polling() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let pending = RefundStatus::Pending(PendingCause::Processing);
        world.gateway.set_new_refund_status(Some(pending));
        refund(&world, &record).await;
        // The payment is older than the period that the reconciler lists.
        world.advance_seconds(3 * 3600).await;
        world
            .gateway
            .settle_refund(&intent_of(&record), RefundStatus::Succeeded);
        assert!(!world.gateway.take_webhook_events().is_empty());
        world.advance_seconds(11 * 60).await;
        assert_eq!(refund_succeeded(&world), Some(true));
    });
}

#[test]
fn refund_that_fails_after_success_is_owed_again() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        refund(&world, &record).await;
        assert_eq!(refund_succeeded(&world), Some(true));
        let id = intent_of(&record);
        let failed = RefundStatus::Failed(RefundFailure::ExpiredOrCanceledCard);
        assert!(world.gateway.settle_refund(&id, failed));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(10).await;
        assert_eq!(refund_succeeded(&world), Some(false));
        let open = open_anomalies(&world);
        assert_eq!(open.len(), 1, "{open:?}");
        assert_eq!(open[0].kind, AnomalyKind::OwedRefund);
        let refund = &world.gateway.intent(&id).unwrap().said.refunds[0];
        assert_eq!(Some(&open[0].note), refund.failure_note().as_ref());
        let mails = ["refunded", "refund-failed", "refund-failed-operator"];
        assert_eq!(mail_kinds(&world, &record), mails);
        let operations = world.memory.operations();
        let (_, state) = operations
            .iter()
            .find(|(operation, _)| operation.kind == OperationKind::Refund)
            .unwrap();
        assert_eq!(
            *state,
            OperationState::Failed {
                why: "expired_or_canceled_card".into()
            }
        );
        // The same event again changes nothing.
        world.gateway.settle_refund(&id, failed);
        world
            .engine()
            .reconciler
            .scan_payments(crate::world::NOON)
            .await
            .unwrap();
        assert_eq!(open_anomalies(&world).len(), 1);
        assert_eq!(mail_kinds(&world, &record), mails);

        // The operator refunds again, and this time the money arrives.
        let returned = world.engine().anomalies.return_unmatched_payment(&id).await;
        assert_eq!(returned.unwrap().amount, Cents(1000));
        world
            .engine()
            .reconciler
            .scan_payments(crate::world::NOON)
            .await
            .unwrap();
        assert_eq!(refund_succeeded(&world), Some(true));
        assert_eq!(open_anomalies(&world), []);
        let takings = world.gateway.provider_account_totals(&account());
        assert_eq!(takings.refunded, Cents(1000));
    });
}

#[test]
fn low_balance_is_reported_once_and_heals_when_the_refund_succeeds() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        world.gateway.set_balance_low(true);
        refund(&world, &record).await;
        world.advance_seconds(3 * DAY_SECONDS).await;
        let raised = world.memory.anomaly_records();
        assert_eq!(raised.len(), 1, "{raised:?}");
        assert_eq!(raised[0].anomaly.note, domain::refund::LOW_BALANCE_NOTE);
        assert_eq!(raised[0].resolved_at, None);
        assert_eq!(refund_succeeded(&world), None, "it is still tried");
        assert_eq!(mail_kinds(&world, &record), ["refund-pending"]);
        world.gateway.set_balance_low(false);
        world.advance_seconds(6 * 3600).await;
        assert_eq!(refund_succeeded(&world), Some(true));
        assert_eq!(open_anomalies(&world), []);
        assert_eq!(mail_kinds(&world, &record), ["refund-pending", "refunded"]);
        world.assert_consistent();
    });
}

#[test]
fn refund_that_waits_at_the_provider_for_the_balance_is_reported_until_it_succeeds() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let waits = RefundStatus::Pending(PendingCause::InsufficientFunds);
        world.gateway.set_new_refund_status(Some(waits));
        refund(&world, &record).await;
        world.deliver_queued_webhooks().await;
        world.advance_seconds(60).await;
        let open = open_anomalies(&world);
        assert_eq!(open.len(), 1, "{open:?}");
        assert_eq!(open[0].note, domain::refund::LOW_BALANCE_NOTE);
        world
            .gateway
            .settle_refund(&intent_of(&record), RefundStatus::Succeeded);
        world.deliver_queued_webhooks().await;
        world.advance_seconds(10).await;
        assert_eq!(open_anomalies(&world), []);
        assert_eq!(refund_succeeded(&world), Some(true));
    });
}

#[test]
fn refund_of_a_disputed_payment_is_refused_and_never_sent() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(60)).await;
        world.gateway.dispute(&intent_of(&record));
        world.gateway.set_faults(|call| {
            assert_ne!(call.verb, GatewayMethod::Refund, "a refund was sent");
            actors::testing::Fault::None
        });
        let refused = world.payments().refund(record.order.id, "asked for").await;
        assert_eq!(refused, Err(PaymentFailure::Disputed));
        world.advance_seconds(60).await;
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Captured
        );
        assert_eq!(world.sold_in_draw(1042), 2);
        assert!(world.memory.refunds().is_empty());
    });
}

/// The dispute arrives after the refund was queued.
#[test]
fn queued_refund_of_a_disputed_payment_ends_without_a_call() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        world.gateway.set_faults(|call| match call.verb {
            GatewayMethod::Refund => actors::testing::Fault::Unavailable,
            _ => actors::testing::Fault::None,
        });
        refund(&world, &record).await;
        world.gateway.dispute(&intent_of(&record));
        world.gateway.set_faults(|call| {
            assert_ne!(call.verb, GatewayMethod::Refund, "a refund was sent");
            actors::testing::Fault::None
        });
        world.advance_seconds(120).await;
        assert_eq!(refund_succeeded(&world), Some(false));
        let open = open_anomalies(&world);
        let is_dispute = |anomaly: &Anomaly| anomaly.kind == AnomalyKind::Dispute;
        assert!(open.iter().any(is_dispute), "{open:?}");
    });
}

#[test]
fn won_dispute_closes_its_anomaly() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let id = intent_of(&record);
        world.clock.advance_to(KICK_OFF.plus_seconds(60)).await;
        world.gateway.dispute(&id);
        world.deliver_queued_webhooks().await;
        world.advance_seconds(10).await;
        assert_eq!(open_anomalies(&world).len(), 1);
        for status in [DisputeStatus::UnderReview, DisputeStatus::Won] {
            assert!(world.gateway.set_dispute_status(&id, status));
            world.deliver_queued_webhooks().await;
            world.advance_seconds(10).await;
        }
        assert_eq!(open_anomalies(&world), []);
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Captured
        );
    });
}

#[test]
fn dispute_won_after_its_tickets_were_returned_asks_for_a_refund() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let id = intent_of(&record);
        world.gateway.dispute(&id);
        world.deliver_queued_webhooks().await;
        world.advance_seconds(10).await;
        assert_eq!(world.stored_order(&record).order.state, OrderState::Void);
        world.gateway.set_dispute_status(&id, DisputeStatus::Won);
        world.deliver_queued_webhooks().await;
        world.advance_seconds(10).await;
        let open = open_anomalies(&world);
        assert_eq!(open.len(), 1, "{open:?}");
        assert_eq!(open[0].kind, AnomalyKind::OwedRefund);
        assert!(open[0].note.contains("won the dispute"), "{open:?}");
        let returned = world.engine().anomalies.return_unmatched_payment(&id).await;
        assert_eq!(returned.unwrap().amount, Cents(1000));
        world
            .engine()
            .reconciler
            .scan_payments(crate::world::NOON)
            .await
            .unwrap();
        assert_eq!(open_anomalies(&world), []);
    });
}

#[test]
fn lost_dispute_stays_reported_and_keeps_the_tickets_of_a_started_game() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let id = intent_of(&record);
        world.clock.advance_to(KICK_OFF.plus_seconds(60)).await;
        for (status, note) in [
            (DisputeStatus::NeedsResponse, DISPUTED_NOTE),
            (DisputeStatus::Lost, DISPUTE_LOST_NOTE),
        ] {
            world.gateway.set_dispute_status(&id, status);
            world.deliver_queued_webhooks().await;
            world.advance_seconds(10).await;
            let notes: Vec<String> = open_anomalies(&world)
                .into_iter()
                .map(|anomaly| anomaly.note)
                .collect();
            assert_eq!(notes, [note]);
        }
        assert_eq!(world.sold_in_draw(1042), 2);
        let returned = world.engine().anomalies.return_unmatched_payment(&id).await;
        assert!(returned.is_err());
        assert_eq!(
            world.gateway.provider_account_totals(&account()).refunded,
            Cents::ZERO
        );
    });
}

#[test]
fn inquiry_takes_no_tickets_and_does_not_block_a_refund() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let id = intent_of(&record);
        let inquiry = DisputeStatus::WarningNeedsResponse;
        assert!(world.gateway.set_dispute_status(&id, inquiry));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(60).await;
        assert_eq!(world.sold_in_draw(1042), 2);
        assert_eq!(open_anomalies(&world), []);
        assert_eq!(mail_kinds(&world, &record), ["inquiry"]);
        refund(&world, &record).await;
        assert_eq!(refund_succeeded(&world), Some(true));
    });
}
