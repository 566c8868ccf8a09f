//! Another Postgres takes the place of the one that was written, and lacks its last commits (reliability.md, F43): whoever owned a
//! draw before is refused, and nothing is sold before what was forgotten is found.

#[path = "support/world.rs"]
mod support;

use persistence::records::Records;
use persistence::records::settings::MAINTENANCE_MODE;
use persistence::{Failure, Postgres};
use sqlx::Executor;

use support::{Owner, TERMS, World};

const NUMBERS_SKIPPED: i64 = 10_000;

/// An owner whose claim is among the commits that the copy lacks, and the books as the copy has them.
async fn forgotten() -> (World, Owner, Records) {
    let world = World::in_postgres(&[TERMS, TERMS]).await;
    world.process(1).await.renew().await;
    let owner = world.owner(0).await;
    let lost = "update draws set owner_epoch = owner_epoch - 1 where owner_epoch > 0; update draws set owner_boot = null";
    world
        .connection()
        .await
        .execute(lost)
        .await
        .expect("as if it had never been");
    let records = Records::new(postgres(&world));
    (world, owner, records)
}

fn postgres(world: &World) -> Postgres {
    world.postgres.as_ref().expect("in Postgres").1.clone()
}

async fn reserves(owner: &mut Owner, order: u128) -> Result<(), Failure> {
    owner.execute(owner.reserve(order, 1), None).await.map(drop)
}

/// Why it has to be typed: without it the fence lets both write.
#[tokio::test]
async fn a_lost_claim_is_made_again_under_the_same_epoch() {
    let (world, mut ghost, _) = forgotten().await;
    let heir = world.owner(0).await;
    assert_eq!(heir.epoch, ghost.epoch);
    assert_eq!(reserves(&mut ghost, 1).await, Ok(()), "a ghost writes");
}

#[tokio::test]
async fn after_the_fence_whoever_wrote_before_is_refused_for_good() {
    let (world, mut ghost, records) = forgotten().await;
    assert_eq!(records.fence(NUMBERS_SKIPPED).await, Ok(2));
    assert_eq!(
        reserves(&mut ghost, 1).await,
        Err(Failure::Fenced),
        "before anybody claims"
    );
    let mut heir = world.owner(0).await;
    assert_eq!(heir.epoch, ghost.epoch + 1_000_000);
    assert_eq!(reserves(&mut ghost, 2).await, Err(Failure::Fenced));
    assert_eq!(reserves(&mut heir, 3).await, Ok(()));
    let reserved = sqlx::query_scalar::<_, uuid::Uuid>("select order_id from reservations")
        .fetch_all(&mut world.connection().await)
        .await;
    assert_eq!(reserved.expect("read"), [uuid::Uuid::from_u128(3)]);
    assert_eq!(
        world.process(2).await.renew().await.others,
        [],
        "and nobody waits for a lease of before"
    );
    assert_eq!(postgres(&world).violations().await, Ok(vec![]));
}

#[tokio::test]
async fn the_fence_closes_sales_skips_numbers_and_stands_in_the_audit_log() {
    let (world, _, records) = forgotten().await;
    for turn in 1..=2 {
        assert_eq!(
            records.fence(NUMBERS_SKIPPED).await,
            Ok(2),
            "twice does no harm"
        );
        assert_eq!(
            records.settings().await.expect("read")[MAINTENANCE_MODE],
            "true"
        );
        let trail = records
            .audit_trail(&["draws".into()], None, 9)
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
    let new = persistence::postgres::draws::NewDraw::plain(support::CLUB, "Broncos", "Eels", TERMS);
    let number = postgres(&world).create_draw(new).await.expect("created");
    assert!(
        number.0 > world.draws[1].0 + 2 * NUMBERS_SKIPPED,
        "{number}"
    );
    assert_eq!(records.audit_chain().await.expect("read").broken_at, None);
}
