//! A game for the buyer's calendar, as a file with an address of its own: a link in a mail can lead there, and a phone opens it.

use std::collections::BTreeSet;

use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::{HttpResponse, web};
use domain::{DrawId, Status};
use serde::Deserialize;

use super::draw_number;
use crate::error::Problem;
use crate::render::calendar::{self, Event};
use crate::state::State;

/// Games in one file: as many as a cart has draws.
const GAMES_MAX: usize = 20;

#[derive(Deserialize)]
pub struct Wanted {
    /// Further draws, by comma.
    #[serde(default)]
    also: String,
}

/// # Errors
/// 404: one of the draws is not there.
pub async fn file(
    state: web::Data<State>,
    path: web::Path<String>,
    wanted: web::Query<Wanted>,
) -> Result<HttpResponse, Problem> {
    let first = draw_number(&path)?;
    let mut draws = BTreeSet::from([first]);
    for said in wanted
        .also
        .split(',')
        .filter(|said| !said.is_empty())
        .take(GAMES_MAX)
    {
        draws.insert(DrawId(
            said.trim().parse().map_err(|_| Problem::draw_not_found())?,
        ));
    }
    let mut events = Vec::with_capacity(draws.len());
    for draw in draws {
        events.push(event(&state, draw).await?);
    }
    Ok(HttpResponse::Ok()
        .content_type("text/calendar; charset=utf-8; method=PUBLISH")
        .insert_header((
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"game-{first}.ics\""),
        ))
        .body(calendar::file(&events, state.clock.now())))
}

async fn event(state: &State, draw: DrawId) -> Result<Event, Problem> {
    let (_, listing, view) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    Ok(Event {
        draw,
        name: format!("{} v {}", listing.home_team, listing.away_team),
        league: listing.league.clone(),
        kick_off: view.closes_at,
        cancelled: view.status == Status::Cancelled,
        url: format!("{}/draw/{draw}", state.config.public_url),
    })
}
