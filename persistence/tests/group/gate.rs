//! Blocks both writers of the batch queue, so that later commits wait and are written in one
//! transaction.

use persistence::Failure;
use sqlx::Executor;
use sqlx::postgres::PgConnection;
use tokio::task::JoinHandle;

use super::support::{DrawOwner, TestWorld};
use super::{reservation_commit, spawn_commit_write};

/// Row locks of draws 0 and 1. Both writers wait for these locks until the gate is opened.
pub struct WriterGate {
    locks: PgConnection,
    watch: PgConnection,
}

impl WriterGate {
    pub async fn close(
        world: &TestWorld,
        owners: &[DrawOwner],
    ) -> (WriterGate, Vec<JoinHandle<Result<(), Failure>>>) {
        let (mut locks, watch) = (world.connection().await, world.connection().await);
        locks.execute("begin").await.expect("begun");
        sqlx::query("select 1 from draws where id = any($1) for update")
            .bind(vec![world.draws[0].0, world.draws[1].0])
            .execute(&mut locks)
            .await
            .expect("locked");
        let mut gate = WriterGate { locks, watch };
        let mut blocked = Vec::new();
        for (position, owner) in owners.iter().take(2).enumerate() {
            blocked.push(spawn_commit_write(
                owner,
                reservation_commit(owner, position as u128 + 1),
            ));
            gate.wait_for_count(
                "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
                position as i64 + 1,
            )
            .await;
        }
        (gate, blocked)
    }

    /// Repeats a counting query until it returns the expected value, at most 2,000 times, because
    /// the writers' wait for the lock is limited. Panics when the value is not reached.
    async fn wait_for_count(&mut self, count: &'static str, expected: i64) {
        let mut found: i64 = 0;
        for _ in 0..2_000 {
            found = sqlx::query_scalar(count)
                .fetch_one(&mut self.watch)
                .await
                .expect("counted");
            if found == expected {
                return;
            }
        }
        panic!("{found} instead of {expected} writers wait for a lock");
    }

    pub async fn open(mut self) {
        self.locks.execute("rollback").await.expect("rolled back");
    }
}
