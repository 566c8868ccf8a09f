//! Two transactions in each other's way: the database breaks the ring, or gives up on one that it cannot put in order, and whoever
//! gave in tries again (SQLSTATE 40P01 and 40001). Three times, and then it is told; nothing of it is half done.

use domain::OrderId;
use persistence::books::Notice;
use persistence::ledger::Append;
use persistence::nodes::Boot;
use persistence::records::Records;
use persistence::{Failure, Postgres};
use sqlx::{AssertSqlSafe, Executor};

use super::support::{ANYBODY, NOW, Owner, TERMS, World};
use super::{reserve, sent};

const TRIES: i64 = 3;
/// When a write of a row is told that it collides.
const AT_ONCE: &str = "trigger collide after insert or update on";
const AT_COMMIT: &str = "constraint trigger collide after insert or update on";

/// From now on the first so many rows that are written to a table collide, with this SQLSTATE. A sequence counts them: it goes on
/// when a transaction is rolled back.
async fn collide(world: &World, (when, table): (&str, &str), times: i64, code: &str) {
    let deferred = if when == AT_COMMIT {
        "deferrable initially deferred"
    } else {
        ""
    };
    let statements = format!(
        "create sequence collisions;
         create function collide() returns trigger language plpgsql security definer as $$
         begin
           if nextval('collisions') <= {times} then
             raise exception 'in each other''s way' using errcode = '{code}';
           end if;
           return null;
         end $$;
         create {when} {table} {deferred} for each row execute function collide()"
    );
    world
        .connection()
        .await
        .execute(AssertSqlSafe(statements))
        .await
        .expect("a trigger");
}

/// How often the write was tried.
async fn tries(world: &World) -> i64 {
    let read =
        sqlx::query_scalar("select case when is_called then last_value else 0 end from collisions");
    read.fetch_one(&mut world.connection().await)
        .await
        .expect("counted")
}

fn postgres(world: &World) -> Postgres {
    world.postgres.as_ref().expect("in Postgres").1.clone()
}

/// What is held, reserved and in the journal of the only draw.
async fn written(world: &World) -> (i64, i64, i64) {
    let read = "select (select held::bigint from draws), (select count(*) from reservations), (select count(*) from draw_events)";
    sqlx::query_as(read)
        .fetch_one(&mut world.connection().await)
        .await
        .expect("counted")
}

async fn one_draw() -> (World, Owner) {
    let world = World::in_postgres(&[TERMS]).await;
    let owner = world.owner(0).await;
    (world, owner)
}

async fn append(owner: &Owner, append: Append) -> Result<(), Failure> {
    owner.ledger.append(vec![append]).await
}

#[tokio::test]
async fn a_commit_that_collides_is_tried_again_and_written_once() {
    for (when, code) in [
        (AT_ONCE, "40001"),
        (AT_ONCE, "40P01"),
        (AT_COMMIT, "40001"),
        (AT_COMMIT, "40P01"),
    ] {
        let (world, owner) = one_draw().await;
        collide(&world, (when, "draw_events"), TRIES - 1, code).await;
        assert_eq!(
            append(&owner, reserve(&owner, 1)).await,
            Ok(()),
            "{code}: {when}"
        );
        assert_eq!(
            (tries(&world).await, written(&world).await),
            (TRIES, (1, 1, 1)),
            "{code}: {when}"
        );
        assert_eq!(postgres(&world).violations().await, Ok(vec![]));
    }
}

#[tokio::test]
async fn a_commit_that_collides_each_time_is_told_and_nothing_of_it_is_half_done() {
    for (when, code) in [
        (AT_ONCE, "40001"),
        (AT_ONCE, "40P01"),
        (AT_COMMIT, "40001"),
        (AT_COMMIT, "40P01"),
    ] {
        let (world, owner) = one_draw().await;
        collide(&world, (when, "draw_events"), TRIES, code).await;
        let told = append(&owner, reserve(&owner, 1)).await;
        assert!(
            matches!(&told, Err(Failure::NotWritten(why)) if why.contains("each other")),
            "{told:?}"
        );
        assert_eq!(
            (tries(&world).await, written(&world).await),
            (TRIES, (0, 0, 0)),
            "{code}: {when}"
        );
        assert_eq!(
            append(&owner, reserve(&owner, 1)).await,
            Ok(()),
            "memory was right all the time"
        );
        assert_eq!(postgres(&world).violations().await, Ok(vec![]));
    }
}

