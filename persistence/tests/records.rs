//! Tests of rows that no actor owns, written to Postgres and read back.

use domain::access::{Principal, Role};
use domain::{AccountId, Cents, ClubId, FeePolicy, Seed, Status, Timestamp};
use persistence::Failure;
use persistence::records::Records;
use persistence::records::audit::{AuditAction, AuditFilter};
use persistence::records::bundles::NewBundle;
use persistence::records::clubs::{AccountChange, NewClub};
use persistence::records::draws::DrawToCreate;
use persistence::records::payouts::NewPayout;
use persistence::records::sessions::{SessionHolder, SessionLifetime};
use persistence::records::settings::MAINTENANCE_MODE;
use persistence::records::terms::{CreateDrawsOutcome, TermsAcceptance};
use persistence::records::tries::RateLimitTry;
use persistence::seal::SEED_SEAL_PURPOSE;
use persistence::{Postgres, Sealer};
use sqlx::{Connection, PgConnection};

const NOW: Timestamp = Timestamp(1_795_165_800_000);

async fn records() -> (Records, persistence::testing::TestDatabase) {
    let database = persistence::testing::database().await;
    let sealer = Sealer::new(&[7; 32]);
    let postgres = Postgres::connect_with(database.options.clone(), sealer)
        .await
        .expect("connected");
    (Records::new(postgres), database)
}

fn new_club(slug: &str) -> NewClub {
    NewClub {
        name: format!("{slug} RLFC"),
        email: format!("{slug}@demo.test"),
        password_hash: "$argon2id$…".into(),
        slug: slug.into(),
        ..NewClub::default()
    }
}

fn draw_to_create(club: ClubId) -> DrawToCreate {
    DrawToCreate {
        club,
        league: Some("NRL".into()),
        home_team: "Broncos".into(),
        away_team: "Cowboys".into(),
        zone: "Australia/Brisbane".into(),
        kick_off: NOW,
        opens_at: None,
        price: Cents(500),
        prize_percentage: 50,
        round_up_prize: true,
        pass_card_fee: false,
        fee_policy: FeePolicy::DEFAULT,
        contact_name: "Sam".into(),
        contact_phone: "0400 000 000".into(),
    }
}

#[tokio::test]
async fn club_has_defaults_and_unique_slug_and_account() {
    let (records, database) = records().await;
    let created = records
        .create_club(&new_club("broncos"))
        .await
        .expect("created");
    assert_eq!(created.primary_color, "#1f2937");
    assert!(
        created
            .tagline
            .as_deref()
            .is_some_and(|tagline| tagline.starts_with("Support our club"))
    );
    assert!(!created.connected);
    assert!(
        records.create_club(&new_club("Broncos")).await.is_err(),
        "slugs and e-mails are unique whatever their case"
    );

    let account = AccountId("acct_1".into());
    records
        .connect_account(created.id, &account)
        .await
        .expect("joined");
    let report = async |account: &AccountId, charges| {
        records
            .update_connected_account_state(account, charges, true, false)
            .await
            .expect("written")
    };
    assert_eq!(report(&account, true).await, AccountChange::Something);
    assert_eq!(
        report(&account, true).await,
        AccountChange::Nothing,
        "no change"
    );
    assert_eq!(
        report(&AccountId("acct_2".into()), true).await,
        AccountChange::Nothing,
        "no club has this account"
    );
    let mails = "select count(*) from email_outbox where kind = $1";
    assert_eq!(database.query_number(mails, "account-lost").await, 0);
    assert_eq!(
        (report(&account, false).await, report(&account, false).await),
        (AccountChange::Lost, AccountChange::Nothing)
    );
    assert_eq!(report(&account, true).await, AccountChange::Something);
    assert_eq!(
        report(&account, false).await,
        AccountChange::Lost,
        "each loss is mailed"
    );
    assert_eq!(database.query_number(mails, "account-lost").await, 2);
    report(&account, true).await;
    let read = records
        .club(created.id)
        .await
        .expect("read")
        .expect("there");
    assert!(read.connected && !read.payouts_enabled);
    let (holder, hash) = records
        .credentials(" BRONCOS@demo.test")
        .await
        .expect("read")
        .expect("there");
    assert_eq!(
        (holder, hash.as_str()),
        (SessionHolder::Club(created.id), "$argon2id$…")
    );
}

