//! Tests of the keyed hash chain of the audit log in Postgres: it reveals changes by the owner of
//! the table.

use persistence::records::Records;
use persistence::records::audit::AuditAction;
use persistence::records::audit_chain::AuditAnchor;
use persistence::testing::{TestDatabase, database};
use persistence::{Postgres, Sealer};

async fn records_with_sealing_key(database: &TestDatabase, key: u8) -> Records {
    let postgres = Postgres::connect_with_logins(database.logins(), Sealer::new(&[key; 32]))
        .await
        .expect("connected");
    Records::new(postgres)
}

async fn audit_log_with_entries(entries: usize) -> (Records, TestDatabase) {
    let database = database().await;
    let records = records_with_sealing_key(&database, 7).await;
    write_entries(&records, entries).await;
    (records, database)
}

async fn write_entries(records: &Records, entries: usize) {
    for _ in 0..entries {
        let act = AuditAction {
            actor: "operator 1",
            club: None,
            action: "enter-results",
            object: "draw:1001",
            ip: None,
        };
        records
            .record_audit_entry(act, &serde_json::json!({ "home": 7 }))
            .await
            .expect("written");
    }
}

async fn first_broken_entry(records: &Records) -> Option<i64> {
    records.verify_audit_chain().await.expect("read").broken_at
}

/// SQL that recomputes every plain hash. The table's owner can do this without the sealing key.
const RECOMPUTE_PLAIN_HASHES_SQL: &str = "
    alter table audit_log disable trigger user;
    do $$
    declare
      entry audit_log;
      previous bytea := sha256('football-doubles-audit');
    begin
      for entry in select * from audit_log order by id loop
        update audit_log set previous_hash = previous, hash = audit_hash(previous, entry) where id = entry.id
          returning hash into previous;
      end loop;
    end $$;
    alter table audit_log enable trigger user;";

async fn change_as_table_owner(database: &TestDatabase, change: &'static str) {
    database
        .execute_sql("alter table audit_log disable trigger user")
        .await;
    database.execute_sql(change).await;
    database.execute_sql(RECOMPUTE_PLAIN_HASHES_SQL).await;
    let plain = "select count(*) from audit_breaks where $1 = ''";
    assert_eq!(
        database.query_number(plain, "").await,
        0,
        "the plain chain is whole"
    );
}

#[tokio::test]
async fn recomputed_plain_hashes_are_detected_by_keyed_hashes() {
    let (records, database) = audit_log_with_entries(3).await;
    assert_eq!(first_broken_entry(&records).await, None);
    change_as_table_owner(
        &database,
        "update audit_log set actor = 'nobody' where id = 2",
    )
    .await;
    assert_eq!(first_broken_entry(&records).await, Some(2));
}

#[tokio::test]
async fn removed_middle_entry_is_detected_by_keyed_hashes() {
    let (records, database) = audit_log_with_entries(3).await;
    change_as_table_owner(&database, "delete from audit_log where id = 2").await;
    assert_eq!(first_broken_entry(&records).await, Some(3));
}

#[tokio::test]
async fn audit_chain_fails_with_another_sealing_key() {
    let (_, database) = audit_log_with_entries(2).await;
    assert_eq!(
        first_broken_entry(&records_with_sealing_key(&database, 8).await).await,
        Some(1)
    );
}

#[tokio::test]
async fn missing_keyed_hash_after_a_keyed_entry_is_detected() {
    let (records, database) = audit_log_with_entries(2).await;
    database
        .execute_sql("insert into audit_log (actor, action, object) values ('nobody', 'x', 'y')")
        .await;
    write_entries(&records, 1).await;
    assert_eq!(first_broken_entry(&records).await, Some(3));
}

