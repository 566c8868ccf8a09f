//! Each seeded violation is caught by its own invariant; clean data give none.

#[path = "support/world.rs"]
mod support;

use std::collections::BTreeSet;
use std::slice;

use domain::{Anomaly, AnomalyKind, Cents, Command, GameResult, OrderId, PaymentStatus};
use persistence::auditor::Auditor;
use persistence::integrity::AccountTotals;
use persistence::nodes::Boot;
use persistence::{Books, Postgres};
use sqlx::{Connection, Executor};

use support::{NOW, TERMS, World, account, intent_id, said};

/// Two orders captured in a draw, one of them refunded; a completed draw with a sold winner; an order still open; notices
/// and mail: a little of everything, all of it right.
async fn busy() -> (World, Postgres) {
    let world = World::in_postgres(&[TERMS; 3]).await;
    let postgres = world.postgres.as_ref().expect("in Postgres").1.clone();
    let mut owner = world.owner(0).await;
    for (order, count) in [(1, 2), (2, 3), (3, 4)] {
        world.captured(&mut owner, order, count).await;
    }
    let paid = world.record(3).await.order.total();
    owner.void(3).await.expect("voided");
    let fee = world.books.fee_returned(OrderId(3)).await.expect("read");
    world
        .books
        .refunding(OrderId(3), paid, fee, "asked for")
        .await
        .expect("queued");
    world
        .books
        .give_fees_back(world.draws[0])
        .await
        .expect("queued");
    for operation in world
        .books
        .claim_operations(NOW, 1_000, 10)
        .await
        .expect("claimed")
    {
        world
            .books
            .attempted(operation.id, persistence::books::Attempt::Done)
            .await
            .expect("done");
    }
    let mut second = world.owner(1).await;
    world.captured(&mut second, 4, 50).await;
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
        .books
        .opened(OrderId(5), &intent_id(5), "secret")
        .await
        .expect("opened");
    for mail in world
        .books
        .claim_mail(Boot(1), NOW, 1_000, 10)
        .await
        .expect("claimed")
    {
        world.books.mail_sent(mail.id, NOW).await.expect("sent");
    }
    // A second order of the same draw as 4's, so that there is something to compare; and what the reconciler saw.
    for order in 1..=4 {
        let record = world.record(order).await;
        let mut seen = said(&record, PaymentStatus::Succeeded);
        if order == 3 {
            (seen.amount_refunded, seen.application_fee_refunded) = (paid, fee);
        }
        for later in [0, 3_600] {
            postgres
                .witness(slice::from_ref(&seen), NOW.plus_seconds(later))
                .await
                .expect("seen");
        }
    }
    (world, postgres)
}