/// A write that is no draw's commit is tried as often: the second but last collision is not heard of, the last is told.
async fn is_tried_again(table: &str, write: impl AsyncFn(&World) -> Result<(), Failure>) {
    for when in [AT_ONCE, AT_COMMIT] {
        for times in [TRIES - 1, TRIES] {
            let (world, mut owner) = one_draw().await;
            owner.open(world.order(1, &[(0, 2)])).await.expect("opened");
            collide(&world, (when, table), times, "40P01").await;
            let told = write(&world).await;
            let is_right = if times < TRIES {
                told == Ok(())
            } else {
                matches!(told, Err(Failure::NotWritten(_)))
            };
            assert!(
                is_right,
                "{table}, {when}: {told:?} after {times} collisions"
            );
            assert_eq!(tries(&world).await, TRIES, "{table}, {when}");
        }
    }
}

#[tokio::test]
async fn every_other_write_that_collides_is_tried_again() {
    is_tried_again("orders", async |world| {
        world.books.rejecting(OrderId(1), "too late", NOW).await
    })
    .await;
    is_tried_again("draws", async |world| {
        world.ledger.claim(ANYBODY, &world.draws).await.map(drop)
    })
    .await;
    is_tried_again("webhook_events", async |world| {
        let (event_id, kind, payload) = (
            "evt_1".into(),
            "payment_intent.succeeded".into(),
            "{}".into(),
        );
        let notice = Notice {
            event_id,
            account: None,
            kind,
            payment_intent: None,
            payload,
        };
        world.books.notice(&notice, Boot(1), NOW).await.map(drop)
    })
    .await;
    is_tried_again("system_settings", async |world| {
        Records::new(postgres(world))
            .set_setting("hide_test_draws", "true", "me")
            .await
    })
    .await;
    is_tried_again("waitlist", async |world| {
        Records::new(postgres(world))
            .join_waitlist("Reds", "Jo", "jo@club.test", "0400")
            .await
            .map(drop)
    })
    .await;
}

/// Somebody has what the commit wants next, and wants what the commit has. The somebody would wait for a minute before looking;
/// the commit looks after the usual second, before its lock's time is up, gives in, and tries again. It wants a whole table, which
/// Postgres gives to whoever asked first: a row might go to the commit's next try, and there would be another ring.
#[tokio::test]
async fn a_commit_in_a_ring_of_locks_gives_in_and_is_written_afterwards() {
    let (world, owner) = one_draw().await;
    let draw = world.draws[0].0;
    let (mut somebody, mut watch) = (world.connection().await, world.connection().await);
    somebody
        .execute("begin; set deadlock_timeout = '1min'")
        .await
        .expect("begun");
    let reserved =
        "insert into reservations (draw_id, order_id, count, until) values ($1, $2, 1, now())";
    let order = uuid::Uuid::from_u128(1);
    sqlx::query(reserved)
        .bind(draw)
        .bind(order)
        .execute(&mut somebody)
        .await
        .expect("the same reservation");
    let commit = sent(&owner, reserve(&owner, 1));
    let waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    while sqlx::query_scalar::<_, i64>(waits)
        .fetch_one(&mut watch)
        .await
        .expect("counted")
        == 0
    {
        assert!(!commit.is_finished(), "it waits for somebody's reservation");
    }
    somebody
        .execute("lock table draws in share mode")
        .await
        .expect("the other one gives in");
    somebody.execute("rollback").await.expect("let go");
    assert_eq!(commit.await.expect("joined"), Ok(()));
    assert_eq!(written(&world).await, (1, 1, 1));
    let database = world.postgres.as_ref().expect("in Postgres").0.clone();
    drop((world, owner, somebody, watch));
    assert_eq!(database.deadlocks().await, 1);
}
