//! Tests of group commit: one transaction contains many commits, and each gets its own outcome,
//! even when the database fails.

#[path = "group/collisions.rs"]
mod collisions;
#[path = "group/gate.rs"]
mod gate;
#[path = "group/standstill.rs"]
mod standstill;
#[path = "support/world.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use domain::{Command, Draw, Event, OrderId, Reservation};
use persistence::ledger::{AttachedWrite, BuyerDetails, DrawCommit};
use persistence::postgres::draws::NewDraw;
use persistence::records::Records;
use persistence::records::audit::{AuditAction, AuditFilter};
use persistence::stores::OrderStore;
use persistence::stores::{BuyerSource, NotifyBuyer};
use persistence::testing::{TempFolder, sealer};
use persistence::{Failure, Ledger, Postgres};
use sqlx::Executor;
use sqlx::postgres::PgConnection;
use tokio::task::JoinHandle;

use gate::WriterGate;
use support::{CLUB, DrawOwner, LEASELESS_NODE, NOW, TERMS, TestWorld};

const DRAW_COUNT: usize = 12;

async fn world_with_owners() -> (TestWorld, Vec<DrawOwner>) {
    let world = TestWorld::in_postgres(&[TERMS; DRAW_COUNT]).await;
    let mut owners = Vec::new();
    for claimed in world
        .ledger
        .claim(LEASELESS_NODE, &world.draws)
        .await
        .expect("claimed")
        .taken
    {
        let (ledger, epoch) = (world.ledger.clone(), claimed.epoch);
        owners.push(DrawOwner {
            ledger,
            epoch,
            draw: Draw::restore(claimed.snapshot),
            at: support::NOW,
        });
    }
    (world, owners)
}

fn reservation_commit(owner: &DrawOwner, order: u128) -> DrawCommit {
    let command = owner.reserve_command(order, 1);
    let events = owner.draw.decide(NOW, &command).expect("free");
    owner.commit(&command, events, None)
}

fn spawn_commit_write(owner: &DrawOwner, append: DrawCommit) -> JoinHandle<Result<(), Failure>> {
    let ledger = owner.ledger.clone();
    tokio::spawn(async move { ledger.append(vec![append]).await })
}

async fn count_transactions(world: &TestWorld, draws: &[usize]) -> i64 {
    let ids: Vec<i64> = draws.iter().map(|draw| world.draws[*draw].0).collect();
    sqlx::query_scalar("select count(distinct xmin::text) from draw_events where draw_id = any($1)")
        .bind(ids)
        .fetch_one(&mut world.connection().await)
        .await
        .expect("counted")
}

async fn count_commits(connection: &mut PgConnection, draw: i64) -> i64 {
    sqlx::query_scalar("select count(*) from draw_events where draw_id = $1")
        .bind(draw)
        .fetch_one(connection)
        .await
        .expect("counted")
}

async fn let_tasks_run() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn fenced_commit_does_not_fail_its_batch() {
    // On a very busy machine, the lock timeout may pass before all commits wait in the queue. The
    // test is then tried again.
    const TRIES_MAX: usize = 5;
    for _ in 0..TRIES_MAX {
        let (world, owners) = world_with_owners().await;
        let (gate, blocked) = WriterGate::close(&world, &owners).await;
        let mut waiting = Vec::new();
        for owner in &owners[2..] {
            waiting.push(spawn_commit_write(owner, reservation_commit(owner, 9)));
        }
        let fenced = spawn_commit_write(
            &owners[2],
            DrawCommit {
                epoch: 0,
                ..reservation_commit(&owners[2], 8)
            },
        );
        let_tasks_run().await;
        gate.open().await;
        assert_eq!(fenced.await.expect("joined"), Err(Failure::Fenced));
        for one in waiting {
            assert_eq!(one.await.expect("joined"), Ok(()));
        }
        for one in blocked {
            let _ = one.await.expect("joined");
        }
        if count_transactions(&world, &(2..DRAW_COUNT).collect::<Vec<_>>()).await <= 2 {
            return;
        }
    }
    panic!("ten draws never shared a transaction");
}

/// Returns three commits of the owner's draw.
fn three_commits(owner: &DrawOwner) -> Vec<DrawCommit> {
    let mut ahead = owner.clone();
    let reserves = (1..=3).map(|order| {
        let append = reservation_commit(&ahead, order);
        ahead.draw.apply(&append.events);
        append
    });
    reserves.collect()
}

