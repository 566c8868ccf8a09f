//! Mailed links that reset a password or confirm an address. Only hashes of these links are stored.
//! A link expires soon and works once (decisions G-6, G-18).

use domain::{ClubId, Timestamp};
use sqlx::{PgConnection, PgPool};

use super::audit::AuditAction;
use super::club_users::parse_role;
use super::sessions::{Member, SessionHolder};
use super::{Records, audit, to_column_time};
use crate::link_secrets::LinkKind;
use crate::{Failure, Sealer};

const PASSWORD_RESET_AUDIT_ACTION: &str = "reset-password";

/// The recipient of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailRecipient {
    pub holder: SessionHolder,
    pub email: String,
    /// The recipient's name. `None` when the e-mail address is not confirmed, because it may belong
    /// to a stranger, who should not read a name that another person entered.
    pub name: Option<String>,
}

impl Records {
    /// Stores the hash of a reset token for the account with this e-mail address, operators first.
    /// An earlier token stops working. Returns `None`, and stores nothing, when no account has the
    /// address.
    pub async fn begin_password_reset(
        &self,
        email: &str,
        token_hash: &[u8; 32],
        expires: Timestamp,
    ) -> Result<Option<MailRecipient>, Failure> {
        let hash = self.link_hash(LinkKind::Account, token_hash);
        let (email, expires) = (email.trim().to_string(), to_column_time(expires));
        let work = async move |pool: PgPool| {
            let admin = sqlx::query!(
                "update admins set reset_token_hash = $2, reset_expires_at = $3
                 where lower(email) = lower($1) returning id, email, name",
                email,
                hash,
                expires
            )
            .fetch_optional(&pool)
            .await?;
            if let Some(admin) = admin {
                return Ok(Some(MailRecipient {
                    holder: SessionHolder::Admin(admin.id),
                    email: admin.email,
                    name: Some(admin.name),
                }));
            }
            let club = sqlx::query!(
                "update clubs set password_reset_token = $2, password_reset_expires = $3
                 where lower(email) = lower($1)
                 returning id, email, case when email_verified_at is not null then name end as name",
                email,
                hex::encode(&hash),
                expires
            )
            .fetch_optional(&pool)
            .await?;
            if let Some(club) = club {
                return Ok(Some(MailRecipient {
                    holder: SessionHolder::Club(ClubId(club.id)),
                    email: club.email,
                    name: club.name,
                }));
            }
            begin_member_password_reset(&pool, &email, hash, expires).await
        };
        self.run_write(work).await
    }

    /// Returns the name, address and club slug of the account that a reset link belongs to. The
    /// caller calls this before it hashes the new password, because hashing is expensive. Returns
    /// `None` when the link no longer works.
    pub async fn find_account_by_reset_link(
        &self,
        token_hash: &[u8; 32],
        at: Timestamp,
    ) -> Result<Option<Vec<String>>, Failure> {
        let read = sqlx::query_scalar!(
            r#"select array[name, email, home_page_slug] as "account!" from clubs
                 where password_reset_token = any($1) and password_reset_expires > $3
             union all
             select array[name, email] from admins where reset_token_hash = any($2) and reset_expires_at > $3
             union all
             select array[u.name, u.email, c.name, c.home_page_slug] from club_users u join clubs c on c.id = u.club_id
                 where u.token_hash = any($2) and u.token_expires_at > $3
             limit 1"#,
            &hashes_to_hex(&self.link_hashes(LinkKind::Account, token_hash)),
            &self.link_hashes(LinkKind::Account, token_hash),
            to_column_time(at)
        );
        self.run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await
    }