#[tokio::test]
async fn draws_are_numbered_from_1001_and_keep_their_commitment() {
    let (records, database) = records().await;
    let club = records
        .create_club(&new_club("broncos"))
        .await
        .expect("created")
        .id;
    let before = records.catalogue_revision().await.expect("read");
    let ids = records
        .create_draws(&[draw_to_create(club), draw_to_create(club)])
        .await
        .expect("created");
    assert_eq!(ids.iter().map(|id| id.0).collect::<Vec<_>>(), [1001, 1002]);
    assert!(
        records.catalogue_revision().await.expect("read") > before,
        "the catalogue changed"
    );

    let listings = records.listings().await.expect("read");
    let view = listings[0].view;
    assert_eq!(
        (view.status, view.sold, view.held, view.price),
        (Status::Active, 0, 0, Cents(500))
    );
    assert_eq!(
        (view.prize, view.prize_max),
        (Cents(0), Cents(43_000)),
        "169 × $5 × 50 %, rounded up to $10"
    );
    assert_ne!(listings[0].commitment, listings[1].commitment);

    let mut connection = PgConnection::connect_with(&database.options)
        .await
        .expect("connected");
    let sealed: Vec<u8> = sqlx::query_scalar("select seed_sealed from draws where id = 1001")
        .fetch_one(&mut connection)
        .await
        .expect("read");
    let seed = Sealer::new(&[7; 32])
        .open(SEED_SEAL_PURPOSE, 1001, &sealed)
        .expect("opens");
    let seed = Seed(seed.try_into().expect("32 bytes"));
    assert_eq!(seed.commitment(ids[0]).to_vec(), listings[0].commitment);
    assert_eq!(records.club_fixtures(club).await.expect("read").len(), 2);
}

#[tokio::test]
async fn session_ends_when_idle_old_or_closed() {
    let (records, _database) = records().await;
    let club = records
        .create_club(&new_club("broncos"))
        .await
        .expect("created")
        .id;
    let admin = records
        .create_admin("operator@demo.test", "Operator", "$argon2id$…")
        .await
        .expect("created");
    let lifetime = SessionLifetime {
        idle_seconds: 600,
        whole_seconds: 3600,
    };
    records
        .open_session(&[1; 32], SessionHolder::Club(club), None, NOW, lifetime)
        .await
        .expect("opened");
    records
        .open_session(&[2; 32], SessionHolder::Admin(admin), None, NOW, lifetime)
        .await
        .expect("opened");
    let seen = |token: [u8; 32], minutes: i64| {
        let records = records.clone();
        async move {
            records
                .session(&token, NOW.plus_seconds(minutes * 60))
                .await
                .expect("read")
        }
    };
    assert_eq!(
        seen([1; 32], 0)
            .await
            .map(|session| session.holder.principal()),
        Some(Principal::Club(club, Role::Owner))
    );
    assert_eq!(
        seen([2; 32], 0)
            .await
            .map(|session| session.holder.principal()),
        Some(Principal::Operator)
    );
    assert_eq!(seen([3; 32], 0).await, None);
    for minutes in [9, 18, 27, 36, 45, 54, 59] {
        assert!(
            seen([1; 32], minutes).await.is_some(),
            "kept alive by use at {minutes} min"
        );
    }
    assert_eq!(seen([1; 32], 60).await, None, "the total lifetime is over");
    assert_eq!(seen([2; 32], 10).await, None, "idle too long");
    records.close_session(&[1; 32]).await.expect("closed");
    assert_eq!(seen([1; 32], 59).await, None);
    assert_eq!(
        records
            .delete_expired_sessions(NOW.plus_seconds(3600))
            .await
            .expect("swept"),
        1
    );
}

