//! A draw as lists show it: its fixed facts, and its counts from the database row. The draw's
//! running actor may have newer counts.

use domain::{ClubId, DrawId, Timestamp, View};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{Records, timestamp};
use crate::Failure;
use crate::postgres::views::view_row;

/// The time zone of a draw for which no time zone is stored (specification A, line 13).
pub const DEFAULT_TIME_ZONE: &str = "Australia/Brisbane";

#[derive(Clone, Debug)]
pub struct Listing {
    pub club: ClubId,
    pub league: Option<String>,
    pub home_team: String,
    pub away_team: String,
    /// The IANA name of the draw's time zone. Brisbane when the draw has none (decision E-10).
    pub zone: String,
    pub opens_at: Option<Timestamp>,
    pub prize_percentage: u8,
    pub round_up_prize: bool,
    pub pass_card_fee: bool,
    pub archived: bool,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
    pub commitment: Vec<u8>,
    pub closed_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    /// The revision in which the current result was entered. It serves as the result's version
    /// (decision E-7). `None` without a result.
    pub completed_revision: Option<i64>,
    /// Whether the winning ticket was sold. `None` when there is no result.
    pub winner_sold: Option<bool>,
    pub view: View,
}

impl Listing {
    pub fn id(&self) -> DrawId {
        self.view.draw
    }
}

pub(super) struct ListingRow {
    id: i64,
    kick_off: OffsetDateTime,
    price_cents: i64,
    prize_percentage: i16,
    round_up_prize: bool,
    status: String,
    revision: i64,
    sold: i16,
    held: i16,
    result_home: Option<i16>,
    result_away: Option<i16>,
    winning_serial: Option<i16>,
    prize_cents: Option<i64>,
    revealed: bool,
    club_id: i64,
    league: Option<String>,
    home_team: String,
    away_team: String,
    zone: Option<String>,
    opens_at: Option<OffsetDateTime>,
    pass_card_fee: bool,
    archived: bool,
    contact_name: Option<String>,
    contact_phone: Option<String>,
    commitment: Vec<u8>,
    closed_at: Option<OffsetDateTime>,
    completed_at: Option<OffsetDateTime>,
    completed_revision: Option<i64>,
    winner_sold: bool,
}

impl ListingRow {
    pub(super) fn into_listing(self) -> Result<Listing, Failure> {
        let view = view_row!(self).to_view()?;
        Ok(Listing {
            club: ClubId(self.club_id),
            league: self.league,
            home_team: self.home_team,
            away_team: self.away_team,
            zone: self.zone.unwrap_or_else(|| DEFAULT_TIME_ZONE.to_string()),
            opens_at: self.opens_at.map(timestamp),
            prize_percentage: self.prize_percentage as u8,
            round_up_prize: self.round_up_prize,
            pass_card_fee: self.pass_card_fee,
            archived: self.archived,
            contact_name: self.contact_name,
            contact_phone: self.contact_phone,
            commitment: self.commitment,
            closed_at: self.closed_at.map(timestamp),
            completed_at: self.completed_at.map(timestamp),
            completed_revision: self.completed_revision,
            winner_sold: view.result.map(|_| self.winner_sold),
            view,
        })
    }
}

/// A query for draws as lists show them. `$rest` is what follows `from draws d`.
macro_rules! query_listings {
    ($rest:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            ListingRow,
            r#"select d.id, d.kick_off, d.price_cents, d.prize_percentage, d.round_up_prize, d.status, d.revision, d.sold,
                 d.held, d.result_home, d.result_away, d.winning_serial, d.prize_cents,
                 d.revealed_at is not null as "revealed!", d.club_id, d.league, d.home_team, d.away_team, d.zone,
                 d.opens_at, d.pass_card_fee, d.archived, d.contact_name, d.contact_phone, d.commitment, d.closed_at,
                 d.completed_at, d.completed_revision,
                 exists (select from tickets t where t.draw_id = d.id and t.serial = d.winning_serial) as "winner_sold!"
             from draws d
             "# + $rest,
            $($argument),*
        )
    };
}

/// Returns the given draws, sorted by kick-off. Unknown ones are left out.
async fn fetch_listings(
    connection: &mut PgConnection,
    draws: &[i64],
) -> Result<Vec<ListingRow>, sqlx::Error> {
    query_listings!("where d.id = any($1) order by d.kick_off, d.id", draws)
        .fetch_all(connection)
        .await
}

/// Returns draws that the caller's transaction has inserted, sorted by number.
pub(super) async fn fetch_inserted_listings(
    connection: &mut PgConnection,
    draws: &[DrawId],
) -> Result<Vec<ListingRow>, sqlx::Error> {
    let draws: Vec<i64> = draws.iter().map(|draw| draw.0).collect();
    let mut rows = fetch_listings(connection, &draws).await?;
    rows.sort_unstable_by_key(|row| row.id);
    Ok(rows)
}

impl Records {
    /// Returns every draw, sorted by kick-off.
    pub async fn listings(&self) -> Result<Vec<Listing>, Failure> {
        let read = query_listings!("order by d.kick_off, d.id");
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        rows.into_iter().map(ListingRow::into_listing).collect()
    }

    /// Returns the given draws, sorted by kick-off. Unknown ones are left out.
    pub async fn listings_of_draws(
        &self,
        draws: impl IntoIterator<Item = DrawId>,
    ) -> Result<Vec<Listing>, Failure> {
        let draws: Vec<i64> = draws.into_iter().map(|draw| draw.0).collect();
        let rows = self
            .run_read(async move |pool: PgPool| {
                fetch_listings(&mut *pool.acquire().await?, &draws).await
            })
            .await?;
        rows.into_iter().map(ListingRow::into_listing).collect()
    }

    /// Returns a club's draws by their teams and kick-off. An import looks up each of its lines
    /// among these draws, so that a repeated import creates no second draw.
    pub async fn club_fixtures(
        &self,
        club: ClubId,
    ) -> Result<Vec<(String, String, Timestamp)>, Failure> {
        let read = sqlx::query!(
            "select home_team, away_team, kick_off from draws where club_id = $1 and status <> 'cancelled'",
            club.0
        );
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| (row.home_team, row.away_team, timestamp(row.kick_off)))
            .collect())
    }
}
