//! Clubs use their accounts also for sales of their own. This platform leaves such payments alone:
//! it stores, reports, captures, cancels and refunds none of them.

use actors::RepairError;
use actors::testing::{FakeIntent, platform_application};
use domain::{
    AccountId, ApplicationId, Cents, ForeignPaymentKind, OrderId, OrderState, PaymentIntentId,
    PaymentOrigin, PaymentStatus,
};

use persistence::stores::ReconciliationStore;

use crate::anomalies::{create_lost_payment, open_anomalies, recovered_buyer};
use crate::world::{NOON, TestWorld, account, intent_of, run_in_paused_time};

const FOREIGN_PAYMENTS: u128 = 1_000;

fn of_club() -> PaymentOrigin {
    PaymentOrigin::default()
}

fn of_other_application() -> PaymentOrigin {
    PaymentOrigin {
        application: Some(ApplicationId("ca_ticket_shop".into())),
        has_order_key: true,
    }
}

fn of_platform_without_key() -> PaymentOrigin {
    PaymentOrigin {
        application: Some(platform_application()),
        has_order_key: false,
    }
}

/// Makes payments of all foreign kinds: captured and authorised, with and without an order id.
fn make_foreign_payments(world: &TestWorld, known_order: OrderId) -> Vec<PaymentIntentId> {
    let make = |number: u128| {
        let origin = match number % 3 {
            0 => of_club(),
            1 => of_other_application(),
            _ => of_platform_without_key(),
        };
        let order = match number % 5 {
            0 | 1 => None,
            2 => Some(known_order),
            _ => Some(OrderId(0xF0E1_0000_0000_4000_8000_0000_0000_0000 + number)),
        };
        let amount = Cents(500 + number as i64);
        let id = world
            .gateway
            .authorise_marked_payment(&account(), amount, origin, order);
        if number.is_multiple_of(2) {
            assert!(world.gateway.capture_in_dashboard(&id));
        }
        id
    };
    (0..FOREIGN_PAYMENTS).map(make).collect()
}

fn intents(world: &TestWorld, ids: &[PaymentIntentId]) -> Vec<FakeIntent> {
    ids.iter()
        .map(|id| world.gateway.intent(id).expect("an intent"))
        .collect()
}

fn counted_foreign_payments(world: &TestWorld) -> Vec<ForeignPaymentKind> {
    let counts = world.payments().metrics().foreign_payments();
    let seen = counts.into_iter().filter(|(_, count)| *count > 0);
    seen.map(|(kind, _)| kind).collect()
}

#[test]
fn thousand_foreign_payments_are_left_alone() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&[1042]).await;
        let bought = world.buy_tickets(&[(1042, 2)]).await;
        let foreign = make_foreign_payments(&world, bought.order.id);
        let before = intents(&world, &foreign);
        world.deliver_queued_webhooks().await;
        world.advance_seconds(120).await;
        // The first pass of a process also looks for payments that the database lost.
        world.restart_engine().await;
        world.advance_seconds(1_300).await;
        let scanned = world.engine().reconciler.scan_payments(NOON).await.unwrap();
        assert_eq!(
            (scanned.checked, scanned.unsettled),
            (1, 0),
            "only the platform's payment is compared"
        );
        assert_eq!(open_anomalies(&world), []);
        assert_eq!(world.memory.anomaly_records().len(), 0, "none was raised");
        assert!(
            intents(&world, &foreign) == before,
            "no payment of others was touched"
        );
        let snapshots = world.memory.provider_snapshots();
        let stored: Vec<_> = snapshots.iter().map(|seen| &seen.intent.id).collect();
        assert_eq!(stored, [&intent_of(&bought)], "nothing is stored of others");
        assert_eq!(
            counted_foreign_payments(&world),
            [
                ForeignPaymentKind::NoApplication,
                ForeignPaymentKind::OtherApplication,
                ForeignPaymentKind::NoOrderKey
            ]
        );
    });
}

