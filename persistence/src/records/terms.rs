//! A club's acceptance of the terms of service, recorded before a draw is created and linked with it (decision E-17).

use domain::{ClubId, DrawId, Timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{Records, audit, catalogue_changed, column, draws, listings, take_turn};
use crate::Failure;
use crate::records::draws::NewDraw;
use crate::records::listings::Listing;

/// An acceptance serves for draws that are created within half an hour.
const GOOD_FOR_SECONDS: i64 = 30 * 60;

/// Who agreed to what, from where: the server's own word on address and browser; the client's is ignored.
#[derive(Clone, Debug)]
pub struct Acceptance {
    pub club: ClubId,
    pub at: Timestamp,
    pub ip_address: String,
    pub user_agent: String,
    pub version: String,
    /// SHA-256 of the text that was shown (decision B-15).
    pub digest: String,
}

/// What became of draws that a club wanted to put on sale.
#[derive(Clone, Debug)]
pub enum Created {
    /// As they were written, in the order given.
    Draws(Vec<Listing>),
    /// One of the games is the club's draw of this number already; nothing was created.
    Exists(DrawId),
    /// There is no acceptance that serves; nothing was created.
    NotAgreed,
}

impl Records {
    pub async fn accept_terms(&self, acceptance: &Acceptance) -> Result<i64, Failure> {
        let said = acceptance.clone();
        let write =
            "insert into terms_acceptances (club_id, accepted_at, ip_address, user_agent, terms_version, terms_digest)
             values ($1, $2, $3, $4, $5, $6) returning id";
        let work = async move |pool: PgPool| {
            let write = sqlx::query_scalar(write)
                .bind(said.club.0)
                .bind(column(said.at))
                .bind(said.ip_address);
            write
                .bind(said.user_agent)
                .bind(said.version)
                .bind(said.digest)
                .fetch_one(&pool)
                .await
        };
        self.write(work).await
    }

    /// Creates draws of one club under its latest acceptance that serves no draw yet, and links it with the first of them:
    /// all in one transaction. One club's creations wait for each other, so that the same game, sent again after a lost answer
    /// or twice at once, is one draw.
    ///
    /// # Errors
    /// `NotWritten`: nothing was created.
    pub async fn create_draws_agreed(
        &self,
        club: ClubId,
        new: &[NewDraw],
        at: Timestamp,
    ) -> Result<Created, Failure> {
        let new = new.to_vec();
        let (sealer, act) = (self.postgres.sealer().clone(), self.act.clone());
        let since = column(at.plus_seconds(-GOOD_FOR_SECONDS));
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            take_turn(&mut transaction, "draws", club).await?;
            if let Some(draw) = draws::same_game(&mut transaction, club, &new).await? {
                return Ok(Err(Created::Exists(draw)));
            }
            let Some(acceptance) = latest(&mut transaction, club, since).await? else {
                return Ok(Err(Created::NotAgreed));
            };
            let ids = draws::insert_all(&mut transaction, &sealer, &new).await?;
            sqlx::query("update terms_acceptances set draw_id = $2 where id = $1")
                .bind(acceptance)
                .bind(ids.first().map(|id| id.0))
                .execute(&mut *transaction)
                .await?;
            if let Some(first) = ids.first() {
                audit::sign(&mut transaction, &act, first).await?;
            }
            let rows = listings::written(&mut transaction, &ids).await?;
            catalogue_changed(&mut transaction).await?;
            transaction.commit().await?;
            Ok(Ok(rows))
        };
        match self.write(work).await? {
            Ok(rows) => Ok(Created::Draws(
                rows.into_iter()
                    .map(listings::Row::listing)
                    .collect::<Result<_, _>>()?,
            )),
            Err(nothing) => Ok(nothing),
        }
    }
}

/// Locked, so that two creations at once need two acceptances.
async fn latest(
    connection: &mut PgConnection,
    club: ClubId,
    since: OffsetDateTime,
) -> Result<Option<i64>, sqlx::Error> {
    let read = "select id from terms_acceptances where club_id = $1 and draw_id is null and accepted_at >= $2
         order by id desc limit 1 for update skip locked";
    sqlx::query_scalar(read)
        .bind(club.0)
        .bind(since)
        .fetch_optional(connection)
        .await
}
