//! Many commits in one transaction, each answering for itself; and what is told when the database goes away in the middle.

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
use persistence::books::Tell;
use persistence::ledger::{Append, BuyerDetails, Rider};
use persistence::postgres::draws::NewDraw;
use persistence::records::Records;
use persistence::records::audit::Act;
use persistence::testing::{Folder, sealer};
use persistence::{Books, Failure, Ledger, Postgres};
use sqlx::Executor;
use sqlx::postgres::PgConnection;
use tokio::task::JoinHandle;

use gate::Gate;
use support::{ANYBODY, CLUB, NOW, Owner, TERMS, World};

const DRAWS: usize = 12;

async fn world() -> (World, Vec<Owner>) {
    let world = World::in_postgres(&[TERMS; DRAWS]).await;
    let mut owners = Vec::new();
    for claimed in world
        .ledger
        .claim(ANYBODY, &world.draws)
        .await
        .expect("claimed")
        .taken
    {
        let (ledger, epoch) = (world.ledger.clone(), claimed.epoch);
        owners.push(Owner {
            ledger,
            epoch,
            draw: Draw::restore(claimed.snapshot),
            at: support::NOW,
        });
    }
    (world, owners)
}

fn reserve(owner: &Owner, order: u128) -> Append {
    let command = owner.reserve(order, 1);
    let events = owner.draw.decide(NOW, &command).expect("free");
    owner.commit(&command, events, None)
}

fn sent(owner: &Owner, append: Append) -> JoinHandle<Result<(), Failure>> {
    let ledger = owner.ledger.clone();
    tokio::spawn(async move { ledger.append(vec![append]).await })
}

async fn transactions(world: &World, draws: &[usize]) -> i64 {
    let ids: Vec<i64> = draws.iter().map(|draw| world.draws[*draw].0).collect();
    sqlx::query_scalar("select count(distinct xmin::text) from draw_events where draw_id = any($1)")
        .bind(ids)
        .fetch_one(&mut world.connection().await)
        .await
        .expect("counted")
}

async fn commits(connection: &mut PgConnection, draw: i64) -> i64 {
    sqlx::query_scalar("select count(*) from draw_events where draw_id = $1")
        .bind(draw)
        .fetch_one(connection)
        .await
        .expect("counted")
}

async fn settle() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_fenced_member_does_not_fail_its_neighbours() {
    // On a machine that is very busy the gate may be forced open by the lock's time limit before everybody is there.
    const DAYS: usize = 5;
    for _ in 0..DAYS {
        let (world, owners) = world().await;
        let (gate, stuck) = Gate::close(&world, &owners).await;
        let mut waiting = Vec::new();
        for owner in &owners[2..] {
            waiting.push(sent(owner, reserve(owner, 9)));
        }
        let ghost = sent(
            &owners[2],
            Append {
                epoch: 0,
                ..reserve(&owners[2], 8)
            },
        );
        settle().await;
        gate.open().await;
        assert_eq!(ghost.await.expect("joined"), Err(Failure::Fenced));
        for one in waiting {
            assert_eq!(one.await.expect("joined"), Ok(()));
        }
        for one in stuck {
            let _ = one.await.expect("joined");
        }
        if transactions(&world, &(2..DRAWS).collect::<Vec<_>>()).await <= 2 {
            return;
        }
    }
    panic!("ten draws never shared a transaction");
}

/// Three commits of one draw.
fn three(owner: &Owner) -> Vec<Append> {
    let mut ahead = owner.clone();
    let reserves = (1..=3).map(|order| {
        let append = reserve(&ahead, order);
        ahead.draw.apply(&append.events);
        append
    });
    reserves.collect()
}

#[tokio::test]
async fn of_draws_with_several_commits_each_the_fenced_one_falls_alone() {
    let (world, owners) = world().await;
    let (gate, stuck) = Gate::close(&world, &owners).await;
    let send = |owner: &Owner, appends: Vec<Append>| {
        let ledger = owner.ledger.clone();
        tokio::spawn(async move { ledger.append(appends).await })
    };
    let ghosts = three(&owners[2])
        .into_iter()
        .map(|append| Append { epoch: 0, ..append });
    let ghost = send(&owners[2], ghosts.collect());
    let too_many = Reservation {
        count: 51,
        until: NOW,
        extensions: 0,
    };
    let mut guilty = three(&owners[3]);
    guilty[1].events = vec![Event::Reserved {
        order: OrderId(2),
        reservation: too_many,
    }];
    let guilty = send(&owners[3], guilty);
    let innocent: Vec<_> = owners[4..]
        .iter()
        .map(|owner| send(owner, three(owner)))
        .collect();
    settle().await;
    gate.open().await;
    assert_eq!(ghost.await.expect("joined"), Err(Failure::Fenced));
    assert!(matches!(
        guilty.await.expect("joined"),
        Err(Failure::NotWritten(_))
    ));
    for one in innocent {
        assert_eq!(one.await.expect("joined"), Ok(()));
    }
    drop(stuck);
    let mut connection = world.connection().await;
    for (place, draw) in world.draws.iter().enumerate().skip(2) {
        let expected = if place < 4 { 0 } else { 3 };
        assert_eq!(
            commits(&mut connection, draw.0).await,
            expected,
            "draw {place}"
        );
        assert_eq!(
            transactions(&world, &[place]).await,
            expected.min(1),
            "all in one transaction"
        );
    }
    let postgres = &world.postgres.as_ref().expect("in Postgres").1;
    assert_eq!(postgres.violations().await, Ok(vec![]));
}

