//! Signed-in browsers, by the hash of their cookie (decision G-5).

use domain::{ClubId, Timestamp, access::Principal};
use sqlx::PgPool;
use time::OffsetDateTime;

use super::{Records, column, timestamp};
use crate::Failure;

/// Who signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    Club(ClubId),
    Admin(i64),
}

impl Holder {
    pub fn principal(self) -> Principal {
        match self {
            Holder::Club(club) => Principal::Club(club),
            Holder::Admin(_) => Principal::Operator,
        }
    }
}

/// A session that is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    pub holder: Holder,
    /// When an operator last showed the second factor. Without it the session is half a session.
    pub proven_at: Option<Timestamp>,
    pub ends_at: Timestamp,
}

/// How long a session lives: unused, and at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    pub idle_seconds: i32,
    pub whole_seconds: i64,
}

#[derive(sqlx::FromRow)]
struct Row {
    club_id: Option<i64>,
    admin_id: Option<i64>,
    proven_at: Option<OffsetDateTime>,
    ends_at: OffsetDateTime,
    stale: bool,
}

impl Row {
    fn session(self) -> Option<Session> {
        let holder = self.club_id.map(|id| Holder::Club(ClubId(id))).or(self.admin_id.map(Holder::Admin))?;
        Some(Session { holder, proven_at: self.proven_at.map(timestamp), ends_at: timestamp(self.ends_at) })
    }
}

impl Records {
    pub async fn open_session(
        &self,
        token_hash: &[u8; 32],
        holder: Holder,
        proven_at: Option<Timestamp>,
        at: Timestamp,
        lifetime: Lifetime,
    ) -> Result<(), Failure> {
        let (club, admin) = match holder {
            Holder::Club(club) => (Some(club.0), None),
            Holder::Admin(admin) => (None, Some(admin)),
        };
        let write = sqlx::query(
            "insert into sessions (token_hash, club_id, admin_id, proven_at, created_at, seen_at, idle_seconds, ends_at)
             values ($1, $2, $3, $7, $4, $4, $5, $6)",
        )
        .bind(token_hash.to_vec())
        .bind(club)
        .bind(admin)
        .bind(column(at))
        .bind(lifetime.idle_seconds)
        .bind(column(at.plus_seconds(lifetime.whole_seconds)))
        .bind(proven_at.map(column));
        self.execute(write).await?;
        Ok(())
    }

    /// The second factor was shown again.
    pub async fn prove_session(&self, token_hash: &[u8; 32], at: Timestamp) -> Result<(), Failure> {
        let write = "update sessions set proven_at = $2 where token_hash = $1";
        self.execute(sqlx::query(write).bind(token_hash.to_vec()).bind(column(at))).await?;
        Ok(())
    }

    /// A session that is neither idle too long nor past its end. Seeing it keeps it alive, written at most once a minute.
    pub async fn session(&self, token_hash: &[u8; 32], at: Timestamp) -> Result<Option<Session>, Failure> {
        let read = sqlx::query_as(
            "select club_id, admin_id, proven_at, ends_at, seen_at < $2 - interval '60 seconds' as stale from sessions
             where token_hash = $1 and ends_at > $2 and seen_at + make_interval(secs => idle_seconds) > $2",
        )
        .bind(token_hash.to_vec())
        .bind(column(at));
        let row: Option<Row> = self.read(async move |pool: PgPool| read.fetch_optional(&pool).await).await?;
        let Some(row) = row else {
            return Ok(None);
        };
        if row.stale {
            let write = "update sessions set seen_at = $2 where token_hash = $1";
            self.execute(sqlx::query(write).bind(token_hash.to_vec()).bind(column(at))).await?;
        }
        Ok(row.session())
    }

    /// Whether a session is still open. Unlike [`Records::session`], looking does not keep it alive.
    pub async fn session_is_open(&self, token_hash: &[u8; 32], at: Timestamp) -> Result<bool, Failure> {
        let read = sqlx::query_scalar(
            "select exists (select from sessions
                 where token_hash = $1 and ends_at > $2 and seen_at + make_interval(secs => idle_seconds) > $2)",
        )
        .bind(token_hash.to_vec())
        .bind(column(at));
        self.read(async move |pool: PgPool| read.fetch_one(&pool).await).await
    }

    pub async fn close_session(&self, token_hash: &[u8; 32]) -> Result<(), Failure> {
        let write = sqlx::query("delete from sessions where token_hash = $1").bind(token_hash.to_vec());
        self.execute(write).await?;
        Ok(())
    }

    /// Forgets sessions past their end: housekeeping, at most a few thousand rows a day.
    pub async fn sweep_sessions(&self, at: Timestamp) -> Result<u64, Failure> {
        let write = "delete from sessions where ends_at <= $1 or seen_at + make_interval(secs => idle_seconds) <= $1";
        self.execute(sqlx::query(write).bind(column(at))).await
    }
}
