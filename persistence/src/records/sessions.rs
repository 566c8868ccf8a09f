//! Sessions of signed-in browsers. A session is found by the hash of its cookie (decision G-5).

use domain::access::{Principal, Role};
use domain::{ClubId, Timestamp};
use sqlx::PgPool;
use time::OffsetDateTime;

use super::club_users::parse_role;
use super::{Records, timestamp, to_column_time};
use crate::Failure;
use crate::link_secrets::LinkKind;

/// The account that signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionHolder {
    /// The shared login of a club.
    Club(ClubId),
    /// A member of a club.
    Member(Member),
    Admin(i64),
}

/// A member of a club who is signed in. `role` is the current role, which may differ from the role
/// at sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    pub id: i64,
    pub club: ClubId,
    pub role: Role,
}

impl SessionHolder {
    pub fn principal(self) -> Principal {
        match self {
            SessionHolder::Club(club) => Principal::Club(club, Role::Owner),
            SessionHolder::Member(member) => Principal::Club(member.club, member.role),
            SessionHolder::Admin(_) => Principal::Operator,
        }
    }

    /// Returns the account's name in the audit log. `Records::audit_trail` finds the club member
    /// who acted by this name.
    pub fn name(self) -> String {
        match self {
            SessionHolder::Club(club) => format!("club {club}"),
            SessionHolder::Member(member) => format!("club {} member {}", member.club, member.id),
            SessionHolder::Admin(admin) => format!("operator {admin}"),
        }
    }

    /// Returns the club that the account acts for.
    pub fn club(self) -> Option<ClubId> {
        match self {
            SessionHolder::Club(club) => Some(club),
            SessionHolder::Member(member) => Some(member.club),
            SessionHolder::Admin(_) => None,
        }
    }
}

/// A valid session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    pub holder: SessionHolder,
    /// When an operator last entered the second factor, or a club member the password. `None` for
    /// an operator means that the sign-in is not complete.
    pub proven_at: Option<Timestamp>,
    pub ends_at: Timestamp,
}

/// How long a session lasts: without use, and in total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLifetime {
    pub idle_seconds: i32,
    pub whole_seconds: i64,
}

struct SessionRow {
    club_id: Option<i64>,
    admin_id: Option<i64>,
    club_user_id: Option<i64>,
    role: Option<String>,
    proven_at: Option<OffsetDateTime>,
    ends_at: OffsetDateTime,
    stale: bool,
}

impl SessionRow {
    fn into_session(self) -> Option<Session> {
        let holder = match (self.club_id.map(ClubId), self.club_user_id) {
            (Some(club), Some(id)) => SessionHolder::Member(Member {
                id,
                club,
                role: parse_role(&self.role?).ok()?,
            }),
            (Some(club), None) => SessionHolder::Club(club),
            (None, _) => SessionHolder::Admin(self.admin_id?),
        };
        Some(Session {
            holder,
            proven_at: self.proven_at.map(timestamp),
            ends_at: timestamp(self.ends_at),
        })
    }
}

impl Records {
    pub async fn open_session(
        &self,
        token_hash: &[u8; 32],
        holder: SessionHolder,
        proven_at: Option<Timestamp>,
        at: Timestamp,
        lifetime: SessionLifetime,
    ) -> Result<(), Failure> {
        let (admin, member) = match holder {
            SessionHolder::Club(_) => (None, None),
            SessionHolder::Member(member) => (None, Some(member.id)),
            SessionHolder::Admin(admin) => (Some(admin), None),
        };
        // The row lock prevents the removal of a member while the session is created.
        let write = sqlx::query!(
            "with member as (
                 update club_users set seen_at = $4 where id = $8 and removed_at is null returning id)
             insert into sessions
                 (token_hash, club_id, admin_id, club_user_id, proven_at, created_at, seen_at, idle_seconds, ends_at)
             select $1, $2, $3, $8, $7, $4, $4, $5, $6 where $8::bigint is null or exists (select from member)",
            self.link_hash(LinkKind::Session, token_hash),
            holder.club().map(|club| club.0),
            admin,
            to_column_time(at),
            lifetime.idle_seconds,
            to_column_time(at.plus_seconds(lifetime.whole_seconds)),
            proven_at.map(to_column_time),
            member
        );
        self.execute(write).await?;
        Ok(())
    }

    /// Records the time at which the account's second factor or password was entered again in this
    /// session.
    pub async fn record_session_proof(
        &self,
        token_hash: &[u8; 32],
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.execute(sqlx::query!(
            "update sessions set proven_at = $2 where token_hash = any($1)",
            &self.link_hashes(LinkKind::Session, token_hash),
            to_column_time(at)
        ))
        .await?;
        Ok(())
    }

    /// Returns a session that has not expired, and records its use, which keeps it open. The time
    /// of use is written at most once a minute.
    pub async fn session(
        &self,
        token_hash: &[u8; 32],
        at: Timestamp,
    ) -> Result<Option<Session>, Failure> {
        let read = sqlx::query_as!(
            SessionRow,
            r#"select s.club_id, s.admin_id, s.club_user_id, u.role as "role?", s.proven_at, s.ends_at,
                 s.seen_at < $2::timestamptz - interval '60 seconds' as "stale!"
             from sessions s left join club_users u on u.id = s.club_user_id and u.removed_at is null
             where s.token_hash = any($1) and s.ends_at > $2 and s.seen_at + make_interval(secs => s.idle_seconds) > $2"#,
            &self.link_hashes(LinkKind::Session, token_hash),
            to_column_time(at)
        );
        let row: Option<SessionRow> = self
            .run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        if row.stale {
            self.execute(sqlx::query!(
                "update sessions set seen_at = $2 where token_hash = any($1)",
                &self.link_hashes(LinkKind::Session, token_hash),
                to_column_time(at)
            ))
            .await?;
        }
        Ok(row.into_session())
    }

    /// Returns whether a session has not expired. Unlike [`Records::session`], the call does not
    /// count as use.
    pub async fn session_is_open(
        &self,
        token_hash: &[u8; 32],
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let read = sqlx::query_scalar!(
            r#"select exists (select from sessions
                 where token_hash = any($1) and ends_at > $2 and seen_at + make_interval(secs => idle_seconds) > $2) as "is_open!""#,
            &self.link_hashes(LinkKind::Session, token_hash),
            to_column_time(at)
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }

    pub async fn close_session(&self, token_hash: &[u8; 32]) -> Result<(), Failure> {
        let write = sqlx::query!(
            "delete from sessions where token_hash = any($1)",
            &self.link_hashes(LinkKind::Session, token_hash)
        );
        self.execute(write).await?;
        Ok(())
    }

    /// Deletes expired sessions. There are at most a few thousand a day, so one statement suffices.
    pub async fn delete_expired_sessions(&self, at: Timestamp) -> Result<u64, Failure> {
        self.execute(sqlx::query!(
            "delete from sessions where ends_at <= $1 or seen_at + make_interval(secs => idle_seconds) <= $1",
            to_column_time(at)
        ))
            .await
    }
}
