//! Tests of a database that is restored from a backup while the provider knows all payments. Each
//! later payment must be found within two minutes, whatever the age of the backup, and get its
//! tickets or a refund.

use actors::{FulfilStatus, RepairError};
use domain::{
    AccountId, AnomalyKind, Cents, ClubId, DrawId, OrderState, PaymentIntentId, PaymentStatus,
};
use persistence::ledger::BuyerDetails;
use persistence::stores::OrderRecord;

use crate::world::{TestWorld, account, intent_of, run_in_paused_time};

const DRAWS: [i64; 2] = [1042, 1043];

/// The payments that were made after the backup.
struct LostPayments {
    captured: Vec<OrderRecord>,
    authorised: OrderRecord,
}

async fn sell_after_backup(world: &TestWorld, seconds: u64) -> LostPayments {
    let request: [&[(i64, u16)]; 6] = [
        &[(1042, 2)],
        &[(1043, 1)],
        &[(1042, 1), (1043, 3)],
        &[(1042, 5)],
        &[(1043, 2), (1042, 2)],
        &[(1042, 1)],
    ];
    let mut captured = Vec::new();
    for lines in request {
        captured.push(world.buy_tickets(lines).await);
        world.advance_seconds(seconds / request.len() as u64).await;
    }
    let authorised = world.open_order(&[(1042, 4)]).await;
    assert!(world.gateway.authorise(&intent_of(&authorised)));
    LostPayments {
        captured,
        authorised,
    }
}

fn open_anomalies(world: &TestWorld) -> Vec<(AnomalyKind, PaymentIntentId)> {
    let open = world
        .memory
        .anomaly_records()
        .into_iter()
        .filter(|record| record.resolved_at.is_none());
    let mut open: Vec<_> = open
        .map(|record| {
            (
                record.anomaly.kind,
                record.anomaly.payment_intent.expect("a payment"),
            )
        })
        .collect();
    open.sort_by(|one, other| one.1.cmp(&other.1));
    open
}

fn payment_status(world: &TestWorld, record: &OrderRecord) -> PaymentStatus {
    world
        .gateway
        .intent(&intent_of(record))
        .expect("an intent")
        .said
        .status
}

fn recovered_buyer() -> BuyerDetails {
    BuyerDetails {
        name: Some("Bob".into()),
        email: Some("bob@example.org".into()),
        phone: Some("0411000001".into()),
    }
}

/// Asserts that exactly the payments missing in the backup have an open anomaly of missing tickets.
fn assert_all_lost_payments_found(world: &TestWorld, lost_payment: &LostPayments) {
    let expected: Vec<_> = lost_payment
        .captured
        .iter()
        .map(|record| (AnomalyKind::MissingTicket, intent_of(record)))
        .collect();
    assert_eq!(open_anomalies(world), expected);
    assert_eq!(
        payment_status(world, &lost_payment.authorised),
        PaymentStatus::Canceled,
        "an unknown order is not charged"
    );
}

