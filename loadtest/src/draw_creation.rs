//! Creates draws for one club. Nothing is sold, and kick-off is a week ahead.

use std::sync::Arc;

use anyhow::{Context, Result};
use time::OffsetDateTime;

use crate::browser::RunSettings;
use crate::club::Club;
use crate::fixtures::{self, Fixture};

/// Maximum number of fixtures in one import.
const FIXTURES_PER_IMPORT_MAX: usize = 200;

/// Default ticket price, in cents.
const TICKET_PRICE_CENTS: i64 = 500;

pub async fn create_test_draws(
    site: &Arc<RunSettings>,
    name: &str,
    count: usize,
) -> Result<Vec<i64>> {
    create_test_draws_with_price(site, name, count, TICKET_PRICE_CENTS).await
}

/// Creates draws with the given ticket price in cents. Returns their numbers.
pub async fn create_test_draws_with_price(
    site: &Arc<RunSettings>,
    name: &str,
    count: usize,
    price_cents: i64,
) -> Result<Vec<i64>> {
    let club = Club::log_in_all(site)
        .await?
        .into_iter()
        .next()
        .context("no club")?;
    let stamp = OffsetDateTime::now_utc().unix_timestamp();
    let kick_off = OffsetDateTime::now_utc().replace_second(0)? + time::Duration::days(7);
    let mut games = Vec::with_capacity(count);
    for game in 0..count {
        let mut fixture = Fixture {
            home: format!("{name} {stamp}-{game} Home"),
            away: format!("{name} Away"),
            zone: "Australia/Brisbane".to_owned(),
            date: kick_off.date(),
            kick_off: time::Time::MIDNIGHT,
            result: (9, 9),
        };
        fixture.set_kick_off(kick_off)?;
        games.push(fixture);
    }
    let mut draws = Vec::with_capacity(count);
    for some in games.chunks(FIXTURES_PER_IMPORT_MAX) {
        draws.extend(
            club.import_fixtures(fixtures::to_import_csv(some, name)?, price_cents, 50)
                .await?,
        );
    }
    Ok(draws)
}
