//! Tests that the login that serves pages has no access to bank details (decision F-7), because
//! Postgres refuses it.

use domain::{Cents, DrawId, FeePolicy, Serial, Timestamp};
use persistence::postgres::bank::DatabaseLogins;
use persistence::records::Records;
use persistence::records::bank_changes::{BankChange, BankChangeOutcome};
use persistence::records::claims::ClaimBankDetails;
use persistence::records::clubs::NewClub;
use persistence::records::draws::DrawToCreate;
use persistence::testing::{TestDatabase, database, empty_database};
use persistence::{Postgres, Sealer};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection};

const NOW: Timestamp = Timestamp(1_795_165_800_000);

fn bank_details() -> ClaimBankDetails {
    ClaimBankDetails {
        account_name: "Alice".into(),
        account_number: "12345678".into(),
        bsb: "123456".into(),
    }
}

async fn create_draw_with_winner(records: &Records) -> DrawId {
    let club = NewClub {
        name: "S".into(),
        email: "s@demo.test".into(),
        slug: "sharks".into(),
        ..NewClub::default()
    };
    let new = DrawToCreate {
        club: records.create_club(&club).await.expect("a club").id,
        league: None,
        home_team: "Sharks".into(),
        away_team: "Tigers".into(),
        zone: "Australia/Brisbane".into(),
        kick_off: NOW,
        opens_at: None,
        price: Cents(500),
        prize_percentage: 50,
        round_up_prize: false,
        pass_card_fee: false,
        fee_policy: FeePolicy::DEFAULT,
        contact_name: "Sam".into(),
        contact_phone: "0400 000 000".into(),
    };
    records.create_draws(&[new]).await.expect("a draw")[0]
}

/// Returns a database that stores a winner's bank details.
async fn database_with_bank_details() -> (TestDatabase, Postgres, DrawId) {
    let database = database().await;
    let postgres = database.postgres().await;
    let records = Records::new(postgres.clone());
    let draw = create_draw_with_winner(&records).await;
    let serial = Serial::new(7).expect("a serial");
    let change = BankChange {
        draw,
        serial,
        bank: bank_details(),
        by: "club 1".into(),
        winner: None,
        at: NOW,
    };
    assert_eq!(
        records.change_bank_details(&change).await.expect("written"),
        BankChangeOutcome::Changed
    );
    (database, postgres, draw)
}

/// The SQLSTATE for insufficient privileges.
const INSUFFICIENT_PRIVILEGE_SQL_STATE: &str = "42501";

async fn sql_state_of_refusal(connection: &mut PgConnection, statement: &str) -> Option<String> {
    let done = sqlx::query(AssertSqlSafe(statement.to_string()))
        .execute(connection)
        .await;
    done.err().and_then(|why| {
        why.as_database_error()
            .and_then(|outcome| outcome.code().map(std::borrow::Cow::into_owned))
    })
}

#[tokio::test]
async fn serving_login_has_no_access_to_bank_details() {
    let (database, postgres, draw) = database_with_bank_details().await;
    assert!(
        postgres
            .are_bank_details_hidden_from_pages()
            .await
            .expect("asked")
    );
    let mut serving = PgConnection::connect(&database.ordinary_url)
        .await
        .expect("let in");
    for statement in [
        "select * from bank.winner_details",
        "update bank.winner_details set sealed = ''",
        "delete from bank.winner_details",
        "insert into bank.winner_details values (1, '')",
        // `pg_dump` begins with this lock.
        "do $$ begin lock table bank.winner_details in access share mode; end $$",
        "copy bank.winner_details to stdout",
        "set role football_doubles_bank",
        "grant usage on schema bank to football_doubles_app",
        "create table bank.mine ()",
    ] {
        assert_eq!(
            sql_state_of_refusal(&mut serving, statement)
                .await
                .as_deref(),
            Some(INSUFFICIENT_PRIVILEGE_SQL_STATE),
            "{statement}"
        );
    }
    assert_eq!(
        sql_state_of_refusal(&mut serving, "select * from winner_claims").await,
        None,
        "that there are details it may know"
    );
    let mut bank = PgConnection::connect(&database.bank_url)
        .await
        .expect("let in");
    for statement in [
        "select * from clubs",
        "select * from orders",
        "delete from winner_claims",
        "delete from audit_log",
    ] {
        assert_eq!(
            sql_state_of_refusal(&mut bank, statement).await.as_deref(),
            Some(INSUFFICIENT_PRIVILEGE_SQL_STATE),
            "{statement}"
        );
    }
    let records = Records::new(postgres);
    assert!(
        records.bank_details(draw).await.expect("read") == Some(bank_details()),
        "the second login reads them"
    );
}

