//! Offers as buyers see them, and the offers that an order contains. The module `bundles` has the
//! rows for the offer editor.

use domain::{ClubId, OrderId};
use sqlx::PgPool;

use super::Records;
use super::bundles::Bundle;
use crate::Failure;

impl Records {
    /// Returns a club's offer by its slug, in any state. Letter case does not matter.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn bundle_by_slug(
        &self,
        club: ClubId,
        slug: &str,
    ) -> Result<Option<Bundle>, Failure> {
        let bundles = self.bundles(club).await?;
        Ok(bundles
            .into_iter()
            .find(|bundle| bundle.slug.eq_ignore_ascii_case(slug)))
    }

    /// Returns the club that created an offer.
    ///
    /// # Errors
    ///
    /// The database could not be read.
    pub async fn club_of_bundle(&self, bundle: i64) -> Result<Option<ClubId>, Failure> {
        let read = sqlx::query_scalar!("select club_id from bundles where id = $1", bundle);
        let club: Option<i64> = self
            .run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        Ok(club.map(ClubId))
    }

    /// Records which offers an unpaid order contains, and how many of each. Replaces the offers
    /// recorded before. They count as sold when the order is captured (table `bundle_sales`).
    ///
    /// # Errors
    ///
    /// The database could not be written.
    pub async fn record_order_offers(
        &self,
        order: OrderId,
        offers: &[(i64, u16)],
    ) -> Result<(), Failure> {
        let order = uuid::Uuid::from_u128(order.0);
        let (bundles, counts): (Vec<i64>, Vec<i32>) = offers
            .iter()
            .map(|(bundle, count)| (*bundle, i32::from(*count)))
            .unzip();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            sqlx::query!("delete from order_offers where order_id = $1", order)
                .execute(&mut *transaction)
                .await?;
            sqlx::query!(
                "insert into order_offers (order_id, bundle_id, quantity)
                select $1, * from unnest($2::bigint[], $3::integer[])",
                order,
                &bundles,
                &counts
            )
            .execute(&mut *transaction)
            .await?;
            transaction.commit().await
        };
        self.run_write(work).await
    }
}

impl Records {
    /// Returns the slugs of offers that may be on sale, with their clubs. Used for search engines.
    ///
    /// # Errors
    ///
    /// The database could not be read.
    pub async fn open_bundles(&self) -> Result<Vec<(ClubId, String)>, Failure> {
        let read = sqlx::query!(
            "select club_id, slug from bundles where status in ('active', 'locked') order by id"
        );
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| (ClubId(row.club_id), row.slug))
            .collect())
    }
}
