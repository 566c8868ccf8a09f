//! All draws, and what only the operator may do to one.

use actix_web::{HttpResponse, web};
use domain::{Command, Status};

use crate::error::Problem;
use crate::state::State;
use crate::wire::console::desk::{Closed, ConsoleDraw};
use crate::wire::draw::Draw;

/// The newest kick-off first; test draws and archived ones too.
pub async fn list(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let (facts, now) = (state.catalogue.facts(), state.clock.now());
    let mut shown = Vec::new();
    for row in state.records.draw_desks().await? {
        let Some((_, listing, view)) = state.catalogue.draw(domain::DrawId(row.id)).await else { continue };
        let Some(club) = facts.club(listing.club) else { continue };
        let draw = Draw::listed(&listing, club, &view, facts.winner_sold(&view), now);
        shown.push((view.closes_at, ConsoleDraw::new(draw, &row)));
    }
    shown.sort_by_key(|(kick_off, draw)| std::cmp::Reverse((*kick_off, draw.draw.id)));
    Ok(HttpResponse::Ok().json(shown.into_iter().map(|(_, draw)| draw).collect::<Vec<_>>()))
}

/// Writes down what the clock has decided already (decision E-2).
pub async fn close_expired(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let now = state.clock.now();
    let expired = |view: &domain::View| view.status == Status::Active && now >= view.closes_at;
    let mut closed = 0;
    for view in state.draws.views().into_iter().filter(expired) {
        let after = state.draws.execute(view.draw, Command::Tick, None).await;
        let after = after.map_err(|denied| Problem::denied(view.draw, denied))?;
        closed += usize::from(after.view.status != Status::Active);
    }
    let message = match closed {
        0 => "No expired draws to close.".to_string(),
        1 => "Closed 1 expired draw.".to_string(),
        many => format!("Closed {many} expired draws."),
    };
    Ok(HttpResponse::Ok().json(Closed { message, closed }))
}