async fn found(postgres: &Postgres) -> BTreeSet<String> {
    let violations = postgres.violations().await.expect("asked");
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
async fn clean_books_have_no_violation_and_add_up() {
    let (world, postgres) = busy().await;
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
async fn an_auditor_from_outside_reads_the_same_books() {
    let (world, _) = busy().await;
    let (database, _) = world.postgres.as_ref().expect("in Postgres");
    let auditor = Auditor::open(&database.url).await.expect("opened");
    let draws: Vec<_> = auditor
        .draws()
        .await
        .expect("read")
        .into_iter()
        .map(|d| (d.draw, d.tickets, d.sold, d.held))
        .collect();
    assert_eq!(draws, [(1001, 5, 5, 2), (1002, 50, 50, 0)]);
    assert_eq!(
        auditor.undecided().await,
        Ok(vec![]),
        "a quoted order waits for its buyer, not for us"
    );
    assert_eq!(auditor.open_anomalies().await, Ok(vec![]));
    let orders = auditor.orders().await.expect("read");
    assert_eq!(orders.iter().filter(|order| order.is_taken).count(), 4);
    assert_eq!(orders.iter().filter(|order| order.refunded > 0).count(), 1);
    assert_eq!(
        auditor.mails().await,
        Ok(vec![("tickets".into(), "sent".into(), 4)])
    );

    let about = Anomaly {
        kind: AnomalyKind::OrphanedTicket,
        payment_intent: None,
        order: Some(OrderId(4)),
        note: "whose?".into(),
    };
    assert_eq!(world.books.raise(&about, None, NOW).await, Ok(true));
    let one = Ok(vec![("orphaned_ticket".to_string(), 1)]);
    assert_eq!(auditor.went_wrong().await, one, "its buyer has an address");
    database.run("update orders set buyer_name = null, buyer_email = null, buyer_phone = null where id = '00000000-0000-0000-0000-000000000004'").await;
    assert_eq!(
        (auditor.open_anomalies().await, auditor.went_wrong().await),
        (one, Ok(vec![]))
    );
}

#[tokio::test]
async fn what_was_said_before_the_capture_is_no_disagreement_and_covers_nothing_newer() {
    let (world, postgres) = busy().await;
    let before = said(&world.record(1).await, PaymentStatus::RequiresCapture);
    // Asked before the money was taken, written down when it had been.
    postgres
        .witness(slice::from_ref(&before), NOW.plus_seconds(-1))
        .await
        .expect("seen");
    assert_eq!(found(&postgres).await, BTreeSet::new());
    postgres
        .witness(slice::from_ref(&before), NOW.plus_seconds(3_601))
        .await
        .expect("seen");
    assert!(
        found(&postgres).await.contains("P2"),
        "asked afterwards, it would be one"
    );
}

#[tokio::test]
async fn what_a_person_has_decided_is_known_and_what_healed_excuses_nothing() {
    let (world, postgres) = busy().await;
    let mut gone = said(&world.record(1).await, PaymentStatus::Succeeded);
    gone.amount_refunded = gone.amount_received;
    postgres
        .witness(slice::from_ref(&gone), NOW.plus_seconds(7_200))
        .await
        .expect("seen");
    let broken = found(&postgres).await;
    assert!(broken.contains("P4"), "{broken:?}");
    let note = "the payment was refunded but the tickets are still sold".to_string();
    let payment_intent = Some(gone.id.clone());
    let odd = Anomaly {
        kind: AnomalyKind::OrphanedTicket,
        payment_intent,
        order: Some(OrderId(1)),
        note,
    };
    assert!(postgres.raise(&odd, None, NOW).await.expect("raised"));
    assert_eq!(found(&postgres).await, BTreeSet::new(), "a person is on it");
    assert_eq!(
        postgres
            .heal(&gone.id, AnomalyKind::OrphanedTicket, NOW)
            .await,
        Ok(1)
    );
    assert_eq!(found(&postgres).await, broken, "nobody is");
    assert!(postgres.raise(&odd, None, NOW).await.expect("raised"));
    let open = postgres.anomalies(true, 1).await.expect("read");
    assert_eq!(
        postgres.resolve(open[0].id, "by operator 1", NOW).await,
        Ok(true)
    );
    assert_eq!(
        found(&postgres).await,
        BTreeSet::new(),
        "a person has decided"
    );
}

/// Breaks clean books one way, past all guards, and expects the auditor to name it.
async fn breaking(sql: &[&'static str], expected: &str) {
    let (world, postgres) = busy().await;
    let mut connection = world.connection().await;
    for statement in sql {
        connection
            .execute(*statement)
            .await
            .unwrap_or_else(|why| panic!("{statement}: {why}"));
    }
    connection.close().await.expect("closed");
    let found = found(&postgres).await;
    assert!(
        found.contains(expected),
        "{expected} is not among {found:?} after {sql:?}"
    );
}

macro_rules! caught {
    ($($name:ident: $expected:literal by [$($sql:literal),+ $(,)?];)*) => {
        $(#[tokio::test] async fn $name() { breaking(&[$($sql),+], $expected).await })*
    };
}

caught! {
    a_lost_ticket: "T1" by ["delete from tickets where draw_id = 1001 and serial = 2"];
    a_forgotten_reservation: "T1" by ["delete from reservations"];
    a_ticket_of_another_line: "T2" by [
        "update tickets set order_line_id = (select order_line_id from tickets where draw_id = 1001 and serial = 5)
         where draw_id = 1001 and serial = 1"
    ];
    a_paid_order_without_tickets: "T2" by [
        "update orders set lines_allocated = 0 where client_key = 'key-1'"
    ];
    a_line_too_many: "T2" by ["update orders set lines = 3, lines_allocated = 0 where client_key = 'key-5'"];
    a_released_order_with_tickets: "T3" by ["update orders set state = 'released' where client_key = 'key-1'"];
    an_unpaid_order_with_tickets: "T3" by [
        "update orders set state = 'quoted' where client_key = 'key-1'",
        "update tickets set sold_at = now() - interval '11 minutes'"
    ];
    a_hole_in_the_journal: "T4" by ["delete from draw_events where draw_id = 1001 and revision = 2"];
    a_journal_of_no_draw: "T4" by ["update reservations set draw_id = 9999"];
    an_order_of_no_club: "M3" by ["update orders set club_id = 9 where client_key = 'key-5'"];
    an_operation_for_no_order: "M3" by [
        "update payment_ops set order_id = gen_random_uuid() where id = (select max(id) from payment_ops)"
    ];
    a_sale_after_kick_off: "T5" by ["update draws set kick_off = now() - interval '1 second' where id = 1001"];
    a_gap_in_the_committed_order: "T6" by [
        "update tickets set serial = 169 where draw_id = 1002 and serial = 1"
    ];
    a_ticket_from_the_future: "T7" by ["update tickets set epoch = 99 where draw_id = 1001 and serial = 1"];
    a_ghosts_commit: "T7" by ["update draw_events set epoch = 0 where draw_id = 1001 and revision = 3"];
    an_outcome_nobody_entered: "T8" by ["update draws set prize_cents = prize_cents + 1 where id = 1002"];
    a_winner_without_the_result: "T9" by [
        "update draws set winning_serial = winning_serial % 169 + 1 where id = 1002"
    ];
    a_seed_of_another_draw: "T10" by [
        "update draws set seed_sealed = (select seed_sealed from draws where id = 1003) where id = 1002"
    ];
    a_commitment_changed_afterwards: "T10" by [
        "update draws set commitment = decode(repeat('00', 32), 'hex') where id = 1002"
    ];
    a_total_that_is_no_sum: "M1" by ["update orders set subtotal_cents = subtotal_cents + 1 where client_key = 'key-1'"];
    a_fee_that_is_no_sum: "M2" by [
        "update orders set application_fee_cents = application_fee_cents + 1 where client_key = 'key-1'"
    ];
    another_price: "M3" by [
        "update order_lines set unit_price_cents = unit_price_cents + 1 where draw_id = 1001 and serials is not null"
    ];
    another_clubs_order: "M3" by [
        "insert into clubs (id, name, email, password, home_page_slug) values (9, 'B', 'b@b', 'x', 'b')",
        "update orders set club_id = 9 where client_key = 'key-1'"
    ];
    a_step_that_does_not_telescope: "M4" by [
        "update fee_ledger set fee_delta = fee_delta + 1, fee_after = fee_after + 1 where draw_id = 1002"
    ];
    a_ledger_that_ends_elsewhere: "M5" by ["delete from fee_ledger where draw_id = 1002"];
    an_open_order_on_another_account: "M6" by [
        "update clubs set stripe_connect_account_id = 'acct_2' where id = 1"
    ];
    a_wrong_prize: "M7" by ["update draws set prize_cents = prize_cents + 1 where id = 1002"];
    money_without_tickets: "P1" by ["update orders set state = 'void' where client_key = 'key-1'"];
    money_of_nobody: "P1" by [
        "update provider_pi set payment_intent_id = 'pi_99', order_id = null where payment_intent_id = 'pi_1'"
    ];
    tickets_whose_money_went_back: "P1" by [
        "update provider_pi set amount_refunded_cents = amount_received_cents where payment_intent_id = 'pi_1'"
    ];
    another_amount_taken: "P2" by [
        "update provider_pi set amount_received_cents = amount_received_cents - 1 where payment_intent_id = 'pi_1'"
    ];
    tickets_without_money: "P2" by ["update provider_pi set status = 'canceled' where payment_intent_id = 'pi_1'"];
    a_payment_left_authorised: "P3" by [
        "update provider_pi set status = 'requires_capture' where payment_intent_id = 'pi_1'"
    ];
    a_refund_behind_our_back: "P4" by [
        "update provider_pi set amount_refunded_cents = 5 where payment_intent_id = 'pi_1'"
    ];
    a_fee_kept_too_long: "P5" by ["update orders set fee_refunded_cents = 0"];
    an_order_paid_twice: "P6" by [
        "update provider_pi set order_id = (select id from orders where client_key = 'key-1')
         where payment_intent_id = 'pi_2'"
    ];
    a_mail_that_was_never_queued: "E1" by ["delete from email_outbox where dedupe_key like 'tickets-%'"];
    a_mail_about_nothing: "E2" by [
        "update email_outbox set order_id = (select id from orders where client_key = 'key-5')"
    ];
    a_mail_that_never_leaves: "E3" by [
        "update email_outbox set state = 'pending', queued_at = now() - interval '11 minutes'"
    ];
    a_notice_nobody_handles: "W1" by [
        "insert into webhook_events (event_id, kind, payload, received_at)
         values ('evt_1', 'x', '{}', now() - interval '6 minutes')"
    ];
    an_operation_nobody_tries: "O1" by [
        "update payment_ops set state = 'pending', ended_at = null, created_at = now() - interval '16 minutes'
         where id = (select max(id) from payment_ops)"
    ];
}
