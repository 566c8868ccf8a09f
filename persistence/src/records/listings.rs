//! A draw as lists show it: its fixed facts, and its counts from the database row. The draw's
//! running actor may have newer counts.

use domain::{ClubId, DrawId, Timestamp, View};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{Records, timestamp};
use crate::Failure;
use crate::postgres::views::{ViewRow, view_columns};

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

#[derive(sqlx::FromRow)]
pub(super) struct ListingRow {
    #[sqlx(flatten)]
    view_row: ViewRow,
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
        let view = self.view_row.to_view()?;
        Ok(Listing {
            club: ClubId(self.club_id),
            league: self.league,
            home_team: self.home_team,
            away_team: self.away_team,
            zone: self.zone.unwrap_or_else(|| DEFAULT_TIME_ZONE.to_string()),
            opens_at: self.opens_at.map(timestamp),
            prize_percentage: self.view_row.prize_percentage as u8,
            round_up_prize: self.view_row.round_up_prize,
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

macro_rules! select_listings {
    ($rest:literal) => {
        concat!(
            "select ",
            view_columns!(),
            ", club_id, league, home_team, away_team, zone, opens_at, pass_card_fee, archived, contact_name,
                 contact_phone, commitment, closed_at, completed_at, completed_revision,
                 exists (select from tickets t where t.draw_id = d.id and t.serial = d.winning_serial) as winner_sold
             from draws d ",
            $rest
        )
    };
}

/// Returns draws that the caller's transaction has inserted, sorted by number.
pub(super) async fn fetch_inserted_listings(
    connection: &mut PgConnection,
    draws: &[DrawId],
) -> Result<Vec<ListingRow>, sqlx::Error> {
    let draws: Vec<i64> = draws.iter().map(|draw| draw.0).collect();
    sqlx::query_as(select_listings!("where id = any($1) order by id"))
        .bind(draws)
        .fetch_all(connection)
        .await
}

impl Records {
    /// Returns every draw, sorted by kick-off.
    pub async fn listings(&self) -> Result<Vec<Listing>, Failure> {
        let read = sqlx::query_as(select_listings!("order by kick_off, id"));
        let rows: Vec<ListingRow> = self
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
        let read = sqlx::query_as(select_listings!("where id = any($1) order by kick_off, id"))
            .bind(draws);
        let rows: Vec<ListingRow> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        rows.into_iter().map(ListingRow::into_listing).collect()
    }

    /// Returns a club's draws by their teams and kick-off. An import looks up each of its lines
    /// among these draws, so that a repeated import creates no second draw.
    pub async fn club_fixtures(
        &self,
        club: ClubId,
    ) -> Result<Vec<(String, String, Timestamp)>, Failure> {
        let read = "select home_team, away_team, kick_off from draws where club_id = $1 and status <> 'cancelled'";
        let read = sqlx::query_as(read).bind(club.0);
        let rows: Vec<(String, String, OffsetDateTime)> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows
            .into_iter()
            .map(|(home, away, kick_off)| (home, away, timestamp(kick_off)))
            .collect())
    }
}
