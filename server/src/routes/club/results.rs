//! Entering a game's result, and telling the winner.

use actix_web::{HttpResponse, web};
use domain::{Command, DrawId, GameResult, Refusal, Serial, Status, View};
use persistence::records::tickets::SoldTicket;
use serde_json::json;

use super::own_draw;
use crate::error::Problem;
use crate::identity::Caller;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::payout::{EnterResult, Notified, ResultEntered, WinningTicket};

/// Closes an active draw first and completes it (decision E-5); the same result again answers the same.
pub async fn enter(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<EnterResult>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, before) = own_draw(&state, caller, &path).await?;
    let result = read(&body.0)?;
    let committed = state.draws.execute(draw, Command::Complete { result }, None).await;
    let view = committed.map_err(|denied| Problem::denied(draw, denied))?.view;
    if before.status != Status::Completed {
        let (actor, object) = (caller.name(), format!("draw:{draw}"));
        let act = caller.act(&actor, Some(listing.club), "enter-results", &object);
        state.records.audit(act, &json!({ "home": result.cell.home(), "away": result.cell.away() })).await?;
    }
    state.catalogue.reload().await?;
    let facts = state.catalogue.facts();
    let now = state.clock.now();
    let listed = facts.listing(draw).and_then(|listing| facts.wire(listing, &view, now));
    let winner = winner(&state, &view).await?.ok_or_else(Problem::unavailable)?;
    Ok(HttpResponse::Ok().json(ResultEntered {
        winning_tickets: vec![winner_row(&view, result, &winner)],
        prize: view.prize.decimal(),
        draw: listed.ok_or_else(Problem::draw_not_found)?,
    }))
}

fn read(body: &EnterResult) -> Result<GameResult, Problem> {
    let (Some(home), Some(away)) = (body.home_first_try_scorer, body.away_first_try_scorer) else {
        let message = "Missing information: Please select first try scorer for both teams";
        return Err(Problem::bad_request("missing-information", message));
    };
    let jersey = |number: i64| u8::try_from(number).ok();
    let result = jersey(home).zip(jersey(away)).and_then(|(home, away)| GameResult::new(home, away));
    let out_of_range = "First try scorers are jersey numbers from 1 to 13.";
    result.ok_or_else(|| Problem::bad_request("result-out-of-range", out_of_range))
}

/// The winning serial, and its ticket if somebody bought it.
type Winner = (Serial, Option<SoldTicket>);

/// `None` while there is no result.
pub(super) async fn winner(state: &State, view: &View) -> Result<Option<Winner>, Problem> {
    let Some((_, serial)) = view.result else {
        return Ok(None);
    };
    let sold = state.records.sold_tickets(view.draw).await?;
    Ok(Some((serial, sold.into_iter().find(|ticket| ticket.serial == serial))))
}

fn winner_row(view: &View, result: GameResult, (serial, ticket): &Winner) -> WinningTicket {
    WinningTicket {
        ticket_number: serial.number(),
        serial_number: serial.label(view.draw),
        home_number: result.cell.home(),
        away_number: result.cell.away(),
        sold: ticket.is_some(),
        buyer_name: ticket.as_ref().and_then(|ticket| ticket.buyer_name.clone()),
        buyer_email: ticket.as_ref().and_then(|ticket| ticket.buyer_email.clone()),
        buyer_phone: ticket.as_ref().and_then(|ticket| ticket.buyer_phone.clone()),
    }
}

/// Queues the winner's mail, once for a ticket and a result (decision E-7).
pub async fn notify(state: web::Data<State>, caller: Caller, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let (draw, listing, view) = own_draw(&state, caller, &path).await?;
    let (result, _) = view.result.ok_or_else(|| Problem::refused(draw, Refusal::NotCompleted))?;
    let (serial, ticket) = winner(&state, &view).await?.ok_or_else(Problem::unavailable)?;
    let Some(ticket) = ticket else {
        return Ok(HttpResponse::Ok().json(Notified { emails_sent: 0, total_winners: 0 }));
    };
    let Some(to) = ticket.buyer_email.as_deref() else {
        return Ok(HttpResponse::Ok().json(Notified { emails_sent: 0, total_winners: 1 }));
    };
    let key = dedupe_key(draw, serial, result);
    let data = json!({ "draw": draw.0, "serial": serial.number() }).to_string();
    let fresh = state.books.queue_mail(&key, "winner", Some(ticket.order), to, &data, state.clock.now()).await?;
    if fresh {
        let (actor, object) = (caller.name(), format!("draw:{draw}"));
        let act = caller.act(&actor, Some(listing.club), "notify-winners", &object);
        state.records.audit(act, &json!({ "serial": serial.number() })).await?;
    }
    Ok(HttpResponse::Ok().json(Notified { emails_sent: 1, total_winners: 1 }))
}

fn dedupe_key(draw: DrawId, serial: Serial, result: GameResult) -> String {
    format!("winner:{draw}:{}:{}x{}", serial.number(), result.cell.home(), result.cell.away())
}
