//! The members of a club who may sign in, with their roles and the times when they joined (decision
//! G-17).

use domain::access::Role;
use domain::{ClubId, Timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{Records, audit, timestamp, to_column_time};
use crate::Failure;
use crate::link_secrets::LinkKind;

/// The maximum number of members of one club. Removed members do not count.
pub const CLUB_MEMBERS_MAX: i64 = 50;

/// A member of a club without the password hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClubUser {
    pub id: i64,
    pub club: ClubId,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub invited_at: Timestamp,
    /// When the mailed invitation expires. `None` when no invitation is open.
    pub invited_until: Option<Timestamp>,
    /// When the member joined by choosing a password. `None` before.
    pub joined_at: Option<Timestamp>,
    pub seen_at: Option<Timestamp>,
}

/// A person to invite, and the hash of the link in the invitation mail.
#[derive(Clone, Debug)]
pub struct NewClubUser {
    pub club: ClubId,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub token_hash: [u8; 32],
    pub at: Timestamp,
    pub until: Timestamp,
}

/// The outcome of an invitation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvitationOutcome {
    /// No account has the address. A new member was invited.
    New(ClubUser),
    /// The person was invited before and has not joined. The invitation is mailed again, with the
    /// new name and role.
    Again(ClubUser),
    /// The person has joined already. Nothing was changed.
    Joined(ClubUser),
    /// The address belongs to another account. Nothing was changed.
    Taken,
    TooMany,
}

struct ClubUserRow {
    id: i64,
    club_id: i64,
    email: String,
    name: String,
    role: String,
    invited_at: OffsetDateTime,
    token_expires_at: Option<OffsetDateTime>,
    joined_at: Option<OffsetDateTime>,
    seen_at: Option<OffsetDateTime>,
}

/// A query for members `u` of clubs. `$rest` is the condition and what follows.
macro_rules! query_members {
    ($rest:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            ClubUserRow,
            "select u.id, u.club_id, u.email, u.name, u.role, u.invited_at, u.token_expires_at, u.joined_at,
                 greatest(u.seen_at, (select max(s.seen_at) from sessions s where s.club_user_id = u.id)) as seen_at
             from club_users u where " + $rest,
            $($argument),*
        )
    };
}

impl TryFrom<ClubUserRow> for ClubUser {
    type Error = sqlx::Error;

    fn try_from(row: ClubUserRow) -> Result<ClubUser, sqlx::Error> {
        Ok(ClubUser {
            id: row.id,
            club: ClubId(row.club_id),
            email: row.email,
            name: row.name,
            role: parse_role(&row.role)?,
            invited_at: timestamp(row.invited_at),
            invited_until: row
                .token_expires_at
                .filter(|_| row.joined_at.is_none())
                .map(timestamp),
            joined_at: row.joined_at.map(timestamp),
            seen_at: row.seen_at.map(timestamp),
        })
    }
}

/// Parses a stored role.
///
/// # Errors
///
/// The text is not a known role. A CHECK constraint should prevent that.
pub(super) fn parse_role(word: &str) -> Result<Role, sqlx::Error> {
    Role::from_name(word).ok_or_else(|| sqlx::Error::Decode(format!("no role {word}").into()))
}

impl Records {
    /// Returns a club's members in the sequence of their invitations.
    pub async fn club_users(&self, club: ClubId) -> Result<Vec<ClubUser>, Failure> {
        let read = query_members!(
            "u.club_id = $1 and u.removed_at is null order by u.id",
            club.0
        );
        let work = async move |pool: PgPool| {
            let rows = read.fetch_all(&pool).await?;
            rows.into_iter().map(ClubUser::try_from).collect()
        };
        self.run_read(work).await
    }

    pub async fn club_user(&self, id: i64) -> Result<Option<ClubUser>, Failure> {
        self.run_read(async move |pool: PgPool| find_member(&mut *pool.acquire().await?, id).await)
            .await
    }

    /// Returns when the club's shared login was last used, according to the login's open sessions.
    /// `None` when there is no open session.
    pub async fn club_login_last_used(&self, club: ClubId) -> Result<Option<Timestamp>, Failure> {
        let read = sqlx::query_scalar!(
            "select max(seen_at) from sessions where club_id = $1 and club_user_id is null",
            club.0
        );
        let seen: Option<OffsetDateTime> = self
            .run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await?;
        Ok(seen.map(timestamp))
    }

