//! How somebody proves who they are without a password: the links of mails that reset one or confirm an address. Stored as
//! hashes, short-lived, used once (decisions G-6, G-18).

use domain::{ClubId, Timestamp};
use sqlx::{PgConnection, PgPool};

use super::audit::Act;
use super::club_users::role;
use super::sessions::{Holder, Member};
use super::{Records, audit, column};
use crate::Failure;

const RESET: &str = "reset-password";

/// Whom a mail goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressee {
    pub holder: Holder,
    pub email: String,
    pub name: String,
}

impl Records {
    /// Keeps the hash of a reset token for whoever has this e-mail, operators first; an older one no longer opens anything.
    /// `None`: nobody has it, and nothing was written.
    pub async fn begin_reset(
        &self,
        email: &str,
        token_hash: &[u8; 32],
        expires: Timestamp,
    ) -> Result<Option<Addressee>, Failure> {
        let (email, hash, expires) = (email.trim().to_string(), *token_hash, column(expires));
        let work = async move |pool: PgPool| {
            let admin: Option<(i64, String, String)> = sqlx::query_as(
                "update admins set reset_token_hash = $2, reset_expires_at = $3
                 where lower(email) = lower($1) returning id, email, name",
            )
            .bind(email.clone())
            .bind(hash.to_vec())
            .bind(expires)
            .fetch_optional(&pool)
            .await?;
            if let Some((id, email, name)) = admin {
                return Ok(Some(Addressee {
                    holder: Holder::Admin(id),
                    email,
                    name,
                }));
            }
            let club: Option<(i64, String, String)> = sqlx::query_as(
                "update clubs set password_reset_token = $2, password_reset_expires = $3
                 where lower(email) = lower($1) returning id, email, name",
            )
            .bind(email.clone())
            .bind(hex::encode(hash))
            .bind(expires)
            .fetch_optional(&pool)
            .await?;
            if let Some((id, email, name)) = club {
                return Ok(Some(Addressee {
                    holder: Holder::Club(ClubId(id)),
                    email,
                    name,
                }));
            }
            member_begins(&pool, &email, hash, expires).await
        };
        self.write(work).await
    }

    /// What everybody knows of whom a reset link is for: names, address and the club's slug. Asked before the costly hash is
    /// made. `None`: it opens nothing any more.
    pub async fn reset_is_for(
        &self,
        token_hash: &[u8; 32],
        at: Timestamp,
    ) -> Result<Option<Vec<String>>, Failure> {
        let read = sqlx::query_scalar(
            "select array[name, email, home_page_slug] from clubs
                 where password_reset_token = $1 and password_reset_expires > $3
             union all
             select array[name, email] from admins where reset_token_hash = $2 and reset_expires_at > $3
             union all
             select array[u.name, u.email, c.name, c.home_page_slug] from club_users u join clubs c on c.id = u.club_id
                 where u.token_hash = $2 and u.token_expires_at > $3
             limit 1",
        )
        .bind(hex::encode(token_hash))
        .bind(token_hash.to_vec())
        .bind(column(at));
        self.read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await
    }

    /// Sets the password of whoever the token was made for, uses the token up, ends every session of theirs and tells them by
    /// mail, in one transaction. Who takes an invitation has no password that could have been changed, and gets no mail. `None`:
    /// the token is unknown, used or too old.
    pub async fn finish_reset(
        &self,
        token_hash: &[u8; 32],
        password_hash: &str,
        at: Timestamp,
    ) -> Result<Option<Holder>, Failure> {
        let (hash, password, at) = (*token_hash, password_hash.to_string(), column(at));
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let club: Option<i64> = sqlx::query_scalar(
                "update clubs set password = $2, password_reset_token = null, password_reset_expires = null,
                     email_verified_at = coalesce(email_verified_at, $3)
                 where password_reset_token = $1 and password_reset_expires > $3 returning id",
            )
            .bind(hex::encode(hash))
            .bind(password.clone())
            .bind(at)
            .fetch_optional(&mut *transaction)
            .await?;
            let (holder, action) = match club {
                Some(id) => (Some(Holder::Club(ClubId(id))), RESET),
                None => match reset_admin(&mut transaction, hash, password.clone(), at).await? {
                    Some(id) => (Some(Holder::Admin(id)), RESET),
                    None => reset_member(&mut transaction, hash, password, at).await?,
                },
            };
            if let Some(holder) = holder {
                end_sessions(&mut transaction, holder).await?;
                note_reset(&mut transaction, holder, action).await?;
                if action == RESET {
                    tell(&mut transaction, holder, hash).await?;
                }
            }
            transaction.commit().await?;
            Ok(holder)
        };
        self.write(work).await
    }

    /// Keeps the hash of a token that will confirm a club's address; an older one no longer does.
    pub async fn begin_verification(
        &self,
        club: ClubId,
        token_hash: &[u8; 32],
        expires: Timestamp,
    ) -> Result<(), Failure> {
        let write = sqlx::query(
            "update clubs set email_verification_token = $2, email_verification_expires = $3
             where id = $1 and email_verified_at is null",
        );
        let write = write
            .bind(club.0)
            .bind(hex::encode(token_hash))
            .bind(column(expires));
        self.execute(write).await?;
        Ok(())
    }

    /// The address is its reader's. `false`: the token is unknown, used or too old.
    pub async fn finish_verification(
        &self,
        token_hash: &[u8; 32],
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let write = sqlx::query(
            "update clubs set email_verified_at = coalesce(email_verified_at, $2), email_verification_token = null,
                 email_verification_expires = null
             where email_verification_token = $1 and email_verification_expires > $2",
        );
        self.change(write.bind(hex::encode(token_hash)).bind(column(at)))
            .await
    }
}

