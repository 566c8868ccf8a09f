//! How often something was tried, on all nodes together: what protects an account must not grow with their number.

use domain::Timestamp;
use sqlx::{PgPool, query, query_scalar};

use super::{Records, column};
use crate::Failure;

/// What the keyed hash of what was tried is for: the table tells nobody whose account it was.
const PURPOSE: &str = "tries";

/// One thing that is limited: so many times in a window that begins with the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Try {
    /// Names the limit and whom it is about.
    pub about: String,
    pub max: u32,
    pub window_seconds: i64,
}

impl Records {
    /// Counts one more of each, unless any of them would be one too many; then none is counted and the answer is `false`.
    /// Looking and counting are one step, whichever nodes ask at once.
    ///
    /// # Errors
    /// Nobody knows whether it was counted: whoever asked is told to come again.
    pub async fn count_tries(&self, tries: &[Try], at: Timestamp) -> Result<bool, Failure> {
        let rows = self.rows(tries);
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            for (about, max, until) in rows {
                let count: i32 = query_scalar(
                    "insert into tries as known (about, count, until) values ($1, 1, $2)
                     on conflict (about) do update set
                       count = case when known.until <= $3 then 1 else known.count + 1 end,
                       until = case when known.until <= $3 then excluded.until else known.until end
                     returning count",
                )
                .bind(about)
                .bind(column(at.plus_seconds(until)))
                .bind(column(at))
                .fetch_one(&mut *transaction)
                .await?;
                if i64::from(count) > i64::from(max) {
                    // What was counted before it goes back with it.
                    transaction.rollback().await?;
                    return Ok(false);
                }
            }
            transaction.commit().await?;
            Ok(true)
        };
        self.write(work).await
    }

    /// It was none: one less of each.
    ///
    /// # Errors
    /// It may stay counted until its window ends.
    pub async fn take_back_tries(&self, tries: &[Try]) -> Result<(), Failure> {
        let rows = self.rows(tries);
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            for (about, _, _) in rows {
                let write =
                    query("update tries set count = count - 1 where about = $1 and count > 0");
                write.bind(about).execute(&mut *transaction).await?;
            }
            transaction.commit().await
        };
        self.write(work).await
    }

    /// Forgets what is over: called every minute.
    ///
    /// # Errors
    /// The books could not be written.
    pub async fn sweep_tries(&self, at: Timestamp) -> Result<u64, Failure> {
        self.execute(query("delete from tries where until <= $1").bind(column(at)))
            .await
    }

    /// In one order for everybody, so that two that count the same things never wait for each other in a circle.
    fn rows(&self, tries: &[Try]) -> Vec<(Vec<u8>, u32, i64)> {
        let sealer = self.postgres.sealer();
        let row = |one: &Try| {
            (
                sealer.fingerprint(PURPOSE, &one.about).to_vec(),
                one.max,
                one.window_seconds,
            )
        };
        let mut rows: Vec<_> = tries.iter().map(row).collect();
        rows.sort_unstable();
        rows
    }
}
