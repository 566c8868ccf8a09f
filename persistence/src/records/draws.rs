//! Creates draws. After a draw's creation, only its actor changes it.

use domain::{Cents, ClubId, DrawId, FeePolicy, Timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{Records, audit, bump_catalogue_revision, to_column_time};
use crate::Failure;
use crate::seal::{SEED_SEAL_PURPOSE, Sealer, fresh_seed};

/// A draw to create. The number, seed and commitment are made when the draw is written (decision
/// K-1).
#[derive(Clone, Debug)]
pub struct DrawToCreate {
    pub club: ClubId,
    pub league: Option<String>,
    pub home_team: String,
    pub away_team: String,
    /// The IANA name of the time zone in which kick-off is shown.
    pub zone: String,
    pub kick_off: Timestamp,
    /// When sales start. `None` means at once (decision E-20).
    pub opens_at: Option<Timestamp>,
    pub price: Cents,
    pub prize_percentage: u8,
    pub round_up_prize: bool,
    pub pass_card_fee: bool,
    /// The platform's fee policy. It is copied into the draw, so that a later change of the policy
    /// does not affect this draw (decision D-2).
    pub fee_policy: FeePolicy,
    pub contact_name: String,
    pub contact_phone: String,
}

impl Records {
    /// Creates all draws or none, and returns their numbers in the given order.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when no draw was created.
    pub async fn create_draws(&self, new: &[DrawToCreate]) -> Result<Vec<DrawId>, Failure> {
        let new = new.to_vec();
        let (sealer, signer) = (self.postgres.sealer().clone(), self.signer.clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let ids = insert_draws(&mut transaction, &sealer, &new).await?;
            if let Some(first) = ids.first() {
                audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), first).await?;
            }
            bump_catalogue_revision(&mut transaction).await?;
            transaction.commit().await?;
            Ok(ids)
        };
        self.run_write(work).await
    }
}

impl Records {
    /// Returns the club's oldest draw of the same game, or `None`. The draw may still be created by
    /// another request before the caller creates its own.
    pub async fn find_same_game(
        &self,
        club: ClubId,
        new: &DrawToCreate,
    ) -> Result<Option<DrawId>, Failure> {
        let new = [new.clone()];
        self.run_read(async move |pool: PgPool| {
            find_same_game(&mut *pool.acquire().await?, club, &new).await
        })
        .await
    }

    /// Skips `count` draw numbers after a backup was restored. Draws that were created after the
    /// backup are not in it. They had published commitments and may have sold tickets, so their
    /// numbers must not be used again.
    ///
    /// # Errors
    ///
    /// The numbers may or may not have been skipped. A repeated call is harmless.
    pub async fn skip_draw_numbers(&self, count: i64) -> Result<(), Failure> {
        let skip = sqlx::query!(
            "select from setval('draw_number', nextval('draw_number') + $1)",
            count
        );
        self.execute(skip).await.map(|_| ())
    }
}

/// Inserts draws in the caller's transaction, with their numbers and sealed seeds. Returns the
/// numbers in the given order.
pub(super) async fn insert_draws(
    connection: &mut PgConnection,
    sealer: &Sealer,
    new: &[DrawToCreate],
) -> Result<Vec<DrawId>, sqlx::Error> {
    let count = new.len() as i64;
    let number = sqlx::query_scalar!(
        r#"select nextval('draw_number') as "number!" from generate_series(1, $1::bigint)"#,
        count
    );
    let numbers: Vec<i64> = number.fetch_all(&mut *connection).await?;
    let (commitments, seeds): (Vec<Vec<u8>>, Vec<Vec<u8>>) = numbers
        .iter()
        .map(|number| {
            let (id, seed) = (DrawId(*number), fresh_seed());
            (
                seed.commitment(id).to_vec(),
                sealer.seal(SEED_SEAL_PURPOSE, id, &seed.0),
            )
        })
        .unzip();
    sqlx::query!(
        "insert into draws (id, club_id, league, home_team, away_team, zone, kick_off, opens_at, price_cents,
             prize_percentage, round_up_prize, pass_card_fee, fee_rate_bps, fee_cap_cents, contact_name, contact_phone,
             commitment, seed_sealed)
         select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
             $7::timestamptz[], $8::timestamptz[], $9::bigint[], $10::smallint[], $11::boolean[], $12::boolean[],
             $13::integer[], $14::bigint[], $15::text[], $16::text[], $17::bytea[], $18::bytea[])",
        &numbers,
        &column_values(new, |draw| draw.club.0),
        &column_values(new, |draw| draw.league.clone()) as &[Option<String>],
        &column_values(new, |draw| draw.home_team.clone()),
        &column_values(new, |draw| draw.away_team.clone()),
        &column_values(new, |draw| draw.zone.clone()),
        &column_values(new, |draw| to_column_time(draw.kick_off)),
        &column_values(new, |draw| draw.opens_at.map(to_column_time)) as &[Option<OffsetDateTime>],
        &column_values(new, |draw| draw.price.0),
        &column_values(new, |draw| i16::from(draw.prize_percentage)),
        &column_values(new, |draw| draw.round_up_prize),
        &column_values(new, |draw| draw.pass_card_fee),
        &column_values(new, |draw| draw.fee_policy.rate_bps as i32),
        &column_values(new, |draw| draw.fee_policy.cap.0),
        &column_values(new, |draw| draw.contact_name.clone()),
        &column_values(new, |draw| draw.contact_phone.clone()),
        &commitments,
        &seeds
    )
    .execute(connection)
    .await?;
    Ok(numbers.into_iter().map(DrawId).collect())
}

/// Returns the club's oldest draw that has the same teams and kick-off as one of these draws. Runs
/// in the caller's transaction. Ignores cancelled draws, as [`Records::club_fixtures`] does.
pub(super) async fn find_same_game(
    connection: &mut PgConnection,
    club: ClubId,
    new: &[DrawToCreate],
) -> Result<Option<DrawId>, sqlx::Error> {
    let found = sqlx::query_scalar!(
        "select min(d.id) from draws d
         join unnest($2::text[], $3::text[], $4::timestamptz[]) as n (home, away, kick_off)
             on (d.home_team, d.away_team, d.kick_off) = (n.home, n.away, n.kick_off)
         where d.club_id = $1 and d.status <> 'cancelled'",
        club.0,
        &column_values(new, |draw| draw.home_team.clone()),
        &column_values(new, |draw| draw.away_team.clone()),
        &column_values(new, |draw| to_column_time(draw.kick_off))
    )
    .fetch_one(connection)
    .await?;
    Ok(found.map(DrawId))
}

/// Returns one column of the rows to insert, for a statement that takes each column as an array.
fn column_values<T>(draws: &[DrawToCreate], value: impl Fn(&DrawToCreate) -> T) -> Vec<T> {
    draws.iter().map(value).collect()
}
