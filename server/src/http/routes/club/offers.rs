//! A club's own offers (specials and bundles): list, create, edit while nothing is sold, archive
//! (decision H-4).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use domain::{ClubId, DrawId, Status, Timestamp};
use persistence::Failure;
use persistence::records::audit::AuditEntry;
use persistence::records::bundles::{Bundle, NewBundle};
use persistence::records::clubs::Club;
use persistence::records::offer_edits::OfferChangeOutcome;
use serde_json::json;

use super::offer_check::check_offer_form;
use crate::access::caller::Caller;
use crate::api::club_admin::{OfferForm, OwnGame, OwnOffer};
use crate::api::draw::shown_status;
use crate::api::error::Problem;
use crate::api::time_format::rfc3339;
use crate::http::routes::body::Body;
use crate::state::State;

fn own_club(state: &State, caller: Caller, slug: &str) -> Result<Arc<Club>, Problem> {
    let facts = state.catalogue.facts();
    let club = facts.club_by_slug(slug).ok_or_else(Problem::not_found)?;
    caller.require_ownership(club.id)?;
    Ok(club.clone())
}

/// Reads a club's offers with the number of sales of each, newest first.
async fn offers_with_sales(state: &State, club: ClubId) -> Result<Vec<(Bundle, i64)>, Problem> {
    let sales = state.records.sales_by_bundle(club).await?;
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

async fn find_offer(state: &State, club: ClubId, id: &str) -> Result<(Bundle, i64), Problem> {
    let id: i64 = id.parse().map_err(|_| Problem::not_found())?;
    let found = offers_with_sales(state, club)
        .await?
        .into_iter()
        .find(|(bundle, _)| bundle.id == id);
    found.ok_or_else(Problem::not_found)
}

/// Returns the current status of an offer, from its stored status, its sales, and whether its
/// earliest game has begun (decision H-4).
///
/// A cancelled game closes the offer once something was sold. An unsold offer stays editable.
fn offer_status(state: &State, bundle: &Bundle, sold: i64, now: Timestamp) -> &'static str {
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

fn offer_json(state: &State, club: &Club, bundle: &Bundle, sold: i64) -> OwnOffer {
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
            status: shown_status(&listing.view, now),
        })
    };
    let games = bundle.games.iter().filter_map(game).collect();
    OwnOffer::new(
        bundle,
        &club.slug,
        offer_status(state, bundle, sold, now),
        sold,
        games,
    )
}

/// Handles `GET /api/admin/clubs/{slug}/bundles`.
pub async fn list(
    state: web::Data<State>,
    caller: Caller,
    slug: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, &slug)?;
    let offers = offers_with_sales(&state, club.id).await?;
    let offers: Vec<OwnOffer> = offers
        .iter()
        .map(|(bundle, sold)| offer_json(&state, &club, bundle, *sold))
        .collect();
    Ok(HttpResponse::Ok().json(offers))
}

/// Handles `GET /api/admin/clubs/{slug}/bundles/{bundle}`.
pub async fn show(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, &path.0)?;
    let (bundle, sold) = find_offer(&state, club.id, &path.1).await?;
    Ok(HttpResponse::Ok().json(offer_json(&state, &club, &bundle, sold)))
}

/// Handles `POST /api/admin/clubs/{slug}/bundles`.
pub async fn create(
    state: web::Data<State>,
    caller: Caller,
    slug: web::Path<String>,
    body: Body<OfferForm>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, &slug)?;
    let new = check_offer_and_slug(&state, &club, &body.0, None).await?;
    let created = state
        .records
        .with_audit_entry(audit_entry(caller, &club, "create-offer"))
        .create_bundle(club.id, &new)
        .await;
    let id = match created {
        Err(failure) => return Err(offer_write_problem(&state, &club, &new, None, failure).await?),
        Ok(id) => id,
    };
    let (bundle, sold) = find_offer(&state, club.id, &id.to_string()).await?;
    Ok(HttpResponse::Created().json(offer_json(&state, &club, &bundle, sold)))
}

