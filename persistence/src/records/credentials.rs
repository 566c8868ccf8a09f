//! Password credentials by e-mail address, of operators, clubs and club members (decisions B-3,
//! G-17).

use domain::ClubId;
use sqlx::PgPool;

use super::Records;
use super::club_users::parse_role;
use super::sessions::{Member, SessionHolder};
use crate::Failure;

impl Records {
    /// Returns the account that has an e-mail address, with its password hash. Only the login calls
    /// it.
    ///
    /// One query searches all kinds of accounts, so that its duration does not reveal which kind
    /// has the address. An account without a password is not returned.
    pub async fn credentials(
        &self,
        email: &str,
    ) -> Result<Option<(SessionHolder, String)>, Failure> {
        let read = sqlx::query!(
            r#"select id as "admin?", null::bigint as club, null::bigint as member, null as role, password as "password!"
             from admins where lower(email) = lower($1)
             union all
             select null, id, null, null, password from clubs where lower(email) = lower($1)
             union all
             select null, club_id, id, role, password from club_users
             where lower(email) = lower($1) and removed_at is null and password is not null
             limit 1"#,
            email.trim()
        );
        let work = async move |pool: PgPool| {
            let Some(row) = read.fetch_optional(&pool).await? else {
                return Ok(None);
            };
            let holder = match (row.admin, row.club, row.member) {
                (Some(admin), ..) => SessionHolder::Admin(admin),
                (None, Some(club), Some(id)) => {
                    let role = parse_role(&row.role.unwrap_or_default())?;
                    SessionHolder::Member(Member {
                        id,
                        club: ClubId(club),
                        role,
                    })
                }
                (None, Some(club), None) => SessionHolder::Club(ClubId(club)),
                (None, None, _) => return Ok(None),
            };
            Ok(Some((holder, row.password)))
        };
        self.run_read(work).await
    }

    /// Returns whether an account has this e-mail address, or an open invitation was sent to it.
    pub async fn is_email_taken(&self, email: &str) -> Result<bool, Failure> {
        let read = sqlx::query_scalar!(
            r#"select exists (select from admins where lower(email) = lower($1))
                 or exists (select from clubs where lower(email) = lower($1))
                 or exists (select from club_users where lower(email) = lower($1) and removed_at is null) as "is_taken!""#,
            email.trim()
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }
}
