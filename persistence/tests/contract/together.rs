//! Tests that both stores must pass, about several commits of one draw in one call. Either all are
//! written, each with its own revision, or none.

use domain::{
    AllocationAuthority, Command, Draw, GameResult, OrderId, OrderState, Terms, Timestamp,
};
use persistence::Failure;
use persistence::ledger::{AttachedWrite, DrawCommit};
use persistence::records::audit::AuditAction;
use persistence::stores::OperationKind;

use crate::support::{DrawOwner, LEASELESS_NODE, NOW, TERMS, TestWorld, intent_id, line};

type PlannedCommit = (Command, Option<AttachedWrite>);

/// Decides each command as if the commits of the earlier commands were written. Returns the
/// commits, and the draw after all of them.
fn decide_in_sequence(owner: &DrawOwner, planned: Vec<PlannedCommit>) -> (Vec<DrawCommit>, Draw) {
    let mut next = owner.clone();
    let mut appends = Vec::new();
    for (command, attached_write) in planned {
        let events = next.draw.decide(next.at, &command).expect("decided");
        appends.push(next.commit(&command, events.clone(), attached_write));
        next.draw.apply(&events);
    }
    (appends, next.draw)
}

fn planned_reservation_of_new_order(
    world: &TestWorld,
    owner: &DrawOwner,
    id: u128,
    count: u16,
) -> PlannedCommit {
    (
        owner.reserve_command(id, count),
        Some(AttachedWrite::Open(world.order(id, &[(0, count)]))),
    )
}

fn planned_authorised_sale(owner: &DrawOwner, id: u128, count: u16) -> PlannedCommit {
    (
        owner.sale_command(id, count),
        Some(AttachedWrite::Authorised {
            order: OrderId(id),
            at: NOW,
        }),
    )
}

async fn reload_draw(world: &TestWorld) -> Draw {
    let mut claimed = world
        .ledger
        .claim(LEASELESS_NODE, &[world.draws[0]])
        .await
        .expect("claimed");
    Draw::restore(claimed.taken.remove(0).snapshot)
}

/// Checks that the journal and the tables agree, that no invariant is violated, and that the given
/// numbers of commits and transactions were written.
async fn assert_consistent(world: &TestWorld, commits: i64, transactions: i64) {
    match (&world.memory, &world.postgres) {
        (Some(memory), _) => assert_eq!(memory.draws(), memory.replayed_draws()),
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

pub async fn commits_written_together_have_their_own_revisions(world: TestWorld) {
    let mut owner = world.owner(0).await;
    for id in 1..=4 {
        owner
            .open(world.order(id, &[(0, 10)]))
            .await
            .expect("opened");
    }
    world
        .stores
        .record_payment_intent(OrderId(4), &intent_id(4), "secret")
        .await
        .expect("opened");
    let lines = vec![line(world.draws[0], 7)];
    let (appends, after) = decide_in_sequence(
        &owner,
        vec![
            planned_authorised_sale(&owner, 1, 10),
            planned_reservation_of_new_order(&world, &owner, 5, 50),
            (Command::Release { order: OrderId(2) }, None),
            planned_authorised_sale(&owner, 3, 10),
            (
                owner.reserve_command(4, 7),
                Some(AttachedWrite::Reprice {
                    order: OrderId(4),
                    lines: lines.clone(),
                }),
            ),
            planned_reservation_of_new_order(&world, &owner, 6, 1),
        ],
    );
    owner.ledger.append(appends).await.expect("written");

    assert_eq!(after.revision(), 10);
    assert_consistent(&world, 10, 5).await;
    assert_eq!(reload_draw(&world).await, after);
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
            .stores
            .claim_operation(OrderId(id), OperationKind::Capture, NOW, 1_000)
            .await;
        assert!(capture.expect("read").is_some(), "its capture is due");
    }
    assert_eq!(world.record(4).await.order.lines, lines);
    let update = world
        .stores
        .claim_operation(OrderId(4), OperationKind::Update, NOW, 1_000)
        .await
        .expect("read");
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

/// If several commits change one reservation, its last event counts. Here a reservation expires in
/// another order's commit, and is made again in its own order's commit.
pub async fn expired_and_renewed_reservation_counts_once(world: TestWorld) {
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
    let planned = vec![
        (again(3, 50), None),
        (again(1, 20), None),
        (again(4, 50), None),
    ];
    let (appends, after) = decide_in_sequence(&owner, planned);
    owner.ledger.append(appends).await.expect("written");
    assert_eq!(
        (
            after.held(),
            after.reservation(OrderId(1)).expect("reserved again").count
        ),
        (120, 20)
    );
    assert_eq!(reload_draw(&world).await, after);
    assert_consistent(&world, 5, 3).await;
}

pub async fn timer_commit_is_written_with_the_others(world: TestWorld) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 5)])).await.expect("opened");
    let at = owner.draw.terms().closes_at;
    let release = decide_in_sequence(&owner, vec![(Command::Release { order: OrderId(1) }, None)])
        .0
        .remove(0);
    let mut next = owner.draw.clone();
    next.apply(&release.events);
    let events = next.decide(at, &Command::Tick).expect("kick-off");
    next.apply(&events);
    let kick_off_commit = DrawCommit {
        after: release.after + 1,
        events,
        at,
        ..release.clone()
    };
    owner
        .ledger
        .append(vec![release, kick_off_commit])
        .await
        .expect("written");
    assert_eq!(reload_draw(&world).await, next);
}

