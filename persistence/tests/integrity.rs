//! Tests of the invariant checks. Each injected violation is reported under its invariant. Correct
//! data has no violation.

#[path = "support/world.rs"]
mod support;

use std::collections::BTreeSet;
use std::slice;

use domain::{Anomaly, AnomalyKind, Cents, Command, GameResult, OrderId, PaymentStatus};
use persistence::Postgres;
use persistence::auditor::Auditor;
use persistence::integrity::AccountTotals;
use persistence::nodes::InstanceId;
use persistence::stores::{AnomalyStore, ReconciliationStore};
use sqlx::{Connection, Executor};

use support::{NOW, TERMS, TestWorld, account, intent_id, provider_intent};

/// Returns a database with correct data of every kind: captured and refunded orders, a completed
/// draw with a sold winner, an open order, webhook events and mails.
async fn sample_database() -> (TestWorld, Postgres) {
    let world = TestWorld::in_postgres(&[TERMS; 3]).await;
    let postgres = world.postgres.as_ref().expect("in Postgres").1.clone();
    let mut owner = world.owner(0).await;
    for (order, count) in [(1, 2), (2, 3), (3, 4)] {
        world.buy_until_captured(&mut owner, order, count).await;
    }
    let paid = world.record(3).await.order.total();
    owner.void(3).await.expect("voided");
    let fee = world
        .stores
        .fee_to_refund_for_voided_tickets(OrderId(3))
        .await
        .expect("read");
    world
        .stores
        .queue_refund(OrderId(3), paid, fee, "asked for")
        .await
        .expect("queued");
    world
        .stores
        .queue_fee_refunds(world.draws[0])
        .await
        .expect("queued");
    for operation in world
        .stores
        .claim_operations(NOW, 1_000, 10)
        .await
        .expect("claimed")
    {
        world
            .stores
            .record_attempt(operation.id, persistence::stores::AttemptOutcome::Done)
            .await
            .expect("done");
    }
    let mut second = world.owner(1).await;
    world.buy_until_captured(&mut second, 4, 50).await;
    let winner = second
        .draw
        .deal()
        .cell(domain::Serial::new(7).expect("a serial"));
    let result = GameResult { cell: winner };
    second
        .execute(Command::Complete { result }, None)
        .await
        .expect("completed");
    owner
        .open(world.order(5, &[(0, 2), (2, 1)]))
        .await
        .expect("opened");
    world
        .stores
        .record_payment_intent(OrderId(5), &intent_id(5), "secret")
        .await
        .expect("opened");
    for mail in world
        .stores
        .claim_mail(InstanceId(1), NOW, 1_000, 10)
        .await
        .expect("claimed")
    {
        world
            .stores
            .mark_mail_sent(mail.id, NOW)
            .await
            .expect("sent");
    }
    // Adds two provider snapshots for each of the orders 1 to 4, as the reconciler would store
    // them.
    for order in 1..=4 {
        let record = world.record(order).await;
        let mut intent = provider_intent(&record, PaymentStatus::Succeeded);
        if order == 3 {
            (intent.amount_refunded, intent.application_fee_refunded) = (paid, fee);
        }
        for later in [0, 3_600] {
            postgres
                .record_provider_snapshots(slice::from_ref(&intent), NOW.plus_seconds(later))
                .await
                .expect("seen");
        }
    }
    (world, postgres)
}

async fn violated_invariants(postgres: &Postgres) -> BTreeSet<String> {
    let violations = postgres.violations().await.expect("read");
    violations
        .into_iter()
        .map(|violation| {
            violation
                .invariant
                .split(' ')
                .next()
                .expect("an id")
                .to_string()
        })
        .collect()
}

#[tokio::test]
async fn clean_database_has_no_violation_and_correct_totals() {
    let (world, postgres) = sample_database().await;
    assert_eq!(postgres.violations().await, Ok(vec![]));
    let records = [
        world.record(1).await,
        world.record(2).await,
        world.record(3).await,
        world.record(4).await,
    ];
    let refunded = records[2].order.total();
    let totals = AccountTotals {
        account: account(),
        payments: 4,
        captured: records.iter().map(|record| record.order.total()).sum(),
        refunded,
        application_fees: records
            .iter()
            .map(|record| record.order.application_fee)
            .sum(),
        application_fees_refunded: Cents(70),
    };
    assert_eq!(postgres.account_totals().await, Ok(vec![totals]));
}

