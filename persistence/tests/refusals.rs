//! Tests of database constraints. They refuse wrong writes even if the code above them has a bug.

#[path = "support/world.rs"]
mod support;

use domain::{
    AllocationAuthority, Cents, Command, Event, FeeLedgerStep, OrderId, Reservation, Serial, Terms,
    Timestamp,
};
use persistence::Failure;
use sqlx::Executor;

use support::{DrawOwner, NOW, TERMS, TestWorld};

async fn world_with_three_draws() -> TestWorld {
    TestWorld::in_postgres(&[TERMS; 3]).await
}

/// Appends the given events, as an actor with a bug might do.
async fn append_events(owner: &DrawOwner, events: Vec<Event>) -> Result<(), Failure> {
    let command = Command::Tick;
    owner
        .ledger
        .append(vec![owner.commit(&command, events, None)])
        .await
}

fn assert_refused(outcome: Result<(), Failure>, constraint: &str) {
    match outcome {
        Err(Failure::NotWritten(why)) => {
            assert!(why.contains(constraint), "{why}, not {constraint}");
        }
        other => panic!("{other:?} instead of {constraint}"),
    }
}

fn fee_step(
    revenue_delta: i64,
    fee_delta: i64,
    revenue_after: i64,
    fee_after: i64,
) -> FeeLedgerStep {
    let (revenue_delta, fee_delta) = (Cents(revenue_delta), Cents(fee_delta));
    let (revenue_after, fee_after) = (Cents(revenue_after), Cents(fee_after));
    FeeLedgerStep {
        revenue_delta,
        fee_delta,
        revenue_after,
        fee_after,
        to_return: Cents::ZERO,
    }
}

fn serials(numbers: impl IntoIterator<Item = u16>) -> Vec<Serial> {
    numbers
        .into_iter()
        .map(|number| Serial::new(number).expect("a serial"))
        .collect()
}

#[tokio::test]
async fn ticket_is_never_sold_twice() {
    let world = world_with_three_draws().await;
    let mut owner = world.owner(0).await;
    world.buy_until_allocated(&mut owner, 1, 2).await;
    owner.open(world.order(2, &[(0, 2)])).await.expect("opened");
    let again = Event::Allocated {
        order: OrderId(2),
        serials: serials([2, 3]),
        step: fee_step(1000, 35, 2000, 70),
    };
    assert_refused(append_events(&owner, vec![again]).await, "tickets_pkey");
    owner.allocate(2, 2).await.expect("the right ones");
}

#[tokio::test]
async fn draw_is_never_oversold() {
    let world = world_with_three_draws().await;
    let owner = world.owner(0).await;
    let reserved = |order| {
        let reservation = Reservation {
            count: 50,
            until: NOW.plus_seconds(150),
            extensions: 0,
        };
        Event::Reserved {
            order: OrderId(order),
            reservation,
        }
    };
    assert_refused(
        append_events(&owner, (1..=4).map(reserved).collect()).await,
        "draws_never_oversold",
    );
}

#[tokio::test]
async fn fee_never_exceeds_the_cap_or_the_amount_due() {
    let world = world_with_three_draws().await;
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 2)])).await.expect("opened");
    for wrong in [
        fee_step(1000, 1101, 1000, 1101),
        fee_step(1000, 36, 1000, 36),
        fee_step(999, 35, 999, 35),
    ] {
        let event = Event::Allocated {
            order: OrderId(1),
            serials: serials([1, 2]),
            step: wrong,
        };
        assert_refused(append_events(&owner, vec![event]).await, "draws_");
    }
}

#[tokio::test]
async fn reservation_has_at_most_fifty_tickets() {
    let world = world_with_three_draws().await;
    let owner = world.owner(0).await;
    let reservation = Reservation {
        count: 51,
        until: NOW.plus_seconds(150),
        extensions: 0,
    };
    let event = Event::Reserved {
        order: OrderId(1),
        reservation,
    };
    assert_refused(
        append_events(&owner, vec![event]).await,
        "reservations_count_check",
    );
}

