//! Draws: the lists and one by itself.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{ClubId, access};
use serde::Deserialize;

use super::draw_number;
use crate::catalogue::lists::{List, Part};
use crate::error::Problem;
use crate::identity::Caller;
use crate::render::card;
use crate::routes::club::draws::own;
use crate::routes::machine::cards;
use crate::state::State;
use crate::wire::site::DrawMeta;

/// `?clubId=` (decision E-4), and pages of a long list (decision H-13).
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wanted {
    club_id: Option<i64>,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
}

impl Wanted {
    fn part(&self) -> Part {
        Part {
            club: self.club_id.map(ClubId),
            offset: self.offset,
            limit: self.limit,
        }
    }
}

fn answer(list: List, request: &HttpRequest, state: &State, wanted: &Wanted) -> HttpResponse {
    let now = state.clock.now();
    match wanted.part() {
        whole if whole == Part::default() => state.catalogue.list(list, now).answer(request),
        part => HttpResponse::Ok().json(state.catalogue.part(list, part, now)),
    }
}

pub async fn active(
    request: HttpRequest,
    state: web::Data<State>,
    wanted: web::Query<Wanted>,
) -> HttpResponse {
    answer(List::Active, &request, &state, &wanted)
}

pub async fn awaiting_results(
    request: HttpRequest,
    state: web::Data<State>,
    wanted: web::Query<Wanted>,
) -> HttpResponse {
    answer(List::Awaiting, &request, &state, &wanted)
}

pub async fn completed(
    request: HttpRequest,
    state: web::Data<State>,
    wanted: web::Query<Wanted>,
) -> HttpResponse {
    answer(List::Completed, &request, &state, &wanted)
}

pub async fn one(
    request: HttpRequest,
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let draw = draw_number(&path)?;
    let facts = state.catalogue.facts();
    // Only a browser that is signed in costs a look at who it is.
    if facts
        .listing(draw)
        .is_some_and(|listing| access::owns(caller.principal(), listing.club))
    {
        return Ok(HttpResponse::Ok().json(own(&state, draw).await?));
    }
    let prepared = state
        .catalogue
        .single(draw, state.clock.now())
        .await
        .ok_or_else(Problem::draw_not_found)?;
    Ok(prepared.answer(&request))
}

/// Title, description and picture of a page's head (A:229).
pub async fn meta(
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
    let card = cards::of_draw(&state, draw).await;
    let image =
        card.map(|card| card::address(&state.config.public_url, &format!("draw/{draw}"), &card));
    Ok(HttpResponse::Ok().json(DrawMeta {
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
