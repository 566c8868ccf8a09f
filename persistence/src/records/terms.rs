//! The acceptance of the terms of service by a club. It is recorded before a draw is created, and
//! then linked to that draw (decision E-17).

use domain::{ClubId, DrawId, Timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{Records, audit, bump_catalogue_revision, draws, listings, lock_club, to_column_time};
use crate::Failure;
use crate::records::draws::DrawToCreate;
use crate::records::listings::Listing;

/// How long an acceptance of the terms is valid for creating draws, in seconds.
const ACCEPTANCE_VALID_SECONDS: i64 = 30 * 60;

/// Who accepted which terms, and from where. The server itself determines the network address and
/// browser, so the client cannot forge them.
#[derive(Clone, Debug)]
pub struct TermsAcceptance {
    pub club: ClubId,
    pub at: Timestamp,
    pub ip_address: String,
    pub user_agent: String,
    pub version: String,
    /// The SHA-256 of the terms' text that was shown (decision B-15).
    pub digest: String,
}

/// The outcome of creating draws.
#[derive(Clone, Debug)]
pub enum CreateDrawsOutcome {
    /// The created draws, in the given order.
    Draws(Vec<Listing>),
    /// Nothing was created, because the club already has a draw for one of the games. The value is
    /// that draw's number.
    Exists(DrawId),
    /// Nothing was created, because the club has no valid acceptance of the terms.
    NotAgreed,
}

impl Records {
    pub async fn accept_terms(&self, acceptance: &TermsAcceptance) -> Result<i64, Failure> {
        let acceptance = acceptance.clone();
        let work = async move |pool: PgPool| {
            let write = sqlx::query_scalar!(
                "insert into terms_acceptances (club_id, accepted_at, ip_address, user_agent, terms_version, terms_digest)
             values ($1, $2, $3, $4, $5, $6) returning id",
                acceptance.club.0,
                to_column_time(acceptance.at),
                acceptance.ip_address,
                acceptance.user_agent,
                acceptance.version,
                acceptance.digest
            );
            write.fetch_one(&pool).await
        };
        self.run_write(work).await
    }

    /// Creates draws of one club under its latest unused acceptance of the terms, and links that
    /// acceptance to the first draw, in one transaction.
    ///
    /// Concurrent calls for one club run one after the other, so that a request that is sent twice
    /// creates one draw.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when nothing was created.
    pub async fn create_draws_under_terms(
        &self,
        club: ClubId,
        new: &[DrawToCreate],
        at: Timestamp,
    ) -> Result<CreateDrawsOutcome, Failure> {
        let new = new.to_vec();
        let (sealer, signer) = (self.postgres.sealer().clone(), self.signer.clone());
        let since = to_column_time(at.plus_seconds(-ACCEPTANCE_VALID_SECONDS));
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            lock_club(&mut transaction, "draws", club).await?;
            if let Some(draw) = draws::find_same_game(&mut transaction, club, &new).await? {
                return Ok(Err(CreateDrawsOutcome::Exists(draw)));
            }
            let Some(acceptance) = lock_latest_acceptance(&mut transaction, club, since).await?
            else {
                return Ok(Err(CreateDrawsOutcome::NotAgreed));
            };
            let ids = draws::insert_draws(&mut transaction, &sealer, &new).await?;
            sqlx::query!(
                "update terms_acceptances set draw_id = $2 where id = $1",
                acceptance,
                ids.first().map(|id| id.0)
            )
            .execute(&mut *transaction)
            .await?;
            if let Some(first) = ids.first() {
                audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), first).await?;
            }
            let rows = listings::fetch_inserted_listings(&mut transaction, &ids).await?;
            bump_catalogue_revision(&mut transaction).await?;
            transaction.commit().await?;
            Ok(Ok(rows))
        };
        match self.run_write(work).await? {
            Ok(rows) => Ok(CreateDrawsOutcome::Draws(
                rows.into_iter()
                    .map(listings::ListingRow::into_listing)
                    .collect::<Result<_, _>>()?,
            )),
            Err(nothing) => Ok(nothing),
        }
    }
}

/// Returns the latest unused acceptance and locks its row. So two concurrent creations cannot use
/// the same acceptance.
async fn lock_latest_acceptance(
    connection: &mut PgConnection,
    club: ClubId,
    since: OffsetDateTime,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "select id from terms_acceptances where club_id = $1 and draw_id is null and accepted_at >= $2
         order by id desc limit 1 for update skip locked",
        club.0,
        since
    )
    .fetch_optional(connection)
    .await
}