#[tokio::test]
async fn draw_has_one_winner_payout_settled_once() {
    let (records, database) = records().await;
    let club = records
        .create_club(&new_club("broncos"))
        .await
        .expect("created")
        .id;
    let draw = records
        .create_draws(&[draw_to_create(club)])
        .await
        .expect("created")[0];
    let new = NewPayout {
        draw,
        club,
        kind: "winner",
        amount: Cents(29_000),
        recipient_email: Some("jo@x.test"),
        recipient_name: Some("Jo"),
    };
    assert_eq!(
        records.record_payout(&new).await.map(|payout| payout.id),
        Err(Failure::NotFound),
        "no result yet"
    );
    sqlx::query(
        "update draws set status = 'completed', result_home = 7, result_away = 9, winning_serial = 1, prize_cents = 29000,
           completed_revision = 1",
    )
    .execute(&mut database.connection().await)
    .await
    .expect("a result");
    assert!(
        !records
            .is_winner_payment_disputed(draw)
            .await
            .expect("read")
    );
    let first = records.record_payout(&new).await.expect("recorded");
    assert_eq!(
        records.record_payout(&new).await.expect("the same").id,
        first.id
    );
    assert_eq!(first.status, "pending");
    let paid = records
        .settle_payout(first.id, "completed", Some("BSB 000"))
        .await
        .expect("settled")
        .expect("pending");
    assert!(paid.completed_at.is_some());
    assert!(
        records
            .settle_payout(first.id, "completed", None)
            .await
            .expect("again")
            .is_some()
    );
    assert!(
        records
            .settle_payout(first.id, "failed", None)
            .await
            .expect("too late")
            .is_none()
    );
    assert_eq!(records.payouts(draw).await.expect("read").len(), 1);
}

#[tokio::test]
async fn settings_footers_offers_and_others_are_stored() {
    let (records, _database) = records().await;
    let club = records
        .create_club(&new_club("broncos"))
        .await
        .expect("created")
        .id;
    records
        .set_setting(MAINTENANCE_MODE, "true", "operator 1")
        .await
        .expect("set");
    records
        .set_setting(MAINTENANCE_MODE, "false", "operator 1")
        .await
        .expect("set again");
    assert_eq!(
        records.settings().await.expect("read")[MAINTENANCE_MODE],
        "false"
    );

    let menu = records
        .create_footer_menu("Company", 2)
        .await
        .expect("created");
    records
        .create_footer_item(menu, "About", "/about", 1)
        .await
        .expect("created");
    let menus = records.footer_menus().await.expect("read");
    assert_eq!(
        (menus[0].heading.as_str(), menus[0].items[0].url.as_str()),
        ("Company", "/about")
    );

    let draw = records
        .create_draws(&[draw_to_create(club)])
        .await
        .expect("created")[0];
    let bundle = NewBundle {
        name: "Grand final".into(),
        slug: "grand-final".into(),
        status: "active".into(),
        kind: "SPECIAL".into(),
        games: vec![draw],
        ..NewBundle::default()
    };
    records.create_bundle(club, &bundle).await.expect("created");
    // A second payout is refused by the database, even if two concurrent requests both find no
    // payout first.
    assert!(matches!(
        records.create_bundle(club, &bundle).await,
        Err(Failure::NotWritten(_))
    ));
    assert!(
        records
            .is_bundle_slug_taken(club, &bundle.slug.to_uppercase(), None)
            .await
            .expect("read")
    );
    assert_eq!(records.bundles(club).await.expect("read")[0].games, [draw]);

    records
        .join_waitlist("Souths", "Jo", "jo@x.test", "0400 000 000")
        .await
        .expect("joined");
    assert_eq!(
        records.waitlist().await.expect("read")[0].club_name,
        "Souths"
    );
    let at = Timestamp(1_800_000_000_000);
    let acceptance = TermsAcceptance {
        club,
        at,
        ip_address: "127.0.0.1".into(),
        user_agent: "browser".into(),
        version: "1.0".into(),
        digest: "ab".into(),
    };
    records.accept_terms(&acceptance).await.expect("accepted");
    let too_late = at.plus_seconds(31 * 60);
    let create = async |at| {
        records
            .create_draws_under_terms(club, &[], at)
            .await
            .expect("read")
    };
    assert!(
        matches!(create(too_late).await, CreateDrawsOutcome::NotAgreed),
        "half an hour is over"
    );
    assert!(matches!(create(at).await, CreateDrawsOutcome::Draws(draws) if draws.is_empty()));
    let act = AuditAction {
        actor: "club 1",
        club: Some(club),
        action: "enter-results",
        object: "draw:1001",
        ip: None,
    };
    records
        .record_audit_entry(act, &serde_json::json!({ "home": 9 }))
        .await
        .expect("written");
    let financials = records.draw_financials(draw).await.expect("read");
    assert_eq!((financials.revenue, financials.orders), (Cents(0), 0));
    assert!(records.sold_serials(draw).await.expect("read").is_empty());
    assert!(records.sold_tickets(draw).await.expect("read").is_empty());
}

