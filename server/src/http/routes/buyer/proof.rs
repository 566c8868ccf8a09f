//! Responds with the proof that the deal of a draw's tickets was fair (decision K-1).

use actix_web::{HttpResponse, web};
use domain::Serial;
use persistence::records::ticket_history::{TicketHistory, TicketMove};

use super::draw_number;
use crate::api::error::Problem;
use crate::api::proof::{self as wire, Proof, ProofResult};
use crate::state::State;

/// Handles `GET /api/public/draws/{draw}/proof`.
pub async fn show(
    state: web::Data<State>,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let draw = draw_number(&path)?;
    let (_, listing, view) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    let now = state.clock.now();
    let deal = state.catalogue.revealed_deal(&view, now).await;
    // Read the journal only if the proof shows the ticket moves, because the journal of a busy draw
    // is long.
    let history = match &deal {
        Some(_) => state.records.ticket_history(draw).await?,
        None => TicketHistory {
            sold: state.catalogue.sold_serials(draw).await?,
            moves: None,
        },
    };
    let shown = |moved: TicketMove| wire::TicketMove {
        ticket: moved.serial.number(),
        returned: moved.returned,
    };
    Ok(HttpResponse::Ok().json(Proof {
        draw_number: draw.0,
        commitment: hex::encode(&listing.commitment),
        revealed: deal.is_some(),
        seed: deal.map(|deal| hex::encode(deal.seed().0)),
        algorithm: "football-doubles-v1",
        sold_tickets: history.sold.into_iter().map(Serial::number).collect(),
        ticket_moves: history
            .moves
            .map(|moves| moves.into_iter().map(shown).collect()),
        result: view.result.map(|(result, _)| ProofResult {
            home: result.cell.home(),
            away: result.cell.away(),
        }),
        winning_ticket: view.public_result(now).map(|(_, winner)| winner.number()),
    }))
}
