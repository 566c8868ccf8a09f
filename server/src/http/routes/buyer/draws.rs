//! The draw lists and a single draw.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{ClubId, access};
use serde::Deserialize;

use super::draw_number;
use crate::access::caller::Caller;
use crate::api::error::Problem;
use crate::api::site::DrawPageMetadata;
use crate::http::routes::club::draws::draw_for_editor;
use crate::http::routes::machine::cards;
use crate::render::share_card;
use crate::services::catalogue::lists::{DrawList, DrawListSlice};
use crate::state::State;

/// Query parameters of a draw list: one club (decision E-4), and paging (decision H-13).
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawListQuery {
    club_id: Option<i64>,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
}

impl DrawListQuery {
    fn list_slice(&self) -> DrawListSlice {
        DrawListSlice {
            club: self.club_id.map(ClubId),
            offset: self.offset,
            limit: self.limit,
        }
    }
}

/// Responds with a list of draws: with the prepared response for the whole list, or with the
/// requested part.
fn draw_list_response(
    list: DrawList,
    request: &HttpRequest,
    state: &State,
    query: &DrawListQuery,
) -> HttpResponse {
    let now = state.clock.now();
    match query.list_slice() {
        everything if everything == DrawListSlice::default() => {
            state.catalogue.list_response(list, now).respond(request)
        }
        part => HttpResponse::Ok().json(state.catalogue.list_slice(list, part, now)),
    }
}

/// Handles `GET /api/draws/active`.
pub async fn list_active_draws(
    request: HttpRequest,
    state: web::Data<State>,
    query: web::Query<DrawListQuery>,
) -> HttpResponse {
    draw_list_response(DrawList::Active, &request, &state, &query)
}

/// Handles `GET /api/draws/awaiting-results`.
pub async fn list_draws_awaiting_results(
    request: HttpRequest,
    state: web::Data<State>,
    query: web::Query<DrawListQuery>,
) -> HttpResponse {
    draw_list_response(DrawList::Awaiting, &request, &state, &query)
}

/// Handles `GET /api/draws/completed`.
pub async fn list_completed_draws(
    request: HttpRequest,
    state: web::Data<State>,
    query: web::Query<DrawListQuery>,
) -> HttpResponse {
    draw_list_response(DrawList::Completed, &request, &state, &query)
}

/// Responds with one draw. The draw's own club also gets the fields for editing.
pub async fn show(
    request: HttpRequest,
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let draw = draw_number(&path)?;
    let facts = state.catalogue.facts();
    // Only the draw's own club and the operator get the fields for editing.
    if facts
        .listing(draw)
        .is_some_and(|listing| access::may_see_club(caller.principal(), listing.club))
    {
        return Ok(HttpResponse::Ok().json(draw_for_editor(&state, draw).await?));
    }
    let prepared = state
        .catalogue
        .draw_response(draw, state.clock.now())
        .await
        .ok_or_else(Problem::draw_not_found)?;
    Ok(prepared.respond(&request))
}

/// Responds with title, description and image for the `<head>` of a draw's page.
pub async fn show_draw_meta(
    state: web::Data<State>,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let draw = draw_number(&path)?;
    let (facts, listing, view) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    let club = facts
        .club(listing.club)
        .ok_or_else(Problem::draw_not_found)?;
    let card = cards::share_card_of_draw(&state, draw).await;
    let image = card.map(|card| {
        share_card::share_card_url(&state.config.public_url, &format!("draw/{draw}"), &card)
    });
    Ok(HttpResponse::Ok().json(DrawPageMetadata {
        draw_number: draw.0,
        title: format!(
            "{} v {} – Football Doubles",
            listing.home_team, listing.away_team
        ),
        description: format!(
            "Current prize {}. {}/169 tickets sold at {}. Support {}.",
            view.prize, view.sold, view.price, club.name
        ),
        url: format!("{}/draw/{draw}", state.config.public_url),
        image_url: image,
    }))
}
