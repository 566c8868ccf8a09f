//! Tests that both stores must pass, about the ledger of draws.

use domain::{
    AllocationAuthority, Cents, Command, Draw, DrawId, GameResult, OrderId, OrderState, Serial,
    Status, TICKETS, Terms,
};
use persistence::ledger::AttachedWrite;
use persistence::stores::{NotifyBuyer, Operation, OperationKind};
use persistence::{Failure, Ledger};

use crate::support::{DrawOwner, LEASELESS_NODE, NOW, TERMS, TestWorld, intent_id, line};

async fn reload_draw(world: &TestWorld, draw: usize) -> Draw {
    let mut claimed = world
        .ledger
        .claim(LEASELESS_NODE, &[world.draws[draw]])
        .await
        .expect("claimed");
    Draw::restore(claimed.taken.remove(0).snapshot)
}

async fn claim_operation(world: &TestWorld, id: u128, kind: OperationKind) -> Option<Operation> {
    world
        .stores
        .claim_operation(OrderId(id), kind, NOW, 1_000)
        .await
        .expect("read")
}

fn serials(numbers: std::ops::RangeInclusive<u16>) -> Vec<Serial> {
    numbers
        .map(|number| Serial::new(number).expect("a serial"))
        .collect()
}

pub async fn claim_loads_the_written_state(world: TestWorld) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 3)])).await.expect("opened");
    owner.open(world.order(2, &[(0, 2)])).await.expect("opened");
    owner.allocate(1, 3).await.expect("allocated");
    assert_eq!(reload_draw(&world, 0).await, owner.draw);
}

pub async fn claim_leaves_out_unknown_draws(world: TestWorld) {
    let mut requested = world.draws.clone();
    requested.insert(1, DrawId(77));
    let claimed = world
        .ledger
        .claim(LEASELESS_NODE, &requested)
        .await
        .expect("claimed")
        .taken;
    let ids: Vec<DrawId> = claimed.iter().map(|claimed| claimed.snapshot.id).collect();
    assert_eq!(ids, world.draws);
    assert!(claimed.iter().all(|claimed| claimed.epoch == 1));
}

pub async fn later_claim_fences_the_earlier_owner(world: TestWorld) {
    let mut first_owner = world.owner(0).await;
    first_owner
        .open(world.order(1, &[(0, 3)]))
        .await
        .expect("opened");
    let mut second_owner = world.owner(0).await;
    assert_eq!(
        first_owner.open(world.order(2, &[(0, 1)])).await,
        Err(Failure::Fenced)
    );
    assert_eq!(first_owner.allocate(1, 3).await, Err(Failure::Fenced));
    assert!(
        world
            .stores
            .order(OrderId(2))
            .await
            .expect("read")
            .is_none()
    );
    second_owner.allocate(1, 3).await.expect("allocated");
    assert_eq!(reload_draw(&world, 0).await, second_owner.draw);
}

pub async fn stale_revision_is_fenced(world: TestWorld) {
    let owner = world.owner(0).await;
    let (mut one, mut other) = (owner.clone(), owner);
    one.open(world.order(1, &[(0, 1)])).await.expect("opened");
    assert_eq!(
        other.open(world.order(2, &[(0, 1)])).await,
        Err(Failure::Fenced)
    );
}

pub async fn last_line_completes_the_order(world: TestWorld) {
    let (mut first, mut second) = (world.owner(0).await, world.owner(1).await);
    first
        .open(world.order(1, &[(0, 50), (1, 20)]))
        .await
        .expect("opened");
    second
        .execute(second.reserve_command(1, 20), None)
        .await
        .expect("reserved");
    assert!(
        claim_operation(&world, 1, OperationKind::Create)
            .await
            .is_some()
    );

    first.allocate(1, 50).await.expect("allocated");
    let partly_allocated = world.record(1).await;
    assert_eq!(partly_allocated.order.state, OrderState::Quoted);
    assert_eq!(partly_allocated.authorised_at, Some(NOW));
    assert_eq!(
        partly_allocated.tickets,
        [(world.draws[0], serials(1..=50))]
    );
    assert!(
        claim_operation(&world, 1, OperationKind::Capture)
            .await
            .is_none()
    );

    second.allocate(1, 20).await.expect("allocated");
    let allocated = world.record(1).await;
    assert_eq!(allocated.order.state, OrderState::Allocated);
    assert_eq!(allocated.order.application_fee, Cents(875 + 350));
    assert_eq!(
        allocated.tickets,
        [
            (world.draws[0], serials(1..=50)),
            (world.draws[1], serials(1..=20))
        ]
    );
    let capture = claim_operation(&world, 1, OperationKind::Capture)
        .await
        .expect("a capture is due");
    assert_eq!(capture.key, format!("cap-{}", OrderId(1)));
    assert_eq!(capture.attempts, 1);
    assert!(
        claim_operation(&world, 1, OperationKind::Capture)
            .await
            .is_none(),
        "it is leased"
    );
}

