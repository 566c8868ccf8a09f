//! A club's offers: specials and bundles, kept while nothing is sold (B:142, B:169-174, decision H-4).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use domain::{ClubId, DrawId, Status, Timestamp};
use persistence::Failure;
use persistence::records::audit::Entry;
use persistence::records::bundles::{Bundle, NewBundle};
use persistence::records::clubs::Club;
use persistence::records::offer_edits::Changed;
use serde_json::json;

use super::offer_check::check;
use crate::error::Problem;
use crate::identity::Caller;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::desk::{OfferForm, OwnGame, OwnOffer};
use crate::wire::draw::status_shown;
use crate::wire::instant::rfc3339;

fn own_club(state: &State, caller: Caller, slug: &str) -> Result<Arc<Club>, Problem> {
    let facts = state.catalogue.facts();
    let club = facts.club_by_slug(slug).ok_or_else(Problem::not_found)?;
    caller.must_own(club.id)?;
    Ok(club.clone())
}

/// A club's offers with what was sold of each, newest first.
async fn of(state: &State, club: ClubId) -> Result<Vec<(Bundle, i64)>, Problem> {
    let sales = state.records.bundle_sales(club).await?;
    let sold = |id: i64| {
        sales
            .iter()
            .find(|(bundle, _)| *bundle == id)
            .map_or(0, |(_, sold)| *sold)
    };
    let bundles = state.records.bundles(club).await?;
    Ok(bundles
        .into_iter()
        .map(|bundle| (sold(bundle.id), bundle))
        .map(|(sold, bundle)| (bundle, sold))
        .collect())
}

async fn one(state: &State, club: ClubId, id: &str) -> Result<(Bundle, i64), Problem> {
    let id: i64 = id.parse().map_err(|_| Problem::not_found())?;
    let found = of(state, club)
        .await?
        .into_iter()
        .find(|(bundle, _)| bundle.id == id);
    found.ok_or_else(Problem::not_found)
}

/// What an offer is as of now: what was stored, what was sold, and whether its earliest game has begun (decision H-4). With a
/// game that was called off it is sold no more: what nobody bought can still be mended, what was bought can only be put away.
fn status(state: &State, bundle: &Bundle, sold: i64, now: Timestamp) -> &'static str {
    let facts = state.catalogue.facts();
    let mut views = bundle
        .games
        .iter()
        .filter_map(|game| facts.listing(*game))
        .map(|listing| listing.view);
    let ended = bundle.end_at.is_some_and(|end| end <= now)
        || views.any(|view| view.closes_at <= now || (sold > 0 && view.status != Status::Active));
    match bundle.status.as_str() {
        "archived" => "archived",
        "draft" => "draft",
        _ if ended || bundle.status == "closed" => "closed",
        _ if sold > 0 || bundle.status == "locked" => "locked",
        _ => "active",
    }
}

fn wire(state: &State, club: &Club, bundle: &Bundle, sold: i64) -> OwnOffer {
    let now = state.clock.now();
    let facts = state.catalogue.facts();
    let game = |id: &DrawId| {
        let listing = facts.listing(*id)?;
        Some(OwnGame {
            id: id.0,
            draw_number: id.0,
            home_team: listing.home_team.clone(),
            away_team: listing.away_team.clone(),
            game_date: rfc3339(listing.view.closes_at),
            timezone: listing.zone.clone(),
            ticket_price: listing.view.price.decimal(),
            pass_stripe_fees: listing.pass_card_fee,
            status: status_shown(&listing.view, now),
        })
    };
    let games = bundle.games.iter().filter_map(game).collect();
    OwnOffer::new(
        bundle,
        &club.slug,
        status(state, bundle, sold, now),
        sold,
        games,
    )
}

pub async fn list(
    state: web::Data<State>,
    caller: Caller,
    slug: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, &slug)?;
    let offers = of(&state, club.id).await?;
    let offers: Vec<OwnOffer> = offers
        .iter()
        .map(|(bundle, sold)| wire(&state, &club, bundle, *sold))
        .collect();
    Ok(HttpResponse::Ok().json(offers))
}

