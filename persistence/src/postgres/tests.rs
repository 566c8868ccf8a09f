//! What connections do to whoever trusts them. A `BEGIN` that is cancelled on its way leaves a transaction open that nobody knows of,
//! and whatever is written next on that connection is answered with yes and lost: our pools heal a connection before they lend it.
//! And a line that is dead and does not know it answers nobody, for ever: nobody waits so long, and its connection is given up.

use std::path::PathBuf;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

use super::{BACKGROUND_CONNECTIONS_MAX, Postgres, Silence, pool};
use crate::error::Failure;
use crate::testing::{Database, Folder, database, sealer};

/// Whoever says it is never answered again on this connection.
const WORD: &[u8] = b"silence";

/// Cancelled begins on the one connection there is; an innocent write after each tenth.
const CANCELLED: usize = 10_000;

async fn table() -> (Database, PgConnectOptions) {
    let database = database().await;
    database.run("create table innocent (round bigint)").await;
    let options = database.options.clone();
    (database, options)
}

/// How many writes were answered with yes, and how many of them are there.
async fn write_between_cancelled_begins(pool: &PgPool, database: &Database) -> (i64, i64) {
    let mut told = 0;
    for round in 0..CANCELLED {
        let begins = pool.clone();
        let begun = tokio::spawn(async move { begins.begin().await.map(drop) });
        for _ in 0..round % 23 {
            tokio::task::yield_now().await;
        }
        begun.abort();
        // Cancelled or done: either way nobody holds the connection any more.
        let _ = begun.await;
        if round % 10 == 9 {
            let written = sqlx::query("insert into innocent values ($1)")
                .bind(round as i64)
                .execute(pool)
                .await;
            told += i64::from(written.is_ok());
        }
    }
    pool.close().await;
    (
        told,
        database
            .count("select count(*) from innocent where $1 = ''", "")
            .await,
    )
}

#[tokio::test]
async fn after_ten_thousand_cancelled_begins_on_one_connection_no_write_is_lost() {
    let (database, options) = table().await;
    let (told, found) =
        write_between_cancelled_begins(&pool(1, &options, &Silence::default()), &database).await;
    println!(
        "cancelled begins: {CANCELLED}, {told} writes told, {} lost",
        told - found
    );
    assert_eq!(
        (told, found),
        (CANCELLED as i64 / 10, CANCELLED as i64 / 10)
    );
}

#[tokio::test]
async fn a_pool_that_does_not_heal_loses_some() {
    let (database, options) = table().await;
    let bare = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with(options);
    let (told, found) = write_between_cancelled_begins(&bare, &database).await;
    assert!(
        found < told,
        "{found} of {told}: the library is mended, and the healing can go"
    );
}

/// Carries one connection until the word is said; from then on both ends think that they are connected, and hear nothing.
async fn carry(mut near: UnixStream, socket: PathBuf) -> std::io::Result<()> {
    let mut far = UnixStream::connect(socket).await?;
    let (mut asked, mut answered, mut silent) = (vec![0; 8192], vec![0; 8192], false);
    loop {
        tokio::select! {
            read = near.read(&mut asked) => {
                let read = read?;
                silent |= asked[..read].windows(WORD.len()).any(|window| window == WORD);
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
async fn a_line_that_fell_silent_keeps_nobody_and_no_place_in_the_pool() {
    let (database, folder) = (database().await, Folder::new());
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
            tokio::spawn(carry(near, socket.clone()));
        }
    });
    let options = database.options.clone().socket(folder.path());
    let postgres = Postgres::connect_with(options, sealer())
        .await
        .expect("connected");
    let asks = |question: &'static str, limit| {
        let (postgres, inside) = (postgres.clone(), postgres.clone());
        let asks = async move {
            sqlx::query_scalar(question)
                .fetch_one(inside.background())
                .await
                .map_err(Failure::from_read)
        };
        async move {
            postgres
                .run_within(Duration::from_millis(limit), asks)
                .await
        }
    };
    assert_eq!(asks("select 1", 5_000).await, Ok(1));
    let mut all = JoinSet::new();
    for _ in 0..BACKGROUND_CONNECTIONS_MAX {
        all.spawn(asks("select 2 as silence", 500));
    }
    let unanswered: Vec<Result<i32, Failure>> = all.join_all().await;
    assert!(
        unanswered
            .iter()
            .all(|one| matches!(one, Err(Failure::Unknown(_)))),
        "{unanswered:?}"
    );
    assert_eq!(
        asks("select 1", 5_000).await,
        Ok(1),
        "the places of the silent ones are free again"
    );
}
