//! Platform fees by draw, with all readings of the fee rule (decision D-1).

use actix_web::{HttpResponse, web};
use domain::{Cents, Timestamp};
use serde::Deserialize;
use time::format_description::well_known::Iso8601;
use time::{Date, Duration, PrimitiveDateTime, Time};
use time_tz::{PrimitiveDateTimeExt, timezones};

use crate::api::console::money::{DrawFees, PlatformFees, RevenueTotals, STATED_PLATFORM_FEES};
use crate::api::error::Problem;
use crate::api::time_format::rfc3339;
use crate::state::State;

/// The reported period: first and last day of kick-off, in Brisbane time. `None` leaves that end
/// open (decision I-9).
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct FeeReportPeriod {
    from: Option<String>,
    to: Option<String>,
}

/// Handles `GET /api/admin/platform-fees`.
pub async fn show(
    state: web::Data<State>,
    period: web::Query<FeeReportPeriod>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(build_fee_report(&state, period.into_inner()).await?))
}

/// Builds the fee report of a period.
///
/// # Errors
/// 400 for an invalid day, or the database could not be read.
pub(super) async fn build_fee_report(
    state: &State,
    period: FeeReportPeriod,
) -> Result<PlatformFees, Problem> {
    let from = period
        .from
        .as_deref()
        .map(|day| brisbane_midnight(day, 0))
        .transpose()?;
    let to = period
        .to
        .as_deref()
        .map(|day| brisbane_midnight(day, 1))
        .transpose()?;
    let draws = state
        .records
        .draw_takings(from, to, false, state.clock.now())
        .await?;
    let sums = RevenueTotals::sum_of(&draws);
    let policy = state.config.fees.policy;
    let facts = state.catalogue.facts();
    let rows = draws.iter().filter_map(|draw| {
        let listing = facts.listing(domain::DrawId(draw.draw_id))?;
        Some(DrawFees {
            draw_number: draw.draw_id,
            serial_number: format!("FD-{}", draw.draw_id),
            home_team: listing.home_team.clone(),
            away_team: listing.away_team.clone(),
            club_name: draw.club_name.clone(),
            game_date: rfc3339(listing.view.closes_at),
            timezone: listing.zone.clone(),
            status: draw.status.clone(),
            tickets_sold: draw.tickets_sold,
            revenue: Cents(draw.revenue_cents).decimal(),
            platform_fee: Cents(draw.fee_cents).decimal(),
            capped: draw.fee_cents > 0 && draw.fee_cents == draw.fee_cap_cents,
        })
    });
    Ok(PlatformFees {
        draws: rows.collect(),
        from: period.from,
        to: period.to,
        fee_rate_bps: policy.rate_bps,
        fee_cap_cents: policy.cap.0,
        cap_reached_at_cents: revenue_at_fee_cap(policy.cap, policy.rate_bps.into()),
        total_revenue: sums.revenue.decimal(),
        platform_fees: sums.platform_fees.decimal(),
        stripe_fees: sums.provider_fees.decimal(),
        club_revenue: sums.club_revenue().decimal(),
        prize_money: sums.prize_money.decimal(),
        readings: STATED_PLATFORM_FEES,
    })
}

/// Returns the smallest revenue, in cents, at which the fee, rounded half up, reaches its cap.
fn revenue_at_fee_cap(cap: Cents, rate_bps: i64) -> i64 {
    match rate_bps {
        0 => 0,
        rate => (cap.0 * 20_000 - 10_000 + 2 * rate - 1).div_euclid(2 * rate),
    }
}

/// Returns midnight in Brisbane at the start of a day, plus `later` days.
fn brisbane_midnight(day: &str, later: i64) -> Result<Timestamp, Problem> {
    let wrong = || Problem::bad_request("day-invalid", "Days are written like 2026-11-20.");
    let date = Date::parse(day, &Iso8601::DATE).map_err(|_| wrong())?;
    let date = date.checked_add(Duration::days(later)).ok_or_else(wrong)?;
    let local = PrimitiveDateTime::new(date, Time::MIDNIGHT);
    let at = local
        .assume_timezone(timezones::db::australia::BRISBANE)
        .unwrap_first();
    Ok(Timestamp(at.unix_timestamp() * 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fee_cap_is_reached_at_314_15_dollars() {
        let at = revenue_at_fee_cap(Cents(1100), 350);
        assert_eq!(at, 31_415);
        let policy = domain::FeePolicy::DEFAULT;
        assert_eq!(policy.fee_on_revenue(Cents(at)), Cents(1100));
        assert_eq!(policy.fee_on_revenue(Cents(at - 1)), Cents(1099));
    }

    #[test]
    fn day_starts_at_midnight_in_brisbane() {
        assert_eq!(
            rfc3339(brisbane_midnight("2026-11-20", 0).expect("a day")),
            "2026-11-19T14:00:00Z"
        );
        assert_eq!(
            rfc3339(brisbane_midnight("2026-12-31", 1).expect("a day")),
            "2026-12-31T14:00:00Z"
        );
        assert!(brisbane_midnight("yesterday", 0).is_err());
    }
}
