//! Tests of edits of a draw: one commit changes the draw's row, its terms and the lists that show
//! it.

#[path = "support/world.rs"]
mod support;

use domain::{Command, Draw, GameResult, TermsEdit, TermsEditor, Timestamp};
use persistence::ledger::{AttachedWrite, DrawDetails};
use support::{KICK_OFF, TERMS, TestWorld};

/// A draw's stored details: league, teams, zone, contact, and whether the buyer pays the card fee.
type StoredDrawDetails = (
    Option<String>,
    String,
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    bool,
);

async fn read_draw_details(world: &TestWorld) -> StoredDrawDetails {
    sqlx::query_as("select league, home_team, away_team, zone, contact_name, contact_phone, pass_card_fee from draws")
        .fetch_one(&mut world.connection().await)
        .await
        .expect("the draw")
}

async fn catalogue_revision(world: &TestWorld) -> i64 {
    let read = sqlx::query_scalar("select revision from catalogue");
    read.fetch_one(&mut world.connection().await)
        .await
        .expect("the catalogue")
}

#[tokio::test]
async fn edit_changes_named_columns_and_catalogue_revision() {
    let world = TestWorld::in_postgres(&[TERMS]).await;
    let mut owner = world.owner(0).await;
    let before = catalogue_revision(&world).await;
    let details = DrawDetails {
        league: Some(Some("NRL".into())),
        home_team: Some("Storm".into()),
        zone: Some("Pacific/Auckland".into()),
        contact_phone: Some("0411 000 001".into()),
        pass_card_fee: Some(true),
        ..DrawDetails::default()
    };
    let later = KICK_OFF.plus_seconds(3600);
    let edit = TermsEdit {
        prize_percentage: Some(70),
        closes_at: Some(later),
        ..TermsEdit::default()
    };
    let command = Command::Amend {
        edit,
        by: TermsEditor::Club,
        described: true,
    };
    owner
        .execute(command, Some(AttachedWrite::Describe(details)))
        .await
        .expect("edited");
    let row = read_draw_details(&world).await;
    let league = Some("NRL".to_string());
    let phone = Some("0411 000 001".to_string());
    assert_eq!(
        row,
        (
            league,
            "Storm".into(),
            "Eels".into(),
            Some("Pacific/Auckland".into()),
            None,
            phone,
            true
        )
    );
    assert_eq!(catalogue_revision(&world).await, before + 1);
    let claimed = world.owner(0).await.draw;
    assert_eq!(
        (claimed.terms().closes_at, claimed.terms().prize_percentage),
        (later, 70)
    );
    assert_eq!(claimed.terms().price, TERMS.price);

    // An edit that changes only names is a commit as well. `Some(None)` removes the league.
    let mut owner = world.owner(0).await;
    let details = DrawDetails {
        league: Some(None),
        ..DrawDetails::default()
    };
    let command = Command::Amend {
        edit: TermsEdit::default(),
        by: TermsEditor::Club,
        described: true,
    };
    owner
        .execute(command, Some(AttachedWrite::Describe(details)))
        .await
        .expect("described");
    assert_eq!(read_draw_details(&world).await.0, None);
    assert_eq!(catalogue_revision(&world).await, before + 2);
    assert_no_violations(&world).await;
}

#[tokio::test]
async fn sale_keeps_catalogue_revision_and_archiving_changes_it() {
    let world = TestWorld::in_postgres(&[TERMS]).await;
    let mut owner = world.owner(0).await;
    let before = catalogue_revision(&world).await;
    world.buy_until_captured(&mut owner, 1, 2).await;
    assert_eq!(catalogue_revision(&world).await, before);
    let result = GameResult::new(7, 9).expect("a result");
    owner
        .execute(Command::Complete { result }, None)
        .await
        .expect("completed");
    owner
        .execute(Command::Archive { archived: true }, None)
        .await
        .expect("archived");
    assert_eq!(catalogue_revision(&world).await, before + 2);
    assert!(world.owner(0).await.draw.is_archived());
    assert_no_violations(&world).await;
}

#[tokio::test]
async fn postponed_draw_is_active_again() {
    let world = TestWorld::in_postgres(&[TERMS]).await;
    let mut owner = world.owner(0).await;
    owner.at = KICK_OFF;
    owner.execute(Command::Tick, None).await.expect("closed");
    let edit = TermsEdit {
        closes_at: Some(KICK_OFF.plus_seconds(86_400)),
        ..TermsEdit::default()
    };
    let command = Command::Amend {
        edit,
        by: TermsEditor::Operator,
        described: false,
    };
    owner.execute(command, None).await.expect("put off");
    let reloaded: Draw = world.owner(0).await.draw;
    assert_eq!(reloaded, owner.draw);
    assert_eq!(
        reloaded.next_deadline(),
        Some(Timestamp(KICK_OFF.0 + 86_400_000))
    );
    let closed = sqlx::query_scalar::<_, bool>("select closed_at is not null from draws");
    assert!(
        !closed
            .fetch_one(&mut world.connection().await)
            .await
            .expect("the draw")
    );
    assert_no_violations(&world).await;
}

async fn assert_no_violations(world: &TestWorld) {
    let (_, postgres) = world.postgres.as_ref().expect("a world in Postgres");
    assert_eq!(postgres.violations().await.expect("read"), []);
}
