//! Test of migrations that several processes apply at the same time.

use persistence::postgres::bank::DatabaseLogins;
use persistence::testing::empty_database;
use persistence::{Postgres, Sealer};

#[tokio::test]
async fn processes_that_migrate_at_once_do_not_deadlock() {
    let database = empty_database().await;
    let connect = async || {
        let owner = DatabaseLogins::single_login(database.options.clone());
        Postgres::connect_with_logins(owner, Sealer::new(&[42; 32]))
            .await
            .expect("connected")
    };
    let (first, second, third) = (connect().await, connect().await, connect().await);
    let migrated = tokio::join!(first.migrate(), second.migrate(), third.migrate());
    assert_eq!(migrated, (Ok(()), Ok(()), Ok(())));
    assert_eq!(first.count_missing_migrations().await, Ok(0));
    let invalid = "select count(*) from pg_index where not indisvalid and $1 = ''";
    assert_eq!(database.query_number(invalid, "").await, 0);
}
