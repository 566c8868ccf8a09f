//! A result that is taken back takes with it what it promised: payouts not made, the winner's claim, the winner's belief.

#[path = "support/world.rs"]
mod support;

use domain::{Cents, Command, GameResult, OrderId, Status};
use persistence::nodes::Boot;
use persistence::records::Records;
use persistence::records::payouts::NewPayout;
use persistence::{Failure, Postgres};
use sqlx::Executor;

use support::{CLUB, NOW, Owner, TERMS, World};

async fn completed() -> (World, Postgres, Owner) {
    let world = World::in_postgres(&[TERMS; 2]).await;
    let postgres = world.postgres.as_ref().expect("in Postgres").1.clone();
    let mut owner = world.owner(0).await;
    world.captured(&mut owner, 1, 2).await;
    let result = GameResult::new(7, 9).expect("a result");
    owner
        .execute(Command::Complete { result }, None)
        .await
        .expect("completed");
    (world, postgres, owner)
}

async fn payout(world: &World, postgres: &Postgres) -> Result<i64, Failure> {
    let (amount, draw) = (Cents(500), world.draws[0]);
    let new = NewPayout {
        draw,
        club: CLUB,
        kind: "winner",
        amount,
        recipient_email: None,
        recipient_name: None,
    };
    Records::new(postgres.clone())
        .record_payout(&new)
        .await
        .map(|payout| payout.id)
}

#[tokio::test]
async fn the_clubs_own_share_is_no_prize_that_was_paid() {
    let (world, postgres, mut owner) = completed().await;
    let records = Records::new(postgres.clone());
    let (amount, draw) = (Cents(900), world.draws[0]);
    let share = NewPayout {
        draw,
        club: CLUB,
        kind: "club_share",
        amount,
        recipient_email: None,
        recipient_name: None,
    };
    let id = records.record_payout(&share).await.expect("recorded").id;
    assert_eq!(records.shares_pending().await.expect("read"), [(id, draw)]);
    assert!(
        records
            .complete_share(id, Cents(870))
            .await
            .expect("completed")
    );
    assert!(!records.complete_share(id, Cents(1)).await.expect("once"));
    let kept = records.payouts(draw).await.expect("read").remove(0);
    assert_eq!(
        (
            kept.amount,
            kept.status.as_str(),
            kept.completed_at.is_some()
        ),
        (Cents(870), "completed", true)
    );
    assert!(records.shares_pending().await.expect("read").is_empty());
    owner.execute(Command::Undo, None).await.expect("undone");
    assert!(records.payouts(draw).await.expect("read").is_empty());
}

async fn winner_mail(world: &World, key: &str) -> bool {
    let data = format!(r#"{{"draw":{},"serial":1}}"#, world.draws[0]);
    let queued = world
        .books
        .queue_mail(
            key,
            "winner",
            Some(OrderId(1)),
            "alice@buyer.test",
            &data,
            NOW,
        )
        .await;
    queued.expect("queued")
}

/// Kinds of mails that are waiting to leave, ticket mails aside.
async fn waiting(world: &World) -> Vec<String> {
    let read = sqlx::query_scalar(
        "select kind from email_outbox where state = 'pending' and kind <> 'tickets' order by 1",
    );
    read.fetch_all(&mut world.connection().await)
        .await
        .expect("the outbox")
}

#[tokio::test]
async fn a_pending_payout_and_the_winners_claim_go_with_the_result() {
    let (world, postgres, mut owner) = completed().await;
    payout(&world, &postgres).await.expect("recorded");
    let claim = "insert into winner_claims (draw_id, serial) select id, 1 from draws where status = 'completed'";
    world
        .connection()
        .await
        .execute(claim)
        .await
        .expect("a claim");
    owner.execute(Command::Undo, None).await.expect("undone");
    assert_eq!(owner.draw.status(), Status::Active, "kick-off is ahead");
    let records = Records::new(postgres.clone());
    assert!(
        records
            .payouts(world.draws[0])
            .await
            .expect("read")
            .is_empty()
    );
    let claims = sqlx::query_scalar::<_, i64>("select count(*) from winner_claims");
    assert_eq!(
        claims
            .fetch_one(&mut world.connection().await)
            .await
            .expect("read"),
        0
    );
    assert_eq!(
        payout(&world, &postgres).await,
        Err(Failure::NotFound),
        "there is no result to pay for"
    );
}

#[tokio::test]
async fn a_result_that_was_paid_for_stands() {
    let (world, postgres, mut owner) = completed().await;
    let id = payout(&world, &postgres).await.expect("recorded");
    let records = Records::new(postgres.clone());
    records
        .settle_payout(id, "completed", None)
        .await
        .expect("settled")
        .expect("was pending");
    assert_eq!(
        owner.execute(Command::Undo, None).await,
        Err(Failure::PaidOut)
    );
    // Nothing of it was written, and a neighbour in the same transaction is none the worse.
    let mut other = world.owner(1).await;
    let (undone, ticked) = tokio::join!(
        owner.execute(Command::Undo, None),
        other.execute(
            other.reserve(9, 1),
            Some(persistence::ledger::Rider::Open(world.order(9, &[(1, 1)])))
        )
    );
    assert_eq!(undone, Err(Failure::PaidOut));
    ticked.expect("reserved");
    assert_eq!(world.owner(0).await.draw, owner.draw);
    assert_eq!(postgres.violations().await.expect("read"), []);
}

#[tokio::test]
async fn who_was_told_of_winning_is_corrected_and_who_was_not_is_left_alone() {
    let (world, postgres, mut owner) = completed().await;
    assert!(winner_mail(&world, "winner:7x9").await);
    owner.execute(Command::Undo, None).await.expect("undone");
    assert_eq!(
        waiting(&world).await,
        [""; 0],
        "it had not left, and never will"
    );
    assert_eq!(
        Records::new(postgres)
            .vitals()
            .await
            .expect("read")
            .mails_dead,
        0,
        "and nobody is to worry about it"
    );

    let result = GameResult::new(7, 9).expect("a result");
    owner
        .execute(Command::Complete { result }, None)
        .await
        .expect("the same result again");
    assert!(
        winner_mail(&world, "winner:7x9").await,
        "its winner hears again"
    );
    let claimed = world
        .books
        .claim_mail(Boot(1), NOW, 1_000, 10)
        .await
        .expect("claimed");
    let winner = claimed
        .iter()
        .find(|mail| mail.kind == "winner")
        .expect("the winner's mail");
    world.books.mail_sent(winner.id, NOW).await.expect("sent");
    owner.execute(Command::Undo, None).await.expect("undone");
    assert_eq!(waiting(&world).await, ["correction"]);
    owner
        .execute(Command::Complete { result }, None)
        .await
        .expect("and again");
    owner.execute(Command::Undo, None).await.expect("undone");
    assert_eq!(waiting(&world).await, ["correction"], "corrected once");
}
