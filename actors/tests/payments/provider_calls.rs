//! How often a purchase reads its payment intent. The provider limits these calls, and one that
//! waits for its turn delays a buyer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use actors::testing::{Fault, GatewayMethod};
use actors::{ConfirmationOutcome, FulfilStatus};
use domain::{OrderState, PaymentStatus};

use crate::is_not_charged;
use crate::world::{TestWorld, intent_of, run_in_paused_time};

/// Counts the calls that read one payment intent from now on.
fn count_retrieves(world: &TestWorld) -> Arc<AtomicUsize> {
    let count = Arc::<AtomicUsize>::default();
    let counted = count.clone();
    world.gateway.set_faults(move |call| {
        if call.verb == GatewayMethod::Retrieve {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        Fault::None
    });
    count
}

#[test]
fn purchase_by_browser_reads_its_intent_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let retrieves = count_retrieves(&world);
        let record = world.open_order(&[(1042, 2)]).await;
        assert!(world.gateway.authorise(&intent_of(&record)));
        world.deliver_queued_webhooks().await;
        let status = world.fulfil(&record).await.unwrap().status;
        assert_eq!(status, FulfilStatus::Succeeded);
        world.deliver_queued_webhooks().await;
        // Three passes of the reconciler compare the payment.
        world.advance_seconds(90).await;
        assert_eq!(retrieves.load(Ordering::Relaxed), 1);
        world.assert_consistent();
    });
}

#[test]
fn declined_card_reads_no_intent() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let retrieves = count_retrieves(&world);
        let record = world.open_order(&[(1042, 2)]).await;
        assert!(world.gateway.decline(&intent_of(&record)));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(5).await;
        assert_eq!(
            retrieves.load(Ordering::Relaxed),
            0,
            "the buyer may still try another card"
        );
        assert!(world.gateway.authorise(&intent_of(&record)));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(5).await;
        let status = world.fulfil(&record).await.unwrap().status;
        assert_eq!(status, FulfilStatus::Succeeded);
        assert_eq!(retrieves.load(Ordering::Relaxed), 1);
    });
}

/// The reconciler lists an account at every pass while it sells, and once an hour when it has not
/// sold anything for a day.
#[test]
fn quiet_account_is_listed_once_an_hour() {
    const MINUTE: u64 = 60;
    const DAY: u64 = 24 * 60 * MINUTE;
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        world.buy_tickets(&[(1042, 1)]).await;
        let count = Arc::<AtomicUsize>::default();
        let counted = count.clone();
        world.gateway.set_faults(move |call| {
            if call.verb == GatewayMethod::List {
                counted.fetch_add(1, Ordering::Relaxed);
            }
            Fault::None
        });
        world.advance_seconds(10 * MINUTE).await;
        let while_selling = count.swap(0, Ordering::Relaxed);
        // Twenty passes, and what the engine lists once after its start.
        assert!((19..=23).contains(&while_selling), "{while_selling}");
        world.advance_seconds(DAY + 30 * MINUTE).await;
        count.store(0, Ordering::Relaxed);
        world.advance_seconds(DAY / 4).await;
        let while_quiet = count.load(Ordering::Relaxed);
        assert!((5..=7).contains(&while_quiet), "{while_quiet}");
    });
}

#[test]
fn purchase_confirmed_by_server_reads_no_intent() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let retrieves = count_retrieves(&world);
        let record = world.open_order(&[(1042, 2)]).await;
        let confirmed = world.payments().confirm(record.order.id, "pm_visa").await;
        assert_eq!(confirmed, Ok(ConfirmationOutcome::Authorised));
        let status = world.fulfil(&record).await.unwrap().status;
        assert_eq!(status, FulfilStatus::Succeeded);
        world.deliver_queued_webhooks().await;
        world.advance_seconds(90).await;
        assert_eq!(retrieves.load(Ordering::Relaxed), 0);
        world.assert_consistent();
    });
}

#[test]
fn authorisation_ended_after_confirmation_is_not_charged() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        let confirmed = world.payments().confirm(record.order.id, "pm_visa").await;
        assert_eq!(confirmed, Ok(ConfirmationOutcome::Authorised));
        assert!(world.gateway.end_authorisation(&intent_of(&record)));
        let status = world.fulfil(&record).await.unwrap().status;
        assert!(is_not_charged(&status), "{status:?}");
        assert_eq!(world.sold_in_draw(1042), 0, "the tickets are returned");
        world.assert_consistent();
    });
}

#[test]
fn old_answer_to_a_confirmation_is_not_used() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        // The next pass of the reconciler, which would fulfil the order, is 25 s away.
        world.advance_seconds(35).await;
        let record = world.open_order(&[(1042, 2)]).await;
        let confirmed = world.payments().confirm(record.order.id, "pm_visa").await;
        assert_eq!(confirmed, Ok(ConfirmationOutcome::Authorised));
        world.advance_seconds(11).await;
        let retrieves = count_retrieves(&world);
        let status = world.fulfil(&record).await.unwrap().status;
        assert_eq!(status, FulfilStatus::Succeeded);
        assert_eq!(retrieves.load(Ordering::Relaxed), 1);
    });
}

/// The browser repeats its call when an answer is lost.
#[test]
fn repeated_opening_of_reserved_order_reads_no_intent() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let retrieves = count_retrieves(&world);
        let request = world.order_request(&[(1042, 2)]);
        let record = world.payments().open(request.clone()).await.unwrap();
        for _ in 0..3 {
            let repeated = world.payments().open(request.clone()).await.unwrap();
            assert_eq!(repeated.order, record.order);
            assert_eq!(repeated.client_secret, record.client_secret);
        }
        assert_eq!(retrieves.load(Ordering::Relaxed), 0);

        let mut resized = request;
        resized.lines[0].count = 3;
        world.payments().open(resized).await.unwrap();
        assert_eq!(
            retrieves.load(Ordering::Relaxed),
            1,
            "an authorised intent must not be resized"
        );
    });
}

#[test]
fn abandoned_order_reads_its_intent_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let retrieves = count_retrieves(&world);
        let record = world.open_order(&[(1042, 2)]).await;
        let state = world.payments().abandon(record.order.id).await;
        assert_eq!(state, Ok(OrderState::Released));
        let intent = world.gateway.intent(&intent_of(&record)).unwrap().said;
        assert_eq!(intent.status, PaymentStatus::Canceled);
        world.deliver_queued_webhooks().await;
        world.advance_seconds(5).await;
        assert_eq!(
            retrieves.load(Ordering::Relaxed),
            1,
            "the event that it was cancelled says nothing new"
        );
    });
}