#[tokio::test]
async fn a_guilty_member_fails_alone() {
    let (world, owners) = world().await;
    let (gate, stuck) = Gate::close(&world, &owners).await;
    let too_many = Reservation {
        count: 51,
        until: NOW,
        extensions: 0,
    };
    let events = vec![Event::Reserved {
        order: OrderId(7),
        reservation: too_many,
    }];
    let guilty = Append {
        events,
        ..reserve(&owners[2], 7)
    };
    let guilty = sent(&owners[2], guilty);
    let unknown = sent(
        &owners[3],
        owners[3].commit(
            &owners[3].sale(99, 1),
            owners[3]
                .draw
                .decide(NOW, &owners[3].sale(99, 1))
                .expect("free"),
            None,
        ),
    );
    let mut innocent = Vec::new();
    for owner in &owners[4..] {
        innocent.push(sent(owner, reserve(owner, 9)));
    }
    settle().await;
    gate.open().await;
    assert!(matches!(
        guilty.await.expect("joined"),
        Err(Failure::NotWritten(_))
    ));
    assert_eq!(unknown.await.expect("joined"), Err(Failure::NotFound));
    for one in innocent {
        assert_eq!(one.await.expect("joined"), Ok(()));
    }
    drop(stuck);
}

#[tokio::test]
async fn of_two_commits_that_follow_the_same_revision_one_is_written() {
    let (world, owners) = world().await;
    let (gate, stuck) = Gate::close(&world, &owners).await;
    let (first, second) = (
        sent(&owners[2], reserve(&owners[2], 8)),
        sent(&owners[2], reserve(&owners[2], 9)),
    );
    settle().await;
    gate.open().await;
    let mut said = [first.await.expect("joined"), second.await.expect("joined")];
    said.sort_by_key(Result::is_err);
    assert_eq!(said, [Ok(()), Err(Failure::Fenced)]);
    drop(stuck);
    assert_eq!(
        commits(&mut world.connection().await, world.draws[2].0).await,
        1
    );
}

#[tokio::test]
async fn a_caller_that_goes_away_loses_nothing() {
    let (world, owners) = world().await;
    let (gate, stuck) = Gate::close(&world, &owners).await;
    let gone = sent(&owners[2], reserve(&owners[2], 9));
    settle().await;
    gone.abort();
    drop(stuck);
    gate.open().await;
    let mut connection = world.connection().await;
    while commits(&mut connection, owners[2].draw.id().0).await == 0 {}
}

/// A `BEGIN` that is cancelled poisons its connection, and the next writer's work is lost without a word. Nobody can cancel
/// ours.
#[tokio::test]
async fn cancelled_callers_poison_no_connection() {
    let (world, mut owners) = world().await;
    let orders = 60u128;
    for order in 1..=orders {
        let owner = &mut owners[order as usize % DRAWS];
        let rider = Rider::Open(world.order(order, &[(order as usize % DRAWS, 1)]));
        owner
            .execute(owner.reserve(order, 1), Some(rider))
            .await
            .expect("opened");
    }
    for round in 0..300 {
        let books = world.books.clone();
        let cancelled =
            tokio::spawn(async move { books.released(OrderId(1), "", Tell::Nobody, NOW).await });
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
        world
            .books
            .fill_buyer(OrderId(order), &phone)
            .await
            .expect("filled");
    }
    let filled: i64 =
        sqlx::query_scalar("select count(*) from orders where buyer_phone is not null")
            .fetch_one(&mut world.connection().await)
            .await
            .expect("counted");
    assert_eq!(filled, orders as i64);
}