#[test]
fn payments_lost_in_ten_minutes_are_found_and_resolved() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&DRAWS).await;
        let before = world.buy_tickets(&[(1042, 3)]).await;
        let quoted = world.open_order(&[(1043, 2)]).await;
        let (backup, refunded) = (world.memory.backup(), before.clone());
        world.gateway.authorise(&intent_of(&quoted));
        assert_eq!(
            world.fulfil(&quoted).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        let lost_payment = sell_after_backup(&world, 600).await;
        world.restart_engine_on(backup).await;
        world.advance_seconds(120).await;
        assert_all_lost_payments_found(&world, &lost_payment);
        assert_eq!(
            world.stored_order(&quoted).order.state,
            OrderState::Captured,
            "the backup has the order, so it is allocated again"
        );
        assert_eq!(
            world.stored_order(&refunded).order.state,
            OrderState::Captured
        );

        let anomalies = world.engine().anomalies.clone();
        let (healed, returned) = lost_payment.captured.split_at(3);
        for record in healed {
            let adopted = anomalies
                .allocate_missing_tickets(
                    &intent_of(record),
                    recovered_buyer(),
                    record.token.clone(),
                )
                .await
                .unwrap();
            assert_eq!(
                (adopted.order.id, adopted.order.state),
                (record.order.id, OrderState::Captured)
            );
            assert_eq!(adopted.order.total(), record.order.total());
        }
        for record in returned {
            assert_eq!(
                anomalies
                    .return_unmatched_payment(&intent_of(record))
                    .await
                    .unwrap()
                    .amount,
                record.order.total()
            );
            let again = anomalies
                .allocate_missing_tickets(
                    &intent_of(record),
                    recovered_buyer(),
                    record.token.clone(),
                )
                .await;
            assert_eq!(again.map(drop), Err(RepairError::Refunded));
        }
        anomalies.scan_payments(1).await.unwrap();
        world.advance_seconds(60).await;
        assert_eq!(open_anomalies(&world), []);
        assert_eq!(
            (world.sold_in_draw(1042), world.sold_in_draw(1043)),
            (3 + 2 + 1, 2 + 1 + 3)
        );
        let takings = world.gateway.provider_account_totals(&account());
        let kept: Cents = world
            .memory
            .orders()
            .iter()
            .filter_map(|row| row.captured_at.map(|_| row.order.total()))
            .sum();
        assert_eq!(
            takings.captured - takings.refunded,
            kept,
            "the captured amount equals the allocated orders"
        );
        let fees: Cents = world.memory.draws().iter().map(domain::Draw::fee).sum();
        assert_eq!(takings.fees - takings.fees_refunded, fees);
    });
}

#[test]
fn payments_since_a_two_hour_old_backup_are_found() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&DRAWS).await;
        world.buy_tickets(&[(1042, 3)]).await;
        let backup = world.memory.backup();
        let lost_payment = sell_after_backup(&world, 2 * 3_600).await;
        world.restart_engine_on(backup).await;
        world.advance_seconds(120).await;
        assert_all_lost_payments_found(&world, &lost_payment);
    });
}

#[test]
fn provider_outage_after_restore_is_retried() {
    run_in_paused_time(|| async {
        use actors::testing::{Fault, GatewayMethod};
        let mut world = TestWorld::with_draws(&DRAWS).await;
        world.buy_tickets(&[(1042, 3)]).await;
        let backup = world.memory.backup();
        let lost_payment = sell_after_backup(&world, 2 * 3_600).await;
        world.gateway.set_faults(|call| {
            if call.verb == GatewayMethod::List {
                Fault::Unavailable
            } else {
                Fault::None
            }
        });
        world.restart_engine_on(backup).await;
        world.advance_seconds(300).await;
        assert_eq!(open_anomalies(&world), []);
        world.gateway.clear_faults();
        world.advance_seconds(60).await;
        assert_all_lost_payments_found(&world, &lost_payment);
        assert_eq!(world.sold_in_draw(DrawId(1042).0), 3);
    });
}

#[test]
fn unreachable_account_does_not_hide_lost_payments_of_others() {
    run_in_paused_time(|| async {
        use actors::testing::Fault;
        let mut world = TestWorld::with_draws(&DRAWS).await;
        // This account has left the platform, so calls for it fail. It is queried first.
        let gone = AccountId("acct_a_club_that_left".into());
        world.memory.add_club(ClubId(2), gone.clone());
        world.buy_tickets(&[(1042, 3)]).await;
        let backup = world.memory.backup();
        let lost_payment = sell_after_backup(&world, 2 * 3_600).await;
        world.gateway.set_faults(move |call| {
            if *call.account == gone {
                Fault::Unavailable
            } else {
                Fault::None
            }
        });
        world.restart_engine_on(backup).await;
        world.advance_seconds(120).await;
        assert_all_lost_payments_found(&world, &lost_payment);
    });
}