#[tokio::test]
async fn first_keyed_hash_protects_earlier_entries() {
    let database = database().await;
    for _ in 0..2 {
        database
            .execute_sql(
                "insert into audit_log (actor, action, object) values ('operator 1', 'x', 'y')",
            )
            .await;
    }
    let records = records_with_sealing_key(&database, 7).await;
    assert_eq!(
        (
            first_broken_entry(&records).await,
            records.audit_anchor().await
        ),
        (None, Ok(None))
    );
    write_entries(&records, 2).await;
    assert_eq!(first_broken_entry(&records).await, None);
    change_as_table_owner(
        &database,
        "update audit_log set actor = 'nobody' where id = 1",
    )
    .await;
    assert_eq!(
        first_broken_entry(&records).await,
        Some(3),
        "the first keyed entry no longer follows"
    );
}

#[tokio::test]
async fn deleted_newest_entry_is_detected_by_an_anchor() {
    let (records, database) = audit_log_with_entries(2).await;
    let before = records.audit_anchor().await.expect("read").expect("keyed");
    write_entries(&records, 1).await;
    let newest = records.audit_anchor().await.expect("read").expect("keyed");
    assert_eq!((before.entry, newest.entry), (2, 3));
    assert_eq!(
        (
            records.audit_log_contains_anchor(&before).await,
            records.audit_log_contains_anchor(&newest).await
        ),
        (Ok(true), Ok(true))
    );
    change_as_table_owner(&database, "delete from audit_log where id = 3").await;
    assert_eq!(
        first_broken_entry(&records).await,
        None,
        "the log alone does not show it"
    );
    assert_eq!(
        (
            records.audit_log_contains_anchor(&before).await,
            records.audit_log_contains_anchor(&newest).await
        ),
        (Ok(true), Ok(false))
    );
    write_entries(&records, 1).await;
    assert_eq!(
        records.audit_log_contains_anchor(&newest).await,
        Ok(false),
        "another entry under its number is another"
    );
}

#[tokio::test]
async fn removed_keyed_hashes_are_detected_by_an_anchor() {
    let (records, database) = audit_log_with_entries(2).await;
    let anchor = records.audit_anchor().await.expect("read").expect("keyed");
    change_as_table_owner(
        &database,
        "update audit_log set actor = 'nobody', keyed_hash = null",
    )
    .await;
    assert_eq!(
        first_broken_entry(&records).await,
        None,
        "as if the log were from before the key"
    );
    assert_eq!(records.audit_log_contains_anchor(&anchor).await, Ok(false));
}

#[tokio::test]
async fn keyed_hash_is_written_once() {
    let (_, database) = audit_log_with_entries(1).await;
    let mut stores = database.connection().await;
    for rewriting in [
        "update audit_log set keyed_hash = sha256('x')",
        "update audit_log set keyed_hash = null, actor = 'nobody'",
    ] {
        let refused = sqlx::query(rewriting)
            .execute(&mut stores)
            .await
            .expect_err("refused");
        assert!(
            refused.to_string().contains("append-only"),
            "{rewriting}: {refused}"
        );
    }
}

#[tokio::test]
async fn audit_chain_is_keyed_after_older_nodes_are_gone() {
    let database = database().await;
    let records = records_with_sealing_key(&database, 7).await;
    database
        .execute_sql("insert into nodes (boot_id, address, lease_until) values (gen_random_uuid(), 'old', now() + interval '1 hour')")
        .await;
    write_entries(&records, 1).await;
    assert_eq!(
        records.audit_anchor().await,
        Ok(None),
        "an older node writes entries without a keyed hash"
    );
    database.execute_sql("delete from nodes").await;
    write_entries(&records, 1).await;
    assert_eq!(
        records
            .audit_anchor()
            .await
            .expect("read")
            .map(|anchor| anchor.entry),
        Some(2)
    );
    assert_eq!(first_broken_entry(&records).await, None);
}

#[test]
fn anchor_text_parses_to_an_equal_anchor() {
    let anchor = AuditAnchor {
        entry: 42,
        keyed_hash: [0xab; 32],
    };
    assert_eq!(anchor.to_string().parse(), Ok(anchor));
    for wrong in ["", "42", "42:ab", "x:00", &format!("x:{}", "0".repeat(64))] {
        assert!(wrong.parse::<AuditAnchor>().is_err(), "{wrong}");
    }
}
