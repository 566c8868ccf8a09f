//! Clubs with the sums of their sales, for the operator's console.

use domain::ClubId;
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::Failure;
use crate::records::Records;
use crate::records::audit::AuditEntry;

#[derive(Clone, Debug)]
pub struct ClubRow {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub phone: Option<String>,
    pub location: Option<String>,
    pub created_at: OffsetDateTime,
    pub connected: bool,
    pub account_id: Option<String>,
    pub slug: String,
    pub archived: bool,
    pub archived_at: Option<OffsetDateTime>,
    pub charges_enabled: bool,
    pub payouts_enabled: bool,
    pub details_submitted: bool,
    pub total_draws: i64,
    pub active_draws: i64,
    pub completed_draws: i64,
    pub tickets_sold: i64,
    pub revenue_cents: i64,
}

impl Records {
    /// Returns clubs sorted by name: one club, the archived clubs, or the clubs that are not
    /// archived.
    pub async fn club_rows(
        &self,
        archived: Option<bool>,
        only: Option<ClubId>,
    ) -> Result<Vec<ClubRow>, Failure> {
        let read = sqlx::query_as!(
            ClubRow,
            r#"select c.id, c.name, c.email, c.phone, c.location, c.created_at,
                 c.stripe_connect_onboarding_complete as "connected!", c.stripe_connect_account_id as account_id,
                 c.home_page_slug as slug, c.archived, c.archived_at, c.charges_enabled, c.payouts_enabled,
                 c.details_submitted, count(d.id) as "total_draws!",
                 count(d.id) filter (where d.status = 'active' and d.kick_off > transaction_instant()) as "active_draws!",
                 count(d.id) filter (where d.status = 'completed') as "completed_draws!",
                 coalesce(sum(d.sold), 0)::bigint as "tickets_sold!",
                 coalesce(sum(d.revenue_cents), 0)::bigint as "revenue_cents!"
             from clubs c left join draws d on d.club_id = c.id
             where ($1::boolean is null or c.archived = $1) and ($2::bigint is null or c.id = $2)
             group by c.id order by lower(c.name), c.id"#,
            archived,
            only.map(|club| club.0)
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    /// Archives a club, or undoes that. An archived club is hidden from lists and gets no new
    /// payment intents (decision H-3). Returns `false` when nothing changed.
    pub async fn set_club_archived(
        &self,
        club: ClubId,
        archived: bool,
        entry: AuditEntry,
    ) -> Result<bool, Failure> {
        self.write_with_audit_entry(sqlx::query!(
            "update clubs set archived = $2, archived_at = case when $2 then transaction_instant() end
             where id = $1 and archived <> $2",
            club.0,
            archived
        ), entry, true)
            .await
    }
}
