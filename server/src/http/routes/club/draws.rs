//! A club's draws: creating draws, and the data for the draw editor and the dashboard.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use domain::{Cents, ClubId, DrawId, Refusal, Status, Terms, Timestamp, View};
use persistence::records::Records;
use persistence::records::clubs::Club;
use persistence::records::draws::DrawToCreate;
use persistence::records::listings::{DEFAULT_TIME_ZONE, Listing};
use persistence::records::terms::CreateDrawsOutcome;
use serde_json::json;

use super::agreement::named_or_own_club;
use super::draw_check::{self, CheckedDrawForm};
use super::own_club_id;
use crate::access::caller::Caller;
use crate::api::draw::Draw;
use crate::api::draw_form::{DrawForm, DrawTemplate, OwnDraw};
use crate::api::error::Problem;
use crate::api::time_format::local_date_time;
use crate::config::CardFeePassing;
use crate::http::routes::body::Body;
use crate::services::fixtures::kick_off_parser;
use crate::state::State;

/// Prize percentage of a new draw whose form contains none (decision D-10).
const PRIZE_PERCENTAGE_DEFAULT: u8 = 50;
const WEEK_SECONDS: i64 = 7 * 86_400;

/// Creates a draw from the club's form.
pub async fn create(
    state: web::Data<State>,
    caller: Caller,
    body: Body<DrawForm>,
) -> Result<HttpResponse, Problem> {
    let now = state.clock.now();
    let (club, new) = checked_new_draw(&state, caller, &body.0, now).await?;
    let act = caller
        .audit_action(&caller.audit_name(), Some(club.id), "create-draw", "draw:")
        .entry(json!({}));
    let listings = create_draws(
        &state,
        &state.records.with_audit_entry(act),
        club.id,
        &[new],
        now,
    )
    .await?;
    let listing = listings
        .into_iter()
        .next()
        .ok_or_else(Problem::unavailable)?;
    let wire =
        Draw::for_list(&listing, &club, &listing.view, None, now).with_page_fields(&listing, &club);
    Ok(HttpResponse::Created().json(with_editor_fields(wire, &listing.view, now)))
}

/// Checks the form of a new draw and creates nothing. The browser calls this before it shows the
/// terms of service, so that a club never agrees to the terms of a draw that is then refused.
pub async fn check(
    state: web::Data<State>,
    caller: Caller,
    body: Body<DrawForm>,
) -> Result<HttpResponse, Problem> {
    let now = state.clock.now();
    let (club, new) = checked_new_draw(&state, caller, &body.0, now).await?;
    if let Some(draw) = state.records.find_same_game(club.id, &new).await? {
        return Err(draw_exists_problem(draw));
    }
    Ok(HttpResponse::NoContent().finish())
}

/// Checks a new draw as far as possible without writing it.
async fn checked_new_draw(
    state: &State,
    caller: Caller,
    form: &DrawForm,
    now: Timestamp,
) -> Result<(Club, DrawToCreate), Problem> {
    let club = find_selling_club(state, named_or_own_club(caller, form.club_id)?).await?;
    let checked = draw_check::check_new_draw(form, now)?;
    check_card_fee(state, checked.pass_card_fee.unwrap_or_default())?;
    let new = new_draw(&club, checked, state)?;
    if !terms_of(&new).are_valid(now) {
        return Err(Problem::bad_request(
            "terms-invalid",
            "The time, the price or the prize percentage is out of range.",
        ));
    }
    Ok((club, new))
}

fn draw_exists_problem(draw: DrawId) -> Problem {
    let message = format!("This game is on sale already as draw {draw}.");
    Problem::conflict("draw-exists", message).with_field("drawNumber", draw.0)
}

/// Creates draws, all of them or none, if the club accepted the terms of service (decision E-17).
/// Starts the draws' actors and adds the draws to the public lists. Returns the draws in the given
/// order.
///
/// # Errors
/// 409 `draw-exists` with the draw's number, 428 `terms-required`, 503 when the database could not
/// be written.
pub(super) async fn create_draws(
    state: &State,
    records: &Records,
    club: ClubId,
    new: &[DrawToCreate],
    now: Timestamp,
) -> Result<Vec<Listing>, Problem> {
    let listings = match records.create_draws_under_terms(club, new, now).await? {
        CreateDrawsOutcome::Draws(listings) => listings,
        CreateDrawsOutcome::Exists(draw) => return Err(draw_exists_problem(draw)),
        CreateDrawsOutcome::NotAgreed => return Err(agreement_required_problem()),
    };
    for draw in listings.iter().map(Listing::id) {
        // If the actor cannot start now, the first buyer's request starts it.
        if let Err(denied) = state.draws.wake(draw).await {
            tracing::warn!(draw.id = draw.0, %denied, "starting the actor of a new draw failed");
        }
    }
    // The draws are stored, so a failed reload is no error for the caller. The catalogue is
    // refreshed again a second later.
    if let Err(failure) = state.catalogue.reload().await {
        tracing::warn!(%failure, "catalogue reload after creating draws failed");
    }
    Ok(listings)
}