pub async fn one_fenced_commit_prevents_all_commits(world: TestWorld) {
    let owner = world.owner(0).await;
    let (correct, after) = decide_in_sequence(
        &owner,
        (1..=3)
            .map(|id| planned_reservation_of_new_order(&world, &owner, id, 2))
            .collect(),
    );
    let with_error = |position: usize, change: fn(&mut DrawCommit)| {
        let mut appends = correct.clone();
        change(&mut appends[position]);
        appends
    };
    let stale_epochs: Vec<DrawCommit> = correct
        .iter()
        .map(|append| DrawCommit {
            epoch: append.epoch - 1,
            ..append.clone()
        })
        .collect();
    let late_revisions: Vec<DrawCommit> = correct
        .iter()
        .map(|append| DrawCommit {
            after: append.after + 1,
            ..append.clone()
        })
        .collect();
    for appends in [
        with_error(1, |a| a.after += 1),
        with_error(2, |a| a.epoch += 1),
        with_error(1, |a| a.after -= 1),
        stale_epochs,
        late_revisions,
    ] {
        assert_eq!(owner.ledger.append(appends).await, Err(Failure::Fenced));
    }
    let other_draw = world.draws[1];
    let mut mixed = correct.clone();
    mixed[2].draw = other_draw;
    assert!(matches!(
        owner.ledger.append(mixed).await,
        Err(Failure::NotWritten(_))
    ));
    for id in 1..=3 {
        assert!(
            world
                .stores
                .order(OrderId(id))
                .await
                .expect("read")
                .is_none()
        );
    }
    owner
        .ledger
        .append(correct)
        .await
        .expect("the correct commits are written");
    assert_eq!(reload_draw(&world).await, after);
}

/// Returns whether a failure is the one that the test expects.
type IsExpectedFailure = fn(&Failure) -> bool;

