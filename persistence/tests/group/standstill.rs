//! An owner whose link is so bad that its transaction stands still, with the draw's row in its hands.

use persistence::nodes::Boot;
use sqlx::postgres::PgConnection;
use sqlx::{Connection, Executor};

use super::support::{TERMS, World};

#[tokio::test]
async fn a_draw_is_taken_over_from_an_owner_whose_transaction_stands_still() {
    let world = World::in_postgres(&[TERMS]).await;
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
        .take_over(Boot(2), world.draws[0], Boot(1))
        .await
        .expect("nobody waits for it");
    assert_eq!(claims.taken[0].epoch, 2);
    assert!(
        stuck.execute("commit").await.is_err(),
        "and its commit never was"
    );
}