#[tokio::test]
async fn rewritten_audit_log_is_detected() {
    let (records, database) = records().await;
    for object in ["draw:1001", "draw:1002", "draw:1001"] {
        let act = AuditAction {
            actor: "operator 1",
            club: None,
            action: "enter-results",
            object,
            ip: "::1".parse().ok(),
        };
        records
            .record_audit_entry(act, &serde_json::json!({ "home": 7 }))
            .await
            .expect("written");
    }
    let chain = records.verify_audit_chain().await.expect("read");
    assert_eq!((chain.length, chain.broken_at), (3, None));
    let trail = records
        .audit_trail(&AuditFilter::about("draw:1001"), None, 10)
        .await
        .expect("read");
    assert_eq!(
        trail.iter().map(|entry| entry.id).collect::<Vec<_>>(),
        [3, 1]
    );
    assert_eq!(
        (trail[0].ip.as_deref(), &trail[0].hash),
        (Some("::1"), &chain.head)
    );
    let mut connection = database.connection().await;
    for statement in [
        "update audit_log set actor = 'nobody'",
        "delete from audit_log",
        "truncate audit_log",
    ] {
        let refused = sqlx::query(statement)
            .execute(&mut connection)
            .await
            .expect_err("refused");
        assert!(
            refused.to_string().contains("append-only"),
            "{statement}: {refused}"
        );
    }
    // This change needs the rights of the database's owner.
    let forge = "alter table audit_log disable trigger user; update audit_log set actor = 'nobody' where id = 2";
    sqlx::raw_sql(forge)
        .execute(&mut connection)
        .await
        .expect("forged");
    assert_eq!(
        records.verify_audit_chain().await.expect("read").broken_at,
        Some(2)
    );
}

#[tokio::test]
async fn second_factor_code_works_once_and_reset_ends_sessions() {
    let (records, _database) = records().await;
    let admin = records
        .create_admin("operator@demo.test", "Operator", "$argon2id$…")
        .await
        .expect("created");
    assert!(records.second_factor(admin).await.expect("read").is_none());
    for secret in [b"first", b"other"] {
        records
            .begin_second_factor(admin, secret)
            .await
            .expect("begun");
    }
    let factor = records
        .second_factor(admin)
        .await
        .expect("read")
        .expect("begun");
    assert_eq!(
        (factor.secret.as_slice(), factor.enrolled),
        (&b"first"[..], false),
        "a repeated enrolment keeps the secret"
    );
    let used: Vec<bool> = [
        records.mark_code_step_used(admin, 7, NOW).await,
        records.mark_code_step_used(admin, 7, NOW).await,
    ]
    .into_iter()
    .map(|used| used.expect("written"))
    .chain([records
        .mark_code_step_used(admin, 6, NOW)
        .await
        .expect("written")])
    .collect();
    assert_eq!(used, [true, false, false]);
    let lifetime = SessionLifetime {
        idle_seconds: 600,
        whole_seconds: 3600,
    };
    records
        .open_session(
            &[1; 32],
            SessionHolder::Admin(admin),
            Some(NOW),
            NOW,
            lifetime,
        )
        .await
        .expect("opened");
    assert!(
        records
            .forget_second_factor("Operator@Demo.test")
            .await
            .expect("written")
    );
    assert!(
        records
            .session(&[1; 32], NOW)
            .await
            .expect("read")
            .is_none()
    );
    assert!(records.second_factor(admin).await.expect("read").is_none());
}