#[tokio::test]
async fn auditor_figures_match_the_written_rows() {
    let (world, _) = sample_database().await;
    let (database, _) = world.postgres.as_ref().expect("in Postgres");
    let auditor = Auditor::open(&database.url).await.expect("opened");
    let draws: Vec<_> = auditor
        .draw_totals()
        .await
        .expect("read")
        .into_iter()
        .map(|d| (d.draw, d.tickets, d.sold, d.held))
        .collect();
    assert_eq!(draws, [(1001, 5, 5, 2), (1002, 50, 50, 0)]);
    assert_eq!(
        auditor.paid_orders_in_progress().await,
        Ok(vec![]),
        "a quoted order is not undecided"
    );
    assert_eq!(auditor.count_open_anomalies_by_kind().await, Ok(vec![]));
    let orders = auditor.order_amounts().await.expect("read");
    assert_eq!(orders.iter().filter(|order| order.is_taken).count(), 4);
    assert_eq!(orders.iter().filter(|order| order.refunded > 0).count(), 1);
    assert_eq!(
        auditor.count_mails_by_kind_and_state().await,
        Ok(vec![("tickets".into(), "sent".into(), 4)])
    );

    let about = Anomaly {
        kind: AnomalyKind::OrphanedTicket,
        payment_intent: None,
        order: Some(OrderId(4)),
        note: "whose?".into(),
    };
    assert_eq!(
        world.stores.raise_anomaly(&about, None, NOW).await,
        Ok(true)
    );
    let one = Ok(vec![("orphaned_ticket".to_string(), 1)]);
    assert_eq!(
        auditor.count_unexpected_anomalies_by_kind().await,
        one,
        "its buyer has an address"
    );
    database.execute_sql("update orders set buyer_name = null, buyer_email = null, buyer_phone = null where id = '00000000-0000-0000-0000-000000000004'").await;
    assert_eq!(
        (
            auditor.count_open_anomalies_by_kind().await,
            auditor.count_unexpected_anomalies_by_kind().await
        ),
        (one, Ok(vec![]))
    );
}

#[tokio::test]
async fn snapshot_before_the_capture_is_no_mismatch() {
    let (world, postgres) = sample_database().await;
    let before = provider_intent(&world.record(1).await, PaymentStatus::RequiresCapture);
    // This snapshot is stored after the capture, but its time is before the capture.
    postgres
        .record_provider_snapshots(slice::from_ref(&before), NOW.plus_seconds(-1))
        .await
        .expect("seen");
    assert_eq!(violated_invariants(&postgres).await, BTreeSet::new());
    postgres
        .record_provider_snapshots(slice::from_ref(&before), NOW.plus_seconds(3_601))
        .await
        .expect("seen");
    assert!(
        violated_invariants(&postgres).await.contains("P2"),
        "a later snapshot would be a mismatch"
    );
}

