//! A club's offers: specials (several tickets of one game) and bundles (several games). Tables and
//! routes call both kinds bundles, as the specification does.

use domain::{ClubId, DrawId, Timestamp};
use sqlx::PgPool;
use time::OffsetDateTime;

use super::{Records, audit, timestamp, to_column_time};
use crate::Failure;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    pub id: i64,
    pub club: ClubId,
    pub name: String,
    pub slug: String,
    pub status: String,
    /// The kind of offer: `BUNDLE` or `SPECIAL`.
    pub kind: String,
    pub display_tag: Option<String>,
    pub primary_copy: Option<String>,
    pub share_image_url: Option<String>,
    pub start_at: Option<Timestamp>,
    pub end_at: Option<Timestamp>,
    pub games: Vec<DrawId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Clone, Debug, Default)]
pub struct NewBundle {
    pub name: String,
    pub slug: String,
    pub status: String,
    pub kind: String,
    pub display_tag: Option<String>,
    pub primary_copy: Option<String>,
    pub share_image_url: Option<String>,
    pub start_at: Option<Timestamp>,
    pub end_at: Option<Timestamp>,
    pub games: Vec<DrawId>,
}

struct BundleRow {
    id: i64,
    club_id: i64,
    name: String,
    slug: String,
    status: String,
    r#type: String,
    display_tag: Option<String>,
    primary_copy: Option<String>,
    share_image_url: Option<String>,
    start_at: Option<OffsetDateTime>,
    end_at: Option<OffsetDateTime>,
    games: Vec<i64>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

impl From<BundleRow> for Bundle {
    fn from(row: BundleRow) -> Bundle {
        Bundle {
            id: row.id,
            club: ClubId(row.club_id),
            name: row.name,
            slug: row.slug,
            status: row.status,
            kind: row.r#type,
            display_tag: row.display_tag,
            primary_copy: row.primary_copy,
            share_image_url: row.share_image_url,
            start_at: row.start_at.map(timestamp),
            end_at: row.end_at.map(timestamp),
            games: row.games.into_iter().map(DrawId).collect(),
            created_at: timestamp(row.created_at),
            updated_at: timestamp(row.updated_at),
        }
    }
}

impl Records {
    /// Returns a club's offers with their games, newest first.
    pub async fn bundles(&self, club: ClubId) -> Result<Vec<Bundle>, Failure> {
        let read = sqlx::query_as!(
            BundleRow,
            r#"select b.id, b.club_id, b.name, b.slug, b.status, b.type, b.display_tag, b.primary_copy,
                 b.share_image_url, b.start_at, b.end_at, b.created_at, b.updated_at,
                 coalesce(array_agg(g.game_id order by g.game_id) filter (where g.game_id is not null), '{}') as "games!"
             from bundles b left join bundle_games g on g.bundle_id = b.id
             where b.club_id = $1 group by b.id order by b.id desc"#,
            club.0
        );
        let rows: Vec<BundleRow> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows.into_iter().map(Bundle::from).collect())
    }

    pub async fn create_bundle(&self, club: ClubId, new: &NewBundle) -> Result<i64, Failure> {
        let new = new.clone();
        let games: Vec<i64> = new.games.iter().map(|game| game.0).collect();
        let signer = self.signer.clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let insert = sqlx::query_scalar!(
                "insert into bundles (club_id, name, slug, status, type, display_tag, primary_copy, share_image_url,
                     start_at, end_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id",
                club.0,
                new.name,
                new.slug,
                new.status,
                new.kind,
                new.display_tag,
                new.primary_copy,
                new.share_image_url,
                new.start_at.map(to_column_time),
                new.end_at.map(to_column_time)
            );
            let id = insert.fetch_one(&mut *transaction).await?;
            sqlx::query!(
                "insert into bundle_games (bundle_id, game_id) select $1, unnest($2::bigint[])",
                id,
                &games
            )
            .execute(&mut *transaction)
            .await?;
            audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), id).await?;
            transaction.commit().await?;
            Ok(id)
        };
        self.run_write(work).await
    }
}
