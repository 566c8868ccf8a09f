//! Signed-in browsers, by the hash of their cookie (decision G-5).

use domain::{ClubId, Timestamp, access::Principal};
use sqlx::PgPool;

use super::{Records, column};
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

/// How long a session lives: unused, and at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    pub idle_seconds: i32,
    pub whole_seconds: i64,
}

impl Records {
    pub async fn open_session(
        &self,
        token_hash: &[u8; 32],
        holder: Holder,
        at: Timestamp,
        lifetime: Lifetime,
    ) -> Result<(), Failure> {
        let (club, admin) = match holder {
            Holder::Club(club) => (Some(club.0), None),
            Holder::Admin(admin) => (None, Some(admin)),
        };
        let write = sqlx::query(
            "insert into sessions (token_hash, club_id, admin_id, created_at, seen_at, idle_seconds, ends_at)
             values ($1, $2, $3, $4, $4, $5, $6)",
        )
        .bind(token_hash.to_vec())
        .bind(club)
        .bind(admin)
        .bind(column(at))
        .bind(lifetime.idle_seconds)
        .bind(column(at.plus_seconds(lifetime.whole_seconds)));
        self.execute(write).await?;
        Ok(())
    }

    /// Who holds a session that is neither idle too long nor past its end. Seeing it keeps it alive, written at most once
    /// a minute.
    pub async fn session(&self, token_hash: &[u8; 32], at: Timestamp) -> Result<Option<Holder>, Failure> {
        let read = sqlx::query_as(
            "select club_id, admin_id, seen_at < $2 - interval '60 seconds' from sessions
             where token_hash = $1 and ends_at > $2 and seen_at + make_interval(secs => idle_seconds) > $2",
        )
        .bind(token_hash.to_vec())
        .bind(column(at));
        let row: Option<(Option<i64>, Option<i64>, bool)> =
            self.read(async move |pool: PgPool| read.fetch_optional(&pool).await).await?;
        let Some((club, admin, stale)) = row else {
            return Ok(None);
        };
        if stale {
            let write = "update sessions set seen_at = $2 where token_hash = $1";
            self.execute(sqlx::query(write).bind(token_hash.to_vec()).bind(column(at))).await?;
        }
        Ok(club.map(|id| Holder::Club(ClubId(id))).or(admin.map(Holder::Admin)))
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
