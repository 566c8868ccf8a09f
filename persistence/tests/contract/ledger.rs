//! What a ledger promises.

use domain::{
    Authority, Cents, Command, Draw, DrawId, GameResult, OrderId, OrderState, Serial, Status,
    TICKETS, Terms,
};
use persistence::books::{Operation, OperationKind, Tell};
use persistence::ledger::Rider;
use persistence::{Failure, Ledger};

use crate::support::{ANYBODY, NOW, Owner, TERMS, World, intent_id, line};

async fn reloaded(world: &World, draw: usize) -> Draw {
    let mut claimed = world
        .ledger
        .claim(ANYBODY, &[world.draws[draw]])
        .await
        .expect("claimed");
    Draw::restore(claimed.taken.remove(0).snapshot)
}

async fn operation(world: &World, id: u128, kind: OperationKind) -> Option<Operation> {
    world
        .books
        .claim_operation(OrderId(id), kind, NOW, 1_000)
        .await
        .expect("asked")
}

fn serials(numbers: std::ops::RangeInclusive<u16>) -> Vec<Serial> {
    numbers
        .map(|number| Serial::new(number).expect("a serial"))
        .collect()
}

pub async fn a_claim_loads_what_was_written(world: World) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 3)])).await.expect("opened");
    owner.open(world.order(2, &[(0, 2)])).await.expect("opened");
    owner.allocate(1, 3).await.expect("allocated");
    assert_eq!(reloaded(&world, 0).await, owner.draw);
}

pub async fn a_claim_leaves_out_unknown_draws(world: World) {
    let mut asked = world.draws.clone();
    asked.insert(1, DrawId(77));
    let claimed = world
        .ledger
        .claim(ANYBODY, &asked)
        .await
        .expect("claimed")
        .taken;
    let ids: Vec<DrawId> = claimed.iter().map(|claimed| claimed.snapshot.id).collect();
    assert_eq!(ids, world.draws);
    assert!(claimed.iter().all(|claimed| claimed.epoch == 1));
}

pub async fn a_later_claim_fences_the_earlier_owner(world: World) {
    let mut ghost = world.owner(0).await;
    ghost.open(world.order(1, &[(0, 3)])).await.expect("opened");
    let mut heir = world.owner(0).await;
    assert_eq!(
        ghost.open(world.order(2, &[(0, 1)])).await,
        Err(Failure::Fenced)
    );
    assert_eq!(ghost.allocate(1, 3).await, Err(Failure::Fenced));
    assert!(world.books.order(OrderId(2)).await.expect("read").is_none());
    heir.allocate(1, 3).await.expect("allocated");
    assert_eq!(reloaded(&world, 0).await, heir.draw);
}

pub async fn a_stale_revision_is_fenced(world: World) {
    let owner = world.owner(0).await;
    let (mut one, mut other) = (owner.clone(), owner);
    one.open(world.order(1, &[(0, 1)])).await.expect("opened");
    assert_eq!(
        other.open(world.order(2, &[(0, 1)])).await,
        Err(Failure::Fenced)
    );
}

pub async fn the_last_line_completes_the_order(world: World) {
    let (mut first, mut second) = (world.owner(0).await, world.owner(1).await);
    first
        .open(world.order(1, &[(0, 50), (1, 20)]))
        .await
        .expect("opened");
    second
        .execute(second.reserve(1, 20), None)
        .await
        .expect("reserved");
    assert!(operation(&world, 1, OperationKind::Create).await.is_some());

    first.allocate(1, 50).await.expect("allocated");
    let half = world.record(1).await;
    assert_eq!(half.order.state, OrderState::Quoted);
    assert_eq!(half.authorised_at, Some(NOW));
    assert_eq!(half.tickets, [(world.draws[0], serials(1..=50))]);
    assert!(operation(&world, 1, OperationKind::Capture).await.is_none());

    second.allocate(1, 20).await.expect("allocated");
    let whole = world.record(1).await;
    assert_eq!(whole.order.state, OrderState::Allocated);
    assert_eq!(whole.order.application_fee, Cents(875 + 350));
    assert_eq!(
        whole.tickets,
        [
            (world.draws[0], serials(1..=50)),
            (world.draws[1], serials(1..=20))
        ]
    );
    let capture = operation(&world, 1, OperationKind::Capture)
        .await
        .expect("a capture is due");
    assert_eq!(capture.key, format!("cap-{}", OrderId(1)));
    assert_eq!(capture.attempts, 1);
    assert!(
        operation(&world, 1, OperationKind::Capture).await.is_none(),
        "it is leased"
    );
}