#[tokio::test]
async fn fenced_draw_fails_alone_among_several_commits() {
    let (world, owners) = world_with_owners().await;
    let (gate, blocked) = WriterGate::close(&world, &owners).await;
    let send = |owner: &DrawOwner, appends: Vec<DrawCommit>| {
        let ledger = owner.ledger.clone();
        tokio::spawn(async move { ledger.append(appends).await })
    };
    let fenced_commits = three_commits(&owners[2])
        .into_iter()
        .map(|append| DrawCommit { epoch: 0, ..append });
    let fenced = send(&owners[2], fenced_commits.collect());
    let too_many = Reservation {
        count: 51,
        until: NOW,
        extensions: 0,
    };
    let mut refused_commit = three_commits(&owners[3]);
    refused_commit[1].events = vec![Event::Reserved {
        order: OrderId(2),
        reservation: too_many,
    }];
    let refused_commit = send(&owners[3], refused_commit);
    let accepted: Vec<_> = owners[4..]
        .iter()
        .map(|owner| send(owner, three_commits(owner)))
        .collect();
    let_tasks_run().await;
    gate.open().await;
    assert_eq!(fenced.await.expect("joined"), Err(Failure::Fenced));
    assert!(matches!(
        refused_commit.await.expect("joined"),
        Err(Failure::NotWritten(_))
    ));
    for one in accepted {
        assert_eq!(one.await.expect("joined"), Ok(()));
    }
    drop(blocked);
    let mut connection = world.connection().await;
    for (position, draw) in world.draws.iter().enumerate().skip(2) {
        let expected = if position < 4 { 0 } else { 3 };
        assert_eq!(
            count_commits(&mut connection, draw.0).await,
            expected,
            "draw {position}"
        );
        assert_eq!(
            count_transactions(&world, &[position]).await,
            expected.min(1),
            "all in one transaction"
        );
    }
    let postgres = &world.postgres.as_ref().expect("in Postgres").1;
    assert_eq!(postgres.violations().await, Ok(vec![]));
}

#[tokio::test]
async fn refused_commit_fails_alone() {
    let (world, owners) = world_with_owners().await;
    let (gate, blocked) = WriterGate::close(&world, &owners).await;
    let too_many = Reservation {
        count: 51,
        until: NOW,
        extensions: 0,
    };
    let events = vec![Event::Reserved {
        order: OrderId(7),
        reservation: too_many,
    }];
    let refused_commit = DrawCommit {
        events,
        ..reservation_commit(&owners[2], 7)
    };
    let refused_commit = spawn_commit_write(&owners[2], refused_commit);
    let unknown = spawn_commit_write(
        &owners[3],
        owners[3].commit(
            &owners[3].sale_command(99, 1),
            owners[3]
                .draw
                .decide(NOW, &owners[3].sale_command(99, 1))
                .expect("free"),
            None,
        ),
    );
    let mut accepted = Vec::new();
    for owner in &owners[4..] {
        accepted.push(spawn_commit_write(owner, reservation_commit(owner, 9)));
    }
    let_tasks_run().await;
    gate.open().await;
    assert!(matches!(
        refused_commit.await.expect("joined"),
        Err(Failure::NotWritten(_))
    ));
    assert_eq!(unknown.await.expect("joined"), Err(Failure::NotFound));
    for one in accepted {
        assert_eq!(one.await.expect("joined"), Ok(()));
    }
    drop(blocked);
}

#[tokio::test]
async fn one_of_two_commits_with_the_same_revision_is_written() {
    let (world, owners) = world_with_owners().await;
    let (gate, blocked) = WriterGate::close(&world, &owners).await;
    let (first, second) = (
        spawn_commit_write(&owners[2], reservation_commit(&owners[2], 8)),
        spawn_commit_write(&owners[2], reservation_commit(&owners[2], 9)),
    );
    let_tasks_run().await;
    gate.open().await;
    let mut outcome = [first.await.expect("joined"), second.await.expect("joined")];
    outcome.sort_by_key(Result::is_err);
    assert_eq!(outcome, [Ok(()), Err(Failure::Fenced)]);
    drop(blocked);
    assert_eq!(
        count_commits(&mut world.connection().await, world.draws[2].0).await,
        1
    );
}

#[tokio::test]
async fn cancelled_caller_does_not_lose_its_commit() {
    let (world, owners) = world_with_owners().await;
    let (gate, blocked) = WriterGate::close(&world, &owners).await;
    let gone = spawn_commit_write(&owners[2], reservation_commit(&owners[2], 9));
    let_tasks_run().await;
    gone.abort();
    drop(blocked);
    gate.open().await;
    let mut connection = world.connection().await;
    while count_commits(&mut connection, owners[2].draw.id().0).await == 0 {}
}

