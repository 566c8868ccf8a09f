//! The iCalendar file of a game. The file has its own URL, so that a link in a mail can open it on
//! a phone.

use std::collections::BTreeSet;

use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::{HttpResponse, web};
use domain::{DrawId, Status};
use serde::Deserialize;

use super::draw_number;
use crate::api::error::Problem;
use crate::render::calendar::{self, CalendarEvent};
use crate::state::State;

/// Maximum number of games in one calendar file, the same as the maximum number of draws in a cart.
const CALENDAR_GAMES_MAX: usize = 20;

/// Query parameters of the calendar file.
#[derive(Deserialize)]
pub struct CalendarQuery {
    /// Numbers of further draws to put into the file, separated by commas.
    #[serde(default)]
    also: String,
}

/// Responds with the calendar file of one or more draws.
///
/// # Errors
/// 404 when one of the draws does not exist.
pub async fn serve_calendar_file(
    state: web::Data<State>,
    path: web::Path<String>,
    query: web::Query<CalendarQuery>,
) -> Result<HttpResponse, Problem> {
    let first = draw_number(&path)?;
    let mut draws = BTreeSet::from([first]);
    for number in query
        .also
        .split(',')
        .filter(|number| !number.is_empty())
        .take(CALENDAR_GAMES_MAX)
    {
        draws.insert(DrawId(
            number
                .trim()
                .parse()
                .map_err(|_| Problem::draw_not_found())?,
        ));
    }
    let mut events = Vec::with_capacity(draws.len());
    for draw in draws {
        events.push(calendar_event(&state, draw).await?);
    }
    Ok(HttpResponse::Ok()
        .content_type("text/calendar; charset=utf-8; method=PUBLISH")
        .insert_header((
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"game-{first}.ics\""),
        ))
        .body(calendar::calendar_file(&events, state.clock.now())))
}

async fn calendar_event(state: &State, draw: DrawId) -> Result<CalendarEvent, Problem> {
    let (_, listing, view) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    Ok(CalendarEvent {
        draw,
        name: format!("{} v {}", listing.home_team, listing.away_team),
        league: listing.league.clone(),
        kick_off: view.closes_at,
        cancelled: view.status == Status::Cancelled,
        url: format!("{}/draw/{draw}", state.config.public_url),
    })
}
