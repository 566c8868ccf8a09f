//! Tests with connections that are cancelled or die.
//!
//! A cancelled `BEGIN` leaves a transaction open. The next write on that connection succeeds but is
//! never committed. The pools therefore send a rollback before they hand out a connection. A dead
//! connection never answers; a timeout closes it.

use std::path::PathBuf;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

use super::{BACKGROUND_CONNECTIONS_MAX, DeadConnectionFlag, Postgres, build_pool};
use crate::error::Failure;
use crate::testing::{TempFolder, TestDatabase, database, sealer};

/// Once a statement contains this word, the test's proxy forwards no more bytes on that connection.
const FREEZE_TRIGGER_TEXT: &[u8] = b"silence";

/// Number of `BEGIN` statements that the test cancels on its only connection. After every tenth of
/// them it writes a row.
const CANCELLED_BEGIN_COUNT: usize = 10_000;

async fn create_table() -> (TestDatabase, PgConnectOptions) {
    let database = database().await;
    database
        .execute_sql("create table innocent (round bigint)")
        .await;
    let options = database.options.clone();
    (database, options)
}

/// Returns how many writes reported success, and how many of these rows are in the table.
async fn write_between_cancelled_begins(pool: &PgPool, database: &TestDatabase) -> (i64, i64) {
    let mut confirmed = 0;
    for round in 0..CANCELLED_BEGIN_COUNT {
        let begins = pool.clone();
        let begun = tokio::spawn(async move { begins.begin().await.map(drop) });
        for _ in 0..round % 23 {
            tokio::task::yield_now().await;
        }
        begun.abort();
        // The `BEGIN` task has ended, either cancelled or completed. So the only connection is free
        // again.
        let _ = begun.await;
        if round % 10 == 9 {
            let written = sqlx::query("insert into innocent values ($1)")
                .bind(round as i64)
                .execute(pool)
                .await;
            confirmed += i64::from(written.is_ok());
        }
    }
    pool.close().await;
    (
        confirmed,
        database
            .query_number("select count(*) from innocent where $1 = ''", "")
            .await,
    )
}

#[tokio::test]
async fn cancelled_begins_lose_no_write() {
    let (database, options) = create_table().await;
    let (confirmed, found) = write_between_cancelled_begins(
        &build_pool(1, &options, &DeadConnectionFlag::default()),
        &database,
    )
    .await;
    println!(
        "cancelled begins: {CANCELLED_BEGIN_COUNT}, {confirmed} writes confirmed, {} lost",
        confirmed - found
    );
    assert_eq!(
        (confirmed, found),
        (
            CANCELLED_BEGIN_COUNT as i64 / 10,
            CANCELLED_BEGIN_COUNT as i64 / 10
        )
    );
}

#[tokio::test]
async fn pool_without_rollback_loses_writes() {
    let (database, options) = create_table().await;
    let bare = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with(options);
    let (confirmed, found) = write_between_cancelled_begins(&bare, &database).await;
    assert!(
        found < confirmed,
        "{found} of {confirmed}: the library is mended, and the healing can go"
    );
}

/// Forwards one connection until a statement contains `FREEZE_TRIGGER_TEXT`. After that, both ends
/// stay connected but receive nothing more.
async fn forward_until_frozen(mut near: UnixStream, socket: PathBuf) -> std::io::Result<()> {
    let mut far = UnixStream::connect(socket).await?;
    let (mut asked, mut answered, mut silent) = (vec![0; 8192], vec![0; 8192], false);
    loop {
        tokio::select! {
            read = near.read(&mut asked) => {
                let read = read?;
                silent |= asked[..read].windows(FREEZE_TRIGGER_TEXT.len()).any(|window| window == FREEZE_TRIGGER_TEXT);
                match read {
                    0 => return Ok(()),
                    _ if silent => {}
                    _ => far.write_all(&asked[..read]).await?,
                }
            }
            read = far.read(&mut answered) => match read? {
                0 => return Ok(()),
                _ if silent => {}
                read => near.write_all(&answered[..read]).await?,
            }
        }
    }
}

#[tokio::test]
async fn dead_connections_time_out_and_leave_the_pool() {
    let (database, folder) = (database().await, TempFolder::new());
    let socket = PathBuf::from(
        database
            .url
            .split_once("host=")
            .expect("a socket's folder")
            .1,
    )
    .join(".s.PGSQL.5432");
    let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).expect("a socket");
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            tokio::spawn(forward_until_frozen(near, socket.clone()));
        }
    });
    let options = database.options.clone().socket(folder.path());
    let postgres = Postgres::connect_with(options, sealer())
        .await
        .expect("connected");
    let query = |question: &'static str, limit| {
        let (postgres, inside) = (postgres.clone(), postgres.clone());
        let query = async move {
            sqlx::query_scalar(question)
                .fetch_one(inside.background_pool())
                .await
                .map_err(Failure::from_read_error)
        };
        async move {
            postgres
                .run_on_database_threads_within(Duration::from_millis(limit), query)
                .await
        }
    };
    assert_eq!(query("select 1", 5_000).await, Ok(1));
    let mut all = JoinSet::new();
    for _ in 0..BACKGROUND_CONNECTIONS_MAX {
        all.spawn(query("select 2 as silence", 500));
    }
    let unanswered: Vec<Result<i32, Failure>> = all.join_all().await;
    assert!(
        unanswered
            .iter()
            .all(|one| matches!(one, Err(Failure::Unknown(_)))),
        "{unanswered:?}"
    );
    assert_eq!(
        query("select 1", 5_000).await,
        Ok(1),
        "the places of the silent ones are free again"
    );
}
