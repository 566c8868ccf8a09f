//! Tests of recovery with a promoted replica or a restored backup, which lacks the last commits
//! (fault F43 of reliability.md). Writes of earlier owners are refused, and nothing is sold before
//! lost payments are found.

#[path = "support/world.rs"]
mod support;

use persistence::records::Records;
use persistence::records::audit::AuditFilter;
use persistence::records::settings::MAINTENANCE_MODE;
use persistence::{Failure, Postgres};
use sqlx::Executor;

use support::{DrawOwner, TERMS, TestWorld};

const DRAW_NUMBERS_SKIPPED: i64 = 10_000;

/// Returns a world whose database has lost the returned owner's claim, as after the restore of a
/// backup.
async fn world_with_lost_claim() -> (TestWorld, DrawOwner, Records) {
    let world = TestWorld::in_postgres(&[TERMS, TERMS]).await;
    world.process(1).await.renew().await;
    let owner = world.owner(0).await;
    let lost = "update draws set owner_epoch = owner_epoch - 1 where owner_epoch > 0; update draws set owner_boot = null";
    world
        .connection()
        .await
        .execute(lost)
        .await
        .expect("the claim is lost");
    let records = Records::new(postgres(&world));
    (world, owner, records)
}

fn postgres(world: &TestWorld) -> Postgres {
    world.postgres.as_ref().expect("in Postgres").1.clone()
}

async fn reserve_ticket(owner: &mut DrawOwner, order: u128) -> Result<(), Failure> {
    owner
        .execute(owner.reserve_command(order, 1), None)
        .await
        .map(drop)
}

/// Shows why an operator must run the fence command: without it, both owners could write.
#[tokio::test]
async fn lost_claim_is_repeated_with_the_same_epoch() {
    let (world, mut ghost, _) = world_with_lost_claim().await;
    let heir = world.owner(0).await;
    assert_eq!(heir.epoch, ghost.epoch);
    assert_eq!(
        reserve_ticket(&mut ghost, 1).await,
        Ok(()),
        "the earlier owner writes"
    );
}

#[tokio::test]
async fn fence_rejects_all_earlier_owners() {
    let (world, mut ghost, records) = world_with_lost_claim().await;
    assert_eq!(records.fence_all_draws(DRAW_NUMBERS_SKIPPED).await, Ok(2));
    assert_eq!(
        reserve_ticket(&mut ghost, 1).await,
        Err(Failure::Fenced),
        "before any claim"
    );
    let mut heir = world.owner(0).await;
    assert_eq!(heir.epoch, ghost.epoch + 1_000_000);
    assert_eq!(reserve_ticket(&mut ghost, 2).await, Err(Failure::Fenced));
    assert_eq!(reserve_ticket(&mut heir, 3).await, Ok(()));
    let reserved = sqlx::query_scalar::<_, uuid::Uuid>("select order_id from reservations")
        .fetch_all(&mut world.connection().await)
        .await;
    assert_eq!(reserved.expect("read"), [uuid::Uuid::from_u128(3)]);
    assert_eq!(
        world.process(2).await.renew().await.others,
        [],
        "no earlier lease is waited for"
    );
    assert_eq!(postgres(&world).violations().await, Ok(vec![]));
}

#[tokio::test]
async fn fence_closes_sales_skips_numbers_and_is_audited() {
    let (world, _, records) = world_with_lost_claim().await;
    for turn in 1..=2 {
        assert_eq!(
            records.fence_all_draws(DRAW_NUMBERS_SKIPPED).await,
            Ok(2),
            "running it twice is harmless"
        );
        assert_eq!(
            records.settings().await.expect("read")[MAINTENANCE_MODE],
            "true"
        );
        let trail = records
            .audit_trail(&AuditFilter::about("draws"), None, 9)
            .await
            .expect("read");
        assert_eq!(
            (
                trail.len(),
                trail[0].action.as_str(),
                trail[0].actor.as_str()
            ),
            (turn, "fence", "command line")
        );
    }
    let new = persistence::postgres::draws::NewDraw::with_defaults(
        support::CLUB,
        "Broncos",
        "Eels",
        TERMS,
    );
    let number = postgres(&world).create_draw(new).await.expect("created");
    assert!(
        number.0 > world.draws[1].0 + 2 * DRAW_NUMBERS_SKIPPED,
        "{number}"
    );
    assert_eq!(
        records.verify_audit_chain().await.expect("read").broken_at,
        None
    );
}