    /// Invites a person to a club, or repeats the invitation. The link of an earlier invitation
    /// then stops working.
    pub async fn invite_club_user(&self, new: &NewClubUser) -> Result<InvitationOutcome, Failure> {
        let (new, signer) = (new.clone(), self.signer.clone());
        let token_hash = self.link_hash(LinkKind::Account, &new.token_hash);
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let invited = invite_member(&mut transaction, &new, &token_hash).await?;
            if let InvitationOutcome::New(user) | InvitationOutcome::Again(user) = &invited {
                audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), user.id)
                    .await?;
            }
            transaction.commit().await?;
            Ok(invited)
        };
        self.run_write(work).await
    }

    /// Changes a member's name and role. A changed role ends the member's sessions. Returns `None`
    /// when this club has no such member.
    pub async fn change_club_user(
        &self,
        club: ClubId,
        id: i64,
        name: Option<&str>,
        role: Option<Role>,
    ) -> Result<Option<ClubUser>, Failure> {
        let (name, signer) = (name.map(str::to_string), self.signer.clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let Some(before) = lock_member(&mut transaction, club, id).await? else {
                return Ok(None);
            };
            if role.is_some_and(|role| role.name() != before) {
                sqlx::query!("delete from sessions where club_user_id = $1", id)
                    .execute(&mut *transaction)
                    .await?;
            }
            sqlx::query!(
                "update club_users set name = coalesce($2, name), role = coalesce($3, role) where id = $1",
                id,
                name,
                role.map(Role::name)
            )
            .execute(&mut *transaction)
            .await?;
            let user = find_member(&mut transaction, id).await?;
            audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), id).await?;
            transaction.commit().await?;
            Ok(user)
        };
        self.run_write(work).await
    }

    /// Removes a member, with all sessions and links of that member, in one transaction. Returns
    /// `false` when this club has no such member.
    pub async fn remove_club_user(
        &self,
        club: ClubId,
        id: i64,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let signer = self.signer.clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            if lock_member(&mut transaction, club, id).await?.is_none() {
                return Ok(false);
            }
            sqlx::query!("delete from sessions where club_user_id = $1", id)
                .execute(&mut *transaction)
                .await?;
            sqlx::query!(
                "update club_users set removed_at = $2, password = null, token_hash = null, token_expires_at = null
                 where id = $1",
                id,
                to_column_time(at)
            )
            .execute(&mut *transaction)
            .await?;
            audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), id).await?;
            transaction.commit().await?;
            Ok(true)
        };
        self.run_write(work).await
    }
}

/// Locks the member's row and returns the member's role. `None` when this club has no such member.
async fn lock_member(
    connection: &mut PgConnection,
    club: ClubId,
    id: i64,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "select role from club_users where id = $1 and club_id = $2 and removed_at is null for update",
        id,
        club.0
    )
    .fetch_optional(connection)
    .await
}

async fn find_member(
    connection: &mut PgConnection,
    id: i64,
) -> Result<Option<ClubUser>, sqlx::Error> {
    let row = query_members!("u.id = $1 and u.removed_at is null", id)
        .fetch_optional(connection)
        .await?;
    row.map(ClubUser::try_from).transpose()
}

async fn invite_member(
    connection: &mut PgConnection,
    new: &NewClubUser,
    token_hash: &[u8],
) -> Result<InvitationOutcome, sqlx::Error> {
    // The database trigger that keeps login addresses unique takes this lock too. So a concurrent
    // insert of an account with this address waits for this transaction.
    sqlx::query!(
        "select pg_advisory_xact_lock(hashtext('login'), hashtext(lower($1)))",
        new.email
    )
    .execute(&mut *connection)
    .await?;
    let known = sqlx::query!(
        r#"select id, club_id, joined_at is not null as "joined!" from club_users
         where lower(email) = lower($1) and removed_at is null for update"#,
        new.email
    )
    .fetch_optional(&mut *connection)
    .await?;
    let id = match known {
        Some(known) if known.club_id != new.club.0 => return Ok(InvitationOutcome::Taken),
        Some(known) if known.joined => {
            return Ok(find_member(connection, known.id)
                .await?
                .map_or(InvitationOutcome::Taken, InvitationOutcome::Joined));
        }
        Some(known) => {
            renew_invitation(connection, known.id, new, token_hash).await?;
            return Ok(find_member(connection, known.id)
                .await?
                .map_or(InvitationOutcome::Taken, InvitationOutcome::Again));
        }
        None => insert_member(connection, new, token_hash).await?,
    };
    match id {
        Ok(id) => Ok(find_member(connection, id)
            .await?
            .map_or(InvitationOutcome::Taken, InvitationOutcome::New)),
        Err(refused) => Ok(refused),
    }
}

async fn renew_invitation(
    connection: &mut PgConnection,
    id: i64,
    new: &NewClubUser,
    token_hash: &[u8],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update club_users set name = $2, role = $3, token_hash = $4, token_expires_at = $5, invited_at = $6 where id = $1",
        id,
        new.name,
        new.role.name(),
        token_hash,
        to_column_time(new.until),
        to_column_time(new.at)
    )
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert_member(
    connection: &mut PgConnection,
    new: &NewClubUser,
    token_hash: &[u8],
) -> Result<Result<i64, InvitationOutcome>, sqlx::Error> {
    let account = sqlx::query!(
        r#"select (select count(*) from club_users where club_id = $1 and removed_at is null) as "count!",
             exists (select from clubs where lower(email) = lower($2))
             or exists (select from admins where lower(email) = lower($2)) as "is_taken!""#,
        new.club.0,
        new.email
    )
    .fetch_one(&mut *connection)
    .await?;
    if account.is_taken {
        return Ok(Err(InvitationOutcome::Taken));
    }
    if account.count >= CLUB_MEMBERS_MAX {
        return Ok(Err(InvitationOutcome::TooMany));
    }
    let id = sqlx::query_scalar!(
        "insert into club_users (club_id, email, name, role, token_hash, token_expires_at, invited_at)
         values ($1, $2, $3, $4, $5, $6, $7) returning id",
        new.club.0,
        new.email,
        new.name,
        new.role.name(),
        token_hash,
        to_column_time(new.until),
        to_column_time(new.at)
    )
    .fetch_one(connection)
    .await?;
    Ok(Ok(id))
}
