//! An anomaly stays open until its cause is gone, whatever a node remembers from earlier checks.

use std::time::Duration;

use actors::testing::GatewayMethod;
use domain::{Anomaly, AnomalyKind, OrderState};
use persistence::memory::{MemoryCall, MemoryFault as BooksFault};
use persistence::stores::AnomalyStore;

use crate::anomalies::open_anomalies;
use crate::world::{KICK_OFF, TestWorld, intent_of, run_in_paused_time};

/// A node that hung still has old data of the provider. Another node has raised an anomaly since.
#[test]
fn anomaly_is_resolved_only_by_newer_provider_data() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let id = intent_of(&record);
        // The payment is verified now, so later passes only list it and do not read it.
        world.advance_seconds(60).await;
        let order = Some(record.order.id);
        let disputed = "the buyer's bank disputes the payment".to_string();
        let kind = AnomalyKind::Dispute;
        let raised = Anomaly {
            kind,
            payment_intent: Some(id.clone()),
            order,
            note: disputed,
        };
        world
            .memory
            .raise_anomaly(&raised, None, KICK_OFF)
            .await
            .unwrap();
        let (bank, at) = (world.gateway.clone(), id.clone());
        world.gateway.set_call_delays(move |call| {
            // The reconciler has listed the payments and is about to read this payment.
            if call.verb == GatewayMethod::Retrieve {
                bank.dispute(&at);
            }
            Duration::ZERO
        });
        world.advance_seconds(60).await;
        assert_eq!(open_anomalies(&world), [(kind, Some(id))]);
    });
}

#[test]
fn wrongly_resolved_anomaly_is_raised_again() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let id = intent_of(&world.buy_tickets(&[(1042, 2)]).await);
        world.gateway.dispute(&id);
        world.deliver_queued_webhooks().await;
        world.advance_seconds(60).await;
        let wrong = [(AnomalyKind::Dispute, Some(id.clone()))];
        assert_eq!(open_anomalies(&world), wrong);
        world
            .memory
            .resolve_healed_anomalies(&id, AnomalyKind::Dispute, KICK_OFF)
            .await
            .unwrap();
        assert_eq!(open_anomalies(&world), []);
        world.advance_seconds(660).await;
        assert_eq!(open_anomalies(&world), wrong);
    });
}

/// The payment was captured externally without the platform fee, and the capture was written with a
/// clock that is behind. So the payment is not among the recently captured orders.
#[test]
fn payment_checked_before_allocation_is_checked_again() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        world.clock.set_skew_ms(120_000);
        world.buy_tickets(&[(1042, 2)]).await;
        world.advance_seconds(40).await;
        world.clock.set_skew_ms(0);
        let record = world.open_order(&[(1043, 2)]).await;
        let id = intent_of(&record);
        assert!(world.gateway.authorise(&id) && world.gateway.capture_in_dashboard(&id));
        world.memory.set_faults(|call| match call {
            MemoryCall::Append(_) => BooksFault::NotWritten,
            _ => BooksFault::None,
        });
        world.advance_seconds(40).await;
        world.memory.clear_faults();
        world.advance_seconds(660).await;
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Captured
        );
        assert_eq!(
            open_anomalies(&world),
            [(AnomalyKind::MismatchedAmount, Some(id))]
        );
    });
}
