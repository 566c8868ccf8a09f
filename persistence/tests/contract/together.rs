//! Commits of one draw that are written together: all or none, each with a revision of its own.

use domain::{Authority, Command, Draw, GameResult, OrderId, OrderState, Terms, Timestamp};
use persistence::Failure;
use persistence::books::OperationKind;
use persistence::ledger::{Append, Rider};
use persistence::records::audit::Act;

use crate::support::{ANYBODY, NOW, Owner, TERMS, World, intent_id, line};

type Wish = (Command, Option<Rider>);

/// What these are to be written as, each decided as if those before it were written; and the draw after them.
fn decided(owner: &Owner, wishes: Vec<Wish>) -> (Vec<Append>, Draw) {
    let mut ahead = owner.clone();
    let mut appends = Vec::new();
    for (command, rider) in wishes {
        let events = ahead.draw.decide(ahead.at, &command).expect("decided");
        appends.push(ahead.commit(&command, events.clone(), rider));
        ahead.draw.apply(&events);
    }
    (appends, ahead.draw)
}

fn opens(world: &World, owner: &Owner, id: u128, count: u16) -> Wish {
    (
        owner.reserve(id, count),
        Some(Rider::Open(world.order(id, &[(0, count)]))),
    )
}

fn sells(owner: &Owner, id: u128, count: u16) -> Wish {
    (
        owner.sale(id, count),
        Some(Rider::Authorised {
            order: OrderId(id),
            at: NOW,
        }),
    )
}

async fn reloaded(world: &World) -> Draw {
    let mut claimed = world
        .ledger
        .claim(ANYBODY, &[world.draws[0]])
        .await
        .expect("claimed");
    Draw::restore(claimed.taken.remove(0).snapshot)
}

/// Journal and tables agree, and nothing breaks an invariant; the journal has so many commits, of so many transactions.
async fn audited(world: &World, commits: i64, transactions: i64) {
    match (&world.memory, &world.postgres) {
        (Some(memory), _) => assert_eq!(memory.draws(), memory.replayed()),
        (None, Some((database, postgres))) => {
            assert_eq!(postgres.violations().await, Ok(vec![]));
            let count =
                "select count(*), count(distinct xmin::text) from draw_events where draw_id = $1";
            let found: (i64, i64) = sqlx::query_as(count)
                .bind(world.draws[0].0)
                .fetch_one(&mut database.connection().await)
                .await
                .expect("counted");
            assert_eq!(found, (commits, transactions));
        }
        (None, None) => unreachable!("a world has a memory"),
    }
}

pub async fn what_is_written_together_has_a_revision_each(world: World) {
    let mut owner = world.owner(0).await;
    for id in 1..=4 {
        owner
            .open(world.order(id, &[(0, 10)]))
            .await
            .expect("opened");
    }
    world
        .books
        .opened(OrderId(4), &intent_id(4), "secret")
        .await
        .expect("opened");
    let lines = vec![line(world.draws[0], 7)];
    let (appends, after) = decided(
        &owner,
        vec![
            sells(&owner, 1, 10),
            opens(&world, &owner, 5, 50),
            (Command::Release { order: OrderId(2) }, None),
            sells(&owner, 3, 10),
            (
                owner.reserve(4, 7),
                Some(Rider::Reprice {
                    order: OrderId(4),
                    lines: lines.clone(),
                }),
            ),
            opens(&world, &owner, 6, 1),
        ],
    );
    owner.ledger.append(appends).await.expect("written");

    assert_eq!(after.revision(), 10);
    audited(&world, 10, 5).await;
    assert_eq!(reloaded(&world).await, after);
    for id in [1, 3] {
        let record = world.record(id).await;
        assert_eq!(
            (record.order.state, record.authorised_at),
            (OrderState::Allocated, Some(NOW))
        );
        assert_eq!(
            record.tickets,
            [(
                world.draws[0],
                after.allocation(OrderId(id)).expect("sold").serials.clone()
            )]
        );
        assert_eq!(
            record.order.application_fee,
            after.allocation(OrderId(id)).expect("sold").fee
        );
        let capture = world
            .books
            .claim_operation(OrderId(id), OperationKind::Capture, NOW, 1_000)
            .await;
        assert!(capture.expect("asked").is_some(), "its capture is due");
    }
    assert_eq!(world.record(4).await.order.lines, lines);
    let update = world
        .books
        .claim_operation(OrderId(4), OperationKind::Update, NOW, 1_000)
        .await
        .expect("asked");
    assert_eq!(
        update.expect("due").key,
        format!("update-{}-{}-9", OrderId(4), world.draws[0]),
        "its own revision"
    );
    assert_eq!(
        (
            world.record(5).await.order.state,
            world.record(6).await.order.state
        ),
        (OrderState::Quoted, OrderState::Quoted)
    );
}