pub async fn void_reverts_tickets_fee_and_reservation(world: TestWorld) {
    let mut owner = world.owner(0).await;
    world.buy_until_captured(&mut owner, 1, 3).await;
    world.buy_until_captured(&mut owner, 2, 4).await;
    owner.void(1).await.expect("voided");
    let record = world.record(1).await;
    assert_eq!(
        record.order.state,
        OrderState::Captured,
        "the order stays captured"
    );
    assert_eq!(
        record.order.application_fee,
        Cents(53),
        "the fee stays on the order"
    );
    assert!(record.tickets.is_empty());
    assert_eq!(
        world
            .stores
            .fee_to_refund_for_voided_tickets(OrderId(1))
            .await,
        Ok(Cents(53))
    );
    assert_eq!(reload_draw(&world, 0).await, owner.draw);
    assert_eq!(owner.draw.sold(), 4);
    // Returned tickets are sold last (decision M-3). `reloaded` has claimed the draw and fenced the
    // owner, so the test claims it again.
    let mut owner = world.owner(0).await;
    let next = world.buy_until_captured(&mut owner, 3, 4).await;
    let numbers: Vec<u16> = next.tickets[0]
        .1
        .iter()
        .map(|serial| serial.number())
        .collect();
    assert_eq!(numbers, [8, 9, 10, 11]);
}

pub async fn void_before_the_capture_rejects_the_order(world: TestWorld) {
    let mut owner = world.owner(0).await;
    world.buy_until_allocated(&mut owner, 1, 3).await;
    owner.void(1).await.expect("voided");
    let record = world.record(1).await;
    assert_eq!(record.order.state, OrderState::Rejecting);
    assert_eq!(record.order.application_fee, Cents::ZERO);
    assert!(record.tickets.is_empty());
    assert!(
        claim_operation(&world, 1, OperationKind::Capture)
            .await
            .is_none(),
        "nothing may be captured any more"
    );
    assert!(
        claim_operation(&world, 1, OperationKind::Cancel)
            .await
            .is_some()
    );
}

pub async fn reject_works_until_all_tickets_are_allocated(world: TestWorld) {
    let (mut first, mut second) = (world.owner(0).await, world.owner(1).await);
    for order in [1, 2] {
        first
            .open(world.order(order, &[(0, 2), (1, 2)]))
            .await
            .expect("opened");
        first.allocate(order, 2).await.expect("allocated");
    }
    world
        .stores
        .reject_order(OrderId(1), "sold out", NOW)
        .await
        .expect("rejected, with half its tickets");
    assert_eq!(
        second.allocate(1, 2).await,
        Err(Failure::NotFound),
        "it gets no more tickets"
    );
    assert!(matches!(
        world
            .stores
            .release_order(OrderId(1), "", NotifyBuyer::Nobody, NOW)
            .await,
        Err(Failure::NotWritten(_))
    ));
    first.void(1).await.expect("voided");
    world
        .stores
        .release_order(OrderId(1), "", NotifyBuyer::Nobody, NOW)
        .await
        .expect("released");

    second.allocate(2, 2).await.expect("allocated");
    assert!(matches!(
        world.stores.reject_order(OrderId(2), "", NOW).await,
        Err(Failure::NotWritten(_))
    ));
    assert_eq!(world.record(2).await.order.state, OrderState::Allocated);
}

pub async fn void_of_one_cart_line_leaves_the_order_quoted(world: TestWorld) {
    let mut first = world.owner(0).await;
    first
        .open(world.order(1, &[(0, 2), (1, 2)]))
        .await
        .expect("opened");
    first.allocate(1, 2).await.expect("allocated");
    first.void(1).await.expect("voided");
    let record = world.record(1).await;
    assert_eq!(record.order.state, OrderState::Quoted);
    assert_eq!(record.order.application_fee, Cents::ZERO);
    world
        .stores
        .reject_order(OrderId(1), "sold out", NOW)
        .await
        .expect("rejected");
    assert!(
        claim_operation(&world, 1, OperationKind::Cancel)
            .await
            .is_some()
    );

    // A repair may give tickets to a `rejecting` order. The order's pending `cancel` operation is
    // then dropped.
    let (id, unit_price) = (OrderId(1), TERMS.price);
    let repair = Command::Allocate {
        order: id,
        count: 2,
        unit_price,
        authority: AllocationAuthority::Repair { authorised_at: NOW },
    };
    first.execute(repair.clone(), None).await.expect("repaired");
    world
        .owner(1)
        .await
        .execute(repair, None)
        .await
        .expect("repaired");
    let record = world.record(1).await;
    assert_eq!(
        (record.order.state, record.reason),
        (OrderState::Allocated, None)
    );
    assert_eq!(record.order.application_fee, Cents(70));
    assert!(
        claim_operation(&world, 1, OperationKind::Cancel)
            .await
            .is_none()
    );
    assert!(
        claim_operation(&world, 1, OperationKind::Capture)
            .await
            .is_some()
    );
}

