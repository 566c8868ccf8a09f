//! Totals and time series of the platform, from the ledger.

use actix_web::{HttpResponse, web};
use persistence::records::settings::HIDE_TEST_DRAWS;
use serde::Deserialize;

use crate::api::console::money::{Analytics, RevenueTotals, Series};
use crate::api::error::Problem;
use crate::state::State;

const HOUR_SECONDS: i64 = 3600;
const SERIES_HOURS_DEFAULT: i64 = 24;
const SERIES_HOURS_MAX: i64 = 720;
/// Maximum number of time steps in a chart.
const CHART_STEPS_MAX: i64 = 200;
/// Allowed lengths of a time step, in seconds: 5, 10, 15 and 30 minutes, 1, 2, 4, 6, 12 and 24
/// hours.
const ALLOWED_STEP_SECONDS: [i64; 10] = [
    300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
];

/// Responds with the platform's totals. Test draws are excluded while the console hides them
/// (decision E-15).
pub async fn show_analytics(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let settings = state.records.settings().await?;
    let without_tests = settings
        .get(HIDE_TEST_DRAWS)
        .is_none_or(|value| value != "false");
    let draws = state
        .records
        .draw_takings(None, None, without_tests, state.clock.now())
        .await?;
    let clubs = state.records.club_rows(Some(false), None).await?;
    let sums = RevenueTotals::sum_of(&draws);
    Ok(HttpResponse::Ok().json(Analytics {
        tickets_sold: sums.tickets_sold,
        total_revenue: sums.revenue.decimal(),
        platform_fees: sums.platform_fees.decimal(),
        club_revenue: sums.club_revenue().decimal(),
        prize_money: sums.prize_money.decimal(),
        total_clubs: clubs.len(),
        active_clubs: clubs.iter().filter(|club| club.connected).count(),
        total_draws: draws.len(),
        active_draws: draws.iter().filter(|draw| draw.status == "active").count(),
        stripe_fees: sums.provider_fees.decimal(),
        fees_estimated: sums.fees_estimated,
        refunded: sums.refunded.decimal(),
    }))
}

/// Query parameters of the time series.
#[derive(Deserialize)]
pub struct SeriesQuery {
    hours: Option<i64>,
}

/// Responds with sales and payments of the last hours, in equal time steps that begin at round
/// times.
pub async fn show_time_series(
    state: web::Data<State>,
    query: web::Query<SeriesQuery>,
) -> Result<HttpResponse, Problem> {
    let hours = query.hours.unwrap_or(SERIES_HOURS_DEFAULT);
    if !(1..=SERIES_HOURS_MAX).contains(&hours) {
        return Err(Problem::bad_request(
            "hours-out-of-range",
            "Choose between 1 and 720 hours.",
        ));
    }
    let seconds = hours * HOUR_SECONDS;
    let step = ALLOWED_STEP_SECONDS
        .into_iter()
        .find(|step| seconds / step < CHART_STEPS_MAX)
        .unwrap_or(ALLOWED_STEP_SECONDS[9]);
    let now = state.clock.now().0.div_euclid(1000);
    let to = (now.div_euclid(step) + 1) * step;
    let instant = |seconds: i64| domain::Timestamp(seconds * 1000);
    let steps = state
        .records
        .sales_series(instant(to - seconds), instant(to), step)
        .await?;
    Ok(HttpResponse::Ok().json(Series::new(step, &steps)))
}
