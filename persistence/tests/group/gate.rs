//! Keeps both writers waiting, so that what is sent meanwhile waits together.

use persistence::Failure;
use sqlx::Executor;
use sqlx::postgres::PgConnection;
use tokio::task::JoinHandle;

use super::support::{Owner, World};
use super::{reserve, sent};

/// Both writers stand before locked rows of draws 0 and 1 until the gate is dropped; what is sent meanwhile waits together.
pub struct Gate {
    locks: PgConnection,
    watch: PgConnection,
}

impl Gate {
    pub async fn close(
        world: &World,
        owners: &[Owner],
    ) -> (Gate, Vec<JoinHandle<Result<(), Failure>>>) {
        let (mut locks, watch) = (world.connection().await, world.connection().await);
        locks.execute("begin").await.expect("begun");
        sqlx::query("select 1 from draws where id = any($1) for update")
            .bind(vec![world.draws[0].0, world.draws[1].0])
            .execute(&mut locks)
            .await
            .expect("locked");
        let mut gate = Gate { locks, watch };
        let mut stuck = Vec::new();
        for (place, owner) in owners.iter().take(2).enumerate() {
            stuck.push(sent(owner, reserve(owner, place as u128 + 1)));
            gate.until(
                "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
                place as i64 + 1,
            )
            .await;
        }
        (gate, stuck)
    }

    /// Waits for a fact; not for ever, as a lock has its time limit.
    async fn until(&mut self, count: &'static str, expected: i64) {
        for _ in 0..2_000 {
            let found: i64 = sqlx::query_scalar(count)
                .fetch_one(&mut self.watch)
                .await
                .expect("counted");
            if found == expected {
                return;
            }
        }
    }

    pub async fn open(mut self) {
        self.locks.execute("rollback").await.expect("let go");
    }
}