pub async fn show(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, &path.0)?;
    let (bundle, sold) = one(&state, club.id, &path.1).await?;
    Ok(HttpResponse::Ok().json(wire(&state, &club, &bundle, sold)))
}

pub async fn create(
    state: web::Data<State>,
    caller: Caller,
    slug: web::Path<String>,
    body: Body<OfferForm>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, &slug)?;
    let new = checked(&state, &club, &body.0, None).await?;
    let created = state
        .records
        .by(act(caller, &club, "create-offer"))
        .create_bundle(club.id, &new)
        .await;
    let id = match created {
        Err(failure) => return Err(lost_race(&state, &club, &new, None, failure).await?),
        Ok(id) => id,
    };
    let (bundle, sold) = one(&state, club.id, &id.to_string()).await?;
    Ok(HttpResponse::Created().json(wire(&state, &club, &bundle, sold)))
}

pub async fn change(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, String)>,
    body: Body<OfferForm>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, &path.0)?;
    let (bundle, sold) = one(&state, club.id, &path.1).await?;
    let now = status(&state, &bundle, sold, state.clock.now());
    if !matches!(now, "draft" | "active") {
        return Err(locked(now));
    }
    let new = checked(&state, &club, &body.0, Some(bundle.id)).await?;
    let records = state.records.by(act(caller, &club, "change-offer"));
    match records.change_bundle(club.id, bundle.id, &new).await {
        Ok(Changed::Done) => {}
        Ok(Changed::Locked) => return Err(locked("locked")),
        Err(failure) => return Err(lost_race(&state, &club, &new, Some(bundle.id), failure).await?),
    }
    let (bundle, sold) = one(&state, club.id, &path.1).await?;
    Ok(HttpResponse::Ok().json(wire(&state, &club, &bundle, sold)))
}

pub async fn archive(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, &path.0)?;
    let (bundle, sold) = one(&state, club.id, &path.1).await?;
    let now = status(&state, &bundle, sold, state.clock.now());
    if now == "locked" {
        return Err(locked(now));
    }
    let over = matches!(now, "closed" | "archived");
    let records = state.records.by(act(caller, &club, "archive-offer"));
    if records.archive_bundle(club.id, bundle.id, over).await? != Changed::Done {
        return Err(locked("locked"));
    }
    let (bundle, sold) = one(&state, club.id, &path.1).await?;
    Ok(HttpResponse::Ok().json(wire(&state, &club, &bundle, sold)))
}

fn locked(status: &str) -> Problem {
    let why = if status == "locked" {
        "has sales"
    } else {
        status
    };
    Problem::conflict(
        "locked",
        format!("This bundle is locked ({why}) and cannot be edited."),
    )
}

/// Two offers of one slug saved at once: the database has the last word, and the second reads why.
async fn lost_race(
    state: &State,
    club: &Club,
    new: &NewBundle,
    but: Option<i64>,
    failure: Failure,
) -> Result<Problem, Problem> {
    let taken = state
        .records
        .bundle_slug_taken(club.id, &new.slug, but)
        .await?;
    Ok(if taken { slug_taken() } else { failure.into() })
}

fn slug_taken() -> Problem {
    Problem::conflict("slug-taken", "This slug is already used by another offer.")
}

async fn checked(
    state: &State,
    club: &Club,
    form: &OfferForm,
    but: Option<i64>,
) -> Result<NewBundle, Problem> {
    let now = state.clock.now();
    let facts = state.catalogue.facts();
    let is_own = |game: DrawId| {
        facts.listing(game).is_some_and(|listing| {
            listing.club == club.id && status_shown(&listing.view, now) == "active"
        })
    };
    let new = check(form, is_own)?;
    if state
        .records
        .bundle_slug_taken(club.id, &new.slug, but)
        .await?
    {
        return Err(slug_taken());
    }
    Ok(new)
}

/// For the audit log; whoever writes the offer knows its number.
fn act(caller: Caller, club: &Club, action: &str) -> Entry {
    caller
        .act(&caller.name(), Some(club.id), action, "bundle:")
        .entry(json!({}))
}
