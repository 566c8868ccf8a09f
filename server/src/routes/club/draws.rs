//! A club's draws: putting one on sale, and what its editor and its dashboard read.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use domain::{Cents, ClubId, DrawId, Refusal, Status, Terms, Timestamp, View};
use persistence::records::Records;
use persistence::records::clubs::Club;
use persistence::records::draws::NewDraw;
use persistence::records::listings::{Listing, ZONE_DEFAULT};
use persistence::records::terms::Created;
use serde_json::json;

use super::agreement::club_of;
use super::draw_check::{self, Checked};
use crate::config::CardFeePassing;
use crate::error::Problem;
use crate::fixtures::moment;
use crate::identity::Caller;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::draw::Draw;
use crate::wire::draw_form::{DrawForm, DrawTemplate, OwnDraw};
use crate::wire::instant::local_date_time;

/// Prize percentage of a draw that names none (decision D-10).
const PRIZE_PERCENTAGE_DEFAULT: u8 = 50;
const WEEK_SECONDS: i64 = 7 * 86_400;

pub async fn create(
    state: web::Data<State>,
    caller: Caller,
    body: Body<DrawForm>,
) -> Result<HttpResponse, Problem> {
    let club = may_sell(&state, club_of(caller, body.0.club_id)?).await?;
    let now = state.clock.now();
    let checked = draw_check::whole(&body.0, now)?;
    check_card_fee(&state, checked.pass_card_fee.unwrap_or_default())?;
    let new = new_draw(&club, checked, &state)?;
    if !terms_of(&new).are_valid(now) {
        return Err(Problem::bad_request(
            "terms-invalid",
            "The time, the price or the prize percentage is out of range.",
        ));
    }
    let act = caller
        .act(&caller.name(), Some(club.id), "create-draw", "draw:")
        .entry(json!({}));
    let listings = put_on_sale(&state, &state.records.by(act), club.id, &[new], now).await?;
    let listing = listings
        .into_iter()
        .next()
        .ok_or_else(Problem::unavailable)?;
    let wire = Draw::listed(&listing, &club, &listing.view, None, now).alone(&listing, &club);
    Ok(HttpResponse::Created().json(for_its_club(wire, &listing.view, now)))
}

/// Puts games on sale, all of them or none, under the club's acceptance of the terms of service (decision E-17); wakes their draws
/// and shows them in the lists. Answers them as they were written, in the order given.
///
/// # Errors
/// 409 `draw-exists` with the draw's number, 428 `terms-required`; 503 when the books could not be written.
pub(super) async fn put_on_sale(
    state: &State,
    records: &Records,
    club: ClubId,
    new: &[NewDraw],
    now: Timestamp,
) -> Result<Vec<Listing>, Problem> {
    let listings = match records.create_draws_agreed(club, new, now).await? {
        Created::Draws(listings) => listings,
        Created::Exists(draw) => {
            let words = format!("This game is on sale already as draw {draw}.");
            return Err(Problem::conflict("draw-exists", words).with("drawNumber", draw.0));
        }
        Created::NotAgreed => return Err(agreement_required()),
    };
    for draw in listings.iter().map(Listing::id) {
        // A draw that cannot be woken now wakes when the first buyer asks.
        if let Err(denied) = state.draws.wake(draw).await {
            tracing::warn!(draw.id = draw.0, %denied, "a new draw sleeps on");
        }
    }
    // They are on sale either way, so whoever made them is not told; the lists read the books again a second later.
    if let Err(failure) = state.catalogue.reload().await {
        tracing::warn!(%failure, "new draws are not in the lists yet");
    }
    Ok(listings)
}

/// A club that is connected with the provider (decision E-16).
///
/// # Errors
/// 404 no such club, 403 `setup-required`.
pub(super) async fn may_sell(state: &State, club: ClubId) -> Result<Club, Problem> {
    let club = state
        .records
        .club(club)
        .await?
        .ok_or_else(Problem::not_found)?;
    if club.archived {
        return Err(Problem::club_archived());
    }
    if !club.connected || club.account.is_none() {
        let words = "Connect Stripe account first to create draws";
        return Err(Problem::new(StatusCode::FORBIDDEN, "setup-required", words)
            .with("setupRequired", true));
    }
    Ok(club)
}

/// # Errors
/// 422: the card fee may not be passed on at the moment (decision D-14).
pub(super) fn check_card_fee(state: &State, passed_on: bool) -> Result<(), Problem> {
    let passing = state
        .catalogue
        .facts()
        .card_fee_passing(state.config.fees.card_fee);
    if !passed_on || passing == CardFeePassing::Allowed {
        return Ok(());
    }
    let words = "Passing the card fee on to buyers is not allowed at the moment.";
    Err(Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "fee-passthrough-off",
        words,
    ))
}

/// What a club reads that has not agreed to the terms of service within the half hour (decision E-17).
fn agreement_required() -> Problem {
    let words = "Agreement Required: Please check the box to agree to the Terms of Service before proceeding";
    Problem::new(StatusCode::PRECONDITION_REQUIRED, "terms-required", words)
}