/// A cancelled `BEGIN` would leave a transaction open, and the next writer's rows would be lost in
/// it. The test checks that our `BEGIN` cannot be cancelled.
#[tokio::test]
async fn cancelled_callers_leave_no_open_transaction() {
    let (world, mut owners) = world_with_owners().await;
    let orders = 60u128;
    for order in 1..=orders {
        let owner = &mut owners[order as usize % DRAW_COUNT];
        let attached_write =
            AttachedWrite::Open(world.order(order, &[(order as usize % DRAW_COUNT, 1)]));
        owner
            .execute(owner.reserve_command(order, 1), Some(attached_write))
            .await
            .expect("opened");
    }
    for round in 0..300 {
        let stores = world.stores.clone();
        let cancelled = tokio::spawn(async move {
            stores
                .release_order(OrderId(1), "", NotifyBuyer::Nobody, NOW)
                .await
        });
        for _ in 0..round % 30 {
            tokio::task::yield_now().await;
        }
        cancelled.abort();
    }
    for order in 1..=orders {
        let phone = BuyerDetails {
            phone: Some(format!("{order}")),
            ..BuyerDetails::default()
        };
        let filled = world
            .stores
            .fill_buyer_details(OrderId(order), &phone, BuyerSource::Checkout)
            .await;
        assert_eq!(filled, Ok(true));
    }
    let filled: i64 =
        sqlx::query_scalar("select count(*) from orders where buyer_phone is not null")
            .fetch_one(&mut world.connection().await)
            .await
            .expect("counted");
    assert_eq!(filled, orders as i64);
}

