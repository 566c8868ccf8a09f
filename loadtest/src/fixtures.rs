//! The games of a real season, read from CSV and moved into the future. Their sequence, weekdays,
//! time zones and local times stay the same.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use domain::result::NO_TRY_JERSEY_NUMBER;
use serde::Deserialize;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime, Time};
use time_tz::{OffsetDateTimeExt, PrimitiveDateTimeExt};

const DATE_FORMAT: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");
const HOUR_MINUTE_FORMAT: &[BorrowedFormatItem<'_>] = format_description!("[hour]:[minute]");
const HOUR_MINUTE_SECOND_FORMAT: &[BorrowedFormatItem<'_>] =
    format_description!("[hour]:[minute]:[second]");

#[derive(Clone, Debug, Deserialize)]
struct FixtureRow {
    date: String,
    kick_off: String,
    timezone: String,
    home_team: String,
    away_team: String,
    #[serde(default)]
    home_try_scorer_jerseys: String,
    #[serde(default)]
    away_try_scorer_jerseys: String,
}

/// One game of the season with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    pub home: String,
    pub away: String,
    /// The IANA name of the game's time zone.
    pub zone: String,
    /// The date of the game in `zone`.
    pub date: Date,
    pub kick_off: Time,
    /// Jersey numbers of the first try scorers: home team, away team.
    pub result: (u8, u8),
}

/// Reads fixtures from CSV with these columns:
/// `match_id,round,date,kick_off,timezone,home_team,away_team,…,home_try_scorer_jerseys,away_try_scorer_jerseys`.
pub fn read_fixtures(csv: &str) -> Result<Vec<Fixture>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    reader
        .deserialize::<FixtureRow>()
        .enumerate()
        .map(|(line, row)| parse_fixture(&row?).with_context(|| format!("game {line}")))
        .collect()
}

fn parse_fixture(row: &FixtureRow) -> Result<Fixture> {
    Ok(Fixture {
        home: row.home_team.clone(),
        away: row.away_team.clone(),
        zone: row.timezone.clone(),
        date: Date::parse(&row.date, DATE_FORMAT).with_context(|| format!("date {}", row.date))?,
        kick_off: Time::parse(&row.kick_off, HOUR_MINUTE_FORMAT)
            .with_context(|| format!("kick-off {}", row.kick_off))?,
        result: (
            first_scorer(&row.home_try_scorer_jerseys),
            first_scorer(&row.away_try_scorer_jerseys),
        ),
    })
}

/// Returns the first jersey number of a list. Returns 9 for an empty list, and for a number above
/// 13, which is an interchange player.
fn first_scorer(jerseys: &str) -> u8 {
    let first = jerseys
        .split_whitespace()
        .next()
        .and_then(|jersey| jersey.parse().ok());
    first
        .filter(|jersey| (1..=13).contains(jersey))
        .unwrap_or(NO_TRY_JERSEY_NUMBER)
}

/// Moves all games by the same number of whole weeks, so that the first is at least two days after
/// `today`.
pub fn shift_to_future(fixtures: &mut [Fixture], today: Date) {
    let Some(earliest) = fixtures.iter().map(|fixture| fixture.date).min() else {
        return;
    };
    let missing = (today + Duration::days(2) - earliest).whole_days().max(0);
    let weeks = missing / 7 + i64::from(missing % 7 > 0);
    for fixture in fixtures {
        fixture.date += Duration::weeks(weeks);
    }
}

impl Fixture {
    /// Returns the kick-off as an instant. If the local time occurs twice, because clocks are put
    /// back, the earlier instant counts.
    pub fn kick_off_instant(&self) -> Result<OffsetDateTime> {
        let zone = time_tz::timezones::get_by_name(&self.zone)
            .with_context(|| format!("zone {}", self.zone))?;
        let local = PrimitiveDateTime::new(self.date, self.kick_off);
        local
            .assume_timezone(zone)
            .take_first()
            .context("a kick-off in the hour that the clock skips")
    }

