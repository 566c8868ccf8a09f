//! Changing a draw that is on sale, and taking one that is over out of the lists. The draw's actor decides (decision E-12).

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use actors::Denied;
use domain::access::Principal;
use domain::{Editor, Refusal, TermsEdit, View};
use persistence::ledger::DrawDetails;
use persistence::records::listings::Listing;
use serde_json::{Value, json};

use super::draw_check::{self, Before, Checked};
use super::draws::{check_card_fee, not_editable, own};
use super::own_draw;
use crate::config::CardFeePassing;
use crate::error::Problem;
use crate::form::trimmed;
use crate::identity::Caller;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::draw_form::{Archiving, DrawForm};
use crate::wire::instant::local_date_time;

/// As for everything the operator gives a reason for.
const REASON_CHARS_MAX: usize = 500;

/// Any part of the form. The operator may, after kick-off too, with a fresh code and a reason (decision E-9).
///
/// # Errors
/// 403 `reauthentication-required`, 400 `reason-required`: the operator's; then what the draw's actor refuses.
pub async fn edit(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<DrawForm>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, view) = own_draw(&state, caller, &path)
        .await
        .map_err(|_| not_yours())?;
    let now = state.clock.now();
    let by = match caller.principal() {
        Principal::Operator => Editor::Operator,
        Principal::Club(..) | Principal::Anonymous | Principal::HalfOperator => Editor::Club,
    };
    let reason = reason(&state, caller, by, &body.0)?;
    // Said before the form is checked: whoever is late must not read that the date is wrong.
    if let (Editor::Club, Some((refusal, _))) = (by, not_editable(&view, now)) {
        return Err(Problem::refused(draw, refusal));
    }
    let before = Before {
        zone: &listing.zone,
        kick_off: Some(local_date_time(view.closes_at, &listing.zone)),
        home_team: &listing.home_team,
        away_team: &listing.away_team,
    };
    let checked = draw_check::part(&body.0, &before, now)?;
    let pass_card_fee = card_fee(&state, &listing, checked.pass_card_fee)?;
    let (terms, details) = split(checked, pass_card_fee);
    let (actor, object) = (caller.name(), format!("draw:{draw}"));
    let act = caller.act(&actor, Some(listing.club), "edit-draw", &object);
    let draws = state
        .draws
        .by(act.entry(changes(&body.0, &listing, &view, reason)));
    let committed = draws.edit(draw, terms, Some(details), by).await;
    committed.map_err(|denied| Problem::denied(draw, denied))?;
    state.catalogue.reload().await?;
    Ok(HttpResponse::Ok().json(own(&state, draw).await?))
}

/// Why the operator does it; a club need not say.
fn reason(
    state: &State,
    caller: Caller,
    by: Editor,
    form: &DrawForm,
) -> Result<Option<String>, Problem> {
    if by == Editor::Club {
        return Ok(None);
    }
    caller.must_be_fresh(state.clock.now())?;
    let reason: String = trimmed(&form.reason)
        .chars()
        .take(REASON_CHARS_MAX)
        .collect();
    if reason.is_empty() {
        return Err(Problem::bad_request(
            "reason-required",
            "Give a reason for changing the draw.",
        ));
    }
    Ok(Some(reason))
}

fn not_yours() -> Problem {
    let words = "Draw not found or you don't have permission to edit it.";
    Problem::new(StatusCode::NOT_FOUND, "draw-not-found", words)
}

/// While passing it on is forbidden, a draw that did stops at its next edit (decision D-14).
fn card_fee(
    state: &State,
    listing: &Listing,
    wanted: Option<bool>,
) -> Result<Option<bool>, Problem> {
    check_card_fee(state, wanted == Some(true) && !listing.pass_card_fee)?;
    let passing = state
        .catalogue
        .facts()
        .card_fee_passing(state.config.fees.card_fee);
    Ok(if passing == CardFeePassing::Forbidden {
        Some(false)
    } else {
        wanted
    })
}

fn split(checked: Checked, pass_card_fee: Option<bool>) -> (TermsEdit, DrawDetails) {
    let terms = TermsEdit {
        price: checked.price,
        prize_percentage: checked.prize_percentage,
        round_up_prize: checked.round_up_prize,
        opens_at: checked.opens_at,
        closes_at: checked.kick_off,
    };
    let details = DrawDetails {
        league: checked.league,
        home_team: checked.home_team,
        away_team: checked.away_team,
        zone: checked.zone.map(str::to_string),
        contact_name: checked.contact_name,
        contact_phone: checked.contact_phone,
        pass_card_fee,
    };
    (terms, details)
}

/// For the audit log: what of money, time and names was sent, with what it was before; of the contact only that it was.
fn changes(form: &DrawForm, listing: &Listing, view: &View, reason: Option<String>) -> Value {
    let before = json!({
        "league": listing.league, "homeTeam": listing.home_team, "awayTeam": listing.away_team,
        "gameDate": local_date_time(view.closes_at, &listing.zone), "timezone": listing.zone,
        "ticketPrice": view.price.decimal(), "prizePercentage": listing.prize_percentage,
        "passStripeFees": listing.pass_card_fee,
    });
    let after = json!({
        "league": form.league, "homeTeam": form.home_team, "awayTeam": form.away_team,
        "gameDate": form.game_date, "gameTime": form.game_time, "timezone": form.timezone,
        "ticketPrice": form.ticket_price, "prizePercentage": form.prize_percentage,
        "roundUpPrize": form.round_up_prize, "passStripeFees": form.pass_stripe_fees,
        "contactChanged": (form.contact_name.is_some() || form.contact_phone.is_some()).then_some(true),
    });
    let given = |value: &Value, name: &str| value.get(name).is_some_and(|value| !value.is_null());
    let only = |values: &Value, named: &Value| -> Value {
        let values = values
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| given(named, name));
        values
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    json!({ "reason": reason, "before": only(&before, &after), "after": only(&after, &after) })
}

/// `{archived}`; yes when the body is empty (decision B-16).
pub async fn archive(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<Archiving>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, _) = own_draw(&state, caller, &path).await?;
    let archived = body.0.archived.unwrap_or(true);
    let (actor, object) = (caller.name(), format!("draw:{draw}"));
    let act = caller.act(&actor, Some(listing.club), "archive-draw", &object);
    let committed = state
        .draws
        .by(act.entry(json!({ "archived": archived })))
        .archive(draw, archived)
        .await;
    committed.map_err(|denied| match denied {
        Denied::Refused(Refusal::NotCompleted) => {
            Problem::conflict("not-completed", "Only a completed draw can be archived.")
        }
        other => Problem::denied(draw, other),
    })?;
    state.catalogue.reload().await?;
    Ok(HttpResponse::Ok().json(own(&state, draw).await?))
}