/// The last word on a reservation counts: one that lapsed is taken off the books by somebody else's commit, and made anew by
/// its own.
pub async fn a_reservation_that_lapses_and_comes_again_is_counted_once(world: World) {
    let mut owner = world.owner(0).await;
    owner
        .open(world.order(1, &[(0, 50)]))
        .await
        .expect("opened");
    owner
        .open(world.order(2, &[(0, 40)]))
        .await
        .expect("opened");
    owner.at = NOW.plus_seconds(200);
    let again = |order, count| Command::Reserve {
        order: OrderId(order),
        count,
        until: NOW.plus_seconds(400),
    };
    let wishes = vec![
        (again(3, 50), None),
        (again(1, 20), None),
        (again(4, 50), None),
    ];
    let (appends, after) = decided(&owner, wishes);
    owner.ledger.append(appends).await.expect("written");
    assert_eq!(
        (
            after.held(),
            after.reservation(OrderId(1)).expect("anew").count
        ),
        (120, 20)
    );
    assert_eq!(reloaded(&world).await, after);
    audited(&world, 5, 3).await;
}

pub async fn the_timers_word_is_written_with_the_others(world: World) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 5)])).await.expect("opened");
    let at = owner.draw.terms().closes_at;
    let release = decided(&owner, vec![(Command::Release { order: OrderId(1) }, None)])
        .0
        .remove(0);
    let mut ahead = owner.draw.clone();
    ahead.apply(&release.events);
    let events = ahead.decide(at, &Command::Tick).expect("kick-off");
    ahead.apply(&events);
    let whistle = Append {
        after: release.after + 1,
        events,
        at,
        ..release.clone()
    };
    owner
        .ledger
        .append(vec![release, whistle])
        .await
        .expect("written");
    assert_eq!(reloaded(&world).await, ahead);
}

pub async fn one_wrong_fence_and_nothing_is_written(world: World) {
    let owner = world.owner(0).await;
    let (right, after) = decided(
        &owner,
        (1..=3).map(|id| opens(&world, &owner, id, 2)).collect(),
    );
    let wrong = |place: usize, change: fn(&mut Append)| {
        let mut appends = right.clone();
        change(&mut appends[place]);
        appends
    };
    let ghosts: Vec<Append> = right
        .iter()
        .map(|append| Append {
            epoch: append.epoch - 1,
            ..append.clone()
        })
        .collect();
    let late: Vec<Append> = right
        .iter()
        .map(|append| Append {
            after: append.after + 1,
            ..append.clone()
        })
        .collect();
    for appends in [
        wrong(1, |a| a.after += 1),
        wrong(2, |a| a.epoch += 1),
        wrong(1, |a| a.after -= 1),
        ghosts,
        late,
    ] {
        assert_eq!(owner.ledger.append(appends).await, Err(Failure::Fenced));
    }
    let elsewhere = world.draws[1];
    let mut mixed = right.clone();
    mixed[2].draw = elsewhere;
    assert!(matches!(
        owner.ledger.append(mixed).await,
        Err(Failure::NotWritten(_))
    ));
    for id in 1..=3 {
        assert!(
            world
                .books
                .order(OrderId(id))
                .await
                .expect("read")
                .is_none()
        );
    }
    owner
        .ledger
        .append(right)
        .await
        .expect("and now the right ones");
    assert_eq!(reloaded(&world).await, after);
}

/// Whether it fails as it should.
type Expected = fn(&Failure) -> bool;

