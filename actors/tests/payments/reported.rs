//! What is reported stays so until it is mended, whoever looked at it before and whatever they remember.

use std::time::Duration;

use actors::testing::Verb;
use domain::{Anomaly, AnomalyKind, OrderState};
use persistence::Books;
use persistence::memory::{Call, Fault as BooksFault};

use crate::anomalies::open;
use crate::world::{KICK_OFF, World, intent_of, play};

/// A node that hung still holds what the provider said before, when another has raised what happened since.
#[test]
fn what_is_reported_is_closed_only_by_what_the_provider_says_afterwards() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.buy(&[(1042, 2)]).await;
        let id = intent_of(&record);
        // From now on it is only listed.
        world.pass(60).await;
        let order = Some(record.order.id);
        let disputed = "the buyer's bank disputes the payment".to_string();
        let kind = AnomalyKind::MismatchedAmount;
        let raised = Anomaly {
            kind,
            payment_intent: Some(id.clone()),
            order,
            note: disputed,
        };
        world.memory.raise(&raised, None, KICK_OFF).await.unwrap();
        let (bank, at) = (world.gateway.clone(), id.clone());
        world.gateway.set_pace(move |asked| {
            // Between the list and the question about this one payment.
            if asked.verb == Verb::Retrieve {
                bank.dispute(&at);
            }
            Duration::ZERO
        });
        world.pass(60).await;
        assert_eq!(open(&world), [(kind, Some(id))]);
    });
}

#[test]
fn what_is_still_wrong_is_raised_again_whoever_closed_it_by_mistake() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let id = intent_of(&world.buy(&[(1042, 2)]).await);
        world.gateway.dispute(&id);
        world.deliver_notices().await;
        world.pass(60).await;
        let wrong = [(AnomalyKind::MismatchedAmount, Some(id.clone()))];
        assert_eq!(open(&world), wrong);
        world
            .memory
            .heal(&id, AnomalyKind::MismatchedAmount, KICK_OFF)
            .await
            .unwrap();
        assert_eq!(open(&world), []);
        world.pass(660).await;
        assert_eq!(open(&world), wrong);
    });
}

/// Captured by a hand that is not ours, without our fee; and written down by a clock that is behind the one before it, so that it
/// is not among what was captured since.
#[test]
fn a_payment_that_was_looked_at_before_its_order_had_tickets_is_looked_at_again() {
    play(|| async {
        let world = World::with(&[1042, 1043]).await;
        world.clock.set_skew_ms(120_000);
        world.buy(&[(1042, 2)]).await;
        world.pass(40).await;
        world.clock.set_skew_ms(0);
        let record = world.open(&[(1043, 2)]).await;
        let id = intent_of(&record);
        assert!(world.gateway.authorise(&id) && world.gateway.capture_behind_our_back(&id));
        world.memory.set_faults(|call| match call {
            Call::Append(_) => BooksFault::NotWritten,
            _ => BooksFault::None,
        });
        world.pass(40).await;
        world.memory.clear_faults();
        world.pass(660).await;
        assert_eq!(world.order(&record).order.state, OrderState::Captured);
        assert_eq!(open(&world), [(AnomalyKind::MismatchedAmount, Some(id))]);
    });
}
