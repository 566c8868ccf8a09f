//! Creates draws. After a draw's creation, only its actor changes it.

use domain::{Cents, ClubId, DrawId, FeePolicy, Timestamp};
use sqlx::{PgConnection, PgPool, Postgres, QueryBuilder};

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

/// The maximum number of draws in one insert. Each row has 17 values, and Postgres accepts at most
/// 65,535 values.
const ROWS_PER_STATEMENT_MAX: usize = 1000;

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
    /// Skips `count` draw numbers after a backup was restored. Draws that were created after the
    /// backup are not in it. They had published commitments and may have sold tickets, so their
    /// numbers must not be used again.
    ///
    /// # Errors
    ///
    /// The numbers may or may not have been skipped. A repeated call is harmless.
    pub async fn skip_draw_numbers(&self, count: i64) -> Result<(), Failure> {
        let skip =
            sqlx::query("select setval('draw_number', nextval('draw_number') + $1)").bind(count);
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
    let number =
        sqlx::query_scalar("select nextval('draw_number') from generate_series(1, $1)").bind(count);
    let numbers: Vec<i64> = number.fetch_all(&mut *connection).await?;
    let ids: Vec<DrawId> = numbers.into_iter().map(DrawId).collect();
    let numbered: Vec<(DrawId, &DrawToCreate)> = ids.iter().copied().zip(new).collect();
    for chunk in numbered.chunks(ROWS_PER_STATEMENT_MAX) {
        insert_draws_query(sealer, chunk)
            .build()
            .execute(&mut *connection)
            .await?;
    }
    Ok(ids)
}

/// Returns the club's oldest draw that has the same teams and kick-off as one of these draws. Runs
/// in the caller's transaction. Ignores cancelled draws, as [`Records::club_fixtures`] does.
pub(super) async fn find_same_game(
    connection: &mut PgConnection,
    club: ClubId,
    new: &[DrawToCreate],
) -> Result<Option<DrawId>, sqlx::Error> {
    let read = "select min(d.id) from draws d
         join unnest($2::text[], $3::text[], $4::timestamptz[]) as n (home, away, kick_off)
             on (d.home_team, d.away_team, d.kick_off) = (n.home, n.away, n.kick_off)
         where d.club_id = $1 and d.status <> 'cancelled'";
    let found: Option<i64> = sqlx::query_scalar(read)
        .bind(club.0)
        .bind(
            new.iter()
                .map(|draw| draw.home_team.as_str())
                .collect::<Vec<_>>(),
        )
        .bind(
            new.iter()
                .map(|draw| draw.away_team.as_str())
                .collect::<Vec<_>>(),
        )
        .bind(
            new.iter()
                .map(|draw| to_column_time(draw.kick_off))
                .collect::<Vec<_>>(),
        )
        .fetch_one(connection)
        .await?;
    Ok(found.map(DrawId))
}

fn insert_draws_query(
    sealer: &Sealer,
    draws: &[(DrawId, &DrawToCreate)],
) -> QueryBuilder<Postgres> {
    let mut query = QueryBuilder::new(
        "insert into draws (id, club_id, league, home_team, away_team, zone, kick_off, opens_at, price_cents,
         prize_percentage, round_up_prize, pass_card_fee, fee_rate_bps, fee_cap_cents, contact_name, contact_phone,
         commitment, seed_sealed) ",
    );
    query.push_values(draws, |mut row, (id, draw)| {
        let seed = fresh_seed();
        row.push_bind(id.0)
            .push_bind(draw.club.0)
            .push_bind(draw.league.clone())
            .push_bind(draw.home_team.clone())
            .push_bind(draw.away_team.clone())
            .push_bind(draw.zone.clone())
            .push_bind(to_column_time(draw.kick_off))
            .push_bind(draw.opens_at.map(to_column_time))
            .push_bind(draw.price.0)
            .push_bind(i16::from(draw.prize_percentage))
            .push_bind(draw.round_up_prize)
            .push_bind(draw.pass_card_fee)
            .push_bind(draw.fee_policy.rate_bps as i32)
            .push_bind(draw.fee_policy.cap.0)
            .push_bind(draw.contact_name.clone())
            .push_bind(draw.contact_phone.clone())
            .push_bind(seed.commitment(*id).to_vec())
            .push_bind(sealer.seal(SEED_SEAL_PURPOSE, id, &seed.0));
    });
    query
}
