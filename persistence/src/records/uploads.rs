//! Pictures of clubs, as we made them anew (decisions B-12, G-8, G-9).

use domain::ClubId;
use sqlx::PgPool;

use super::Records;
use crate::Failure;

#[derive(Clone, Debug)]
pub struct Upload {
    /// Ours; its ending says what it is.
    pub key: String,
    pub club: ClubId,
    /// `logo` or `bundle-image`.
    pub purpose: &'static str,
    pub bytes: Vec<u8>,
}

impl Records {
    /// The same picture again is the same row.
    pub async fn keep_upload(&self, upload: Upload) -> Result<(), Failure> {
        let write = "insert into uploads (key, club_id, purpose, bytes) values ($1, $2, $3, $4)
             on conflict (key) do nothing";
        let write = sqlx::query(write).bind(upload.key).bind(upload.club.0).bind(upload.purpose).bind(upload.bytes);
        self.execute(write).await?;
        Ok(())
    }

    pub async fn upload(&self, key: &str) -> Result<Option<Vec<u8>>, Failure> {
        let read = sqlx::query_scalar("select bytes from uploads where key = $1").bind(key.to_string());
        self.read(async move |pool: PgPool| read.fetch_optional(&pool).await).await
    }

    /// `false`: the club has no such picture.
    pub async fn forget_upload(&self, key: &str, club: ClubId) -> Result<bool, Failure> {
        let write = sqlx::query("delete from uploads where key = $1 and club_id = $2 and purpose = 'bundle-image'");
        Ok(self.execute(write.bind(key.to_string()).bind(club.0)).await? > 0)
    }
}
