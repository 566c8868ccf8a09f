//! What the list of nodes promises, and whose a draw is.

use domain::Draw;
use persistence::Failure;
use persistence::ledger::{Claims, Known, Moved};
use persistence::nodes::Boot;

use crate::support::{NOW, Owner, Process, World};

/// The first draw, in the hands of a process.
async fn owner(world: &World, process: &Process) -> Owner {
    let mut claims = process.claim(&world.draws[..1]).await;
    let claimed = claims.taken.remove(0);
    Owner {
        ledger: process.ledger(),
        epoch: claimed.epoch,
        draw: Draw::restore(claimed.snapshot),
        at: NOW,
    }
}

fn taken(claims: &Claims) -> Vec<i64> {
    claims
        .taken
        .iter()
        .map(|claimed| claimed.snapshot.id.0)
        .collect()
}

pub async fn a_draw_is_its_owners_while_the_lease_runs(world: World) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    let mut owner = owner(&world, &one).await;
    owner.open(world.order(1, &[(0, 3)])).await.expect("opened");
    let claims = other.claim(&world.draws).await;
    assert_eq!(
        taken(&claims),
        [world.draws[1].0, world.draws[2].0],
        "those that nobody has"
    );
    assert_eq!(claims.elsewhere.len(), 1);
    assert_eq!(claims.elsewhere[0].owner, one.node);
    assert_eq!(
        claims.elsewhere[0].view,
        owner.draw.view(),
        "as its row says"
    );
    owner
        .allocate(1, 3)
        .await
        .expect("the owner was not disturbed");
    assert_eq!(
        one.claim(&world.draws[..1]).await.taken[0].epoch,
        2,
        "its own it may claim again"
    );
}

pub async fn a_lease_that_is_over_gives_the_draws_away(world: World) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    let mut ghost = owner(&world, &one).await;
    world.end_leases().await;
    other.renew().await;
    let mut heir = owner(&world, &other).await;
    one.renew().await;
    assert_eq!(
        ghost.open(world.order(1, &[(0, 1)])).await,
        Err(Failure::Fenced),
        "a lease renewed too late is no epoch"
    );
    heir.open(world.order(2, &[(0, 1)])).await.expect("opened");
    assert!(one.claim(&world.draws[..1]).await.taken.is_empty());
}

pub async fn a_draw_is_taken_over_from_the_owner_that_was_named_though_its_lease_runs(
    world: World,
) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    let mut ghost = owner(&world, &one).await;
    ghost.open(world.order(1, &[(0, 1)])).await.expect("opened");
    let first = world.draws[0];
    let claims = other
        .ledger()
        .take_over(other.node.boot, first, Boot(3))
        .await
        .expect("heard");
    assert!(
        claims.taken.is_empty() && claims.elsewhere[0].owner == one.node,
        "it is in other hands meanwhile"
    );
    let claims = other
        .ledger()
        .take_over(other.node.boot, first, one.node.boot)
        .await
        .expect("heard");
    assert_eq!(
        claims.taken[0].snapshot.revision, 1,
        "with all that was written"
    );
    assert_eq!(
        ghost.open(world.order(2, &[(0, 1)])).await,
        Err(Failure::Fenced)
    );
    assert_eq!(
        one.claim(&[first]).await.elsewhere[0].owner,
        other.node,
        "and the ghost finds out whose it is"
    );
}

pub async fn two_claim_the_same_and_each_draw_goes_to_one(world: World) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    let (mine, yours) = tokio::join!(one.claim(&world.draws), other.claim(&world.draws));
    assert_eq!(mine.taken.len() + yours.taken.len(), world.draws.len());
    assert_eq!(
        mine.taken.len(),
        yours.elsewhere.len(),
        "and the other is told whose it is"
    );
}

pub async fn who_leaves_frees_its_draws(world: World) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    one.claim(&world.draws).await;
    assert!(other.claim(&world.draws).await.taken.is_empty());
    one.nodes().leave(one.node.boot).await.expect("left");
    assert_eq!(
        other.claim(&world.draws).await.taken.len(),
        world.draws.len()
    );
    assert_eq!(other.renew().await.others, []);
}

pub async fn the_roll_names_the_others_and_who_is_eldest(world: World) {
    let (one, other) = (world.process(9).await, world.process(2).await);
    let alone = one.renew().await;
    assert!(alone.eldest && alone.others.is_empty());
    let younger = other.renew().await;
    assert!(!younger.eldest, "by when it started, not by its name");
    assert_eq!(younger.others, std::slice::from_ref(&one.node));
    let elder = one.renew().await;
    assert!(elder.eldest);
    assert_eq!(elder.others, std::slice::from_ref(&other.node));
    world.end_leases().await;
    assert!(
        other.renew().await.eldest,
        "who is not believed any more is not counted"
    );
}

pub async fn a_process_that_is_gone_is_buried_and_a_running_one_is_not(world: World) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    one.claim(&world.draws).await;
    assert_eq!(other.nodes().bury(one.node.boot).await, Ok(false));
    assert!(other.claim(&world.draws).await.taken.is_empty());
    let gone: Boot = one.kill();
    // The kernel closes its connections; the database hears of it in its own time.
    while other.nodes().bury(gone).await != Ok(true) {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        other.claim(&world.draws).await.taken.len(),
        world.draws.len()
    );
}

pub async fn what_others_wrote_is_heard_and_what_was_lost_is_told(world: World) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    let mut owner = owner(&world, &one).await;
    let known = |revision, ours| Known {
        draw: world.draws[0],
        revision,
        ours,
    };
    let (mine, yours) = (one.ledger(), other.ledger());
    assert_eq!(
        yours.moved(other.node.boot, &[known(0, false)]).await,
        Ok(vec![])
    );
    owner.open(world.order(1, &[(0, 3)])).await.expect("opened");
    let news = Moved {
        view: owner.draw.view(),
        ours: false,
    };
    assert_eq!(
        yours.moved(other.node.boot, &[known(0, false)]).await,
        Ok(vec![news])
    );
    assert_eq!(
        yours.moved(other.node.boot, &[known(1, false)]).await,
        Ok(vec![])
    );
    assert_eq!(
        mine.moved(one.node.boot, &[known(0, true)]).await,
        Ok(vec![]),
        "what is ours we know best"
    );
    world.end_leases().await;
    other.renew().await;
    other.claim(&world.draws).await;
    assert_eq!(
        mine.moved(one.node.boot, &[known(1, true)]).await,
        Ok(vec![news])
    );
}

pub async fn a_deal_is_read_without_owning_the_draw(world: World) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    let owner = owner(&world, &one).await;
    assert_eq!(
        &other.ledger().deal(world.draws[0]).await.expect("read"),
        owner.draw.deal()
    );
    assert_eq!(
        other.ledger().deal(domain::DrawId(77)).await.err(),
        Some(Failure::NotFound)
    );
}
