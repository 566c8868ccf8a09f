//! Tests that both stores must pass, about the list of nodes and the ownership of draws.

use domain::Draw;
use persistence::Failure;
use persistence::ledger::{ChangedDraw, DrawClaims, KnownDraw};
use persistence::nodes::InstanceId;

use crate::support::{DrawOwner, NOW, Process, TestWorld};

/// Claims the world's first draw for a process, and returns the process as the draw's owner.
async fn claim_first_draw(world: &TestWorld, process: &Process) -> DrawOwner {
    let mut claims = process.claim(&world.draws[..1]).await;
    let claimed = claims.taken.remove(0);
    DrawOwner {
        ledger: process.ledger(),
        epoch: claimed.epoch,
        draw: Draw::restore(claimed.snapshot),
        at: NOW,
    }
}

fn claimed_ids(claims: &DrawClaims) -> Vec<i64> {
    claims
        .taken
        .iter()
        .map(|claimed| claimed.snapshot.id.0)
        .collect()
}

pub async fn draw_stays_with_its_owner_while_the_lease_runs(world: TestWorld) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    let mut owner = claim_first_draw(&world, &one).await;
    owner.open(world.order(1, &[(0, 3)])).await.expect("opened");
    let claims = other.claim(&world.draws).await;
    assert_eq!(
        claimed_ids(&claims),
        [world.draws[1].0, world.draws[2].0],
        "the free draws"
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
        .expect("the owner still owns its draws");
    assert_eq!(
        one.claim(&world.draws[..1]).await.taken[0].epoch,
        2,
        "an owner may claim its own draw again"
    );
}

pub async fn expired_lease_frees_the_draws(world: TestWorld) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    let mut first_owner = claim_first_draw(&world, &one).await;
    world.end_all_node_leases().await;
    other.renew().await;
    let mut second_owner = claim_first_draw(&world, &other).await;
    one.renew().await;
    assert_eq!(
        first_owner.open(world.order(1, &[(0, 1)])).await,
        Err(Failure::Fenced),
        "a late renewal does not restore the epoch"
    );
    second_owner
        .open(world.order(2, &[(0, 1)]))
        .await
        .expect("opened");
    assert!(one.claim(&world.draws[..1]).await.taken.is_empty());
}

pub async fn takeover_ignores_only_the_lease_of_the_named_owner(world: TestWorld) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    let mut first_owner = claim_first_draw(&world, &one).await;
    first_owner
        .open(world.order(1, &[(0, 1)]))
        .await
        .expect("opened");
    let first = world.draws[0];
    let claims = other
        .ledger()
        .take_over(other.node.boot, first, InstanceId(3))
        .await
        .expect("answered");
    assert!(
        claims.taken.is_empty() && claims.elsewhere[0].owner == one.node,
        "another node owns it meanwhile"
    );
    let claims = other
        .ledger()
        .take_over(other.node.boot, first, one.node.boot)
        .await
        .expect("answered");
    assert_eq!(
        claims.taken[0].snapshot.revision, 1,
        "the state includes every commit"
    );
    assert_eq!(
        first_owner.open(world.order(2, &[(0, 1)])).await,
        Err(Failure::Fenced)
    );
    assert_eq!(
        one.claim(&[first]).await.elsewhere[0].owner,
        other.node,
        "the fenced owner learns the new owner"
    );
}

pub async fn concurrent_claims_give_each_draw_to_one_node(world: TestWorld) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    let (own, others) = tokio::join!(one.claim(&world.draws), other.claim(&world.draws));
    assert_eq!(own.taken.len() + others.taken.len(), world.draws.len());
    assert_eq!(
        own.taken.len(),
        others.elsewhere.len(),
        "the other node learns the owner"
    );
}

pub async fn leaving_node_frees_its_draws(world: TestWorld) {
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

pub async fn renewal_returns_other_nodes_and_the_eldest(world: TestWorld) {
    let (one, other) = (world.process(9).await, world.process(2).await);
    let alone = one.renew().await;
    assert!(alone.eldest && alone.others.is_empty());
    let younger = other.renew().await;
    assert!(!younger.eldest, "the order is by start time, not by id");
    assert_eq!(younger.others, std::slice::from_ref(&one.node));
    let elder = one.renew().await;
    assert!(elder.eldest);
    assert_eq!(elder.others, std::slice::from_ref(&other.node));
    world.end_all_node_leases().await;
    assert!(
        other.renew().await.eldest,
        "a node with an expired lease is not counted"
    );
}

pub async fn ended_process_is_removed_and_a_running_one_is_not(world: TestWorld) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    one.claim(&world.draws).await;
    assert_eq!(
        other.nodes().remove_ended_node(one.node.boot).await,
        Ok(false)
    );
    assert!(other.claim(&world.draws).await.taken.is_empty());
    let gone: InstanceId = one.kill();
    // The operating system closes the connections of the killed process. The database notices the
    // closed connections with a delay.
    while other.nodes().remove_ended_node(gone).await != Ok(true) {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        other.claim(&world.draws).await.taken.len(),
        world.draws.len()
    );
}

pub async fn changed_and_lost_draws_are_reported(world: TestWorld) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    let mut owner = claim_first_draw(&world, &one).await;
    let known_draw = |revision, ours| KnownDraw {
        draw: world.draws[0],
        revision,
        ours,
    };
    let (own, others) = (one.ledger(), other.ledger());
    assert_eq!(
        others
            .changed_draws(other.node.boot, &[known_draw(0, false)])
            .await,
        Ok(vec![])
    );
    owner.open(world.order(1, &[(0, 3)])).await.expect("opened");
    let changed = ChangedDraw {
        view: owner.draw.view(),
        ours: false,
    };
    assert_eq!(
        others
            .changed_draws(other.node.boot, &[known_draw(0, false)])
            .await,
        Ok(vec![changed])
    );
    assert_eq!(
        others
            .changed_draws(other.node.boot, &[known_draw(1, false)])
            .await,
        Ok(vec![])
    );
    assert_eq!(
        own.changed_draws(one.node.boot, &[known_draw(0, true)])
            .await,
        Ok(vec![]),
        "no changes are reported for an owned draw"
    );
    world.end_all_node_leases().await;
    other.renew().await;
    other.claim(&world.draws).await;
    assert_eq!(
        own.changed_draws(one.node.boot, &[known_draw(1, true)])
            .await,
        Ok(vec![changed])
    );
}

pub async fn deal_is_read_without_owning_the_draw(world: TestWorld) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    let owner = claim_first_draw(&world, &one).await;
    assert_eq!(
        &other.ledger().deal(world.draws[0]).await.expect("read"),
        owner.draw.deal()
    );
    assert_eq!(
        other.ledger().deal(domain::DrawId(77)).await.err(),
        Some(Failure::NotFound)
    );
}
