//! Tests that a revealed draw is never sold again (decision M-4), not even by a statement that
//! bypasses the engine. This includes draws from before the migration.

#[path = "support/world.rs"]
mod support;

use persistence::MIGRATOR;
use persistence::testing::TestDatabase;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row};

use support::{TERMS, TestWorld};

const REVEALS_MIGRATION: i64 = 20_261_128_000_301;

/// Returns the SQLSTATE with which a statement is refused, or `None` when it succeeds.
async fn sql_state(connection: &mut PgConnection, statement: &'static str) -> Option<String> {
    let refused = connection.execute(statement).await.err()?;
    Some(
        refused
            .as_database_error()
            .expect("the database answers")
            .code()
            .expect("a state")
            .into_owned(),
    )
}

#[tokio::test]
async fn database_refuses_to_sell_a_revealed_draw_again() {
    let world = TestWorld::in_postgres(&[TERMS; 2]).await;
    let mut connection = world.connection().await;
    let reveal = "update draws set status = 'closed', kick_off = now() - interval '1 hour', revealed_at = now() where id = 1001";
    connection.execute(reveal).await.expect("revealed");
    for forbidden in [
        "update draws set revealed_at = null where id = 1001",
        "update draws set revealed_at = revealed_at + interval '1 hour' where id = 1001",
        "update draws set status = 'active' where id = 1001",
        "update draws set kick_off = now() + interval '1 day' where id = 1001",
        "update draws set status = 'active', revealed_at = null, kick_off = now() + interval '1 day' where id = 1001",
    ] {
        assert_eq!(
            sql_state(&mut connection, forbidden).await.as_deref(),
            Some("23514"),
            "{forbidden}"
        );
    }
    let row = connection.fetch_one(
        "select status, revealed_at is not null, kick_off < now() from draws where id = 1001",
    );
    let row = row.await.expect("read");
    assert_eq!(
        (
            row.get::<&str, _>(0),
            row.get::<bool, _>(1),
            row.get::<bool, _>(2)
        ),
        ("closed", true, true)
    );
    // Decision M-4 still allows these changes: another result, or the cancellation of the game. A
    // draw that was not revealed can change as before.
    for allowed in [
        "update draws set kick_off = kick_off - interval '1 minute' where id = 1001",
        "update draws set status = 'cancelled' where id = 1001",
        "update draws set status = 'closed', kick_off = now() - interval '1 hour' where id = 1002",
        "update draws set status = 'active', kick_off = now() + interval '1 day' where id = 1002",
    ] {
        assert_eq!(sql_state(&mut connection, allowed).await, None, "{allowed}");
    }
}

#[tokio::test]
async fn undo_by_an_older_server_marks_the_draw_revealed() {
    let world = TestWorld::in_postgres(&[TERMS; 1]).await;
    let mut connection = world.connection().await;
    let completed =
        "update draws set status = 'completed', result_home = 1, result_away = 1, winning_serial = 1, prize_cents = 0,
         completed_at = now(), completed_revision = 0 where id = 1001";
    connection.execute(completed).await.expect("completed");
    // A server that runs the previous version of the program does not know the two new columns, so
    // its statement does not set them.
    let undone = "update draws set status = 'closed', result_home = null, result_away = null, winning_serial = null,
         prize_cents = null, completed_at = null, completed_revision = null where id = 1001 returning revealed_at is not null";
    assert!(
        connection
            .fetch_one(undone)
            .await
            .expect("undone")
            .get::<bool, _>(0)
    );
    let again = "update draws set status = 'active' where id = 1001";
    assert_eq!(
        sql_state(&mut connection, again).await.as_deref(),
        Some("23514")
    );
}

/// Returns a database with the schema as it was before a migration.
async fn database_migrated_before(version: i64) -> (TestDatabase, PgConnection) {
    let database = persistence::testing::empty_database().await;
    let mut connection = database.connection().await;
    for migration in MIGRATOR
        .iter()
        .filter(|migration| migration.version < version)
    {
        connection
            .execute(AssertSqlSafe(migration.sql.as_str().to_string()))
            .await
            .expect("applied");
    }
    (database, connection)
}

/// SQL that inserts draws from before the migration: with a result after kick-off, a result before
/// it, an undone result, no result, and returned tickets.
const INSERT_OLD_DRAWS_SQL: &str = "
    insert into clubs (id, name, email, password, home_page_slug) values (1, 'Broncos', 'b@x.test', '', 'broncos');
    insert into draws (id, club_id, home_team, away_team, kick_off, price_cents, prize_percentage, status, commitment, seed_sealed,
        result_home, result_away, winning_serial, prize_cents, completed_revision, completed_at)
      select id, 1, 'A', 'B', '2026-01-01T00:00:00Z'::timestamptz + later, 500, 50, status, sha256(id::text::bytea), ''::bytea,
        result, result, result, result, result, case when result is null then null else '2026-01-01T02:00:00Z'::timestamptz end
      from (values
        (1, interval '0', 'completed', 1::smallint), (2, interval '100 years', 'completed', 1::smallint),
        (3, interval '0', 'closed', null), (4, interval '0', 'closed', null), (5, interval '100 years', 'active', null)
      ) as old (id, later, status, result);
    insert into draw_events (draw_id, revision, epoch, at, events) values
      (3, 1, 1, '2026-01-01T01:00:00Z', '{\"events\": [{\"event\": \"completed\"}]}'),
      (3, 2, 1, '2026-01-01T03:00:00Z', '{\"events\": [{\"event\": \"undone\", \"status\": \"closed\"}]}'),
      (5, 1, 1, '2026-01-01T01:00:00Z', '{\"events\": [{\"event\": \"completed\"}]}'),
      (5, 2, 1, '2026-01-01T01:00:00Z', '{\"events\": [{\"event\": \"undone\", \"status\": \"active\"}]}'),
      (5, 3, 1, '2026-01-01T01:00:00Z', '{\"events\": [{\"event\": \"voided\", \"serials\": [7, 3]}]}'),
      (5, 4, 1, '2026-01-01T01:00:00Z', '{\"events\": [{\"event\": \"voided\", \"serials\": [3, 9]}]}')";

#[tokio::test]
async fn migration_finds_revealed_draws_and_returned_tickets() {
    let (_database, mut connection) = database_migrated_before(REVEALS_MIGRATION).await;
    connection
        .execute(INSERT_OLD_DRAWS_SQL)
        .await
        .expect("draws from before");
    for migration in MIGRATOR
        .iter()
        .filter(|migration| migration.version >= REVEALS_MIGRATION)
    {
        connection
            .execute(AssertSqlSafe(migration.sql.as_str().to_string()))
            .await
            .expect("applied");
    }
    let read = "select id::int, to_char(revealed_at at time zone 'UTC', 'HH24:MI'), returned_serials from draws order by id";
    let rows = connection.fetch_all(read).await.expect("read");
    let found: Vec<(i32, Option<String>, Vec<i16>)> = rows
        .iter()
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect();
    let revealed = |at: &str| Some(at.to_string());
    assert_eq!(
        found,
        [
            (1, revealed("02:00"), vec![]),
            (2, None, vec![]),
            (3, revealed("03:00"), vec![]),
            (4, None, vec![]),
            (5, None, vec![3, 7, 9]),
        ]
    );
    let again = "update draws set status = 'active' where id = 3";
    assert_eq!(
        sql_state(&mut connection, again).await.as_deref(),
        Some("23514"),
        "the trigger exists as well"
    );
    connection.close().await.expect("closed");
}
