//! Tests that undoing a result deletes unpaid payouts and the winner's claim, and corrects the
//! mails to the winner.

#[path = "support/world.rs"]
mod support;

use domain::{Cents, Command, GameResult, OrderId, Status};
use persistence::nodes::InstanceId;
use persistence::records::Records;
use persistence::records::payouts::NewPayout;
use persistence::{Failure, Postgres};
use sqlx::Executor;

use support::{CLUB, DrawOwner, NOW, TERMS, TestWorld};

async fn world_with_result() -> (TestWorld, Postgres, DrawOwner) {
    let world = TestWorld::in_postgres(&[TERMS; 2]).await;
    let postgres = world.postgres.as_ref().expect("in Postgres").1.clone();
    let mut owner = world.owner(0).await;
    world.buy_until_captured(&mut owner, 1, 2).await;
    let result = GameResult::new(7, 9).expect("a result");
    owner
        .execute(Command::Complete { result }, None)
        .await
        .expect("completed");
    (world, postgres, owner)
}

async fn record_winner_payout(world: &TestWorld, postgres: &Postgres) -> Result<i64, Failure> {
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
async fn club_share_does_not_prevent_an_undo() {
    let (world, postgres, mut owner) = world_with_result().await;
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
    assert_eq!(
        records.pending_club_shares().await.expect("read"),
        [(id, draw)]
    );
    assert!(
        records
            .complete_club_share(id, Cents(870))
            .await
            .expect("completed")
    );
    assert!(
        !records
            .complete_club_share(id, Cents(1))
            .await
            .expect("once")
    );
    let kept = records.payouts(draw).await.expect("read").remove(0);
    assert_eq!(
        (
            kept.amount,
            kept.status.as_str(),
            kept.completed_at.is_some()
        ),
        (Cents(870), "completed", true)
    );
    assert!(
        records
            .pending_club_shares()
            .await
            .expect("read")
            .is_empty()
    );
    owner.execute(Command::Undo, None).await.expect("undone");
    assert!(records.payouts(draw).await.expect("read").is_empty());
}

async fn queue_winner_mail(world: &TestWorld, key: &str) -> bool {
    let data = format!(r#"{{"draw":{},"serial":1}}"#, world.draws[0]);
    let queued = world
        .stores
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

/// Returns the kinds of the mails that wait to be sent, except ticket mails.
async fn pending_mail_kinds(world: &TestWorld) -> Vec<String> {
    let read = sqlx::query_scalar(
        "select kind from email_outbox where state = 'pending' and kind <> 'tickets' order by 1",
    );
    read.fetch_all(&mut world.connection().await)
        .await
        .expect("the outbox")
}

#[tokio::test]
async fn undo_deletes_pending_payout_and_claim() {
    let (world, postgres, mut owner) = world_with_result().await;
    record_winner_payout(&world, &postgres)
        .await
        .expect("recorded");
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
        record_winner_payout(&world, &postgres).await,
        Err(Failure::NotFound),
        "a payout needs a result"
    );
}

#[tokio::test]
async fn paid_result_cannot_be_undone() {
    let (world, postgres, mut owner) = world_with_result().await;
    let id = record_winner_payout(&world, &postgres)
        .await
        .expect("recorded");
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
    // The refused undo has written nothing, and another draw in the same transaction is not
    // affected.
    let mut other = world.owner(1).await;
    let (undone, ticked) = tokio::join!(
        owner.execute(Command::Undo, None),
        other.execute(
            other.reserve_command(9, 1),
            Some(persistence::ledger::AttachedWrite::Open(
                world.order(9, &[(1, 1)])
            ))
        )
    );
    assert_eq!(undone, Err(Failure::PaidOut));
    ticked.expect("reserved");
    assert_eq!(world.owner(0).await.draw, owner.draw);
    assert_eq!(postgres.violations().await.expect("read"), []);
}

#[tokio::test]
async fn undo_corrects_only_winner_mails_that_were_tried() {
    let (world, postgres, mut owner) = world_with_result().await;
    assert!(queue_winner_mail(&world, "winner:7x9").await);
    owner.execute(Command::Undo, None).await.expect("undone");
    assert_eq!(
        pending_mail_kinds(&world).await,
        [""; 0],
        "the mail was not sent and is cancelled"
    );
    assert_eq!(
        Records::new(postgres)
            .background_work_health()
            .await
            .expect("read")
            .mails_dead,
        0,
        "it is not counted as a failed mail"
    );

    let result = GameResult::new(7, 9).expect("a result");
    owner
        .execute(Command::Complete { result }, None)
        .await
        .expect("the same result again");
    assert!(
        queue_winner_mail(&world, "winner:7x9").await,
        "the winner is mailed again"
    );
    let claimed = world
        .stores
        .claim_mail(InstanceId(1), NOW, 1_000, 10)
        .await
        .expect("claimed");
    let winner = claimed
        .iter()
        .find(|mail| mail.kind == "winner")
        .expect("the winner's mail");
    world
        .stores
        .mark_mail_sent(winner.id, NOW)
        .await
        .expect("sent");
    owner.execute(Command::Undo, None).await.expect("undone");
    assert_eq!(pending_mail_kinds(&world).await, ["correction"]);
    owner
        .execute(Command::Complete { result }, None)
        .await
        .expect("and again");
    owner.execute(Command::Undo, None).await.expect("undone");
    assert_eq!(
        pending_mail_kinds(&world).await,
        ["correction"],
        "only one correction is queued"
    );
}
