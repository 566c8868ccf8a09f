//! Tests of link secrets in Postgres: how they are stored, and how rows of an earlier version are
//! converted (decision M-5).

#[path = "support/world.rs"]
mod support;

use domain::{ClubId, OrderId, Timestamp};
use persistence::nodes::{InstanceId, Node};
use persistence::records::Records;
use persistence::stores::OrderStore;
use persistence::testing::TestDatabase;
use persistence::{Failure, Nodes, Postgres, Sealer};
use sqlx::{AssertSqlSafe, Executor};

use support::{KICK_OFF, TERMS, TestWorld};

const LINK_USE_TIME: Timestamp = Timestamp(1_800_000_000_000);

fn postgres(world: &TestWorld) -> (&TestDatabase, &Postgres) {
    let (database, postgres) = world.postgres.as_ref().expect("in Postgres");
    (database, postgres)
}

/// Opens the same database with another sealing key.
async fn open_with_another_key(database: &TestDatabase) -> Postgres {
    Postgres::connect_with_logins(database.logins(), Sealer::new(&[9; 32]))
        .await
        .expect("connected")
}

/// Writes an order's token and client secret in clear text, as an earlier version of the program
/// did.
async fn write_clear_text_secrets(world: &TestWorld, token: &str) {
    let write = format!(
        "update orders set token = '{token}', token_hash = null, token_sealed = null, client_secret = 'pi_1_secret_x',
           client_secret_sealed = null"
    );
    world
        .connection()
        .await
        .execute(AssertSqlSafe(write))
        .await
        .expect("written");
}

async fn world_with_bought_order() -> (TestWorld, String) {
    let world = TestWorld::in_postgres(&[TERMS]).await;
    let mut owner = world.owner(0).await;
    let token = world.buy_until_captured(&mut owner, 1, 1).await.token;
    (world, token)
}

#[tokio::test]
async fn order_secrets_are_stored_sealed_and_open_only_with_the_key() {
    let (world, token) = world_with_bought_order().await;
    let (database, postgres) = postgres(&world);
    assert_eq!(
        database
            .query_number(
                "select count(*) from orders where token is null and $1 = ''",
                ""
            )
            .await,
        1
    );
    let text = database.all_rows_as_text().await;
    assert!(
        !text.contains(&token),
        "the token is stored nowhere in clear text"
    );
    let found = postgres
        .order_by_token(&token)
        .await
        .expect("read")
        .expect("the order");
    assert_eq!(
        (found.token, found.client_secret.as_deref()),
        (token.clone(), Some("secret"))
    );
    let stranger = open_with_another_key(database).await;
    assert!(
        stranger
            .order_by_token(&token)
            .await
            .expect("read")
            .is_none()
    );
    assert!(matches!(
        stranger.order(OrderId(1)).await,
        Err(Failure::Corrupt(_))
    ));
}

#[tokio::test]
async fn clear_text_order_secrets_are_converted_and_open() {
    let (world, token) = world_with_bought_order().await;
    let (database, postgres) = postgres(&world);
    write_clear_text_secrets(&world, &token).await;
    let opened = async || {
        let found = postgres
            .order_by_token(&token)
            .await
            .expect("read")
            .expect("the order");
        (found.order.id, found.client_secret)
    };
    let expected = (OrderId(1), Some("pi_1_secret_x".to_string()));
    assert_eq!(opened().await, expected, "before the conversion");
    assert_eq!(postgres.convert_link_secrets().await, Ok(1));
    assert_eq!(opened().await, expected, "after it");
    let text = database.all_rows_as_text().await;
    assert!(
        !text.contains(&token) && !text.contains("pi_1_secret_x"),
        "nothing is left in clear text"
    );
    assert_eq!(
        postgres.convert_link_secrets().await,
        Ok(0),
        "a second conversion changes nothing"
    );
    assert!(
        open_with_another_key(database)
            .await
            .order_by_token(&token)
            .await
            .expect("read")
            .is_none()
    );
}