/// Handles `PUT /api/admin/clubs/{slug}/bundles/{bundle}`.
pub async fn change(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, String)>,
    body: Body<OfferForm>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, &path.0)?;
    let (bundle, sold) = find_offer(&state, club.id, &path.1).await?;
    let now = offer_status(&state, &bundle, sold, state.clock.now());
    if !matches!(now, "draft" | "active") {
        return Err(offer_locked_problem(now));
    }
    let new = check_offer_and_slug(&state, &club, &body.0, Some(bundle.id)).await?;
    let records = state
        .records
        .with_audit_entry(audit_entry(caller, &club, "change-offer"));
    match records.change_bundle(club.id, bundle.id, &new).await {
        Ok(OfferChangeOutcome::Done) => {}
        Ok(OfferChangeOutcome::Locked) => return Err(offer_locked_problem("locked")),
        Err(failure) => {
            return Err(offer_write_problem(&state, &club, &new, Some(bundle.id), failure).await?);
        }
    }
    let (bundle, sold) = find_offer(&state, club.id, &path.1).await?;
    Ok(HttpResponse::Ok().json(offer_json(&state, &club, &bundle, sold)))
}

/// Handles `POST /api/admin/clubs/{slug}/bundles/{bundle}/archive`.
pub async fn archive(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, &path.0)?;
    let (bundle, sold) = find_offer(&state, club.id, &path.1).await?;
    let now = offer_status(&state, &bundle, sold, state.clock.now());
    if now == "locked" {
        return Err(offer_locked_problem(now));
    }
    let is_over = matches!(now, "closed" | "archived");
    let records = state
        .records
        .with_audit_entry(audit_entry(caller, &club, "archive-offer"));
    if records.archive_bundle(club.id, bundle.id, is_over).await? != OfferChangeOutcome::Done {
        return Err(offer_locked_problem("locked"));
    }
    let (bundle, sold) = find_offer(&state, club.id, &path.1).await?;
    Ok(HttpResponse::Ok().json(offer_json(&state, &club, &bundle, sold)))
}

fn offer_locked_problem(status: &str) -> Problem {
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

/// Builds the response to a failed write of an offer: 409 if another offer now has its slug, or
/// else the failure. The database's unique constraint rejects a duplicate slug.
async fn offer_write_problem(
    state: &State,
    club: &Club,
    new: &NewBundle,
    except: Option<i64>,
    failure: Failure,
) -> Result<Problem, Problem> {
    let slug_is_taken = state
        .records
        .is_bundle_slug_taken(club.id, &new.slug, except)
        .await?;
    Ok(if slug_is_taken {
        slug_taken_problem()
    } else {
        failure.into()
    })
}

fn slug_taken_problem() -> Problem {
    Problem::conflict("slug-taken", "This slug is already used by another offer.")
}

async fn check_offer_and_slug(
    state: &State,
    club: &Club,
    form: &OfferForm,
    except: Option<i64>,
) -> Result<NewBundle, Problem> {
    let now = state.clock.now();
    let facts = state.catalogue.facts();
    let is_own = |game: DrawId| {
        facts.listing(game).is_some_and(|listing| {
            listing.club == club.id && shown_status(&listing.view, now) == "active"
        })
    };
    let new = check_offer_form(form, is_own)?;
    if state
        .records
        .is_bundle_slug_taken(club.id, &new.slug, except)
        .await?
    {
        return Err(slug_taken_problem());
    }
    Ok(new)
}

/// Builds an audit entry about an offer. The database layer appends the offer's id to the audited
/// object `bundle:`.
fn audit_entry(caller: Caller, club: &Club, action: &str) -> AuditEntry {
    caller
        .audit_action(&caller.audit_name(), Some(club.id), action, "bundle:")
        .entry(json!({}))
}
