//! A draw's money, and the sums over a club's draws (B:119, decisions B-5, D-12).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use domain::{ClubId, DrawId, View};
use persistence::records::financials::DrawFinancials;
use persistence::records::listings::Listing;

use super::own_draw;
use crate::error::Problem;
use crate::identity::Caller;
use crate::state::State;
use crate::takings::Takings;
use crate::wire::draw::status_shown;
use crate::wire::payout::{DrawCounts, Financials, Stats};

pub async fn show(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (draw, _, view) = own_draw(&state, caller, &path).await?;
    Ok(HttpResponse::Ok().json(Financials::from(&of(&state, draw, &view).await?)))
}

/// One draw's takings.
///
/// # Errors
/// The books could not be read.
pub(super) async fn of(state: &State, draw: DrawId, view: &View) -> Result<Takings, Problem> {
    let sums = state.records.draw_financials(draw).await?;
    Ok(Takings::new(
        view,
        state.catalogue.facts().winner_sold(view, state.clock.now()),
        &sums,
    ))
}

/// The dashboard's three figures: everything the club's draws brought in so far.
pub async fn stats(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = path.parse().map(ClubId).map_err(|_| Problem::not_found())?;
    caller.must_own(club)?;
    let sums = state.records.club_financials(club).await?;
    let facts = state.catalogue.facts();
    let (draws, now) = (state.catalogue.of_club(&facts, club), state.clock.now());
    let takings = draws.iter().map(|(listing, view)| {
        let sums = sums
            .get(&listing.id())
            .copied()
            .unwrap_or(DrawFinancials::default());
        Takings::new(view, facts.winner_sold(view, now), &sums)
    });
    let takings: Vec<Takings> = takings.collect();
    let count = |status: &str| {
        let shown = |(_, view): &&(Arc<Listing>, View)| status_shown(view, now) == status;
        draws.iter().filter(shown).count()
    };
    Ok(HttpResponse::Ok().json(Stats {
        total_revenue: takings
            .iter()
            .map(|draw| draw.revenue)
            .sum::<domain::Cents>()
            .decimal(),
        tickets_sold: takings.iter().map(|draw| u32::from(draw.sold)).sum(),
        club_profit: takings
            .iter()
            .map(Takings::club_profit)
            .sum::<domain::Cents>()
            .decimal(),
        fees_estimated: takings.iter().any(|draw| draw.is_estimated),
        draws: DrawCounts {
            active: count("active"),
            awaiting: count("closed"),
            completed: count("completed"),
        },
    }))
}