/// Whoever had the mailed link acted as the account's holder: that is all that is known of them.
async fn note_reset(
    connection: &mut PgConnection,
    holder: Holder,
    action: &str,
) -> Result<(), sqlx::Error> {
    let object = match holder {
        Holder::Club(club) => format!("club:{club}"),
        Holder::Member(member) => format!("club-user:{}", member.id),
        Holder::Admin(admin) => format!("admin:{admin}"),
    };
    let act = Act {
        actor: &holder.name(),
        club: holder.club(),
        action,
        object: &object,
        ip: None,
    };
    audit::write(connection, &act.entry(serde_json::json!({}))).await
}

/// Their password was changed (ASVS 6.3.7): once for each link, to the address it went to.
async fn tell(
    connection: &mut PgConnection,
    holder: Holder,
    hash: [u8; 32],
) -> Result<(), sqlx::Error> {
    let (read, id) = match holder {
        Holder::Club(club) => ("select email, name from clubs where id = $1", club.0),
        Holder::Member(member) => (
            "select email, name from club_users where id = $1",
            member.id,
        ),
        Holder::Admin(admin) => ("select email, name from admins where id = $1", admin),
    };
    let (email, name): (String, String) = sqlx::query_as(read)
        .bind(id)
        .fetch_one(&mut *connection)
        .await?;
    let mail = "insert into email_outbox (dedupe_key, kind, to_address, data)
         values ($1, 'password-changed', $2, json_build_object('name', $3::text)::text)";
    let key = format!("password-changed-{}", hex::encode(&hash[..8]));
    sqlx::query(mail)
        .bind(key)
        .bind(email)
        .bind(name)
        .execute(connection)
        .await?;
    Ok(())
}

async fn reset_admin(
    connection: &mut PgConnection,
    hash: [u8; 32],
    password: String,
    at: time::OffsetDateTime,
) -> Result<Option<i64>, sqlx::Error> {
    let write = "update admins set password = $2, reset_token_hash = null, reset_expires_at = null
         where reset_token_hash = $1 and reset_expires_at > $3 returning id";
    sqlx::query_scalar(write)
        .bind(hash.to_vec())
        .bind(password)
        .bind(at)
        .fetch_optional(connection)
        .await
}

/// With what it was: an invitation that was taken, or a password that had been forgotten.
async fn reset_member(
    connection: &mut PgConnection,
    hash: [u8; 32],
    password: String,
    at: time::OffsetDateTime,
) -> Result<(Option<Holder>, &'static str), sqlx::Error> {
    let row: Option<(i64, i64, String, bool)> = sqlx::query_as(
        "update club_users u set password = $2, token_hash = null, token_expires_at = null,
             joined_at = coalesce(u.joined_at, $3)
         from club_users before
         where before.id = u.id and u.token_hash = $1 and u.token_expires_at > $3
         returning u.id, u.club_id, u.role, before.joined_at is null",
    )
    .bind(hash.to_vec())
    .bind(password)
    .bind(at)
    .fetch_optional(connection)
    .await?;
    let Some((id, club, word, joins)) = row else {
        return Ok((None, RESET));
    };
    let member = Member {
        id,
        club: ClubId(club),
        role: role(&word)?,
    };
    Ok((
        Some(Holder::Member(member)),
        if joins { "accept-invitation" } else { RESET },
    ))
}

/// Also for somebody who has yet to take an invitation: the newest link is the one that opens.
async fn member_begins(
    pool: &PgPool,
    email: &str,
    hash: [u8; 32],
    expires: time::OffsetDateTime,
) -> Result<Option<Addressee>, sqlx::Error> {
    let row: Option<(i64, i64, String, String, String)> = sqlx::query_as(
        "update club_users set token_hash = $2, token_expires_at = $3
         where lower(email) = lower($1) and removed_at is null returning id, club_id, role, email, name",
    )
    .bind(email)
    .bind(hash.to_vec())
    .bind(expires)
    .fetch_optional(pool)
    .await?;
    let Some((id, club, word, email, name)) = row else {
        return Ok(None);
    };
    let member = Member {
        id,
        club: ClubId(club),
        role: role(&word)?,
    };
    Ok(Some(Addressee {
        holder: Holder::Member(member),
        email,
        name,
    }))
}

async fn end_sessions(connection: &mut PgConnection, holder: Holder) -> Result<(), sqlx::Error> {
    let (write, id) = match holder {
        Holder::Club(club) => (
            "delete from sessions where club_id = $1 and club_user_id is null",
            club.0,
        ),
        Holder::Member(member) => ("delete from sessions where club_user_id = $1", member.id),
        Holder::Admin(admin) => ("delete from sessions where admin_id = $1", admin),
    };
    sqlx::query(write).bind(id).execute(connection).await?;
    Ok(())
}