/// Finds a club that may sell: connected with Stripe and not archived (decision E-16).
///
/// # Errors
/// 404: no such club. 403 `club-archived` or `setup-required`.
pub(super) async fn find_selling_club(state: &State, club: ClubId) -> Result<Club, Problem> {
    let club = state
        .records
        .club(club)
        .await?
        .ok_or_else(Problem::not_found)?;
    if club.archived {
        return Err(Problem::club_archived());
    }
    if !club.connected || club.account.is_none() {
        let message = "Connect Stripe account first to create draws";
        return Err(
            Problem::new(StatusCode::FORBIDDEN, "setup-required", message)
                .with_field("setupRequired", true),
        );
    }
    Ok(club)
}

/// Refuses a draw that passes the card fee on to buyers while that is not allowed.
///
/// # Errors
/// 422 when passing it on is currently not allowed (decision D-14).
pub(super) fn check_card_fee(state: &State, passed_on: bool) -> Result<(), Problem> {
    let passing = state
        .catalogue
        .facts()
        .card_fee_passing(state.config.fees.card_fee);
    if !passed_on || passing == CardFeePassing::Allowed {
        return Ok(());
    }
    let message = "Passing the card fee on to buyers is not allowed at the moment.";
    Err(Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "fee-passthrough-off",
        message,
    ))
}

/// Builds the 428 response for a club that has not agreed to the terms of service within the last
/// half hour (decision E-17).
fn agreement_required_problem() -> Problem {
    let message = "Agreement Required: Please check the box to agree to the Terms of Service before proceeding";
    Problem::new(StatusCode::PRECONDITION_REQUIRED, "terms-required", message)
}

fn new_draw(club: &Club, checked: CheckedDrawForm, state: &State) -> Result<DrawToCreate, Problem> {
    Ok(DrawToCreate {
        club: club.id,
        league: checked.league.flatten(),
        home_team: checked.home_team.unwrap_or_default(),
        away_team: checked.away_team.unwrap_or_default(),
        zone: checked.zone.unwrap_or(DEFAULT_TIME_ZONE).to_string(),
        kick_off: checked.kick_off.ok_or_else(Problem::unavailable)?,
        opens_at: checked.opens_at.flatten(),
        price: checked.price.unwrap_or(Cents::ZERO),
        prize_percentage: checked.prize_percentage.unwrap_or(PRIZE_PERCENTAGE_DEFAULT),
        round_up_prize: checked.round_up_prize.unwrap_or_default(),
        pass_card_fee: checked.pass_card_fee.unwrap_or_default(),
        fee_policy: state.config.fees.policy,
        contact_name: checked.contact_name.unwrap_or_default(),
        contact_phone: checked.contact_phone.unwrap_or_default(),
    })
}

fn terms_of(new: &DrawToCreate) -> Terms {
    Terms {
        price: new.price,
        prize_percentage: new.prize_percentage,
        round_up_prize: new.round_up_prize,
        opens_at: new.opens_at,
        closes_at: new.kick_off,
    }
}

/// Builds a draw for the editor of its club.
///
/// # Errors
/// 404: no such draw.
pub async fn draw_for_editor(state: &State, draw: DrawId) -> Result<OwnDraw, Problem> {
    let (facts, listing, view) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    let club = facts
        .club(listing.club)
        .ok_or_else(Problem::draw_not_found)?;
    let now = state.clock.now();
    let wire = facts
        .to_api_draw(&listing, &view, now)
        .ok_or_else(Problem::draw_not_found)?
        .with_page_fields(&listing, club);
    Ok(with_editor_fields(wire, &view, now))
}