/// Returns terms whose kick-off has passed by the database's clock, and a time before kick-off for
/// the clock of the actors. No ticket is sold after kick-off (rule 5 of the decisions).
fn terms_with_past_kick_off() -> (Terms, Timestamp) {
    let kick_off = Timestamp(1_600_000_000_000);
    (
        Terms {
            closes_at: kick_off,
            ..TERMS
        },
        kick_off.plus_seconds(-60),
    )
}

async fn sale_after_kick_off(world: TestWorld) {
    let (_, before) = terms_with_past_kick_off();
    let mut owner = world.owner(0).await;
    let refusal = owner
        .draw
        .decide(NOW, &owner.reserve_command(1, 2))
        .expect_err("closed for a right clock");
    assert_eq!(refusal, domain::Refusal::DrawClosed);
    let reserved = Command::Reserve {
        order: OrderId(1),
        count: 2,
        until: before.plus_seconds(30),
    };
    let events = owner
        .draw
        .decide(before, &reserved)
        .expect("in time for a slow clock");
    let attached_write = Some(persistence::ledger::AttachedWrite::Open(
        world.order(1, &[(0, 2)]),
    ));
    owner
        .ledger
        .append(vec![owner.commit(
            &reserved,
            events.clone(),
            attached_write,
        )])
        .await
        .expect("opened");
    owner.draw.apply(&events);

    let sale = owner.sale_command(1, 2);
    let events = owner
        .draw
        .decide(before, &sale)
        .expect("in time for a slow clock");
    let outcome = owner
        .ledger
        .append(vec![owner.commit(&sale, events, None)])
        .await;
    assert_eq!(outcome, Err(Failure::ClosedByClock));
    assert!(world.record(1).await.tickets.is_empty());

    let unit_price = TERMS.price;
    let authority = AllocationAuthority::Repair {
        authorised_at: before,
    };
    let repair = Command::Allocate {
        order: OrderId(1),
        count: 2,
        unit_price,
        authority,
    };
    let events = owner.draw.decide(NOW, &repair).expect("authorised in time");
    owner
        .ledger
        .append(vec![owner.commit(&repair, events, None)])
        .await
        .expect("a repair");
    assert_eq!(world.record(1).await.tickets.len(), 1);
}

#[tokio::test]
async fn postgres_clock_refuses_a_sale_after_kick_off() {
    let (terms, _) = terms_with_past_kick_off();
    sale_after_kick_off(TestWorld::in_postgres(&[terms]).await).await;
}

#[tokio::test]
async fn memory_clock_refuses_a_sale_after_kick_off() {
    let (terms, _) = terms_with_past_kick_off();
    let world = TestWorld::in_memory(&[terms]);
    world.memory.as_ref().expect("in memory").set_clock(|| NOW);
    sale_after_kick_off(world).await;
}

/// Runs a statement, and checks that the named constraint refuses it.
async fn assert_refused_by(sql: &'static str, constraint: &str) {
    let world = world_with_three_draws().await;
    let mut owner = world.owner(0).await;
    world.buy_until_captured(&mut owner, 1, 2).await;
    owner.open(world.order(2, &[(0, 2)])).await.expect("opened");
    let why = world
        .connection()
        .await
        .execute(sql)
        .await
        .expect_err(sql)
        .to_string();
    assert!(why.contains(constraint), "{why}, not {constraint}");
}

