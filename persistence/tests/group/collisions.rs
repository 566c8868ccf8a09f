//! Tests of deadlocks and serialization failures (SQLSTATE 40P01 and 40001). A transaction is tried
//! three times. Then the failure is returned, and nothing is written.

use domain::OrderId;
use persistence::ledger::DrawCommit;
use persistence::nodes::InstanceId;
use persistence::records::Records;
use persistence::stores::StoredWebhookEvent;
use persistence::{Failure, Postgres};
use sqlx::{AssertSqlSafe, Executor};

use super::support::{DrawOwner, LEASELESS_NODE, NOW, TERMS, TestWorld};
use super::{reservation_commit, spawn_commit_write};

const TRIES_MAX: i64 = 3;
/// SQL of a trigger that fails when the row is written.
const FAIL_AT_WRITE_TRIGGER_SQL: &str = "trigger collide after insert or update on";
/// SQL of a trigger that fails at the commit.
const FAIL_AT_COMMIT_TRIGGER_SQL: &str = "constraint trigger collide after insert or update on";

/// Makes the first `times` writes to a table fail with this SQLSTATE. A sequence counts the writes,
/// because a rollback does not reset it.
async fn make_writes_collide(
    world: &TestWorld,
    (when, table): (&str, &str),
    times: i64,
    code: &str,
) {
    let deferred = if when == FAIL_AT_COMMIT_TRIGGER_SQL {
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

/// Returns how often the test's write was tried.
async fn count_write_attempts(world: &TestWorld) -> i64 {
    let read =
        sqlx::query_scalar("select case when is_called then last_value else 0 end from collisions");
    read.fetch_one(&mut world.connection().await)
        .await
        .expect("counted")
}

fn postgres(world: &TestWorld) -> Postgres {
    world.postgres.as_ref().expect("in Postgres").1.clone()
}

/// Returns the numbers of held tickets, of reservations and of journal rows of the only draw.
async fn count_held_reservations_and_commits(world: &TestWorld) -> (i64, i64, i64) {
    let read = "select (select held::bigint from draws), (select count(*) from reservations), (select count(*) from draw_events)";
    sqlx::query_as(read)
        .fetch_one(&mut world.connection().await)
        .await
        .expect("counted")
}

async fn world_with_one_draw() -> (TestWorld, DrawOwner) {
    let world = TestWorld::in_postgres(&[TERMS]).await;
    let owner = world.owner(0).await;
    (world, owner)
}

async fn append(owner: &DrawOwner, append: DrawCommit) -> Result<(), Failure> {
    owner.ledger.append(vec![append]).await
}

#[tokio::test]
async fn collided_commit_is_retried_and_written_once() {
    for (when, code) in [
        (FAIL_AT_WRITE_TRIGGER_SQL, "40001"),
        (FAIL_AT_WRITE_TRIGGER_SQL, "40P01"),
        (FAIL_AT_COMMIT_TRIGGER_SQL, "40001"),
        (FAIL_AT_COMMIT_TRIGGER_SQL, "40P01"),
    ] {
        let (world, owner) = world_with_one_draw().await;
        make_writes_collide(&world, (when, "draw_events"), TRIES_MAX - 1, code).await;
        assert_eq!(
            append(&owner, reservation_commit(&owner, 1)).await,
            Ok(()),
            "{code}: {when}"
        );
        assert_eq!(
            (
                count_write_attempts(&world).await,
                count_held_reservations_and_commits(&world).await
            ),
            (TRIES_MAX, (1, 1, 1)),
            "{code}: {when}"
        );
        assert_eq!(postgres(&world).violations().await, Ok(vec![]));
    }
}

#[tokio::test]
async fn commit_that_always_collides_fails_and_writes_nothing() {
    for (when, code) in [
        (FAIL_AT_WRITE_TRIGGER_SQL, "40001"),
        (FAIL_AT_WRITE_TRIGGER_SQL, "40P01"),
        (FAIL_AT_COMMIT_TRIGGER_SQL, "40001"),
        (FAIL_AT_COMMIT_TRIGGER_SQL, "40P01"),
    ] {
        let (world, owner) = world_with_one_draw().await;
        make_writes_collide(&world, (when, "draw_events"), TRIES_MAX, code).await;
        let result = append(&owner, reservation_commit(&owner, 1)).await;
        assert!(
            matches!(&result, Err(Failure::NotWritten(why)) if why.contains("each other")),
            "{result:?}"
        );
        assert_eq!(
            (
                count_write_attempts(&world).await,
                count_held_reservations_and_commits(&world).await
            ),
            (TRIES_MAX, (0, 0, 0)),
            "{code}: {when}"
        );
        assert_eq!(
            append(&owner, reservation_commit(&owner, 1)).await,
            Ok(()),
            "the owner's state was still right"
        );
        assert_eq!(postgres(&world).violations().await, Ok(vec![]));
    }
}

/// Checks that a write other than a draw's commit is tried again after two collisions, and fails
/// after the third.
async fn assert_collided_write_is_retried(
    table: &str,
    write: impl AsyncFn(&TestWorld) -> Result<(), Failure>,
) {
    for when in [FAIL_AT_WRITE_TRIGGER_SQL, FAIL_AT_COMMIT_TRIGGER_SQL] {
        for times in [TRIES_MAX - 1, TRIES_MAX] {
            let (world, mut owner) = world_with_one_draw().await;
            owner.open(world.order(1, &[(0, 2)])).await.expect("opened");
            make_writes_collide(&world, (when, table), times, "40P01").await;
            let result = write(&world).await;
            let is_right = if times < TRIES_MAX {
                result == Ok(())
            } else {
                matches!(result, Err(Failure::NotWritten(_)))
            };
            assert!(
                is_right,
                "{table}, {when}: {result:?} after {times} collisions"
            );
            assert_eq!(
                count_write_attempts(&world).await,
                TRIES_MAX,
                "{table}, {when}"
            );
        }
    }
}

#[tokio::test]
async fn other_collided_writes_are_retried() {
    assert_collided_write_is_retried("orders", async |world| {
        world.stores.reject_order(OrderId(1), "too late", NOW).await
    })
    .await;
    assert_collided_write_is_retried("draws", async |world| {
        world
            .ledger
            .claim(LEASELESS_NODE, &world.draws)
            .await
            .map(drop)
    })
    .await;
    assert_collided_write_is_retried("webhook_events", async |world| {
        let (event_id, kind, payload) = (
            "evt_1".into(),
            "payment_intent.succeeded".into(),
            "{}".into(),
        );
        let notice = StoredWebhookEvent {
            event_id,
            account: None,
            kind,
            payment_intent: None,
            payload,
        };
        world
            .stores
            .store_event(&notice, InstanceId(1), NOW)
            .await
            .map(drop)
    })
    .await;
    assert_collided_write_is_retried("system_settings", async |world| {
        Records::new(postgres(world))
            .set_setting("hide_test_draws", "true", "me")
            .await
    })
    .await;
    assert_collided_write_is_retried("waitlist", async |world| {
        Records::new(postgres(world))
            .join_waitlist("Reds", "Jo", "jo@club.test", "0400")
            .await
            .map(drop)
    })
    .await;
}

/// Another transaction holds a lock that the commit needs, and waits for a lock that the commit
/// holds. The commit checks for deadlocks after a second, the other transaction only after a
/// minute. So the commit is rolled back and tried again. The other transaction locks a whole table,
/// because a row lock might go to the commit's next try and cause another deadlock.
#[tokio::test]
async fn deadlocked_commit_is_rolled_back_and_written_later() {
    let (world, owner) = world_with_one_draw().await;
    let draw = world.draws[0].0;
    let (mut blocker, mut watch) = (world.connection().await, world.connection().await);
    blocker
        .execute("begin; set deadlock_timeout = '1min'")
        .await
        .expect("begun");
    let reserved =
        "insert into reservations (draw_id, order_id, count, until) values ($1, $2, 1, now())";
    let order = uuid::Uuid::from_u128(1);
    sqlx::query(reserved)
        .bind(draw)
        .bind(order)
        .execute(&mut blocker)
        .await
        .expect("the same reservation");
    let commit = spawn_commit_write(&owner, reservation_commit(&owner, 1));
    let waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    while sqlx::query_scalar::<_, i64>(waits)
        .fetch_one(&mut watch)
        .await
        .expect("counted")
        == 0
    {
        assert!(
            !commit.is_finished(),
            "the commit waits for the reservation"
        );
    }
    blocker
        .execute("lock table draws in share mode")
        .await
        .expect("the commit is rolled back");
    blocker.execute("rollback").await.expect("rolled back");
    assert_eq!(commit.await.expect("joined"), Ok(()));
    assert_eq!(count_held_reservations_and_commits(&world).await, (1, 1, 1));
    let database = world.postgres.as_ref().expect("in Postgres").0.clone();
    drop((world, owner, blocker, watch));
    assert_eq!(database.count_deadlocks().await, 1);
}