/// One draw's life while backends are being killed: what was told must be so.
async fn tell(
    ledger: Arc<dyn Ledger>,
    mut owner: Owner,
    mut check: PgConnection,
    answers: Arc<AtomicU64>,
) -> (u32, u32, u32) {
    let draw = owner.draw.id();
    let (mut written, mut refused, mut unknown) = (0, 0, 0);
    let mut order = 0;
    while written < 25 {
        order += 1;
        let append = reserve(&owner, order % 100 + 1);
        let (events, after) = (append.events.clone(), append.after as i64);
        let told = owner.ledger.append(vec![append]).await;
        answers.fetch_add(1, Ordering::Relaxed);
        match told {
            Ok(()) => {
                assert_eq!(
                    commits(&mut check, draw.0).await,
                    after + 1,
                    "told as written, and lost"
                );
                owner.draw.apply(&events);
                written += 1;
            }
            Err(Failure::NotWritten(_)) => {
                assert_eq!(
                    commits(&mut check, draw.0).await,
                    after,
                    "told as not written, and written"
                );
                refused += 1;
            }
            Err(Failure::Unknown(_) | Failure::Fenced) => {
                let claimed = loop {
                    match ledger.claim(ANYBODY, &[draw]).await {
                        Ok(mut claimed) => break claimed.taken.remove(0),
                        Err(_) => tokio::task::yield_now().await,
                    }
                };
                owner = Owner {
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
            let append = Append {
                events: events.clone(),
                ..reserve(&owner, 200)
            };
            if owner.ledger.append(vec![append]).await.is_ok() {
                owner.draw.apply(&events);
            }
        }
    }
    (written, refused, unknown)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_backends_are_killed_nobody_is_told_a_lie() {
    let (world, owners) = world().await;
    // Named, so that the killer spares those who check.
    let spared = world
        .postgres
        .as_ref()
        .expect("a real Postgres")
        .0
        .options
        .clone()
        .application_name("spared");
    let spare = || async {
        <PgConnection as sqlx::Connection>::connect_with(&spared)
            .await
            .expect("the tests' Postgres answers")
    };
    let (done, told) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let mut killer = spare().await;
    let killing = tokio::spawn({
        let (done, told) = (done.clone(), told.clone());
        async move {
            let (mut killed, mut next) = (0, 1);
            while !done.load(Ordering::Relaxed) {
                if told.load(Ordering::Relaxed) < next {
                    tokio::task::yield_now().await;
                    continue;
                }
                // Whoever is in the middle of something.
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
    let mut telling = Vec::new();
    for owner in owners {
        let check = spare().await;
        telling.push(tokio::spawn(tell(
            world.ledger.clone(),
            owner,
            check,
            told.clone(),
        )));
    }
    let mut sums = (0, 0, 0);
    for one in telling {
        let (written, refused, unknown) = one.await.expect("no lie");
        sums = (sums.0 + written, sums.1 + refused, sums.2 + unknown);
    }
    done.store(true, Ordering::Relaxed);
    let killed = killing.await.expect("joined");
    println!("{killed} backends killed; written, not written, unknown: {sums:?}");
    assert!(killed > 0);
    let postgres = &world.postgres.as_ref().expect("in Postgres").1;
    assert_eq!(postgres.violations().await, Ok(vec![]));
}

#[tokio::test]
async fn the_writers_survive_a_restart_of_the_database() {
    let folder = Folder::new();
    let embedded = persistence::embedded::Embedded::start(folder.path())
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
        .create_draw(NewDraw::plain(CLUB, "Broncos", "Eels", TERMS))
        .await
        .expect("created");
    let claimed = postgres
        .claim(ANYBODY, &[draw])
        .await
        .expect("claimed")
        .taken
        .remove(0);
    let ledger: Arc<dyn Ledger> = Arc::new(postgres.clone());
    let mut owner = Owner {
        ledger,
        epoch: claimed.epoch,
        draw: Draw::restore(claimed.snapshot),
        at: support::NOW,
    };
    owner
        .execute(owner.reserve(1, 1), None)
        .await
        .expect("written");
    embedded.stop().await;
    assert!(matches!(
        owner.execute(owner.reserve(2, 1), None).await,
        Err(Failure::NotWritten(_))
    ));
    assert!(matches!(
        postgres.order(OrderId(1)).await,
        Err(Failure::NotWritten(_))
    ));
    let embedded = persistence::embedded::Embedded::start(folder.path())
        .await
        .expect("started again");
    owner
        .execute(owner.reserve(2, 1), None)
        .await
        .expect("the same connection's owner writes on");
    assert_eq!(
        postgres
            .order(OrderId(1))
            .await
            .expect("the readers, too")
            .map(|record| record.token),
        None
    );
    assert_eq!(
        postgres
            .claim(ANYBODY, &[draw])
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
async fn an_act_stands_with_its_commit_or_not_at_all() {
    let (world, mut owners) = world().await;
    let owner = owners.remove(0);
    let act = Act {
        actor: "operator 1",
        club: None,
        action: "cancel-draw",
        object: "draw:1001",
        ip: None,
    };
    let entry = act.entry(serde_json::json!({ "reason": "Rain" }));
    let cancel = |epoch: i64| {
        let events = owner.draw.decide(NOW, &Command::Cancel).expect("decided");
        Append {
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
        records.audit_chain().await.expect("read").length,
        0,
        "what was not written was not done"
    );
    owner
        .ledger
        .append(vec![cancel(owner.epoch)])
        .await
        .expect("written");
    let trail = records
        .audit_trail(&["draw:1001".into()], None, 10)
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
    assert_eq!(records.audit_chain().await.expect("read").broken_at, None);
}