fn with_editor_fields(draw: Draw, view: &View, now: Timestamp) -> OwnDraw {
    let reason = find_edit_refusal(view, now);
    OwnDraw {
        draw,
        owned_by_caller: true,
        editable: reason.is_none(),
        not_editable_reason: reason.map(|(_, message)| message),
        locked: view.sold > 0,
    }
}

/// Returns why the club may not edit a draw, with the error code; `None` when editing is allowed.
pub(super) fn find_edit_refusal(view: &View, now: Timestamp) -> Option<(Refusal, &'static str)> {
    let started = "This draw cannot be edited because the game has already started.";
    match view.status {
        Status::Active if now < view.closes_at => None,
        Status::Active | Status::Closed => Some((Refusal::GameStarted, started)),
        Status::Completed | Status::Cancelled => Some((
            Refusal::DrawNotActive,
            "This draw cannot be edited because it is not active.",
        )),
    }
}

/// All draws of a club for its own dashboard, including archived and cancelled ones, with the
/// contact.
pub fn draws_of_club(state: &State, club: &Club) -> Vec<Draw> {
    let facts = state.catalogue.facts();
    let now = state.clock.now();
    let draws = state.catalogue.all_draws_of_club(&facts, club.id);
    let wire = |(listing, view): &(std::sync::Arc<Listing>, View)| {
        facts
            .to_api_draw(listing, view, now)
            .map(|draw| draw.with_page_fields(listing, club))
    };
    draws.iter().filter_map(wire).collect()
}

/// Responds with the values for "Duplicate last draw": the club's newest draw, with kick-off moved
/// by whole weeks into the future.
pub async fn show_last_draw_template(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = own_club_id(caller, &path)?;
    let facts = state.catalogue.facts();
    let draws = state.catalogue.all_draws_of_club(&facts, club);
    let (listing, view) = draws
        .iter()
        .max_by_key(|(_, view)| view.draw)
        .ok_or_else(Problem::not_found)?;
    Ok(HttpResponse::Ok().json(DrawTemplate {
        league: listing.league.clone(),
        home_team: listing.home_team.clone(),
        away_team: listing.away_team.clone(),
        game_date: move_into_future_week(view.closes_at, &listing.zone, state.clock.now()),
        timezone: listing.zone.clone(),
        ticket_price: view.price.decimal(),
        prize_percentage: listing.prize_percentage,
        pass_stripe_fees: listing.pass_card_fee,
        round_up_prize: listing.round_up_prize,
        contact_name: listing.contact_name.clone(),
        contact_phone: listing.contact_phone.clone(),
    }))
}

/// Moves kick-off by whole weeks into the future. The local hour stays the same across a change of
/// daylight saving.
fn move_into_future_week(kick_off: Timestamp, zone: &str, now: Timestamp) -> String {
    let local = local_date_time(kick_off, zone);
    let (day, hour) = local.split_once('T').unwrap_or((&local, "15:00"));
    let Some(day) = crate::services::fixtures::kick_off::parse_date(day) else {
        return local;
    };
    let weeks_behind = (now.0 - kick_off.0).max(0) / 1000 / WEEK_SECONDS;
    let later = (weeks_behind + 1..=weeks_behind + 3)
        .map(|weeks| day + time::Duration::weeks(weeks))
        .map(|day| format!("{day}T{hour}"));
    let zone = crate::services::fixtures::kick_off::find_zone(zone);
    let is_ahead = |local: &String| {
        zone.and_then(|zone| kick_off_parser::parse(local, None, zone))
            .is_some_and(|at| at > now)
    };
    later.clone().find(is_ahead).unwrap_or(local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicated_draw_keeps_local_hour_in_a_future_week() {
        // Friday, 27 March 2026, 19:10 in Sydney, in daylight saving time.
        let kick_off = Timestamp(1_774_599_000_000);
        assert_eq!(
            local_date_time(kick_off, "Australia/Sydney"),
            "2026-03-27T19:10"
        );
        assert_eq!(
            move_into_future_week(kick_off, "Australia/Sydney", kick_off.plus_seconds(-60)),
            "2026-04-03T19:10"
        );
        assert_eq!(
            move_into_future_week(kick_off, "Australia/Sydney", kick_off.plus_seconds(60)),
            "2026-04-03T19:10"
        );
        let after_two_weeks = kick_off.plus_seconds(2 * WEEK_SECONDS + 7200);
        assert_eq!(
            move_into_future_week(kick_off, "Australia/Sydney", after_two_weeks),
            "2026-04-17T19:10"
        );
    }
}
