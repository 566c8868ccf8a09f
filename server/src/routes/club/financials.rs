//! A draw's money (B:119).

use actix_web::{HttpResponse, web};
use domain::{Cents, View, fee};
use persistence::records::financials::DrawFinancials;

use super::own_draw;
use crate::error::Problem;
use crate::identity::Caller;
use crate::state::State;
use crate::wire::payout::{Financials, club_revenue};

pub async fn show(state: web::Data<State>, caller: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let (draw, _, view) = own_draw(&state, caller, &path).await?;
    let sums = state.records.draw_financials(draw).await?;
    Ok(HttpResponse::Ok().json(present(&view, &sums)))
}

fn present(view: &View, sums: &DrawFinancials) -> Financials {
    let provider_fees = sums.provider_fees_known + estimated(sums);
    let club = club_revenue(sums.revenue, sums.card_fees_passed_on, sums.application_fee, provider_fees);
    Financials {
        sold_tickets: view.sold,
        total_revenue: sums.revenue.decimal(),
        actual_stripe_fees: provider_fees.decimal(),
        fees_estimated: sums.orders_without_provider_fee > 0,
        platform_fee: sums.application_fee.decimal(),
        prize_pool: view.prize.decimal(),
        club_revenue: club.decimal(),
        actual_transaction_count: sums.orders,
    }
}

/// The card fee's formula for the charges whose own fee is not known yet: 1.7 % of them all and 30 cents for each (D-18).
fn estimated(sums: &DrawFinancials) -> Cents {
    match sums.orders_without_provider_fee {
        0 => Cents::ZERO,
        orders => fee::card_fee(sums.subtotal_without_provider_fee) + Cents(30) * (orders - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_provider_has_not_said_yet_is_estimated() {
        let sums = DrawFinancials {
            orders: 3,
            provider_fees_known: Cents(47),
            orders_without_provider_fee: 2,
            subtotal_without_provider_fee: Cents(3000),
            ..DrawFinancials::default()
        };
        assert_eq!(estimated(&sums), Cents(51 + 60));
        assert_eq!(estimated(&DrawFinancials::default()), Cents(0));
    }
}
