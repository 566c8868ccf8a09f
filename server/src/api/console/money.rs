//! Revenue and fees of the platform and its clubs, from the ledger.

use domain::{Cents, fee};
use persistence::records::console::series::SeriesInterval;
use persistence::records::console::takings::DrawTakings;
use serde::Serialize;
use utoipa::ToSchema;

/// Tickets, revenue, fees and prizes summed over several draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RevenueTotals {
    pub tickets_sold: i64,
    pub revenue: Cents,
    pub platform_fees: Cents,
    pub provider_fees: Cents,
    pub card_fees_passed_on: Cents,
    pub prize_money: Cents,
    pub refunded: Cents,
    pub fees_estimated: bool,
}

impl RevenueTotals {
    pub fn sum_of(draws: &[DrawTakings]) -> RevenueTotals {
        draws.iter().fold(RevenueTotals::default(), |sum, draw| {
            let unknown = draw.orders_without_provider_fee;
            // Estimate the fee by formula while Stripe has not reported it (decision D-18).
            let estimate = match unknown {
                0 => Cents::ZERO,
                orders => {
                    fee::card_fee(Cents(draw.charged_without_provider_fee_cents))
                        + Cents(30) * (orders - 1)
                }
            };
            RevenueTotals {
                tickets_sold: sum.tickets_sold + draw.tickets_sold,
                revenue: sum.revenue + Cents(draw.revenue_cents),
                platform_fees: sum.platform_fees + Cents(draw.fee_cents),
                provider_fees: sum.provider_fees + Cents(draw.provider_fees_cents) + estimate,
                card_fees_passed_on: sum.card_fees_passed_on + Cents(draw.card_fees_cents),
                prize_money: sum.prize_money + Cents(draw.prize_cents),
                refunded: sum.refunded + Cents(draw.refunded_cents),
                fees_estimated: sum.fees_estimated || unknown > 0,
            }
        })
    }

    /// Revenue minus the platform fees and the Stripe fees that clubs pay.
    pub fn club_revenue(&self) -> Cents {
        self.revenue + self.card_fees_passed_on - self.platform_fees - self.provider_fees
    }
}

/// Totals of the platform.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Analytics {
    pub tickets_sold: i64,
    pub total_revenue: String,
    pub platform_fees: String,
    pub club_revenue: String,
    pub prize_money: String,
    /// Clubs that are not archived (decision I-10).
    pub total_clubs: usize,
    /// Clubs whose account may take payments.
    pub active_clubs: usize,
    pub total_draws: usize,
    pub active_draws: usize,
    pub stripe_fees: String,
    pub fees_estimated: bool,
    pub refunded: String,
}

/// A time series for charts, as arrays of equal length.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Series {
    pub step_seconds: i64,
    /// Start of each step, in Unix seconds.
    pub at: Vec<i64>,
    pub tickets_sold: Vec<i64>,
    pub payments: Vec<i64>,
    pub revenue_cents: Vec<i64>,
    pub anomalies: Vec<i64>,
}

impl Series {
    pub fn new(step_seconds: i64, steps: &[SeriesInterval]) -> Series {
        let column = |value: fn(&SeriesInterval) -> i64| steps.iter().map(value).collect();
        Series {
            step_seconds,
            at: column(|step| step.at),
            tickets_sold: column(|step| step.tickets),
            payments: column(|step| step.payments),
            revenue_cents: column(|step| step.revenue_cents),
            anomalies: column(|step| step.anomalies),
        }
    }
}

/// The platform fee as one source of the specification states it. The sources disagree.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeeReading {
    pub source: &'static str,
    pub rate_bps: Option<u32>,
    pub cap_cents: i64,
}

/// The platform fees that the sources of the specification state. The fee report must show all of
/// them (decision D-1).
pub const STATED_PLATFORM_FEES: [FeeReading; 3] = [
    FeeReading {
        source: "Console fee report and club terms",
        rate_bps: Some(350),
        cap_cents: 1100,
    },
    FeeReading {
        source: "Note on the transactions screen",
        rate_bps: None,
        cap_cents: 1000,
    },
    FeeReading {
        source: "Club dashboard",
        rate_bps: Some(300),
        cap_cents: 1000,
    },
];

/// The fees of one draw.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrawFees {
    pub draw_number: i64,
    pub serial_number: String,
    pub home_team: String,
    pub away_team: String,
    pub club_name: String,
    pub game_date: String,
    /// The time zone of the draw's kick-off.
    pub timezone: String,
    pub status: String,
    pub tickets_sold: i64,
    pub revenue: String,
    pub platform_fee: String,
    /// Whether the draw's platform fee has reached its cap.
    pub capped: bool,
}

/// The fee report of a period.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlatformFees {
    /// First day of the period in Brisbane time, if a period was requested.
    pub from: Option<String>,
    pub to: Option<String>,
    pub fee_rate_bps: u32,
    pub fee_cap_cents: i64,
    /// The revenue of a draw, in cents, at which its platform fee reaches the cap.
    pub cap_reached_at_cents: i64,
    pub total_revenue: String,
    pub platform_fees: String,
    pub stripe_fees: String,
    pub club_revenue: String,
    pub prize_money: String,
    pub readings: [FeeReading; 3],
    pub draws: Vec<DrawFees>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn club_revenue_is_revenue_minus_all_fees() {
        let draw = DrawTakings {
            revenue_cents: 10_000,
            fee_cents: 350,
            provider_fees_cents: 400,
            card_fees_cents: 200,
            orders_without_provider_fee: 2,
            charged_without_provider_fee_cents: 2_000,
            ..DrawTakings::default()
        };
        let sums = RevenueTotals::sum_of(&[draw.clone(), DrawTakings::default()]);
        assert_eq!(sums.provider_fees, Cents(400 + 34 + 60));
        assert_eq!(sums.club_revenue(), Cents(10_000 + 200 - 350 - 494));
        assert!(sums.fees_estimated);
    }
}
