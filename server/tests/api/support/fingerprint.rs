//! Detects whether calls changed the database, by a hash of every table.

use std::collections::BTreeMap;

use super::server::TestServer;

/// Columns that the server writes by itself, or for a call that changes nothing.
const LEFT_OUT_COLUMNS: [&str; 4] = [
    // A node renews its lease while it runs.
    "public.nodes.lease_until",
    // A node that could not renew its lease claims its draws again.
    "public.draws.owner_epoch",
    // Any call of a signed-in browser counts as use of the session, also a refused one.
    "public.sessions.seen_at",
    // The reconciler lists recent payments again every 30 seconds.
    "public.provider_pi.synced_at",
];

/// The content of the database at one time: a hash of each table.
pub struct DatabaseFingerprint(BTreeMap<String, String>);

impl TestServer {
    /// Hashes all tables. First runs the housekeeping and the comparison with Stripe, and waits for
    /// all background work, so that the server does none of it between two fingerprints.
    pub async fn database_fingerprint(&self) -> DatabaseFingerprint {
        server::http::housekeeping::run_periodic_tasks(&self.state).await;
        self.wait_until_idle().await;
        self.engine
            .reconciler
            .scan_payments(self.now().plus_seconds(-3600))
            .await
            .expect("the scan succeeds");
        self.wait_until_idle().await;
        DatabaseFingerprint(self.database.table_hashes(&LEFT_OUT_COLUMNS).await)
    }

    /// Returns the names of the tables in which a row was added, deleted or updated since then.
    pub async fn tables_changed_since(&self, before: &DatabaseFingerprint) -> Vec<String> {
        let now = self.database_fingerprint().await;
        let is_changed = |(table, hash): &(String, String)| before.0.get(table) != Some(hash);
        now.0
            .into_iter()
            .filter(is_changed)
            .map(|(table, _)| table)
            .collect()
    }

    /// Asserts that no row was added, deleted or updated since then.
    pub async fn assert_database_unchanged(&self, before: &DatabaseFingerprint) {
        let changed = self.tables_changed_since(before).await;
        assert!(changed.is_empty(), "changed tables: {changed:?}");
    }
}

#[actix_web::test]
async fn updated_row_changes_fingerprint_of_its_table_only() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.alice().buy(draw, 1).await;
    server
        .database
        .execute_sql("insert into system_settings (key, value) values ('colour', 'red')")
        .await;
    for (update, changed) in [
        ("update clubs set archived = not archived", "public.clubs"),
        ("update orders set reason = 'changed'", "public.orders"),
        ("update draws set league = 'changed'", "public.draws"),
        (
            "update system_settings set value = 'blue'",
            "public.system_settings",
        ),
    ] {
        let before = server.database_fingerprint().await;
        server.assert_database_unchanged(&before).await;
        server.database.execute_sql(update).await;
        assert_eq!(
            server.tables_changed_since(&before).await,
            [changed],
            "{update}"
        );
    }
    server.finish().await;
}