#[tokio::test]
async fn anomaly_closed_by_a_person_excuses_a_violation() {
    let (world, postgres) = sample_database().await;
    let mut refunded_intent = provider_intent(&world.record(1).await, PaymentStatus::Succeeded);
    refunded_intent.amount_refunded = refunded_intent.amount_received;
    postgres
        .record_provider_snapshots(slice::from_ref(&refunded_intent), NOW.plus_seconds(7_200))
        .await
        .expect("seen");
    let broken = violated_invariants(&postgres).await;
    assert!(broken.contains("P4"), "{broken:?}");
    let note = "the payment was refunded but the tickets are still sold".to_string();
    let payment_intent = Some(refunded_intent.id.clone());
    let anomaly = Anomaly {
        kind: AnomalyKind::OrphanedTicket,
        payment_intent,
        order: Some(OrderId(1)),
        note,
    };
    assert!(
        postgres
            .raise_anomaly(&anomaly, None, NOW)
            .await
            .expect("raised")
    );
    assert_eq!(
        violated_invariants(&postgres).await,
        BTreeSet::new(),
        "a person is informed"
    );
    assert_eq!(
        postgres
            .resolve_healed_anomalies(&refunded_intent.id, AnomalyKind::OrphanedTicket, NOW)
            .await,
        Ok(1)
    );
    assert_eq!(
        violated_invariants(&postgres).await,
        broken,
        "no violation is excused"
    );
    assert!(
        postgres
            .raise_anomaly(&anomaly, None, NOW)
            .await
            .expect("raised")
    );
    let open = postgres.anomalies(true, 1).await.expect("read");
    assert_eq!(
        postgres
            .close_anomaly(open[0].id, "by operator 1", NOW)
            .await,
        Ok(true)
    );
    assert_eq!(
        violated_invariants(&postgres).await,
        BTreeSet::new(),
        "a person closed it"
    );
}

