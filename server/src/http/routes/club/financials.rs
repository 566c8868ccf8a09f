//! A draw's financials, and the sums over all draws of a club (decisions B-5, D-12).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use domain::View;
use persistence::records::financials::DrawFinancials;
use persistence::records::listings::Listing;

use super::{own_club_id, own_draw};
use crate::access::caller::Caller;
use crate::api::draw::shown_status;
use crate::api::error::Problem;
use crate::api::payout::{ClubStats, DrawCounts, DrawWithoutBuyers, Financials};
use crate::services::draw_revenue::DrawRevenue;
use crate::state::State;

/// Handles `GET /api/draws/{draw}/financials`.
pub async fn show(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (_, listing, view) = own_draw(&state, caller, &path).await?;
    let revenue = draw_revenue(&state, &listing, &view).await?;
    Ok(HttpResponse::Ok().json(Financials::from(&revenue)))
}

/// Computes a draw's revenue figures.
///
/// # Errors
/// The database could not be read.
pub(super) async fn draw_revenue(
    state: &State,
    listing: &Listing,
    view: &View,
) -> Result<DrawRevenue, Problem> {
    let sums = state.records.draw_financials(view.draw).await?;
    Ok(DrawRevenue::new(
        listing,
        view,
        state.catalogue.facts().winner_sold(view, state.clock.now()),
        &sums,
    ))
}

/// Responds with the dashboard's figures over all draws of the club.
pub async fn show_club_stats(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = own_club_id(caller, &path)?;
    let sums = state.records.club_financials(club).await?;
    let facts = state.catalogue.facts();
    let (draws, now) = (
        state.catalogue.all_draws_of_club(&facts, club),
        state.clock.now(),
    );
    let takings = draws.iter().map(|(listing, view)| {
        let sums = sums
            .get(&listing.id())
            .copied()
            .unwrap_or(DrawFinancials::default());
        DrawRevenue::new(listing, view, facts.winner_sold(view, now), &sums)
    });
    let takings: Vec<DrawRevenue> = takings.collect();
    let count = |status: &str| {
        let shown = |(_, view): &&(Arc<Listing>, View)| shown_status(view, now) == status;
        draws.iter().filter(shown).count()
    };
    Ok(HttpResponse::Ok().json(ClubStats {
        total_revenue: takings
            .iter()
            .map(|draw| draw.revenue)
            .sum::<domain::Cents>()
            .decimal(),
        tickets_sold: takings.iter().map(|draw| u32::from(draw.sold)).sum(),
        tickets_without_buyer: takings
            .iter()
            .map(|draw| u32::from(draw.without_buyer))
            .sum(),
        club_profit: takings
            .iter()
            .map(DrawRevenue::club_profit)
            .sum::<domain::Cents>()
            .decimal(),
        fees_estimated: takings.iter().any(|draw| draw.is_estimated),
        draws: DrawCounts {
            active: count("active"),
            awaiting: count("closed"),
            completed: count("completed"),
        },
        draws_without_buyers: draws_without_buyers(&draws, &takings),
    }))
}

fn draws_without_buyers(
    draws: &[(Arc<Listing>, View)],
    takings: &[DrawRevenue],
) -> Vec<DrawWithoutBuyers> {
    let affected = draws
        .iter()
        .zip(takings)
        .filter(|(_, revenue)| revenue.without_buyer > 0);
    affected
        .map(|((_, view), revenue)| DrawWithoutBuyers {
            draw_number: view.draw.0,
            tickets_without_buyer: revenue.without_buyer,
            prize: revenue.prize.decimal(),
        })
        .collect()
}
