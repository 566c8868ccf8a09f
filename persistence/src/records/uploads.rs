//! Uploaded pictures of clubs. The server encodes each picture again (decisions B-12, G-8, G-9).

use domain::ClubId;
use sqlx::PgPool;

use super::{Records, lock_club};
use crate::Failure;

#[derive(Clone, Debug)]
pub struct Upload {
    /// The file name, chosen by the server. The extension shows the picture's type.
    pub key: String,
    pub club: ClubId,
    /// What the picture is for: `logo`, `bundle-image`, `photo` or `sponsor`.
    pub purpose: &'static str,
    pub bytes: Vec<u8>,
}

/// The maximum number of pictures of one club (ASVS 5.2.4). It allows several pictures for each
/// game of a long season.
pub const CLUB_PICTURES_MAX: i64 = 200;

impl Records {
    /// Stores a picture. A picture whose file name is already stored is not stored again. Returns
    /// `false` when the club has [`CLUB_PICTURES_MAX`] other pictures.
    pub async fn store_upload(&self, upload: Upload) -> Result<bool, Failure> {
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            // Concurrent uploads of one club wait for each other, so that each upload counts the
            // others' pictures when it checks the limit.
            lock_club(&mut transaction, "uploads", upload.club).await?;
            let fits = sqlx::query_scalar!(
                r#"select count(*) < $2 or exists (select from uploads where key = $3) as "fits!" from uploads where club_id = $1"#,
                upload.club.0,
                CLUB_PICTURES_MAX,
                upload.key
            );
            if !fits.fetch_one(&mut *transaction).await? {
                return Ok(false);
            }
            let write = sqlx::query!(
                "insert into uploads (key, club_id, purpose, bytes) values ($1, $2, $3, $4)
                 on conflict (key) do nothing",
                upload.key,
                upload.club.0,
                upload.purpose,
                upload.bytes
            );
            write.execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(true)
        };
        self.run_write(work).await
    }

    pub async fn upload(&self, key: &str) -> Result<Option<Vec<u8>>, Failure> {
        let read = sqlx::query_scalar!("select bytes from uploads where key = $1", key);
        self.run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await
    }

    /// Deletes the picture of a club's offer, unless another offer still uses it: offers with the
    /// same picture share one row. Returns `false` when the club has no such picture.
    pub async fn delete_upload(
        &self,
        key: &str,
        club: ClubId,
        offer: &str,
    ) -> Result<bool, Failure> {
        let (key, offer) = (key.to_string(), offer.to_string());
        let work = async move |pool: PgPool| {
            let is_theirs: bool = sqlx::query_scalar!(
                r#"select exists (select from uploads where key = $1 and club_id = $2 and purpose = 'bundle-image') as "is_theirs!""#,
                key,
                club.0
            )
            .fetch_one(&pool)
            .await?;
            sqlx::query!(
                "delete from uploads u where u.key = $1 and u.club_id = $2 and u.purpose = 'bundle-image'
                 and not exists (select from bundles b where b.club_id = $2 and lower(b.slug) <> lower($3)
                     and right(b.share_image_url, length(u.key) + 1) = '/' || u.key)",
                key,
                club.0,
                offer
            )
            .execute(&pool)
            .await?;
            Ok(is_theirs)
        };
        self.run_write(work).await
    }
}