#[tokio::test]
async fn bank_is_not_hidden_from_single_login_or_superuser() {
    let (database, _, draw) = database_with_bank_details().await;
    let sealer = || Sealer::new(&[42; 32]);
    let one = Postgres::connect(&database.ordinary_url, sealer())
        .await
        .expect("connected");
    assert!(
        !one.are_bank_details_hidden_from_pages()
            .await
            .expect("asked")
    );
    let failed = Records::new(one)
        .bank_details(draw)
        .await
        .expect_err("there is no way to them");
    assert!(failed.to_string().contains("BANK_DATABASE_URL"), "{failed}");
    for url in [&database.url, &database.bank_url] {
        let logins = DatabaseLogins::from_urls(url, Some(&database.bank_url)).expect("urls");
        let wide = Postgres::connect_with_logins(logins, sealer())
            .await
            .expect("connected");
        assert!(
            !wide
                .are_bank_details_hidden_from_pages()
                .await
                .expect("asked"),
            "{url}"
        );
    }
}

#[tokio::test]
async fn bank_details_are_purged_ninety_days_after_the_payout() {
    let (database, postgres, draw) = database_with_bank_details().await;
    let records = Records::new(postgres);
    let mut serving = PgConnection::connect(&database.ordinary_url)
        .await
        .expect("let in");
    let paid = "update winner_claims set paid_at = to_timestamp($1)";
    sqlx::query(paid)
        .bind(NOW.0 as f64 / 1000.0)
        .execute(&mut serving)
        .await
        .expect("the prize is paid");
    let days = |days: i64| NOW.plus_seconds(days * 86_400);
    assert_eq!(
        records
            .purge_expired_bank_details(days(89))
            .await
            .expect("swept"),
        0
    );
    assert_eq!(
        records
            .purge_expired_bank_details(days(90))
            .await
            .expect("swept"),
        1
    );
    assert!(records.bank_details(draw).await.expect("read").is_none());
    let (database, draw) = {
        drop(database);
        let (database, _, draw) = database_with_bank_details().await;
        (database, draw)
    };
    let mut serving = PgConnection::connect(&database.ordinary_url)
        .await
        .expect("let in");
    let undo = "delete from winner_claims where draw_id = $1";
    sqlx::query(undo)
        .bind(draw.0)
        .execute(&mut serving)
        .await
        .expect("a result is taken back");
    assert_eq!(
        database
            .query_number("select count(*) from bank.winner_details where $1 = ''", "")
            .await,
        0
    );
}

#[tokio::test]
async fn migration_moves_bank_details_out_of_the_claims() {
    let database = empty_database().await;
    let owner = DatabaseLogins::single_login(database.options.clone());
    let old = Postgres::connect_with_logins(owner, Sealer::new(&[42; 32]))
        .await
        .expect("connected");
    old.migrate().await.expect("the tables");
    let draw = create_draw_with_winner(&Records::new(old.clone())).await;
    let sealed = Sealer::new(&[42; 32]).seal("winner-bank", draw, b"123456\n12345678\nAlice");
    let mut connection = database.connection().await;
    let was = "alter table winner_claims drop constraint winner_claims_details_elsewhere";
    sqlx::query(was)
        .execute(&mut connection)
        .await
        .expect("as it was");
    sqlx::query("insert into winner_claims (draw_id, serial, bank_sealed, bank_from, received_at) values ($1, 7, $2, 'club', now())")
        .bind(draw.0)
        .bind(sealed)
        .execute(&mut connection)
        .await
        .expect("kept as it was");
    let postgres = database.postgres().await;
    postgres.migrate().await.expect("moved");
    postgres
        .migrate()
        .await
        .expect("and again, which changes nothing");
    let records = Records::new(postgres);
    assert!(records.bank_details(draw).await.expect("read") == Some(bank_details()));
    let left = "select count(*) from winner_claims where bank_sealed is not null and $1 = ''";
    assert_eq!(database.query_number(left, "").await, 0);
}