pub async fn a_void_takes_everything_back(world: World) {
    let mut owner = world.owner(0).await;
    world.captured(&mut owner, 1, 3).await;
    world.captured(&mut owner, 2, 4).await;
    owner.void(1).await.expect("voided");
    let record = world.record(1).await;
    assert_eq!(
        record.order.state,
        OrderState::Captured,
        "the money is still taken"
    );
    assert_eq!(record.order.application_fee, Cents(53), "and so is the fee");
    assert!(record.tickets.is_empty());
    assert_eq!(world.books.fee_returned(OrderId(1)).await, Ok(Cents(53)));
    assert_eq!(reloaded(&world, 0).await, owner.draw);
    assert_eq!(owner.draw.sold(), 4);
    // Its numbers are the next to leave (decision K-2). `reloaded` claimed the draw, so a new owner is needed.
    let mut owner = world.owner(0).await;
    let next = world.captured(&mut owner, 3, 4).await;
    let numbers: Vec<u16> = next.tickets[0]
        .1
        .iter()
        .map(|serial| serial.number())
        .collect();
    assert_eq!(numbers, [1, 2, 3, 8]);
}

pub async fn a_void_before_the_capture_refuses_the_order(world: World) {
    let mut owner = world.owner(0).await;
    world.allocated(&mut owner, 1, 3).await;
    owner.void(1).await.expect("voided");
    let record = world.record(1).await;
    assert_eq!(record.order.state, OrderState::Rejecting);
    assert_eq!(record.order.application_fee, Cents::ZERO);
    assert!(record.tickets.is_empty());
    assert!(
        operation(&world, 1, OperationKind::Capture).await.is_none(),
        "nothing may be captured any more"
    );
    assert!(operation(&world, 1, OperationKind::Cancel).await.is_some());
}

pub async fn a_refusal_comes_before_the_tickets_go_back_and_never_after_all_are_given(
    world: World,
) {
    let (mut first, mut second) = (world.owner(0).await, world.owner(1).await);
    for order in [1, 2] {
        first
            .open(world.order(order, &[(0, 2), (1, 2)]))
            .await
            .expect("opened");
        first.allocate(order, 2).await.expect("allocated");
    }
    world
        .books
        .rejecting(OrderId(1), "sold out", NOW)
        .await
        .expect("rejected, with half its tickets");
    assert_eq!(
        second.allocate(1, 2).await,
        Err(Failure::NotFound),
        "it gets no more"
    );
    assert!(matches!(
        world
            .books
            .released(OrderId(1), "", Tell::Nobody, NOW)
            .await,
        Err(Failure::NotWritten(_))
    ));
    first.void(1).await.expect("voided");
    world
        .books
        .released(OrderId(1), "", Tell::Nobody, NOW)
        .await
        .expect("released");

    second.allocate(2, 2).await.expect("allocated");
    assert!(matches!(
        world.books.rejecting(OrderId(2), "", NOW).await,
        Err(Failure::NotWritten(_))
    ));
    assert_eq!(world.record(2).await.order.state, OrderState::Allocated);
}

pub async fn a_void_of_one_line_of_a_cart_leaves_the_order_quoted(world: World) {
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
        .books
        .rejecting(OrderId(1), "sold out", NOW)
        .await
        .expect("rejected");
    assert!(operation(&world, 1, OperationKind::Cancel).await.is_some());

    // A repair may still give it its tickets; then nothing is cancelled any more.
    let (id, unit_price) = (OrderId(1), TERMS.price);
    let repair = Command::Allocate {
        order: id,
        count: 2,
        unit_price,
        authority: Authority::Repair { authorised_at: NOW },
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
    assert!(operation(&world, 1, OperationKind::Cancel).await.is_none());
    assert!(operation(&world, 1, OperationKind::Capture).await.is_some());
}

pub async fn tickets_for_a_line_that_does_not_exist_are_not_found(world: World) {
    let mut owner = world.owner(0).await;
    let before = owner.draw.clone();
    assert_eq!(
        owner.execute(owner.sale(9, 1), None).await,
        Err(Failure::NotFound)
    );
    // An order of another draw.
    world
        .owner(1)
        .await
        .open(world.order(1, &[(1, 1)]))
        .await
        .expect("opened");
    assert_eq!(
        owner.execute(owner.sale(1, 1), None).await,
        Err(Failure::NotFound)
    );
    // Another count than the line's.
    owner.open(world.order(2, &[(0, 2)])).await.expect("opened");
    assert!(owner.execute(owner.sale(2, 3), None).await.is_err());
    assert_eq!(reloaded(&world, 0).await.sold(), before.sold());
}

pub async fn a_sale_is_only_for_a_quoted_order(world: World) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 2)])).await.expect("opened");
    world
        .books
        .released(OrderId(1), "left", Tell::Nobody, NOW)
        .await
        .expect("released");
    assert_eq!(owner.allocate(1, 2).await, Err(Failure::NotFound));
    assert!(world.record(1).await.tickets.is_empty());
    owner
        .open(world.order(2, &[(0, 2)]))
        .await
        .expect("its neighbour is not hurt");
}

pub async fn an_order_opens_once(world: World) {
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
    assert_eq!(reloaded(&world, 0).await, owner.draw);
    let record = world
        .books
        .order_by_client_key("key-1")
        .await
        .expect("read")
        .expect("found");
    assert_eq!(record.order.id, OrderId(1));
    assert_eq!(record.order.total(), Cents(1030));
    let found = world
        .books
        .order_by_token(&format!("{:032x}", 1))
        .await
        .expect("read")
        .expect("found");
    assert_eq!(found.client_key, "key-1");
}

