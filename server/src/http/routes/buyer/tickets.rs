//! A draw's tickets. Everyone may read counts and serials. The operator, and members of the club
//! with the right to sell, also read the buyers (decisions F-1, G-17).

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{Serial, View};

use super::draw_number;
use crate::access::caller::Caller;
use crate::api::error::Problem;
use crate::api::ticket::{AvailableTickets, RevealedTickets, Ticket};
use crate::state::State;

/// Maximum number of free ticket numbers that one response lists (decision F-10).
const FREE_NUMBERS_SHOWN_MAX: usize = 50;

/// Handles `GET /api/draws/{draw}/tickets`.
pub async fn list(
    request: HttpRequest,
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let draw = draw_number(&path)?;
    let (_, listing, view) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    if caller.may_see_buyers(listing.club) {
        return Ok(HttpResponse::Ok().json(tickets_with_buyers(&state, &view).await?));
    }
    let prepared = state
        .catalogue
        .tickets_response(draw, state.clock.now())
        .await?;
    Ok(prepared
        .ok_or_else(Problem::draw_not_found)?
        .respond(&request))
}

/// Returns all 169 tickets, with the buyers of the sold tickets.
async fn tickets_with_buyers(state: &State, view: &View) -> Result<Vec<Ticket>, Problem> {
    let sold = state.records.sold_tickets(view.draw).await?;
    let now = state.clock.now();
    let deal = state.catalogue.revealed_deal(view, now).await;
    let revealed = deal
        .as_ref()
        .zip(view.public_result(now))
        .map(|(deal, (_, winner))| RevealedTickets { deal, winner });
    let row = |serial: Serial| match sold.binary_search_by_key(&serial, |ticket| ticket.serial) {
        Ok(place) => Ticket::for_club(view.draw, &sold[place], revealed),
        Err(_) => Ticket::for_public(view.draw, serial, false, revealed),
    };
    Ok(Serial::all().map(row).collect())
}

/// Handles `GET /api/draws/{draw}/available-tickets`.
pub async fn list_available_numbers(
    state: web::Data<State>,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let draw = draw_number(&path)?;
    let (_, _, view) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    let sold = state.catalogue.sold_serials(draw).await?;
    let free = Serial::all()
        .filter(|serial| sold.binary_search(serial).is_err())
        .map(Serial::number);
    let shown = free
        .take(FREE_NUMBERS_SHOWN_MAX.min(view.free().into()))
        .collect();
    Ok(HttpResponse::Ok().json(AvailableTickets::new(
        view.free(),
        view.sold,
        view.held,
        shown,
    )))
}