/// Writes commits of one draw while database sessions are killed, and checks each reported outcome.
async fn write_and_check_outcomes(
    ledger: Arc<dyn Ledger>,
    mut owner: DrawOwner,
    mut check: PgConnection,
    answers: Arc<AtomicU64>,
) -> (u32, u32, u32) {
    let draw = owner.draw.id();
    let (mut written, mut refused, mut unknown) = (0, 0, 0);
    let mut order = 0;
    while written < 25 {
        order += 1;
        let append = reservation_commit(&owner, order % 100 + 1);
        let (events, after) = (append.events.clone(), append.after as i64);
        let result = owner.ledger.append(vec![append]).await;
        answers.fetch_add(1, Ordering::Relaxed);
        match result {
            Ok(()) => {
                assert_eq!(
                    count_commits(&mut check, draw.0).await,
                    after + 1,
                    "reported as written, but lost"
                );
                owner.draw.apply(&events);
                written += 1;
            }
            Err(Failure::NotWritten(_)) => {
                assert_eq!(
                    count_commits(&mut check, draw.0).await,
                    after,
                    "reported as not written, but written"
                );
                refused += 1;
            }
            Err(Failure::Unknown(_) | Failure::Fenced) => {
                let claimed = loop {
                    match ledger.claim(LEASELESS_NODE, &[draw]).await {
                        Ok(mut claimed) => break claimed.taken.remove(0),
                        Err(_) => tokio::task::yield_now().await,
                    }
                };
                owner = DrawOwner {
                    epoch: claimed.epoch,
                    draw: Draw::restore(claimed.snapshot),
                    ..owner
                };
                unknown += 1;
            }
            Err(other) => panic!("{other}"),
        }
        if owner.draw.held() > 60 {
            let events: Vec<Event> = (1..=100)
                .map(OrderId)
                .filter(|o| owner.draw.reservation(*o).is_some())
                .map(|order| Event::Released { order })
                .collect();
            let append = DrawCommit {
                events: events.clone(),
                ..reservation_commit(&owner, 200)
            };
            if owner.ledger.append(vec![append]).await.is_ok() {
                owner.draw.apply(&events);
            }
        }
    }
    (written, refused, unknown)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_backends_never_cause_a_wrong_outcome() {
    let (world, owners) = world_with_owners().await;
    // The task that kills database sessions spares this application name, so connections with these
    // options survive.
    let checking_options = world
        .postgres
        .as_ref()
        .expect("a real Postgres")
        .0
        .options
        .clone()
        .application_name("spared");
    let connect = || async {
        <PgConnection as sqlx::Connection>::connect_with(&checking_options)
            .await
            .expect("the tests' Postgres answers")
    };
    let (done, result) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let mut killer = connect().await;
    let killer_task = tokio::spawn({
        let (done, result) = (done.clone(), result.clone());
        async move {
            let (mut killed, mut next) = (0, 1);
            while !done.load(Ordering::Relaxed) {
                if result.load(Ordering::Relaxed) < next {
                    tokio::task::yield_now().await;
                    continue;
                }
                // Ends database sessions that are executing a statement or have an open
                // transaction.
                let hit = killer
                    .execute(
                        "select pg_terminate_backend(pid) from pg_stat_activity
                         where datname = current_database() and application_name <> 'spared' and state <> 'idle'",
                    )
                    .await
                    .expect("asked");
                killed += hit.rows_affected();
                next += 3 * hit.rows_affected();
            }
            killed
        }
    });
    let mut checks = Vec::new();
    for owner in owners {
        let check = connect().await;
        checks.push(tokio::spawn(write_and_check_outcomes(
            world.ledger.clone(),
            owner,
            check,
            result.clone(),
        )));
    }
    let mut sums = (0, 0, 0);
    for one in checks {
        let (written, refused, unknown) = one.await.expect("every outcome was right");
        sums = (sums.0 + written, sums.1 + refused, sums.2 + unknown);
    }
    done.store(true, Ordering::Relaxed);
    let killed = killer_task.await.expect("joined");
    println!("{killed} backends killed; written, not written, unknown: {sums:?}");
    assert!(killed > 0);
    let postgres = &world.postgres.as_ref().expect("in Postgres").1;
    assert_eq!(postgres.violations().await, Ok(vec![]));
}

#[tokio::test]
async fn writers_and_readers_survive_a_database_restart() {
    let folder = TempFolder::new();
    let embedded = persistence::embedded::EmbeddedPostgres::start(folder.path())
        .await
        .expect("started");
    let postgres = Postgres::connect(&embedded.url(), sealer())
        .await
        .expect("connected");
    postgres.migrate().await.expect("migrated");
    sqlx::query("insert into clubs (id, name, email, password, home_page_slug) values (1, 'A', 'a@a', 'x', 'reds')")
        .execute(&mut <PgConnection as sqlx::Connection>::connect_with(&embedded.options()).await.expect("connected"))
        .await
        .expect("a club");
    let draw = postgres
        .create_draw(NewDraw::with_defaults(CLUB, "Broncos", "Eels", TERMS))
        .await
        .expect("created");
    let claimed = postgres
        .claim(LEASELESS_NODE, &[draw])
        .await
        .expect("claimed")
        .taken
        .remove(0);
    let ledger: Arc<dyn Ledger> = Arc::new(postgres.clone());
    let mut owner = DrawOwner {
        ledger,
        epoch: claimed.epoch,
        draw: Draw::restore(claimed.snapshot),
        at: support::NOW,
    };
    owner
        .execute(owner.reserve_command(1, 1), None)
        .await
        .expect("written");
    embedded.stop().await;
    assert!(matches!(
        owner.execute(owner.reserve_command(2, 1), None).await,
        Err(Failure::NotWritten(_))
    ));
    assert!(matches!(
        postgres.order(OrderId(1)).await,
        Err(Failure::NotWritten(_))
    ));
    let embedded = persistence::embedded::EmbeddedPostgres::start(folder.path())
        .await
        .expect("started again");
    owner
        .execute(owner.reserve_command(2, 1), None)
        .await
        .expect("the writer reconnects");
    assert_eq!(
        postgres
            .order(OrderId(1))
            .await
            .expect("the lookups reconnect")
            .map(|record| record.token),
        None
    );
    assert_eq!(
        postgres
            .claim(LEASELESS_NODE, &[draw])
            .await
            .expect("claimed")
            .taken[0]
            .snapshot
            .revision,
        2
    );
    embedded.stop().await;
}

#[tokio::test]
async fn audit_entry_is_written_only_with_its_commit() {
    let (world, mut owners) = world_with_owners().await;
    let owner = owners.remove(0);
    let act = AuditAction {
        actor: "operator 1",
        club: None,
        action: "cancel-draw",
        object: "draw:1001",
        ip: None,
    };
    let entry = act.entry(serde_json::json!({ "reason": "Rain" }));
    let cancel = |epoch: i64| {
        let events = owner.draw.decide(NOW, &Command::Cancel).expect("decided");
        DrawCommit {
            epoch,
            act: Some(entry.clone()),
            ..owner.commit(&Command::Cancel, events, None)
        }
    };
    let (_, postgres) = world.postgres.as_ref().expect("in Postgres");
    let records = Records::new(postgres.clone());
    assert_eq!(
        owner.ledger.append(vec![cancel(0)]).await,
        Err(Failure::Fenced)
    );
    assert_eq!(
        records.verify_audit_chain().await.expect("read").length,
        0,
        "no entry without its commit"
    );
    owner
        .ledger
        .append(vec![cancel(owner.epoch)])
        .await
        .expect("written");
    let trail = records
        .audit_trail(&AuditFilter::about("draw:1001"), None, 10)
        .await
        .expect("read");
    let detail = serde_json::json!({ "reason": "Rain", "revision": 1, "status": "cancelled" });
    assert_eq!(
        trail
            .iter()
            .map(|written| &written.detail)
            .collect::<Vec<_>>(),
        [&detail]
    );
    assert_eq!(
        records.verify_audit_chain().await.expect("read").broken_at,
        None
    );
}
