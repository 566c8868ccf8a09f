//! How far the prize of a draw is: who entered the result, and when the winner was mailed.

use domain::{DrawId, Timestamp};
use sqlx::PgPool;

use super::{Records, timestamp};
use crate::Failure;

/// The last entry of a draw's result, from the audit log.
#[derive(Clone, Debug)]
pub struct ResultEntry {
    pub at: Timestamp,
    /// The account, by its name in the audit log.
    pub actor: String,
    /// The name of the club member who entered the result. `None` when no member did, or the member
    /// no longer exists.
    pub person: Option<String>,
}

/// The newest mail that invites the winner of the current result.
#[derive(Clone, Debug)]
pub struct WinnerMail {
    pub queued_at: Timestamp,
    /// `pending`, `sent`, or `dead` when sending was given up.
    pub state: String,
    /// How many mails were queued for this winner.
    pub count: i64,
}

impl Records {
    /// Returns who entered the draw's result. `None` when the audit log does not tell.
    pub async fn result_entry(&self, draw: DrawId) -> Result<Option<ResultEntry>, Failure> {
        let read = sqlx::query!(
            "select at, actor, (select u.name from club_users u
                 where u.id = substring(actor from 'member ([0-9]+)$')::bigint) as person
             from audit_log where object = $1 and action = 'enter-results' order by id desc limit 1",
            format!("draw:{draw}")
        );
        let row = self
            .run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        Ok(row.map(|row| ResultEntry {
            at: timestamp(row.at),
            actor: row.actor,
            person: row.person,
        }))
    }

    /// Returns the newest mail to the winner of the draw's current result.
    pub async fn winner_mail(&self, draw: DrawId) -> Result<Option<WinnerMail>, Failure> {
        let read = sqlx::query!(
            r#"select queued_at, state, count(*) over () as "count!" from email_outbox
             where dedupe_key like 'winner:' || $1::bigint || ':%' and dedupe_key not like '%:undone:%'
             order by id desc limit 1"#,
            draw.0
        );
        let row = self
            .run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        Ok(row.map(|row| WinnerMail {
            queued_at: timestamp(row.queued_at),
            state: row.state,
            count: row.count,
        }))
    }
}