#[tokio::test]
async fn client_secrets_of_stored_events_are_removed() {
    let (world, _) = world_with_bought_order().await;
    let (database, postgres) = postgres(&world);
    database
        .execute_sql(
            "insert into webhook_events (event_id, kind, payload, received_at)
             select 'evt_' || n, 'x', '{\"data\":{\"object\":{\"client_secret\":\"pi_1_secret_x\",\"id\":\"pi_1\"}}}', now()
             from generate_series(1, 501) n",
        )
        .await;
    assert_eq!(
        postgres.convert_link_secrets().await,
        Ok(501),
        "more than one batch"
    );
    let kept = "select count(*) from webhook_events where payload = $1";
    assert_eq!(
        database
            .query_number(kept, r#"{"data":{"object":{"id":"pi_1"}}}"#)
            .await,
        501
    );
}

/// SQL that inserts one row for each kind of link with a plain hash, as an earlier version did. The
/// first byte of the hash is the number of the kind.
const INSERT_PLAIN_HASHES_SQL: &str = "
    insert into admins (email, password, name, reset_token_hash, reset_expires_at)
      values ('boss@demo.test', 'x', 'Boss', decode(repeat('01', 32), 'hex'), '2030-01-01');
    update clubs set password_reset_token = repeat('02', 32), password_reset_expires = '2030-01-01',
      email_verification_token = repeat('03', 32), email_verification_expires = '2030-01-01', email_verified_at = null;
    insert into club_users (club_id, email, name, role, token_hash, token_expires_at, invited_at)
      values (1, 'sam@demo.test', 'Sam', 'seller', decode(repeat('04', 32), 'hex'), '2030-01-01', now());
    insert into ticket_links (token_hash, email, expires_at)
      values (decode(repeat('05', 32), 'hex'), 'alice@buyer.test', '2030-01-01');
    insert into email_outbox (dedupe_key, kind, to_address) values ('my-tickets-' || repeat('05', 8), 'my-tickets', 'alice@buyer.test');
    insert into winner_claims (draw_id, serial, token_hash, respond_by)
      select id, 1, decode(repeat('06', 32), 'hex'), '2030-01-01' from draws;
    insert into sessions (token_hash, club_id, created_at, seen_at, idle_seconds, ends_at)
      values (decode(repeat('07', 32), 'hex'), 1, to_timestamp(1800000000), to_timestamp(1800000000), 3600, '2030-01-01');";

/// Returns the numbers of those of the seven links that are accepted, without using one up. Link 3
/// counts only after another call has used it.
async fn numbers_of_working_links(records: &Records, database: &TestDatabase) -> Vec<u8> {
    let mut open = Vec::new();
    for kind in [1, 2, 4] {
        open.extend(
            records
                .find_account_by_reset_link(&[kind; 32], LINK_USE_TIME)
                .await
                .expect("read")
                .map(|_| kind),
        );
    }
    open.extend(
        records
            .ticket_link(&[5; 32], LINK_USE_TIME)
            .await
            .expect("read")
            .map(|_| 5),
    );
    open.extend(
        records
            .winner_claim_by_token(&[6; 32])
            .await
            .expect("read")
            .map(|_| 6),
    );
    open.extend(
        records
            .session(&[7; 32], LINK_USE_TIME)
            .await
            .expect("read")
            .map(|_| 7),
    );
    // Link 3 confirms an e-mail address. So it is not tried here, and counts only once every club's
    // address is confirmed.
    let waiting = "select count(*) from clubs where email_verified_at is null and $1 = ''";
    if database.query_number(waiting, "").await == 0 {
        open.push(3);
    }
    open
}

#[tokio::test]
async fn plain_link_hashes_are_converted_and_their_links_still_open() {
    let (world, _) = world_with_bought_order().await;
    let (database, postgres) = postgres(&world);
    database.execute_sql(INSERT_PLAIN_HASHES_SQL).await;
    let records = Records::new(postgres.clone());
    assert_eq!(
        numbers_of_working_links(&records, database).await,
        [1, 2, 4, 5, 6, 7],
        "rows that are not converted are still read"
    );
    assert_eq!(postgres.convert_link_secrets().await, Ok(7));
    let text = database.all_rows_as_text().await;
    for kind in 1..=7u8 {
        let plain = hex::encode([kind; 32]);
        assert!(!text.contains(&plain), "the plain hash {plain} is gone");
    }
    assert_eq!(
        numbers_of_working_links(&records, database).await,
        [1, 2, 4, 5, 6, 7],
        "the same links open"
    );
    let stranger = Records::new(open_with_another_key(database).await);
    assert_eq!(
        numbers_of_working_links(&stranger, database).await,
        [0u8; 0],
        "a copy without the key opens nothing"
    );
    assert!(
        records
            .finish_email_verification(&[3; 32], LINK_USE_TIME)
            .await
            .expect("written")
    );
    assert_eq!(
        numbers_of_working_links(&records, database).await,
        [1, 2, 4, 5, 6, 7, 3]
    );
    assert_eq!(
        postgres.convert_link_secrets().await,
        Ok(0),
        "a second conversion changes nothing"
    );

    records
        .delete_expired_ticket_links(KICK_OFF)
        .await
        .expect("swept");
    let named = "select count(*) from email_outbox where kind = 'my-tickets' and to_address = $1";
    assert_eq!(
        database.query_number(named, "alice@buyer.test").await,
        0,
        "the link's mail was found by its new key"
    );
}

#[tokio::test]
async fn converted_account_links_work_only_once() {
    let (world, _) = world_with_bought_order().await;
    let (database, postgres) = postgres(&world);
    database.execute_sql(INSERT_PLAIN_HASHES_SQL).await;
    let records = Records::new(postgres.clone());
    postgres.convert_link_secrets().await.expect("converted");
    for kind in [1, 2, 4] {
        assert!(
            records
                .finish_password_reset(&[kind; 32], "hash", LINK_USE_TIME)
                .await
                .expect("written")
                .is_some(),
            "{kind} opens once"
        );
        assert!(
            records
                .finish_password_reset(&[kind; 32], "hash", LINK_USE_TIME)
                .await
                .expect("written")
                .is_none(),
            "{kind} is used up"
        );
    }
    assert!(
        records
            .session(&[7; 32], LINK_USE_TIME)
            .await
            .expect("read")
            .is_none(),
        "the club's sessions ended with the reset"
    );
}

#[tokio::test]
async fn conversion_waits_until_older_nodes_are_gone() {
    let (world, token) = world_with_bought_order().await;
    let (database, postgres) = postgres(&world);
    write_clear_text_secrets(&world, &token).await;
    database
        .execute_sql("insert into nodes (boot_id, address, lease_until) values (gen_random_uuid(), 'old', now() + interval '1 hour')")
        .await;
    assert_eq!(
        postgres.convert_link_secrets().await,
        Ok(0),
        "an older node reads clear tokens only"
    );

    let me = Node {
        boot: InstanceId(5),
        address: "new".into(),
    };
    postgres.renew(&me).await.expect("renewed");
    let mut owner = world.owner(0).await;
    world.buy_until_allocated(&mut owner, 2, 1).await;
    let clear = "select count(*) from orders where token is not null and client_secret is not null and $1 = ''";
    assert_eq!(
        database.query_number(clear, "").await,
        2,
        "what an older node must read is also written in clear text"
    );
    let (records, club) = (Records::new(postgres.clone()), ClubId(1));
    records
        .begin_email_verification(club, &[8; 32], KICK_OFF)
        .await
        .expect("begun");
    let plain = "select count(*) from clubs where email_verification_token = $1";
    assert_eq!(database.query_number(plain, &hex::encode([8; 32])).await, 1);

    world.end_all_node_leases().await;
    postgres.renew(&me).await.expect("renewed");
    assert_eq!(postgres.convert_link_secrets().await, Ok(3));
    assert_eq!(database.query_number(clear, "").await, 0);
    assert!(
        records
            .finish_email_verification(&[8; 32], LINK_USE_TIME)
            .await
            .expect("written")
    );
    world.buy_until_allocated(&mut owner, 3, 1).await;
    assert_eq!(
        database.query_number(clear, "").await,
        0,
        "from now on nothing is stored in clear text"
    );
}