pub async fn allocation_without_a_line_is_not_found(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let before = owner.draw.clone();
    assert_eq!(
        owner.execute(owner.sale_command(9, 1), None).await,
        Err(Failure::NotFound)
    );
    // The order exists, but its only line is in another draw.
    world
        .owner(1)
        .await
        .open(world.order(1, &[(1, 1)]))
        .await
        .expect("opened");
    assert_eq!(
        owner.execute(owner.sale_command(1, 1), None).await,
        Err(Failure::NotFound)
    );
    // The allocation has another number of tickets than the order line.
    owner.open(world.order(2, &[(0, 2)])).await.expect("opened");
    assert!(owner.execute(owner.sale_command(2, 3), None).await.is_err());
    assert_eq!(reload_draw(&world, 0).await.sold(), before.sold());
}

pub async fn sale_needs_a_quoted_order(world: TestWorld) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 2)])).await.expect("opened");
    world
        .stores
        .release_order(OrderId(1), "left", NotifyBuyer::Nobody, NOW)
        .await
        .expect("released");
    assert_eq!(owner.allocate(1, 2).await, Err(Failure::NotFound));
    assert!(world.record(1).await.tickets.is_empty());
    owner
        .open(world.order(2, &[(0, 2)]))
        .await
        .expect("the other order is not affected");
}

pub async fn order_is_opened_only_once(world: TestWorld) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 2)])).await.expect("opened");
    let again = persistence::ledger::NewOrder {
        id: OrderId(2),
        token: "2".repeat(32),
        ..world.order(1, &[(0, 2)])
    };
    assert!(
        matches!(owner.open(again).await, Err(Failure::NotWritten(_))),
        "the same client key twice"
    );
    assert_eq!(reload_draw(&world, 0).await, owner.draw);
    let record = world
        .stores
        .order_by_client_key("key-1")
        .await
        .expect("read")
        .expect("found");
    assert_eq!(record.order.id, OrderId(1));
    assert_eq!(record.order.total(), Cents(1030));
    let found = world
        .stores
        .order_by_token(&format!("{:032x}", 1))
        .await
        .expect("read")
        .expect("found");
    assert_eq!(found.client_key, "key-1");
}

pub async fn order_opened_with_a_payment_creates_no_intent(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let paid = |id| persistence::ledger::NewOrder {
        payment_intent: Some(intent_id(1)),
        authorised_at: Some(NOW),
        ..world.order(id, &[(0, 2)])
    };
    owner.open(paid(1)).await.expect("opened");
    assert!(
        claim_operation(&world, 1, OperationKind::Create)
            .await
            .is_none()
    );
    let found = world
        .stores
        .order_by_payment_intent(&intent_id(1))
        .await
        .expect("read")
        .expect("found");
    assert_eq!(
        (found.order.id, found.authorised_at, found.client_secret),
        (OrderId(1), Some(NOW), None)
    );
    assert!(
        matches!(owner.open(paid(2)).await, Err(Failure::NotWritten(_))),
        "the same payment twice"
    );
    owner
        .open(world.order(3, &[(0, 1)]))
        .await
        .expect("the other order is not affected");
    assert!(
        claim_operation(&world, 3, OperationKind::Create)
            .await
            .is_some()
    );
}

