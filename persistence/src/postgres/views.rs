//! A draw's view, read from its row.

use domain::{Cents, DrawId, GameResult, Serial, TICKETS, View, prize::prize};
use time::OffsetDateTime;

use super::{codec, instant};
use crate::error::Failure;

/// The columns of a draw's view.
pub(crate) struct ViewRow {
    pub(crate) id: i64,
    pub(crate) kick_off: OffsetDateTime,
    pub(crate) price_cents: i64,
    pub(crate) prize_percentage: i16,
    pub(crate) round_up_prize: bool,
    pub(crate) status: String,
    pub(crate) revision: i64,
    pub(crate) sold: i16,
    pub(crate) held: i16,
    pub(crate) result_home: Option<i16>,
    pub(crate) result_away: Option<i16>,
    pub(crate) winning_serial: Option<i16>,
    pub(crate) prize_cents: Option<i64>,
    pub(crate) revealed: bool,
}

/// A query for draws' views. `$rest` begins with further columns and reads from the table `draws d`.
/// [`view_row!`] takes the view from a row.
macro_rules! query_views {
    ($rest:literal, $($argument:expr),*) => {
        sqlx::query!(
            r#"select d.id, d.kick_off, d.price_cents, d.prize_percentage, d.round_up_prize, d.status, d.revision, d.sold,
           d.held, d.result_home, d.result_away, d.winning_serial, d.prize_cents,
           d.revealed_at is not null as "revealed!""# + $rest,
            $($argument),*
        )
    };
}
pub(crate) use query_views;

/// The view in a row with its columns, such as a row of [`query_views!`].
macro_rules! view_row {
    ($row:expr) => {
        $crate::postgres::views::ViewRow {
            id: $row.id,
            kick_off: $row.kick_off,
            price_cents: $row.price_cents,
            prize_percentage: $row.prize_percentage,
            round_up_prize: $row.round_up_prize,
            status: $row.status,
            revision: $row.revision,
            sold: $row.sold,
            held: $row.held,
            result_home: $row.result_home,
            result_away: $row.result_away,
            winning_serial: $row.winning_serial,
            prize_cents: $row.prize_cents,
            revealed: $row.revealed,
        }
    };
}
pub(crate) use view_row;

impl ViewRow {
    pub(crate) fn to_view(&self) -> Result<View, Failure> {
        let damaged = |what: &str| Failure::Corrupt(format!("draw {}: {what}", self.id));
        let result = match (self.result_home, self.result_away, self.winning_serial) {
            (Some(home), Some(away), Some(serial)) => {
                let result =
                    GameResult::new(home as u8, away as u8).ok_or_else(|| damaged("result"))?;
                let winner = Serial::new(serial as u16).ok_or_else(|| damaged("winning serial"))?;
                Some((result, winner))
            }
            _ => None,
        };
        let price = Cents(self.price_cents);
        let prize_of = |sold| {
            prize(
                sold,
                price,
                self.prize_percentage as u8,
                self.round_up_prize,
            )
        };
        Ok(View {
            draw: DrawId(self.id),
            revision: self.revision as u64,
            status: codec::parse_draw_status(&self.status)?,
            sold: self.sold as u16,
            held: self.held as u16,
            price,
            prize: self
                .prize_cents
                .filter(|_| result.is_some())
                .map_or_else(|| prize_of(self.sold as u16), Cents),
            prize_max: prize_of(TICKETS),
            closes_at: instant::from_stored_time(self.kick_off),
            deal_public: self.revealed,
            result,
        })
    }
}