fn rate_limit_try(about: &str, max: u32) -> RateLimitTry {
    RateLimitTry {
        about: about.into(),
        max,
        window_seconds: 60,
    }
}

/// Counts several tries concurrently, and returns how many of them were accepted.
async fn count_accepted(
    records: &Records,
    at_once: impl Iterator<Item = Vec<RateLimitTry>>,
) -> usize {
    let mut waiting = tokio::task::JoinSet::new();
    for tries in at_once {
        let records = records.clone();
        waiting.spawn(async move { records.count_tries(&tries, NOW).await });
    }
    waiting
        .join_all()
        .await
        .into_iter()
        .filter(|tried| *tried == Ok(true))
        .count()
}

#[tokio::test]
async fn concurrent_tries_count_once_each_until_the_window_ends() {
    let (records, database) = records().await;
    let account = [rate_limit_try("password of a@demo.test", 5)];
    assert_eq!(
        count_accepted(&records, (0..40).map(|_| account.to_vec())).await,
        5
    );
    records.uncount_tries(&account).await.expect("it was right");
    assert_eq!(records.count_tries(&account, NOW).await, Ok(true));
    assert_eq!(records.count_tries(&account, NOW).await, Ok(false));
    assert!(
        !database.all_rows_as_text().await.contains("a@demo.test"),
        "the table contains no account name"
    );
    assert_eq!(
        records.delete_expired_tries(NOW.plus_seconds(59)).await,
        Ok(0)
    );
    let later = NOW.plus_seconds(60);
    assert_eq!(
        records.count_tries(&account, later).await,
        Ok(true),
        "another window"
    );
    assert_eq!(
        records.count_tries(&account, later.plus_seconds(59)).await,
        Ok(true),
        "which is as long"
    );
    assert_eq!(
        records.delete_expired_tries(later.plus_seconds(60)).await,
        Ok(1)
    );
}

#[tokio::test]
async fn refused_try_counts_against_no_limit() {
    let (records, database) = records().await;
    let (account, place) = (
        rate_limit_try("password of b@demo.test", 5),
        rate_limit_try("password from 203.0.113.7", 2),
    );
    // Both callers use the same two limits, in opposite order.
    let pairs = [
        [account.clone(), place.clone()],
        [place.clone(), account.clone()],
    ];
    let at_once = (0..40).map(|turn| pairs[turn % 2].to_vec());
    assert_eq!(
        count_accepted(&records, at_once).await,
        2,
        "as many as the limit of the address allows"
    );
    let mut others = 0;
    while records
        .count_tries(std::slice::from_ref(&account), NOW)
        .await
        .expect("counted")
    {
        others += 1;
    }
    assert_eq!(
        others, 3,
        "a try refused by the address's limit does not count for the account"
    );
    drop(records);
    assert_eq!(database.count_deadlocks().await, 0);
}

#[tokio::test]
async fn draw_numbers_lost_by_a_backup_are_skipped() {
    let (records, _database) = records().await;
    let club = records
        .create_club(&new_club("broncos"))
        .await
        .expect("created")
        .id;
    let before = records
        .create_draws(&[draw_to_create(club)])
        .await
        .expect("created")[0];
    records.skip_draw_numbers(500).await.expect("skipped");
    let after = records
        .create_draws(&[draw_to_create(club)])
        .await
        .expect("created")[0];
    assert!(after.0 > before.0 + 500, "{before} and {after}");
}