pub async fn an_order_opened_for_a_payment_is_found_by_it_and_none_is_made_for_it(world: World) {
    let mut owner = world.owner(0).await;
    let paid = |id| persistence::ledger::NewOrder {
        payment_intent: Some(intent_id(1)),
        authorised_at: Some(NOW),
        ..world.order(id, &[(0, 2)])
    };
    owner.open(paid(1)).await.expect("opened");
    assert!(operation(&world, 1, OperationKind::Create).await.is_none());
    let found = world
        .books
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
        .expect("its neighbour is not hurt");
    assert!(operation(&world, 3, OperationKind::Create).await.is_some());
}

pub async fn a_repriced_order_has_its_new_lines(world: World) {
    let mut owner = world.owner(0).await;
    let id = OrderId(1);
    owner
        .open(world.order(1, &[(0, 2), (1, 1)]))
        .await
        .expect("opened");
    let lines = vec![line(world.draws[0], 5)];
    owner
        .execute(
            owner.reserve(1, 5),
            Some(Rider::Reprice {
                order: id,
                lines: lines.clone(),
            }),
        )
        .await
        .expect("repriced");
    assert_eq!(world.record(1).await.order.lines, lines);
    assert!(
        operation(&world, 1, OperationKind::Update).await.is_none(),
        "there is no payment intent to tell"
    );

    world
        .books
        .opened(id, &intent_id(1), "secret")
        .await
        .expect("opened");
    for count in [6, 7] {
        let lines = vec![line(world.draws[0], count), line(world.draws[2], 1)];
        let rider = Rider::Reprice {
            order: id,
            lines: lines.clone(),
        };
        owner
            .execute(owner.reserve(1, count), Some(rider))
            .await
            .expect("repriced");
        assert_eq!(world.record(1).await.order.lines, lines);
    }
    let update = operation(&world, 1, OperationKind::Update)
        .await
        .expect("an update is due");
    assert_eq!(update.key, format!("update-{id}-{}-4", world.draws[0]));
    assert!(
        operation(&world, 1, OperationKind::Update).await.is_none(),
        "only the latest"
    );

    world
        .books
        .released(id, "left", Tell::Nobody, NOW)
        .await
        .expect("released");
    let late = Rider::Reprice { order: id, lines };
    assert_eq!(
        owner.execute(owner.reserve(1, 5), Some(late)).await,
        Err(Failure::NotFound)
    );
}

pub async fn a_whole_life_is_loaded_again(world: World) {
    let mut owner = world.owner(0).await;
    let terms = Terms {
        price: Cents(250),
        prize_percentage: 70,
        round_up_prize: true,
        opens_at: Some(NOW),
        ..TERMS
    };
    owner
        .execute(Command::amend(terms), None)
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
    assert_eq!(reloaded(&world, 0).await, owner.draw);
    let result = GameResult::new(13, 9).expect("a result");
    let mut owner = Owner {
        epoch: world.owner(0).await.epoch,
        ..owner
    };
    owner
        .execute(Command::Complete { result }, None)
        .await
        .expect("completed");
    let completed = reloaded(&world, 0).await;
    assert_eq!(completed, owner.draw);
    assert_eq!(completed.status(), Status::Completed);
    assert!(completed.outcome().is_some());

    let mut owner = world.owner(0).await;
    owner.void(2).await.expect("a refund after the result");
    assert_eq!(reloaded(&world, 0).await, owner.draw);
    let mut owner = world.owner(0).await;
    owner
        .execute(Command::Archive { archived: true }, None)
        .await
        .expect("archived");
    assert_eq!(reloaded(&world, 0).await, owner.draw);
    let mut owner = world.owner(0).await;
    owner.execute(Command::Undo, None).await.expect("undone");
    assert_eq!(reloaded(&world, 0).await, owner.draw);
    let mut owner = world.owner(0).await;
    owner
        .execute(Command::Cancel, None)
        .await
        .expect("cancelled");
    assert_eq!(reloaded(&world, 0).await, owner.draw);
    assert!(owner.draw.sold() + owner.draw.held() <= TICKETS);
}

pub async fn live_draws_are_those_without_an_end(world: World) {
    world
        .owner(1)
        .await
        .execute(Command::Cancel, None)
        .await
        .expect("cancelled");
    assert_eq!(
        world.ledger.live().await,
        Ok(vec![world.draws[0], world.draws[2]])
    );
    assert!(matches!(
        Ledger::append(&*world.ledger, vec![empty(&world)]).await,
        Err(Failure::NotWritten(_))
    ));
    assert!(matches!(
        world.ledger.append(Vec::new()).await,
        Err(Failure::NotWritten(_))
    ));
}

fn empty(world: &World) -> persistence::ledger::Append {
    let (draw, at) = (world.draws[0], NOW);
    persistence::ledger::Append {
        draw,
        epoch: 0,
        after: 0,
        events: Vec::new(),
        at,
        sells: false,
        rider: None,
        act: None,
    }
}