macro_rules! refused {
    ($($name:ident: $constraint:literal by $sql:literal;)*) => {
        $(#[tokio::test] async fn $name() { assert_refused_by($sql, $constraint).await })*
    };
}

refused! {
    serial_beyond_the_grid_is_refused: "tickets_serial_check" by
        "insert into tickets (draw_id, serial, order_line_id, epoch) values (1001, 170, 2, 1)";
    ticket_of_another_draws_line_is_refused: "tickets_draw_id_order_line_id_fkey" by
        "insert into tickets (draw_id, serial, order_line_id, epoch) values (1002, 1, 1, 1)";
    line_of_fifty_one_tickets_is_refused: "order_lines_count_check" by "update order_lines set count = 51 where serials is null";
    more_tickets_than_the_line_are_refused: "order_lines_serials_match_count" by
        "update order_lines set serials = '{1}' where serials is null";
    draw_with_price_zero_is_refused: "draws_price_cents_check" by "update draws set price_cents = 0 where id = 1003";
    price_changed_under_sold_tickets_is_refused: "draws_revenue_is_sold_times_price" by
        "update draws set price_cents = 600 where id = 1001";
    result_without_completion_is_refused: "draws_completed_have_an_outcome" by
        "update draws set result_home = 1, result_away = 1 where id = 1001";
    completion_without_result_is_refused: "draws_completed_have_an_outcome" by
        "update draws set status = 'completed', held = 0 where id = 1001";
    reservations_in_a_closed_draw_are_refused: "draws_hold_only_while_active" by
        "update draws set status = 'closed' where id = 1001";
    repeated_client_key_is_refused: "orders_client_key_key" by "update orders set client_key = 'key-1'";
    repeated_payment_intent_is_refused: "orders_payment_intent_id_key" by "update orders set payment_intent_id = 'pi_1'";
    second_capture_is_refused: "payment_ops_one_live_capture" by
        "insert into payment_ops (order_id, kind, key) select id, 'capture', 'x' from orders where client_key = 'key-1'";
    repeated_operation_is_refused: "payment_ops_key_key" by
        "insert into payment_ops (order_id, kind, key) select order_id, kind, key from payment_ops where kind = 'create'";
    refund_of_nothing_is_refused: "payment_ops_refunds_have_amounts" by
        "insert into payment_ops (order_id, kind, key) select id, 'refund', 'x' from orders where client_key = 'key-1'";
    fee_refund_above_the_fee_is_refused: "orders_fee_refund_within_fee" by
        "update orders set fee_refunded_cents = application_fee_cents + 1 where client_key = 'key-1'";
    repeated_webhook_event_is_refused: "webhook_events_pkey" by
        "insert into webhook_events (event_id, kind, payload, received_at) values ('e', '', '', now()), ('e', '', '', now())";
    repeated_mail_is_refused: "email_outbox_dedupe_key_key" by
        "insert into email_outbox (dedupe_key, kind) select dedupe_key, kind from email_outbox";
    second_open_anomaly_is_refused: "anomalies_one_open" by
        "insert into anomalies (kind, payment_intent_id, note, detected_at)
         values ('missing_ticket', 'pi_1', '', now()), ('missing_ticket', 'pi_1', '', now())";
    buyer_without_an_address_is_refused: "orders_buyer_whole" by "update orders set buyer_email = null";
    captured_order_without_a_time_is_refused: "orders_captured_say_when" by "update orders set captured_at = null where state = 'captured'";
    allocated_order_without_tickets_is_refused: "orders_allocated_have_every_line" by
        "update orders set state = 'allocated' where client_key = 'key-2'";
    repeated_revision_is_refused: "draw_events_pkey" by "insert into draw_events select * from draw_events";
    club_of_the_same_name_is_refused: "clubs_home_page_slug" by
        "insert into clubs (id, name, email, password, home_page_slug) values (9, 'B', 'b@b', 'x', 'REDS')";
}

/// The number pair of a ticket is computed from the sealed seed and is never stored (decision K-3).
#[tokio::test]
async fn no_column_holds_a_number_pair() {
    let world = world_with_three_draws().await;
    let mut connection = world.connection().await;
    let suspects: Vec<(String, String)> = sqlx::query_as(
        "select table_name::text, column_name::text from information_schema.columns
         where table_schema = 'public' and (column_name like '%number' or column_name like '%cell%')",
    )
    .fetch_all(&mut connection)
    .await
    .expect("read");
    assert_eq!(suspects, []);
}