pub async fn one_that_contradicts_the_books_and_nothing_is_written(world: World) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(9, &[(0, 4)])).await.expect("opened");
    let before = owner.draw.clone();
    let bad: [(Wish, Expected); 3] = [
        // Nobody opened it.
        ((owner.sale(77, 1), None), |why| *why == Failure::NotFound),
        (
            (
                owner.reserve(78, 1),
                Some(Rider::Authorised {
                    order: OrderId(78),
                    at: NOW,
                }),
            ),
            |why| *why == Failure::NotFound,
        ),
        // Its client key is another order's.
        (
            {
                let order = persistence::ledger::NewOrder {
                    client_key: "key-1".into(),
                    ..world.order(79, &[(0, 1)])
                };
                (owner.reserve(79, 1), Some(Rider::Open(order)))
            },
            |why| matches!(why, Failure::NotWritten(_)),
        ),
    ];
    for (wish, expected) in bad {
        let (appends, _) = decided(
            &owner,
            vec![
                opens(&world, &owner, 1, 3),
                sells(&owner, 9, 4),
                wish,
                opens(&world, &owner, 2, 3),
            ],
        );
        let failure = owner
            .ledger
            .append(appends)
            .await
            .expect_err("contradicted");
        assert!(expected(&failure), "{failure}");
    }
    for id in [1, 2, 79] {
        assert!(
            world
                .books
                .order(OrderId(id))
                .await
                .expect("read")
                .is_none()
        );
    }
    assert!(world.record(9).await.tickets.is_empty());
    assert_eq!(reloaded(&world).await, before);
}

pub async fn what_a_person_decides_is_written_by_itself(world: World) {
    let mut owner = world.owner(0).await;
    world.captured(&mut owner, 1, 2).await;
    owner.open(world.order(2, &[(0, 3)])).await.expect("opened");
    let result = GameResult::new(4, 9).expect("a result");
    let unit_price = TERMS.price;
    let authority = Authority::Repair { authorised_at: NOW };
    let alone = [
        Command::Void {
            order: OrderId(1),
            charged: true,
        },
        Command::Complete { result },
        Command::Cancel,
        Command::amend(Terms {
            prize_percentage: 60,
            closes_at: TERMS.closes_at.plus_ms(-1),
            ..TERMS
        }),
        Command::Allocate {
            order: OrderId(2),
            count: 3,
            unit_price,
            authority,
        },
    ];
    for command in alone {
        let Ok(events) = owner.draw.decide(NOW, &command) else {
            continue;
        };
        let first = decided(&owner, vec![opens(&world, &owner, 3, 1)])
            .0
            .remove(0);
        let second = Append {
            after: first.after + 1,
            ..owner.commit(&command, events, None)
        };
        let said = owner.ledger.append(vec![first, second]).await;
        assert!(
            matches!(said, Err(Failure::NotWritten(_))),
            "{command:?}: {said:?}"
        );
    }
    let (mut appends, _) = decided(
        &owner,
        vec![opens(&world, &owner, 3, 1), opens(&world, &owner, 4, 1)],
    );
    let act = Act {
        actor: "operator 1",
        club: None,
        action: "helps",
        object: "draw:1001",
        ip: None,
    };
    appends[1].act = Some(act.entry(serde_json::json!({})));
    assert!(matches!(
        owner.ledger.append(appends).await,
        Err(Failure::NotWritten(_))
    ));
    // And no order has two commits in one transaction.
    let twice = vec![opens(&world, &owner, 3, 1), (owner.reserve(3, 2), None)];
    assert!(matches!(
        owner.ledger.append(decided(&owner, twice).0).await,
        Err(Failure::NotWritten(_))
    ));
    assert_eq!(reloaded(&world).await, owner.draw);
}

/// The books' clock is long past kick-off; the owner's is not (rule 5).
pub async fn a_sale_after_kick_off_falls_with_all_that_came_along(world: World) {
    if let Some(memory) = &world.memory {
        memory.set_clock(|| NOW);
    }
    let mut owner = world.owner(0).await;
    owner.at = Timestamp(owner.draw.terms().closes_at.0 - 60_000);
    let reserves = |id| {
        let until = Timestamp(NOW.0);
        (
            Command::Reserve {
                order: OrderId(id),
                count: 2,
                until,
            },
            Some(Rider::Open(world.order(id, &[(0, 2)]))),
        )
    };
    let (appends, after) = decided(&owner, vec![reserves(1), reserves(2)]);
    owner
        .ledger
        .append(appends)
        .await
        .expect("nothing is sold by it");
    owner.draw = after;
    let (appends, _) = decided(&owner, vec![reserves(3), sells(&owner, 1, 2), reserves(4)]);
    assert_eq!(
        owner.ledger.append(appends).await,
        Err(Failure::ClosedByClock)
    );
    assert!(world.record(1).await.tickets.is_empty());
    assert!(world.books.order(OrderId(3)).await.expect("read").is_none());
    let (appends, after) = decided(&owner, vec![reserves(3), reserves(4)]);
    owner
        .ledger
        .append(appends)
        .await
        .expect("the sale was the reason");
    assert_eq!(reloaded(&world).await, after);
}
