//! Editing and archiving draws. The draw's actor decides whether an edit is allowed (decision
//! E-12).

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use actors::Denied;
use domain::access::Principal;
use domain::{Refusal, Status, TermsEdit, TermsEditor, View};
use persistence::ledger::DrawDetails;
use persistence::records::listings::Listing;
use serde_json::{Value, json};

use super::draw_check::{self, CheckedDrawForm, StoredDraw};
use super::draws::{check_card_fee, draw_for_editor, find_edit_refusal};
use super::own_draw;
use crate::access::caller::Caller;
use crate::api::draw_form::{ArchiveForm, DrawForm};
use crate::api::error::Problem;
use crate::api::form::trimmed;
use crate::api::time_format::local_date_time;
use crate::config::CardFeePassing;
use crate::http::routes::body::Body;
use crate::state::State;

/// Maximum characters of the operator's reason for an edit.
const REASON_CHARS_MAX: usize = 500;

/// Edits any part of a draw. The operator may also edit after kick-off, with a recent second-factor
/// proof and a reason (decision E-9).
///
/// # Errors
/// 403 `reauthentication-required` or 400 `reason-required` for the operator, or a refusal of the
/// draw's actor.
pub async fn edit_draw(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<DrawForm>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, view) = own_draw(&state, caller, &path)
        .await
        .map_err(|_| draw_not_editable())?;
    let now = state.clock.now();
    let by = match caller.principal() {
        Principal::Operator => TermsEditor::Operator,
        Principal::Club(..) | Principal::Anonymous | Principal::HalfOperator => TermsEditor::Club,
    };
    let reason = read_edit_reason(&state, caller, by, &body.0)?;
    // Check whether the draw may be edited before the form is checked. After kick-off the form
    // error "Game date must be in the future" would mislead.
    if let (TermsEditor::Club, Some((refusal, _))) = (by, find_edit_refusal(&view, now)) {
        return Err(Problem::command_refused(draw, refusal));
    }
    let stored = StoredDraw {
        zone: &listing.zone,
        kick_off: Some(local_date_time(view.closes_at, &listing.zone)),
        home_team: &listing.home_team,
        away_team: &listing.away_team,
        passes_card_fee: listing.pass_card_fee,
    };
    let checked = draw_check::check_draw_edit(&body.0, &stored, now)?;
    let pass_card_fee = new_card_fee_setting(&state, &listing, &view, checked.pass_card_fee)?;
    let (terms, details) = split_into_terms_and_details(checked, pass_card_fee);
    let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
    let act = caller.audit_action(&actor, Some(listing.club), "edit-draw", &object);
    let draws = state
        .draws
        .with_audit_entry(act.entry(changed_fields(&body.0, &listing, &view, reason)));
    let committed = draws.edit_draw(draw, terms, Some(details), by).await;
    committed.map_err(|denied| Problem::command_denied(draw, denied))?;
    // Send the mails that a moved kick-off queued.
    state.outbox.wake_mailer();
    state.catalogue.reload().await?;
    Ok(HttpResponse::Ok().json(draw_for_editor(&state, draw).await?))
}

/// Returns the operator's reason for the edit; `None` for a club, which needs no reason.
fn read_edit_reason(
    state: &State,
    caller: Caller,
    by: TermsEditor,
    form: &DrawForm,
) -> Result<Option<String>, Problem> {
    if by == TermsEditor::Club {
        return Ok(None);
    }
    caller.require_recent_authentication(state.clock.now())?;
    let reason: String = trimmed(form.reason.as_deref())
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

fn draw_not_editable() -> Problem {
    let message = "Draw not found or you don't have permission to edit it.";
    Problem::new(StatusCode::NOT_FOUND, "draw-not-found", message)
}

/// Returns the new setting for passing the card fee on to buyers; `None` leaves it unchanged. While
/// passing on is forbidden, any edit turns it off (decision D-14).
///
/// # Errors
/// 409 `terms-locked`: tickets are sold, and their buyers have paid under the current setting.
fn new_card_fee_setting(
    state: &State,
    listing: &Listing,
    view: &View,
    wanted: Option<bool>,
) -> Result<Option<bool>, Problem> {
    let changes = wanted.is_some_and(|wanted| wanted != listing.pass_card_fee);
    if changes && view.sold > 0 {
        let message = format!(
            "Cannot change who pays the card fee after tickets are sold ({} tickets sold)",
            view.sold
        );
        return Err(
            Problem::conflict("terms-locked", message).with_field("drawNumber", view.draw.0)
        );
    }
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

fn split_into_terms_and_details(
    checked: CheckedDrawForm,
    pass_card_fee: Option<bool>,
) -> (TermsEdit, DrawDetails) {
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

/// Returns the changed fields with their old values, for the audit log. Of contact details only the
/// fact of the change is logged.
fn changed_fields(
    form: &DrawForm,
    listing: &Listing,
    view: &View,
    reason: Option<String>,
) -> Value {
    let stored = json!({
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
    let is_set = |value: &Value, name: &str| value.get(name).is_some_and(|value| !value.is_null());
    let select = |values: &Value, selection: &Value| -> Value {
        let values = values
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| is_set(selection, name));
        values
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    json!({ "reason": reason, "before": select(&stored, &after), "after": select(&after, &after) })
}

/// Cancels a draw that nobody has bought a ticket of, for example one with a wrong date. Only the
/// operator can cancel a draw with sales, because that refunds buyers.
///
/// # Errors
/// 409 `has-sales`, 409 `not-active`.
pub async fn cancel_unsold_draw(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, view) = own_draw(&state, caller, &path).await?;
    if matches!(view.status, Status::Completed | Status::Cancelled) {
        return Err(Problem::conflict(
            "not-active",
            "Only a draw without a result can be cancelled.",
        ));
    }
    if view.sold > 0 || view.held > 0 {
        return Err(Problem::conflict(
            "has-sales",
            "Tickets of this draw are sold or being paid for. Ask the platform operator to cancel it.",
        ));
    }
    let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
    let act = caller.audit_action(&actor, Some(listing.club), "cancel-draw", &object);
    // A buyer who pays at this moment is refunded, like every buyer of a cancelled draw.
    let payments = state.payments.with_audit_entry(act.entry(json!({})));
    payments
        .cancel_draw(draw, "The club cancelled this draw.")
        .await
        .map_err(|denied| Problem::command_denied(draw, denied))?;
    state.catalogue.reload().await?;
    Ok(HttpResponse::Ok().json(draw_for_editor(&state, draw).await?))
}

/// Archives or restores a draw: `{archived}`, true when the body is empty (decision B-16).
pub async fn archive_draw(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<ArchiveForm>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, _) = own_draw(&state, caller, &path).await?;
    let archived = body.0.archived.unwrap_or(true);
    let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
    let act = caller.audit_action(&actor, Some(listing.club), "archive-draw", &object);
    let committed = state
        .draws
        .with_audit_entry(act.entry(json!({ "archived": archived })))
        .archive(draw, archived)
        .await;
    committed.map_err(|denied| match denied {
        Denied::Refused(Refusal::NotCompleted) => {
            Problem::conflict("not-completed", "Only a completed draw can be archived.")
        }
        other => Problem::command_denied(draw, other),
    })?;
    state.catalogue.reload().await?;
    Ok(HttpResponse::Ok().json(draw_for_editor(&state, draw).await?))
}