    /// Sets the account's password, invalidates the token, ends all sessions of the account and
    /// queues a mail, in one transaction. Accepting an invitation sets the first password, so no
    /// mail is queued for it. Returns `None` when the token is unknown, used or expired.
    pub async fn finish_password_reset(
        &self,
        token_hash: &[u8; 32],
        password_hash: &str,
        at: Timestamp,
    ) -> Result<Option<SessionHolder>, Failure> {
        let hashes = self.link_hashes(LinkKind::Account, token_hash);
        let mail = format!(
            "password-changed-{}",
            self.link_id(LinkKind::Account, token_hash)
        );
        let sealer = self.postgres.sealer().clone();
        let (password, at) = (password_hash.to_string(), to_column_time(at));
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let club: Option<i64> = sqlx::query_scalar!(
                "update clubs set password = $2, password_reset_token = null, password_reset_expires = null,
                     email_verified_at = coalesce(email_verified_at, $3)
                 where password_reset_token = any($1) and password_reset_expires > $3 returning id",
                &hashes_to_hex(&hashes),
                password,
                at
            )
            .fetch_optional(&mut *transaction)
            .await?;
            let (holder, action) = match club {
                Some(id) => (
                    Some(SessionHolder::Club(ClubId(id))),
                    PASSWORD_RESET_AUDIT_ACTION,
                ),
                None => match reset_admin_password(
                    &mut transaction,
                    hashes.clone(),
                    password.clone(),
                    at,
                )
                .await?
                {
                    Some(id) => (Some(SessionHolder::Admin(id)), PASSWORD_RESET_AUDIT_ACTION),
                    None => reset_member_password(&mut transaction, hashes, password, at).await?,
                },
            };
            if let Some(holder) = holder {
                end_sessions(&mut transaction, holder).await?;
                write_password_reset_audit_entry(&mut transaction, &sealer, holder, action).await?;
                if action == PASSWORD_RESET_AUDIT_ACTION {
                    queue_password_mail(&mut transaction, holder, mail).await?;
                }
            }
            transaction.commit().await?;
            Ok(holder)
        };
        self.run_write(work).await
    }

    /// Stores the hash of a token that confirms a club's e-mail address. An earlier token stops
    /// working.
    pub async fn begin_email_verification(
        &self,
        club: ClubId,
        token_hash: &[u8; 32],
        expires: Timestamp,
    ) -> Result<(), Failure> {
        let write = sqlx::query!(
            "update clubs set email_verification_token = $2, email_verification_expires = $3
             where id = $1 and email_verified_at is null",
            club.0,
            hex::encode(self.link_hash(LinkKind::Verification, token_hash)),
            to_column_time(expires)
        );
        self.execute(write).await?;
        Ok(())
    }

    /// Confirms the e-mail address of the token's club. Repeating the call succeeds, because a link is
    /// often opened twice. Returns `false` when the token is unknown, or expired before its first
    /// use.
    pub async fn finish_email_verification(
        &self,
        token_hash: &[u8; 32],
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let write = sqlx::query!(
            "update clubs set email_verified_at = coalesce(email_verified_at, $2)
             where email_verification_token = any($1)
                 and (email_verified_at is not null or email_verification_expires > $2)",
            &hashes_to_hex(&self.link_hashes(LinkKind::Verification, token_hash)),
            to_column_time(at)
        );
        self.change_row_shown_in_lists(write).await
    }
}

/// Returns hashes as hexadecimal text, the form in which the table `clubs` stores them.
fn hashes_to_hex(hashes: &[Vec<u8>]) -> Vec<String> {
    hashes.iter().map(hex::encode).collect()
}

/// Writes the audit entry of a password reset. The actor is the account, because the server knows
/// only the mailed link, not the person.
async fn write_password_reset_audit_entry(
    connection: &mut PgConnection,
    sealer: &Sealer,
    holder: SessionHolder,
    action: &str,
) -> Result<(), sqlx::Error> {
    let object = match holder {
        SessionHolder::Club(club) => format!("club:{club}"),
        SessionHolder::Member(member) => format!("club-user:{}", member.id),
        SessionHolder::Admin(admin) => format!("admin:{admin}"),
    };
    let action = AuditAction {
        actor: &holder.name(),
        club: holder.club(),
        action,
        object: &object,
        ip: None,
    };
    audit::write_entry(connection, sealer, &action.entry(serde_json::json!({}))).await
}

