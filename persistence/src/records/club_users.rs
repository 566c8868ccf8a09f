//! The people behind a club's login: who they are, what they may do, and since when (decision G-17).

use domain::access::Role;
use domain::{ClubId, Timestamp};
use sqlx::{AssertSqlSafe, PgConnection, PgPool};
use time::OffsetDateTime;

use super::{Records, audit, column, timestamp};
use crate::Failure;

/// Most people of one club, removed ones not counted.
pub const PEOPLE_MAX: i64 = 50;

/// One of a club's people, without the password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClubUser {
    pub id: i64,
    pub club: ClubId,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub invited_at: Timestamp,
    /// Until when the mailed invitation opens; `None`: none is open.
    pub invited_until: Option<Timestamp>,
    /// Since a password was chosen.
    pub joined_at: Option<Timestamp>,
    pub seen_at: Option<Timestamp>,
}

/// Somebody to be asked in, and the link that was mailed.
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

/// What became of an invitation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invited {
    /// Nobody had this address.
    New(ClubUser),
    /// It had been mailed before, and is mailed again: name and role are as said now.
    Again(ClubUser),
    /// Has joined already; nothing was changed.
    Joined(ClubUser),
    /// The address signs in somewhere else.
    Taken,
    TooMany,
}

#[derive(sqlx::FromRow)]
struct Row {
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

const COLUMNS: &str = "u.id, u.club_id, u.email, u.name, u.role, u.invited_at, u.token_expires_at, u.joined_at,
    greatest(u.seen_at, (select max(s.seen_at) from sessions s where s.club_user_id = u.id)) as seen_at";

impl TryFrom<Row> for ClubUser {
    type Error = sqlx::Error;

