//! Changes of offers. A club may change only its own offers, and only while no ticket was sold
//! through the offer (decision H-4).

use domain::ClubId;
use sqlx::{PgConnection, PgPool};

use super::bundles::NewBundle;
use super::{Records, audit, to_column_time};
use crate::Failure;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferChangeOutcome {
    Done,
    /// Nothing was changed, because the offer has sales or is archived.
    Locked,
}

impl Records {
    /// Returns whether another offer of the club has this slug.
    pub async fn is_bundle_slug_taken(
        &self,
        club: ClubId,
        slug: &str,
        but: Option<i64>,
    ) -> Result<bool, Failure> {
        let read = sqlx::query_scalar!(
            r#"select exists (select from bundles where club_id = $1 and lower(slug) = lower($2) and id <> $3) as "is_taken!""#,
            club.0,
            slug,
            but.unwrap_or(0)
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }

    /// Returns the id of each offer of a club, with its number of sales.
    pub async fn sales_by_bundle(&self, club: ClubId) -> Result<Vec<(i64, i64)>, Failure> {
        let read = sqlx::query!(
            r#"select b.id, coalesce(sum(s.quantity), 0)::bigint as "sold!" from bundles b
             left join bundle_sales s on s.bundle_id = b.id where b.club_id = $1 group by b.id order by b.id"#,
            club.0
        ).map(|row| (row.id, row.sold));
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    /// Replaces an offer, unless it has sales. The offer's row is locked, so that no sale happens
    /// between the check and the change.
    pub async fn change_bundle(
        &self,
        club: ClubId,
        id: i64,
        new: &NewBundle,
    ) -> Result<OfferChangeOutcome, Failure> {
        let (new, signer) = (new.clone(), self.signer.clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            if !is_offer_open(&mut transaction, club, id).await? {
                return Ok(OfferChangeOutcome::Locked);
            }
            let games: Vec<i64> = new.games.iter().map(|game| game.0).collect();
            write_bundle(&mut transaction, id, new).await?;
            sqlx::query!("delete from bundle_games where bundle_id = $1", id)
                .execute(&mut *transaction)
                .await?;
            sqlx::query!(
                "insert into bundle_games (bundle_id, game_id) select $1, unnest($2::bigint[])",
                id,
                &games
            )
            .execute(&mut *transaction)
            .await?;
            audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), id).await?;
            transaction.commit().await?;
            Ok(OfferChangeOutcome::Done)
        };
        self.run_write(work).await
    }

    /// Archives an offer, unless it has sales and `is_over` is false. The caller passes in
    /// `is_over` whether the offer has ended.
    pub async fn archive_bundle(
        &self,
        club: ClubId,
        id: i64,
        is_over: bool,
    ) -> Result<OfferChangeOutcome, Failure> {
        let signer = self.signer.clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            if !is_over && !is_offer_open(&mut transaction, club, id).await? {
                return Ok(OfferChangeOutcome::Locked);
            }
            sqlx::query!(
                "update bundles set status = 'archived', updated_at = transaction_instant() where id = $1 and club_id = $2",
                id,
                club.0
            )
            .execute(&mut *transaction)
            .await?;
            audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), id).await?;
            transaction.commit().await?;
            Ok(OfferChangeOutcome::Done)
        };
        self.run_write(work).await
    }
}

async fn is_offer_open(
    connection: &mut PgConnection,
    club: ClubId,
    id: i64,
) -> Result<bool, sqlx::Error> {
    let open: Option<bool> = sqlx::query_scalar!(
        r#"select status in ('draft', 'active')
             and not exists (select from bundle_sales s where s.bundle_id = bundles.id) as "is_open!"
         from bundles where id = $1 and club_id = $2 for update"#,
        id,
        club.0
    )
    .fetch_optional(connection)
    .await?;
    Ok(open.unwrap_or(false))
}

async fn write_bundle(
    connection: &mut PgConnection,
    id: i64,
    new: NewBundle,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update bundles set name = $2, slug = $3, status = $4, type = $5, display_tag = $6, primary_copy = $7,
             share_image_url = $8, start_at = $9, end_at = $10, updated_at = transaction_instant() where id = $1",
        id,
        new.name,
        new.slug,
        new.status,
        new.kind,
        new.display_tag,
        new.primary_copy,
        new.share_image_url,
        new.start_at.map(to_column_time),
        new.end_at.map(to_column_time)
    )
    .execute(connection)
    .await?;
    Ok(())
}