#[test]
fn operator_cannot_return_or_use_a_foreign_payment() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let foreign =
            world
                .gateway
                .authorise_marked_payment(&account(), Cents(500), of_club(), None);
        assert!(world.gateway.capture_in_dashboard(&foreign));
        let before = intents(&world, std::slice::from_ref(&foreign));
        // An earlier version stored a snapshot of the payment.
        let snapshot = [before[0].said.clone()];
        let stored = world.memory.record_provider_snapshots(&snapshot, NOON);
        stored.await.unwrap();
        let anomalies = world.engine().anomalies.clone();
        assert_eq!(
            anomalies.return_unmatched_payment(&foreign).await,
            Err(RepairError::Unknown)
        );
        let allocated = anomalies
            .allocate_missing_tickets(&foreign, recovered_buyer(), "f".repeat(32))
            .await;
        assert_eq!(allocated.map(drop), Err(RepairError::Unknown));
        assert_eq!(intents(&world, &[foreign]), before);
    });
}

/// Before the platform's first payment nothing says which payments are its own.
#[test]
fn payments_wait_until_the_own_application_is_known() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        world.gateway.set_application_known(false);
        let lost = create_lost_payment(&world, 404, 1000, "1042x2").await;
        let bought = world.buy_tickets(&[(1042, 1)]).await;
        world.advance_seconds(1_300).await;
        assert_eq!(open_anomalies(&world), []);
        assert_eq!(
            world.stored_order(&bought).order.state,
            OrderState::Captured,
            "an order knows its payment without the application"
        );
        world.gateway.set_application_known(true);
        world.engine().reconciler.scan_payments(NOON).await.unwrap();
        let open: Vec<_> = open_anomalies(&world);
        assert_eq!(open.len(), 1);
        assert_eq!(open[0].1, Some(lost));
    });
}

#[test]
fn order_of_an_earlier_version_keeps_its_payment() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let captured = world.buy_tickets(&[(1042, 2)]).await;
        let open = world.open_order(&[(1042, 3)]).await;
        for record in [&captured, &open] {
            let id = intent_of(record);
            assert!(world.gateway.set_origin(&id, of_platform_without_key()));
        }
        assert!(world.gateway.authorise(&intent_of(&open)));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(60).await;
        assert_eq!(world.stored_order(&open).order.state, OrderState::Captured);
        assert!(world.gateway.refund_in_dashboard(&intent_of(&captured)));
        world.advance_seconds(60).await;
        let open_payments: Vec<_> = open_anomalies(&world)
            .into_iter()
            .map(|(_, payment)| payment)
            .collect();
        assert_eq!(
            open_payments,
            [Some(intent_of(&captured))],
            "its payment is still compared"
        );
    });
}

#[test]
fn authorisation_of_a_lost_order_is_still_cancelled() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let own = PaymentOrigin {
            application: Some(platform_application()),
            has_order_key: true,
        };
        let make = |origin| {
            let order = Some(OrderId(404));
            world
                .gateway
                .authorise_marked_payment(&account(), Cents(500), origin, order)
        };
        let (lost, foreign) = (make(own), make(of_club()));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(60).await;
        let status = |id| world.gateway.intent(id).expect("an intent").said.status;
        assert_eq!(status(&lost), PaymentStatus::Canceled);
        assert_eq!(status(&foreign), PaymentStatus::RequiresCapture);
    });
}

#[test]
fn account_of_another_club_cannot_pay_an_order_by_its_id() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let order = world.open_order(&[(1042, 1)]).await.order.id;
        let other = AccountId("acct_other".into());
        let id = world
            .gateway
            .authorise_marked_payment(&other, Cents(500), of_club(), Some(order));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(60).await;
        let intent = world.gateway.intent(&id).expect("an intent").said;
        assert_eq!(intent.status, PaymentStatus::RequiresCapture);
        assert_eq!(open_anomalies(&world), []);
    });
}