/// Damages correct data by SQL statements, and checks that the expected invariant is reported.
async fn assert_violation_detected(sql: &[&'static str], expected: &str) {
    let (world, postgres) = sample_database().await;
    let mut connection = world.connection().await;
    for statement in sql {
        connection
            .execute(*statement)
            .await
            .unwrap_or_else(|why| panic!("{statement}: {why}"));
    }
    connection.close().await.expect("closed");
    let found = violated_invariants(&postgres).await;
    assert!(
        found.contains(expected),
        "{expected} is not among {found:?} after {sql:?}"
    );
}

macro_rules! detected {
    ($($name:ident: $expected:literal by [$($sql:literal),+ $(,)?];)*) => {
        $(#[tokio::test] async fn $name() { assert_violation_detected(&[$($sql),+], $expected).await })*
    };
}

detected! {
    missing_ticket_is_detected: "T1" by ["delete from tickets where draw_id = 1001 and serial = 2"];
    missing_reservation_is_detected: "T1" by ["delete from reservations"];
    ticket_of_another_line_is_detected: "T2" by [
        "update tickets set order_line_id = (select order_line_id from tickets where draw_id = 1001 and serial = 5)
         where draw_id = 1001 and serial = 1"
    ];
    paid_order_without_tickets_is_detected: "T2" by [
        "update orders set lines_allocated = 0 where client_key = 'key-1'"
    ];
    missing_order_line_is_detected: "T2" by ["update orders set lines = 3, lines_allocated = 0 where client_key = 'key-5'"];
    released_order_with_tickets_is_detected: "T3" by ["update orders set state = 'released' where client_key = 'key-1'"];
    unpaid_order_with_tickets_is_detected: "T3" by [
        "update orders set state = 'quoted' where client_key = 'key-1'",
        "update tickets set sold_at = now() - interval '11 minutes'"
    ];
    hole_in_the_journal_is_detected: "T4" by ["delete from draw_events where draw_id = 1001 and revision = 2"];
    reservation_of_an_unknown_draw_is_detected: "T4" by ["update reservations set draw_id = 9999"];
    order_of_an_unknown_club_is_detected: "M3" by ["update orders set club_id = 9 where client_key = 'key-5'"];
    operation_of_an_unknown_order_is_detected: "M3" by [
        "update payment_ops set order_id = gen_random_uuid() where id = (select max(id) from payment_ops)"
    ];
    sale_after_kick_off_is_detected: "T5" by ["update draws set kick_off = now() - interval '1 second' where id = 1001"];
    gap_in_the_committed_order_is_detected: "T6" by [
        "update tickets set serial = 169 where draw_id = 1002 and serial = 1"
    ];
    ticket_from_the_future_is_detected: "T7" by ["update tickets set epoch = 99 where draw_id = 1001 and serial = 1"];
    commit_with_an_old_epoch_is_detected: "T7" by ["update draw_events set epoch = 0 where draw_id = 1001 and revision = 3"];
    outcome_without_an_event_is_detected: "T8" by ["update draws set prize_cents = prize_cents + 1 where id = 1002"];
    winner_with_another_cell_is_detected: "T9" by [
        "update draws set winning_serial = winning_serial % 169 + 1 where id = 1002"
    ];
    seed_of_another_draw_is_detected: "T10" by [
        "update draws set seed_sealed = (select seed_sealed from draws where id = 1003) where id = 1002"
    ];
    commitment_changed_afterwards_is_detected: "T10" by [
        "update draws set commitment = decode(repeat('00', 32), 'hex') where id = 1002"
    ];
    wrong_order_total_is_detected: "M1" by ["update orders set subtotal_cents = subtotal_cents + 1 where client_key = 'key-1'"];
    wrong_order_fee_is_detected: "M2" by [
        "update orders set application_fee_cents = application_fee_cents + 1 where client_key = 'key-1'"
    ];
    line_with_another_price_is_detected: "M3" by [
        "update order_lines set unit_price_cents = unit_price_cents + 1 where draw_id = 1001 and serials is not null"
    ];
    order_of_another_club_is_detected: "M3" by [
        "insert into clubs (id, name, email, password, home_page_slug) values (9, 'B', 'b@b', 'x', 'b')",
        "update orders set club_id = 9 where client_key = 'key-1'"
    ];
    fee_step_with_a_gap_is_detected: "M4" by [
        "update fee_ledger set fee_delta = fee_delta + 1, fee_after = fee_after + 1 where draw_id = 1002"
    ];
    fee_ledger_with_another_total_is_detected: "M5" by ["delete from fee_ledger where draw_id = 1002"];
    open_order_on_another_account_is_detected: "M6" by [
        "update clubs set stripe_connect_account_id = 'acct_2' where id = 1"
    ];
    wrong_prize_is_detected: "M7" by ["update draws set prize_cents = prize_cents + 1 where id = 1002"];
    payment_without_tickets_is_detected: "P1" by ["update orders set state = 'void' where client_key = 'key-1'"];
    payment_without_an_order_is_detected: "P1" by [
        "update provider_pi set payment_intent_id = 'pi_99', order_id = null where payment_intent_id = 'pi_1'"
    ];
    refunded_payment_with_tickets_is_detected: "P1" by [
        "update provider_pi set amount_refunded_cents = amount_received_cents where payment_intent_id = 'pi_1'"
    ];
    wrong_captured_amount_is_detected: "P2" by [
        "update provider_pi set amount_received_cents = amount_received_cents - 1 where payment_intent_id = 'pi_1'"
    ];
    tickets_without_a_payment_are_detected: "P2" by ["update provider_pi set status = 'canceled' where payment_intent_id = 'pi_1'"];
    uncaptured_payment_is_detected: "P3" by [
        "update provider_pi set status = 'requires_capture' where payment_intent_id = 'pi_1'"
    ];
    refund_made_at_the_provider_is_detected: "P4" by [
        "update provider_pi set amount_refunded_cents = 5 where payment_intent_id = 'pi_1'"
    ];
    missing_fee_refund_is_detected: "P5" by ["update orders set fee_refunded_cents = 0"];
    order_paid_twice_is_detected: "P6" by [
        "update provider_pi set order_id = (select id from orders where client_key = 'key-1')
         where payment_intent_id = 'pi_2'"
    ];
    missing_mail_is_detected: "E1" by ["delete from email_outbox where dedupe_key like 'tickets-%'"];
    mail_about_another_order_is_detected: "E2" by [
        "update email_outbox set order_id = (select id from orders where client_key = 'key-5')"
    ];
    unsent_mail_is_detected: "E3" by [
        "update email_outbox set state = 'pending', queued_at = now() - interval '11 minutes'"
    ];
    unhandled_webhook_event_is_detected: "W1" by [
        "insert into webhook_events (event_id, kind, payload, received_at)
         values ('evt_1', 'x', '{}', now() - interval '6 minutes')"
    ];
    untried_operation_is_detected: "O1" by [
        "update payment_ops set state = 'pending', ended_at = null, created_at = now() - interval '16 minutes'
         where id = (select max(id) from payment_ops)"
    ];
}
