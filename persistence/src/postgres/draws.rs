//! Creates draws.

use domain::{Cents, ClubId, DrawId, FeePolicy, Seed, Terms, Timestamp};
use sqlx::postgres::PgConnection;
use time::OffsetDateTime;

use super::{Postgres, instant};
use crate::error::Failure;
use crate::seal::{SEED_SEAL_PURPOSE, Sealer, fresh_seed};

/// A draw to create. The database gives the draw the next number. The draw's seed is sealed, and
/// the seed's commitment is published (decisions A-1, K-1, K-3).
#[derive(Clone, Debug)]
pub struct NewDraw {
    pub club: ClubId,
    pub league: Option<String>,
    pub home: String,
    pub away: String,
    /// The IANA name of the time zone in which kick-off is shown. `None` means Brisbane time
    /// (decision E-10).
    pub zone: Option<String>,
    /// When the game starts. Sales end at this instant (rule 5 of the decisions).
    pub kick_off: Timestamp,
    /// When sales start. `None` means at once (decision E-20).
    pub opens_at: Option<Timestamp>,
    pub price: Cents,
    /// The prize as a percentage of the ticket revenue, 1 to 100.
    pub prize_percentage: u8,
    pub round_up_prize: bool,
    /// Whether the buyer pays the card fee (specification A, line 298).
    pub pass_card_fee: bool,
    /// The platform's fee policy. It is copied into the draw, so that a later change of the policy
    /// does not affect this draw (decision D-2).
    pub fee_policy: FeePolicy,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
    pub seed: Seed,
}

impl NewDraw {
    /// Returns a draw with the default fee, a fresh seed and no optional fields.
    pub fn with_defaults(club: ClubId, home: &str, away: &str, terms: Terms) -> NewDraw {
        NewDraw {
            club,
            league: None,
            home: home.into(),
            away: away.into(),
            zone: None,
            kick_off: terms.closes_at,
            opens_at: terms.opens_at,
            price: terms.price,
            prize_percentage: terms.prize_percentage,
            round_up_prize: terms.round_up_prize,
            pass_card_fee: false,
            fee_policy: FeePolicy::DEFAULT,
            contact_name: None,
            contact_phone: None,
            seed: fresh_seed(),
        }
    }
}

impl Postgres {
    /// Creates one draw. The caller must start the draw's actor.
    ///
    /// # Errors
    /// [`Failure::NotWritten`] when the club does not exist or a number is out of range.
    pub async fn create_draw(&self, draw: NewDraw) -> Result<DrawId, Failure> {
        Ok(self.create_draws(vec![draw]).await?[0])
    }

    /// Creates all draws or none, and returns their numbers in the same order.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when a club does not exist or a number is out of range.
    /// [`Failure::Unknown`] when the draws may or may not have been written.
    pub async fn create_draws(&self, draws: Vec<NewDraw>) -> Result<Vec<DrawId>, Failure> {
        let postgres = self.clone();
        let created = async move || {
            let mut transaction = postgres
                .reads_pool()
                .begin()
                .await
                .map_err(Failure::from_error_before_commit)?;
            let ids = insert_new_draws(&mut transaction, postgres.sealer(), &draws).await?;
            transaction
                .commit()
                .await
                .map_err(Failure::from_commit_error)?;
            Ok(ids)
        };
        self.write_with_retries(created).await
    }
}

/// Creates draws in the caller's transaction.
///
/// # Errors
/// [`Failure::NotWritten`]; the caller rolls the transaction back.
pub async fn insert_new_draws(
    connection: &mut PgConnection,
    sealer: &Sealer,
    draws: &[NewDraw],
) -> Result<Vec<DrawId>, Failure> {
    let ids = sqlx::query_scalar!(
        r#"select nextval('draw_number') as "id!" from generate_series(1, $1)"#,
        draws.len() as i64
    )
    .fetch_all(&mut *connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    let sealed: Vec<Vec<u8>> = draws
        .iter()
        .zip(&ids)
        .map(|(draw, id)| sealer.seal(SEED_SEAL_PURPOSE, id, &draw.seed.0))
        .collect();
    let commitments: Vec<Vec<u8>> = draws
        .iter()
        .zip(&ids)
        .map(|(draw, id)| draw.seed.commitment(DrawId(*id)).to_vec())
        .collect();
    let texts = |text: fn(&NewDraw) -> Option<&str>| {
        draws
            .iter()
            .map(|d| text(d).map(String::from))
            .collect::<Vec<_>>()
    };
    let numbers = |number: fn(&NewDraw) -> i64| draws.iter().map(number).collect::<Vec<_>>();
    let flags = |flag: fn(&NewDraw) -> bool| draws.iter().map(flag).collect::<Vec<_>>();
    let kick_offs: Vec<OffsetDateTime> = draws
        .iter()
        .map(|d| instant::to_stored_time(d.kick_off))
        .collect();
    let opens: Vec<Option<OffsetDateTime>> = draws
        .iter()
        .map(|d| d.opens_at.map(instant::to_stored_time))
        .collect();
    sqlx::query!(
        "insert into draws (id, club_id, league, home_team, away_team, zone, kick_off, opens_at, price_cents,
           prize_percentage, round_up_prize, pass_card_fee, fee_rate_bps, fee_cap_cents, contact_name, contact_phone,
           commitment, seed_sealed)
         select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
           $7::timestamptz[], $8::timestamptz[], $9::bigint[], $10::bigint[], $11::boolean[], $12::boolean[],
           $13::bigint[], $14::bigint[], $15::text[], $16::text[], $17::bytea[], $18::bytea[])",
        &ids[..],
        &numbers(|d| d.club.0)[..],
        &texts(|d| d.league.as_deref()) as _,
        &texts(|d| Some(&d.home)) as _,
        &texts(|d| Some(&d.away)) as _,
        &texts(|d| d.zone.as_deref()) as _,
        &kick_offs[..],
        &opens as _,
        &numbers(|d| d.price.0)[..],
        &numbers(|d| d.prize_percentage.into())[..],
        &flags(|d| d.round_up_prize)[..],
        &flags(|d| d.pass_card_fee)[..],
        &numbers(|d| d.fee_policy.rate_bps.into())[..],
        &numbers(|d| d.fee_policy.cap.0)[..],
        &texts(|d| d.contact_name.as_deref()) as _,
        &texts(|d| d.contact_phone.as_deref()) as _,
        &commitments[..],
        &sealed[..]
    )
    .execute(connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    Ok(ids.into_iter().map(DrawId).collect())
}
