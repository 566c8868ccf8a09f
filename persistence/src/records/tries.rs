//! Rate limits that all nodes share. A limit that protects an account must not grow with the number
//! of nodes.

use domain::Timestamp;
use sqlx::PgPool;

use super::{Records, to_column_time};
use crate::Failure;

/// The purpose of the keyed hash by which the table of tries names an account. The table contains
/// only the hash, so it does not reveal the account.
const RATE_LIMIT_PURPOSE: &str = "tries";

/// One rate limit: a maximum number of tries in a time window, which begins with the first try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLimitTry {
    /// Name of the rate limit together with the account that it protects.
    pub about: String,
    pub max: u32,
    pub window_seconds: i64,
}

impl Records {
    /// Counts one try against each limit. If any limit is reached, counts nothing and returns
    /// `false`. The check and the count are atomic across nodes.
    ///
    /// # Errors
    ///
    /// The tries may or may not have been counted. The caller then asks the client to try again
    /// later.
    pub async fn count_tries(
        &self,
        tries: &[RateLimitTry],
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let rows = self.sorted_limit_rows(tries);
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            for (about, max, until) in rows {
                let count: i32 = sqlx::query_scalar!(
                    "insert into tries as known (about, count, until) values ($1, 1, $2)
                     on conflict (about) do update set
                       count = case when known.until <= $3 then 1 else known.count + 1 end,
                       until = case when known.until <= $3 then excluded.until else known.until end
                     returning count",
                    about,
                    to_column_time(at.plus_seconds(until)),
                    to_column_time(at)
                )
                .fetch_one(&mut *transaction)
                .await?;
                if i64::from(count) > i64::from(max) {
                    // The rollback also reverts the tries that this loop has already counted
                    // against other limits.
                    transaction.rollback().await?;
                    return Ok(false);
                }
            }
            transaction.commit().await?;
            Ok(true)
        };
        self.run_write(work).await
    }

    /// Subtracts one try from each given limit, because the try should not count.
    ///
    /// # Errors
    ///
    /// The tries may remain counted until their window ends.
    pub async fn uncount_tries(&self, tries: &[RateLimitTry]) -> Result<(), Failure> {
        let rows = self.sorted_limit_rows(tries);
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            for (about, _, _) in rows {
                let write = sqlx::query!(
                    "update tries set count = count - 1 where about = $1 and count > 0",
                    about
                );
                write.execute(&mut *transaction).await?;
            }
            transaction.commit().await
        };
        self.run_write(work).await
    }

    /// Deletes the counts of windows that have ended. Called every minute.
    ///
    /// # Errors
    ///
    /// The database could not be written.
    pub async fn delete_expired_tries(&self, at: Timestamp) -> Result<u64, Failure> {
        self.execute(sqlx::query!(
            "delete from tries where until <= $1",
            to_column_time(at)
        ))
        .await
    }

    /// Returns the rows of the given limits in sorted order. So two callers that count against the
    /// same limits never deadlock.
    fn sorted_limit_rows(&self, tries: &[RateLimitTry]) -> Vec<(Vec<u8>, u32, i64)> {
        let sealer = self.postgres.sealer();
        let row = |one: &RateLimitTry| {
            (
                sealer.fingerprint(RATE_LIMIT_PURPOSE, &one.about).to_vec(),
                one.max,
                one.window_seconds,
            )
        };
        let mut rows: Vec<_> = tries.iter().map(row).collect();
        rows.sort_unstable();
        rows
    }
}