    fn try_from(row: Row) -> Result<ClubUser, sqlx::Error> {
        Ok(ClubUser {
            id: row.id,
            club: ClubId(row.club_id),
            email: row.email,
            name: row.name,
            role: role(&row.role)?,
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

/// # Errors
/// Not one of ours, whatever the constraint says.
pub(super) fn role(word: &str) -> Result<Role, sqlx::Error> {
    Role::read(word).ok_or_else(|| sqlx::Error::Decode(format!("no role {word}").into()))
}

impl Records {
    /// A club's people, in the order in which they were asked in.
    pub async fn club_users(&self, club: ClubId) -> Result<Vec<ClubUser>, Failure> {
        let read = format!(
            "select {COLUMNS} from club_users u where u.club_id = $1 and u.removed_at is null order by u.id"
        );
        let read = sqlx::query_as(AssertSqlSafe(read)).bind(club.0);
        let work = async move |pool: PgPool| {
            let rows: Vec<Row> = read.fetch_all(&pool).await?;
            rows.into_iter().map(ClubUser::try_from).collect()
        };
        self.read(work).await
    }

    pub async fn club_user(&self, id: i64) -> Result<Option<ClubUser>, Failure> {
        self.read(async move |pool: PgPool| find(&mut *pool.acquire().await?, id).await)
            .await
    }

    /// When the club's own login was last seen signed in, as far as its open sessions tell.
    pub async fn club_login_seen(&self, club: ClubId) -> Result<Option<Timestamp>, Failure> {
        let read = "select max(seen_at) from sessions where club_id = $1 and club_user_id is null";
        let read = sqlx::query_scalar(read).bind(club.0);
        let seen: Option<OffsetDateTime> = self
            .read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await?;
        Ok(seen.map(timestamp))
    }

    /// Asks somebody in; again, the link that was mailed before no longer opens anything.
    pub async fn invite_club_user(&self, new: &NewClubUser) -> Result<Invited, Failure> {
        let (new, act) = (new.clone(), self.act.clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let invited = invite(&mut transaction, &new).await?;
            if let Invited::New(user) | Invited::Again(user) = &invited {
                audit::sign(&mut transaction, &act, user.id).await?;
            }
            transaction.commit().await?;
            Ok(invited)
        };
        self.write(work).await
    }

    /// Another name, another role; whoever's role changes signs in again. `None`: not one of this club's people.
    pub async fn change_club_user(
        &self,
        club: ClubId,
        id: i64,
        name: Option<&str>,
        role: Option<Role>,
    ) -> Result<Option<ClubUser>, Failure> {
        let (name, act) = (name.map(str::to_string), self.act.clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let Some(before) = lock(&mut transaction, club, id).await? else {
                return Ok(None);
            };
            if role.is_some_and(|role| role.word() != before) {
                sqlx::query("delete from sessions where club_user_id = $1")
                    .bind(id)
                    .execute(&mut *transaction)
                    .await?;
            }
            sqlx::query("update club_users set name = coalesce($2, name), role = coalesce($3, role) where id = $1")
                .bind(id)
                .bind(name)
                .bind(role.map(Role::word))
                .execute(&mut *transaction)
                .await?;
            let user = find(&mut transaction, id).await?;
            audit::sign(&mut transaction, &act, id).await?;
            transaction.commit().await?;
            Ok(user)
        };
        self.write(work).await
    }

    /// Every door that the person had is shut, in one transaction. `false`: not one of this club's people.
    pub async fn remove_club_user(
        &self,
        club: ClubId,
        id: i64,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let act = self.act.clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            if lock(&mut transaction, club, id).await?.is_none() {
                return Ok(false);
            }
            sqlx::query("delete from sessions where club_user_id = $1")
                .bind(id)
                .execute(&mut *transaction)
                .await?;
            sqlx::query(
                "update club_users set removed_at = $2, password = null, token_hash = null, token_expires_at = null
                 where id = $1",
            )
            .bind(id)
            .bind(column(at))
            .execute(&mut *transaction)
            .await?;
            audit::sign(&mut transaction, &act, id).await?;
            transaction.commit().await?;
            Ok(true)
        };
        self.write(work).await
    }
}

/// The role, when it is one of the club's people; nobody else changes the row meanwhile.
async fn lock(
    connection: &mut PgConnection,
    club: ClubId,
    id: i64,
) -> Result<Option<String>, sqlx::Error> {
    let read = "select role from club_users where id = $1 and club_id = $2 and removed_at is null for update";
    sqlx::query_scalar(read)
        .bind(id)
        .bind(club.0)
        .fetch_optional(connection)
        .await
}

async fn find(connection: &mut PgConnection, id: i64) -> Result<Option<ClubUser>, sqlx::Error> {
    let read =
        format!("select {COLUMNS} from club_users u where u.id = $1 and u.removed_at is null");
    let row: Option<Row> = sqlx::query_as(AssertSqlSafe(read))
        .bind(id)
        .fetch_optional(connection)
        .await?;
    row.map(ClubUser::try_from).transpose()
}

async fn invite(connection: &mut PgConnection, new: &NewClubUser) -> Result<Invited, sqlx::Error> {
    // As the trigger does it: whoever gives this address a login waits for us, and we for them.
    sqlx::query("select pg_advisory_xact_lock(hashtext('login'), hashtext(lower($1)))")
        .bind(&new.email)
        .execute(&mut *connection)
        .await?;
    let known: Option<(i64, i64, bool)> = sqlx::query_as(
        "select id, club_id, joined_at is not null from club_users
         where lower(email) = lower($1) and removed_at is null for update",
    )
    .bind(&new.email)
    .fetch_optional(&mut *connection)
    .await?;
    let id = match known {
        Some((_, club, _)) if club != new.club.0 => return Ok(Invited::Taken),
        Some((id, _, true)) => {
            return Ok(find(connection, id)
                .await?
                .map_or(Invited::Taken, Invited::Joined));
        }
        Some((id, _, false)) => {
            renew(connection, id, new).await?;
            return Ok(find(connection, id)
                .await?
                .map_or(Invited::Taken, Invited::Again));
        }
        None => insert(connection, new).await?,
    };
    match id {
        Ok(id) => Ok(find(connection, id)
            .await?
            .map_or(Invited::Taken, Invited::New)),
        Err(refused) => Ok(refused),
    }
}

async fn renew(
    connection: &mut PgConnection,
    id: i64,
    new: &NewClubUser,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update club_users set name = $2, role = $3, token_hash = $4, token_expires_at = $5, invited_at = $6 where id = $1",
    )
    .bind(id)
    .bind(&new.name)
    .bind(new.role.word())
    .bind(new.token_hash.to_vec())
    .bind(column(new.until))
    .bind(column(new.at))
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert(
    connection: &mut PgConnection,
    new: &NewClubUser,
) -> Result<Result<i64, Invited>, sqlx::Error> {
    let (count, taken): (i64, bool) = sqlx::query_as(
        "select (select count(*) from club_users where club_id = $1 and removed_at is null),
             exists (select from clubs where lower(email) = lower($2))
             or exists (select from admins where lower(email) = lower($2))",
    )
    .bind(new.club.0)
    .bind(&new.email)
    .fetch_one(&mut *connection)
    .await?;
    if taken {
        return Ok(Err(Invited::Taken));
    }
    if count >= PEOPLE_MAX {
        return Ok(Err(Invited::TooMany));
    }
    let id = sqlx::query_scalar(
        "insert into club_users (club_id, email, name, role, token_hash, token_expires_at, invited_at)
         values ($1, $2, $3, $4, $5, $6, $7) returning id",
    )
    .bind(new.club.0)
    .bind(&new.email)
    .bind(&new.name)
    .bind(new.role.word())
    .bind(new.token_hash.to_vec())
    .bind(column(new.until))
    .bind(column(new.at))
    .fetch_one(connection)
    .await?;
    Ok(Ok(id))
}