pub async fn repriced_order_has_its_new_lines(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let id = OrderId(1);
    owner
        .open(world.order(1, &[(0, 2), (1, 1)]))
        .await
        .expect("opened");
    let lines = vec![line(world.draws[0], 5)];
    owner
        .execute(
            owner.reserve_command(1, 5),
            Some(AttachedWrite::Reprice {
                order: id,
                lines: lines.clone(),
            }),
        )
        .await
        .expect("repriced");
    assert_eq!(world.record(1).await.order.lines, lines);
    assert!(
        claim_operation(&world, 1, OperationKind::Update)
            .await
            .is_none(),
        "no update without a payment intent"
    );

    world
        .stores
        .record_payment_intent(id, &intent_id(1), "secret")
        .await
        .expect("opened");
    for count in [6, 7] {
        let lines = vec![line(world.draws[0], count), line(world.draws[2], 1)];
        let attached_write = AttachedWrite::Reprice {
            order: id,
            lines: lines.clone(),
        };
        owner
            .execute(owner.reserve_command(1, count), Some(attached_write))
            .await
            .expect("repriced");
        assert_eq!(world.record(1).await.order.lines, lines);
    }
    let update = claim_operation(&world, 1, OperationKind::Update)
        .await
        .expect("an update is due");
    assert_eq!(update.key, format!("update-{id}-{}-4", world.draws[0]));
    assert!(
        claim_operation(&world, 1, OperationKind::Update)
            .await
            .is_none(),
        "only the latest"
    );

    world
        .stores
        .release_order(id, "left", NotifyBuyer::Nobody, NOW)
        .await
        .expect("released");
    let late = AttachedWrite::Reprice { order: id, lines };
    assert_eq!(
        owner.execute(owner.reserve_command(1, 5), Some(late)).await,
        Err(Failure::NotFound)
    );
}

pub async fn claim_restores_the_draw_in_every_stage(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let terms = Terms {
        price: Cents(250),
        prize_percentage: 70,
        round_up_prize: true,
        opens_at: Some(NOW),
        ..TERMS
    };
    owner
        .execute(Command::amend_command_of_club(terms), None)
        .await
        .expect("amended");
    let order = |id, count| {
        let mut order = world.order(id, &[(0, count)]);
        order.lines[0].unit_price = Cents(250);
        order
    };
    for id in 1..=4 {
        owner.open(order(id, 42)).await.expect("opened");
    }
    owner
        .execute(
            Command::Extend {
                order: OrderId(4),
                until: NOW.plus_seconds(300),
            },
            None,
        )
        .await
        .expect("extended");
    owner
        .execute(Command::Release { order: OrderId(3) }, None)
        .await
        .expect("released");
    owner.allocate(1, 42).await.expect("allocated");
    owner.allocate(2, 42).await.expect("allocated");
    assert_eq!(reload_draw(&world, 0).await, owner.draw);
    let result = GameResult::new(13, 9).expect("a result");
    let mut owner = DrawOwner {
        epoch: world.owner(0).await.epoch,
        ..owner
    };
    owner
        .execute(Command::Complete { result }, None)
        .await
        .expect("completed");
    let completed = reload_draw(&world, 0).await;
    assert_eq!(completed, owner.draw);
    assert_eq!(completed.status(), Status::Completed);
    assert!(completed.outcome().is_some());

    let mut owner = world.owner(0).await;
    owner.void(2).await.expect("a refund after the result");
    assert_eq!(reload_draw(&world, 0).await, owner.draw);
    let mut owner = world.owner(0).await;
    owner
        .execute(Command::Archive { archived: true }, None)
        .await
        .expect("archived");
    assert_eq!(reload_draw(&world, 0).await, owner.draw);
    let mut owner = world.owner(0).await;
    owner.execute(Command::Undo, None).await.expect("undone");
    assert_eq!(reload_draw(&world, 0).await, owner.draw);
    let mut owner = world.owner(0).await;
    owner
        .execute(Command::Cancel, None)
        .await
        .expect("cancelled");
    assert_eq!(reload_draw(&world, 0).await, owner.draw);
    assert!(owner.draw.sold() + owner.draw.held() <= TICKETS);
}

pub async fn live_draws_are_not_completed_or_cancelled(world: TestWorld) {
    world
        .owner(1)
        .await
        .execute(Command::Cancel, None)
        .await
        .expect("cancelled");
    assert_eq!(
        world.ledger.live_draws().await,
        Ok(vec![world.draws[0], world.draws[2]])
    );
    assert!(matches!(
        Ledger::append(&*world.ledger, vec![commit_without_events(&world)]).await,
        Err(Failure::NotWritten(_))
    ));
    assert!(matches!(
        world.ledger.append(Vec::new()).await,
        Err(Failure::NotWritten(_))
    ));
}

fn commit_without_events(world: &TestWorld) -> persistence::ledger::DrawCommit {
    let (draw, at) = (world.draws[0], NOW);
    persistence::ledger::DrawCommit {
        draw,
        epoch: 0,
        after: 0,
        events: Vec::new(),
        at,
        sells: false,
        attached_write: None,
        act: None,
    }
}