pub async fn one_refused_commit_prevents_all_commits(world: TestWorld) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(9, &[(0, 4)])).await.expect("opened");
    let before = owner.draw.clone();
    let cases: [(PlannedCommit, IsExpectedFailure); 3] = [
        // The order does not exist.
        ((owner.sale_command(77, 1), None), |why| {
            *why == Failure::NotFound
        }),
        (
            (
                owner.reserve_command(78, 1),
                Some(AttachedWrite::Authorised {
                    order: OrderId(78),
                    at: NOW,
                }),
            ),
            |why| *why == Failure::NotFound,
        ),
        // The client key is already used by another order.
        (
            {
                let order = persistence::ledger::NewOrder {
                    client_key: "key-1".into(),
                    ..world.order(79, &[(0, 1)])
                };
                (
                    owner.reserve_command(79, 1),
                    Some(AttachedWrite::Open(order)),
                )
            },
            |why| matches!(why, Failure::NotWritten(_)),
        ),
    ];
    for (case, expected) in cases {
        let (appends, _) = decide_in_sequence(
            &owner,
            vec![
                planned_reservation_of_new_order(&world, &owner, 1, 3),
                planned_authorised_sale(&owner, 9, 4),
                case,
                planned_reservation_of_new_order(&world, &owner, 2, 3),
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
                .stores
                .order(OrderId(id))
                .await
                .expect("read")
                .is_none()
        );
    }
    assert!(world.record(9).await.tickets.is_empty());
    assert_eq!(reload_draw(&world).await, before);
}

pub async fn commit_with_audit_entry_is_written_alone(world: TestWorld) {
    let mut owner = world.owner(0).await;
    world.buy_until_captured(&mut owner, 1, 2).await;
    owner.open(world.order(2, &[(0, 3)])).await.expect("opened");
    let result = GameResult::new(4, 9).expect("a result");
    let unit_price = TERMS.price;
    let authority = AllocationAuthority::Repair { authorised_at: NOW };
    let alone = [
        Command::Void {
            order: OrderId(1),
            charged: true,
        },
        Command::Complete { result },
        Command::Cancel,
        Command::amend_command_of_club(Terms {
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
        let first = decide_in_sequence(
            &owner,
            vec![planned_reservation_of_new_order(&world, &owner, 3, 1)],
        )
        .0
        .remove(0);
        let second = DrawCommit {
            after: first.after + 1,
            ..owner.commit(&command, events, None)
        };
        let outcome = owner.ledger.append(vec![first, second]).await;
        assert!(
            matches!(outcome, Err(Failure::NotWritten(_))),
            "{command:?}: {outcome:?}"
        );
    }
    let (mut appends, _) = decide_in_sequence(
        &owner,
        vec![
            planned_reservation_of_new_order(&world, &owner, 3, 1),
            planned_reservation_of_new_order(&world, &owner, 4, 1),
        ],
    );
    let act = AuditAction {
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
    // A transaction may contain only one commit of each order.
    let same_order = vec![
        planned_reservation_of_new_order(&world, &owner, 3, 1),
        (owner.reserve_command(3, 2), None),
    ];
    assert!(matches!(
        owner
            .ledger
            .append(decide_in_sequence(&owner, same_order).0)
            .await,
        Err(Failure::NotWritten(_))
    ));
    assert_eq!(reload_draw(&world).await, owner.draw);
}

/// The database's clock is long after kick-off, while the owner's clock is before kick-off (rule 5
/// of the decisions).
pub async fn sale_after_kick_off_prevents_all_commits(world: TestWorld) {
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
            Some(AttachedWrite::Open(world.order(id, &[(0, 2)]))),
        )
    };
    let (appends, after) = decide_in_sequence(&owner, vec![reserves(1), reserves(2)]);
    owner
        .ledger
        .append(appends)
        .await
        .expect("a reservation is not a sale");
    owner.draw = after;
    let (appends, _) = decide_in_sequence(
        &owner,
        vec![
            reserves(3),
            planned_authorised_sale(&owner, 1, 2),
            reserves(4),
        ],
    );
    assert_eq!(
        owner.ledger.append(appends).await,
        Err(Failure::ClosedByClock)
    );
    assert!(world.record(1).await.tickets.is_empty());
    assert!(
        world
            .stores
            .order(OrderId(3))
            .await
            .expect("read")
            .is_none()
    );
    let (appends, after) = decide_in_sequence(&owner, vec![reserves(3), reserves(4)]);
    owner
        .ledger
        .append(appends)
        .await
        .expect("without the sale it is written");
    assert_eq!(reload_draw(&world).await, after);
}
