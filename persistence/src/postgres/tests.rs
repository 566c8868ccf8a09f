//! A `BEGIN` that is cancelled on its way leaves a transaction open that nobody knows of, and whatever is written next on that
//! connection is answered with yes and lost. Our pools heal a connection before they lend it.

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use super::pool;
use crate::testing::{Database, database};

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
            let written = sqlx::query("insert into innocent values ($1)").bind(round as i64).execute(pool).await;
            told += i64::from(written.is_ok());
        }
    }
    pool.close().await;
    (told, database.count("select count(*) from innocent where $1 = ''", "").await)
}

#[tokio::test]
async fn after_ten_thousand_cancelled_begins_on_one_connection_no_write_is_lost() {
    let (database, options) = table().await;
    let (told, found) = write_between_cancelled_begins(&pool(1, &options), &database).await;
    println!("cancelled begins: {CANCELLED}, {told} writes told, {} lost", told - found);
    assert_eq!((told, found), (CANCELLED as i64 / 10, CANCELLED as i64 / 10));
}

#[tokio::test]
async fn a_pool_that_does_not_heal_loses_some() {
    let (database, options) = table().await;
    let bare = PgPoolOptions::new().max_connections(1).connect_lazy_with(options);
    let (told, found) = write_between_cancelled_begins(&bare, &database).await;
    assert!(found < told, "{found} of {told}: the library is mended, and the healing can go");
}
