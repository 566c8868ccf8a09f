//! Test of an owner with a bad connection, whose idle transaction keeps the draw's row locked.

use persistence::nodes::InstanceId;
use sqlx::postgres::PgConnection;
use sqlx::{Connection, Executor};

use super::support::{TERMS, TestWorld};

#[tokio::test]
async fn takeover_ends_an_idle_transaction_of_the_owner() {
    let world = TestWorld::in_postgres(&[TERMS]).await;
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    one.claim(&world.draws).await;
    let (database, _) = world.postgres.as_ref().expect("in Postgres");
    let mut stuck = PgConnection::connect(&database.ordinary_url)
        .await
        .expect("the owner's login");
    stuck
        .execute("begin; update draws set held = held")
        .await
        .expect("its first statement");
    let claims = other
        .ledger()
        .take_over(InstanceId(2), world.draws[0], InstanceId(1))
        .await
        .expect("taken over without waiting");
    assert_eq!(claims.taken[0].epoch, 2);
    assert!(
        stuck.execute("commit").await.is_err(),
        "the idle transaction was ended"
    );
}