/// Queues the mail that tells about the changed password (ASVS 6.3.7), once for each link, to the
/// address that received the link.
async fn queue_password_mail(
    connection: &mut PgConnection,
    holder: SessionHolder,
    key: String,
) -> Result<(), sqlx::Error> {
    let (email, name) = match holder {
        SessionHolder::Club(club) => {
            sqlx::query!("select email, name from clubs where id = $1", club.0)
                .map(|row| (row.email, row.name))
                .fetch_one(&mut *connection)
                .await?
        }
        SessionHolder::Member(member) => {
            sqlx::query!(
                "select email, name from club_users where id = $1",
                member.id
            )
            .map(|row| (row.email, row.name))
            .fetch_one(&mut *connection)
            .await?
        }
        SessionHolder::Admin(admin) => {
            sqlx::query!("select email, name from admins where id = $1", admin)
                .map(|row| (row.email, row.name))
                .fetch_one(&mut *connection)
                .await?
        }
    };
    sqlx::query!(
        "insert into email_outbox (dedupe_key, kind, to_address, data)
         values ($1, 'password-changed', $2, json_build_object('name', $3::text)::text)",
        key,
        email,
        name
    )
    .execute(connection)
    .await?;
    Ok(())
}

async fn reset_admin_password(
    connection: &mut PgConnection,
    hashes: Vec<Vec<u8>>,
    password: String,
    at: time::OffsetDateTime,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "update admins set password = $2, reset_token_hash = null, reset_expires_at = null
         where reset_token_hash = any($1) and reset_expires_at > $3 returning id",
        &hashes,
        password,
        at
    )
    .fetch_optional(connection)
    .await
}

/// Sets a member's new password through a mailed link. Also returns whether the link was an
/// invitation or a password reset.
async fn reset_member_password(
    connection: &mut PgConnection,
    hashes: Vec<Vec<u8>>,
    password: String,
    at: time::OffsetDateTime,
) -> Result<(Option<SessionHolder>, &'static str), sqlx::Error> {
    let row = sqlx::query!(
        r#"update club_users u set password = $2, token_hash = null, token_expires_at = null,
             joined_at = coalesce(u.joined_at, $3)
         from club_users before
         where before.id = u.id and u.token_hash = any($1) and u.token_expires_at > $3
         returning u.id, u.club_id, u.role, before.joined_at is null as "joins!""#,
        &hashes,
        password,
        at
    )
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else {
        return Ok((None, PASSWORD_RESET_AUDIT_ACTION));
    };
    let member = Member {
        id: row.id,
        club: ClubId(row.club_id),
        role: parse_role(&row.role)?,
    };
    Ok((
        Some(SessionHolder::Member(member)),
        if row.joins {
            "accept-invitation"
        } else {
            PASSWORD_RESET_AUDIT_ACTION
        },
    ))
}

/// Stores a reset token for a member. A member with an open invitation gets one too, and only the
/// newest link works.
async fn begin_member_password_reset(
    pool: &PgPool,
    email: &str,
    hash: Vec<u8>,
    expires: time::OffsetDateTime,
) -> Result<Option<MailRecipient>, sqlx::Error> {
    let row = sqlx::query!(
        "update club_users set token_hash = $2, token_expires_at = $3
         where lower(email) = lower($1) and removed_at is null returning id, club_id, role, email, name",
        email,
        hash,
        expires
    )
    .fetch_optional(pool)
    .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let member = Member {
        id: row.id,
        club: ClubId(row.club_id),
        role: parse_role(&row.role)?,
    };
    Ok(Some(MailRecipient {
        holder: SessionHolder::Member(member),
        email: row.email,
        name: Some(row.name),
    }))
}

async fn end_sessions(
    connection: &mut PgConnection,
    holder: SessionHolder,
) -> Result<(), sqlx::Error> {
    let write = match holder {
        SessionHolder::Club(club) => sqlx::query!(
            "delete from sessions where club_id = $1 and club_user_id is null",
            club.0
        ),
        SessionHolder::Member(member) => {
            sqlx::query!("delete from sessions where club_user_id = $1", member.id)
        }
        SessionHolder::Admin(admin) => {
            sqlx::query!("delete from sessions where admin_id = $1", admin)
        }
    };
    write.execute(connection).await?;
    Ok(())
}