    /// Moves the kick-off to an instant. Date and time are stored in the game's own time zone.
    pub fn set_kick_off(&mut self, instant: OffsetDateTime) -> Result<()> {
        let zone = time_tz::timezones::get_by_name(&self.zone)
            .with_context(|| format!("zone {}", self.zone))?;
        let local = instant.to_timezone(zone);
        (self.date, self.kick_off) = (local.date(), local.time());
        Ok(())
    }
}

/// Formats games as the CSV file that a club imports. Seconds are left out if they are zero.
pub fn to_import_csv<'a>(
    fixtures: impl IntoIterator<Item = &'a Fixture>,
    league: &str,
) -> Result<String> {
    let mut out = String::from("date,kick-off,zone,home,away,league\n");
    for fixture in fixtures {
        let form = if fixture.kick_off.second() == 0 {
            HOUR_MINUTE_FORMAT
        } else {
            HOUR_MINUTE_SECOND_FORMAT
        };
        let (day, time) = (
            fixture.date.format(DATE_FORMAT)?,
            fixture.kick_off.format(form)?,
        );
        let (zone, home, away) = (
            &fixture.zone,
            quote_csv_field(&fixture.home),
            quote_csv_field(&fixture.away),
        );
        writeln!(
            out,
            "{day},{time},{zone},{home},{away},{}",
            quote_csv_field(league)
        )?;
    }
    Ok(out)
}

fn quote_csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::{date, datetime, time};

    const CSV: &str = "match_id,round,date,kick_off,timezone,home_team,away_team,venue,home_score,away_score,home_try_scorer_jerseys,away_try_scorer_jerseys\n\
        1,Round 1,2024-03-07,20:00,Australia/Sydney,Knights,Raiders,Ground,12,28,7 11,1 5\n\
        2,Round 1,2024-03-08,20:05,Pacific/Auckland,Warriors,\"Sharks, The\",Ground,8,0,17 2,\n";

    #[test]
    fn first_scorer_is_read_and_non_starter_becomes_nine() {
        let fixtures = read_fixtures(CSV).unwrap();
        assert_eq!(fixtures[0].result, (7, 1));
        assert_eq!(
            fixtures[1].result,
            (9, 9),
            "17 is an interchange, and away scored no try"
        );
    }

    #[test]
    fn season_moves_by_whole_weeks() {
        let mut fixtures = read_fixtures(CSV).unwrap();
        shift_to_future(&mut fixtures, date!(2026 - 11 - 21));
        assert_eq!(fixtures[0].date.weekday(), date!(2024 - 03 - 07).weekday());
        assert!(
            fixtures[0].date >= date!(2026 - 11 - 23) && fixtures[0].date < date!(2026 - 11 - 30)
        );
        assert_eq!(fixtures[1].date - fixtures[0].date, Duration::days(1));
        assert_eq!(
            (fixtures[1].kick_off, fixtures[1].zone.as_str()),
            (time!(20:05), "Pacific/Auckland")
        );
    }

    #[test]
    fn future_season_is_not_moved() {
        let mut fixtures = read_fixtures(CSV).unwrap();
        shift_to_future(&mut fixtures, date!(2024 - 01 - 01));
        assert_eq!(fixtures[0].date, date!(2024 - 03 - 07));
    }

    #[test]
    fn kick_off_is_converted_to_game_zone() {
        let mut fixtures = read_fixtures(CSV).unwrap();
        fixtures[1]
            .set_kick_off(datetime!(2026-11-20 12:30:45 UTC))
            .unwrap();
        assert_eq!(
            (fixtures[1].date, fixtures[1].kick_off),
            (date!(2026 - 11 - 21), time!(1:30:45))
        );
        assert_eq!(
            fixtures[1].kick_off_instant().unwrap(),
            datetime!(2026-11-20 12:30:45 UTC)
        );
    }

    #[test]
    fn import_quotes_commas_in_names() {
        let csv = to_import_csv(&read_fixtures(CSV).unwrap(), "NRL").unwrap();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "date,kick-off,zone,home,away,league");
        assert_eq!(
            lines[1],
            "2024-03-07,20:00,Australia/Sydney,Knights,Raiders,NRL"
        );
        assert_eq!(
            lines[2],
            "2024-03-08,20:05,Pacific/Auckland,Warriors,\"Sharks, The\",NRL"
        );
    }
}