fn new_draw(club: &Club, checked: Checked, state: &State) -> Result<NewDraw, Problem> {
    Ok(NewDraw {
        club: club.id,
        league: checked.league.flatten(),
        home_team: checked.home_team.unwrap_or_default(),
        away_team: checked.away_team.unwrap_or_default(),
        zone: checked.zone.unwrap_or(ZONE_DEFAULT).to_string(),
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

fn terms_of(new: &NewDraw) -> Terms {
    Terms {
        price: new.price,
        prize_percentage: new.prize_percentage,
        round_up_prize: new.round_up_prize,
        opens_at: new.opens_at,
        closes_at: new.kick_off,
    }
}

/// A draw as its club's editor needs it.
///
/// # Errors
/// 404: there is no such draw.
pub async fn own(state: &State, draw: DrawId) -> Result<OwnDraw, Problem> {
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
        .wire(&listing, &view, now)
        .ok_or_else(Problem::draw_not_found)?
        .alone(&listing, club);
    Ok(for_its_club(wire, &view, now))
}

fn for_its_club(draw: Draw, view: &View, now: Timestamp) -> OwnDraw {
    let reason = not_editable(view, now);
    OwnDraw {
        draw,
        owned_by_caller: true,
        editable: reason.is_none(),
        not_editable_reason: reason.map(|(_, words)| words),
        locked: view.sold > 0,
    }
}

/// Why a draw may not be changed by its club, if so (B:139).
pub(super) fn not_editable(view: &View, now: Timestamp) -> Option<(Refusal, &'static str)> {
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

/// Every draw of a club for its own eyes: with archived and cancelled ones, and whom buyers ask.
pub fn all_of(state: &State, club: &Club) -> Vec<Draw> {
    let facts = state.catalogue.facts();
    let now = state.clock.now();
    let draws = state.catalogue.of_club(&facts, club.id);
    let wire = |(listing, view): &(std::sync::Arc<Listing>, View)| {
        facts
            .wire(listing, view, now)
            .map(|draw| draw.alone(listing, club))
    };
    draws.iter().filter_map(wire).collect()
}

/// What "Duplicate last draw" starts from: the club's newest draw, its kick-off moved on by whole weeks until it is ahead.
pub async fn template(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = path.parse().map(ClubId).map_err(|_| Problem::not_found())?;
    caller.must_own(club)?;
    let facts = state.catalogue.facts();
    let draws = state.catalogue.of_club(&facts, club);
    let (listing, view) = draws
        .iter()
        .max_by_key(|(_, view)| view.draw)
        .ok_or_else(Problem::not_found)?;
    Ok(HttpResponse::Ok().json(DrawTemplate {
        league: listing.league.clone(),
        home_team: listing.home_team.clone(),
        away_team: listing.away_team.clone(),
        game_date: weeks_later(view.closes_at, &listing.zone, state.clock.now()),
        timezone: listing.zone.clone(),
        ticket_price: view.price.decimal(),
        prize_percentage: listing.prize_percentage,
        pass_stripe_fees: listing.pass_card_fee,
        round_up_prize: listing.round_up_prize,
        contact_name: listing.contact_name.clone(),
        contact_phone: listing.contact_phone.clone(),
    }))
}

/// The same local hour on the same day of the week, whatever the clocks do in between.
fn weeks_later(kick_off: Timestamp, zone: &str, now: Timestamp) -> String {
    let local = local_date_time(kick_off, zone);
    let (day, hour) = local.split_once('T').unwrap_or((&local, "15:00"));
    let Some(day) = crate::fixtures::kick_off::date(day) else {
        return local;
    };
    let behind = (now.0 - kick_off.0).max(0) / 1000 / WEEK_SECONDS;
    let later = (behind + 1..=behind + 3)
        .map(|weeks| day + time::Duration::weeks(weeks))
        .map(|day| format!("{day}T{hour}"));
    let zone = crate::fixtures::kick_off::zone(zone);
    let is_ahead = |local: &String| {
        zone.and_then(|zone| moment::read(local, None, zone))
            .is_some_and(|at| at > now)
    };
    later.clone().find(is_ahead).unwrap_or(local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duplicate_is_played_at_the_same_hour_some_week_ahead() {
        // Friday 19:10 in Sydney, still winter time: 27 March 2026.
        let kick_off = Timestamp(1_774_599_000_000);
        assert_eq!(
            local_date_time(kick_off, "Australia/Sydney"),
            "2026-03-27T19:10"
        );
        assert_eq!(
            weeks_later(kick_off, "Australia/Sydney", kick_off.plus_seconds(-60)),
            "2026-04-03T19:10"
        );
        assert_eq!(
            weeks_later(kick_off, "Australia/Sydney", kick_off.plus_seconds(60)),
            "2026-04-03T19:10"
        );
        let after_two_weeks = kick_off.plus_seconds(2 * WEEK_SECONDS + 7200);
        assert_eq!(
            weeks_later(kick_off, "Australia/Sydney", after_two_weeks),
            "2026-04-17T19:10"
        );
    }
}
