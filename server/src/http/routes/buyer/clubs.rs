//! Clubs' public pages.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use domain::{ClubId, access};
use persistence::records::clubs::Club as ClubRecord;
use serde::Deserialize;

use crate::access::caller::Caller;
use crate::api::club::{Club, ClubSummary, OwnClub, tagline};
use crate::api::draw::Draw;
use crate::api::error::Problem;
use crate::api::site::ClubPageMetadata;
use crate::http::routes::club::draws::draws_of_club;
use crate::services::catalogue::CatalogueFacts;
use crate::services::catalogue::lists::{DrawList, DrawListSlice};
use crate::state::State;

/// Responds with the clubs that have a public page, sorted by name.
pub async fn list_public_clubs(state: web::Data<State>) -> HttpResponse {
    let facts = state.catalogue.facts();
    // A club whose public page is off is not listed, because its link would lead to a 404 (decision
    // H-14).
    let shown = facts
        .clubs()
        .filter(|club| !club.archived && club.page_enabled);
    let mut clubs: Vec<ClubSummary> = shown.map(|club| ClubSummary::from(&**club)).collect();
    clubs.sort_by_key(|club| club.name.to_lowercase());
    HttpResponse::Ok().json(clubs)
}

/// Responds with a club's page and its draws. 404 when the club is archived or its page is off
/// (decisions H-3, H-14).
pub async fn show_club_by_slug(
    state: web::Data<State>,
    slug: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let facts = state.catalogue.facts();
    let club = find_club_for_page(&facts, &slug)?;
    let now = state.clock.now();
    let part = DrawListSlice {
        club: Some(club.id),
        ..DrawListSlice::default()
    };
    let active = state.catalogue.list_slice(DrawList::Active, part, now);
    let completed = state.catalogue.list_slice(DrawList::Completed, part, now);
    let page = Club::new(&club, &slug)
        .with_raised(facts.raised_so_far(club.id, now))
        .with_draws(active, completed);
    Ok(HttpResponse::Ok().json(page))
}

/// Responds with a club by id or slug (decision J-13). The club itself and the operator also get
/// private fields, and can read archived clubs.
pub async fn show(
    state: web::Data<State>,
    caller: Caller,
    club: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    if let Some(row) = own_club(&state.catalogue.facts(), caller, &club) {
        return Ok(HttpResponse::Ok().json(OwnClub::from(&*row)));
    }
    let row = find_club(&state.catalogue.facts(), &club)?;
    Ok(HttpResponse::Ok().json(Club::new(&row, &row.slug)))
}

/// Responds with the data for the `<head>` of a club's page.
pub async fn show_club_meta(
    state: web::Data<State>,
    club: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let row = find_club_for_page(&state.catalogue.facts(), &club)?;
    Ok(HttpResponse::Ok().json(club_page_metadata(&row)))
}

/// Builds the `<head>` data of a club's page.
pub fn club_page_metadata(club: &ClubRecord) -> ClubPageMetadata {
    ClubPageMetadata {
        facebook_pixel_id: club.facebook_pixel_id.clone(),
        primary_color: club.primary_color.clone(),
        secondary_color: club.secondary_color.clone(),
        accent_color: club.accent_color.clone(),
        name: club.name.clone(),
        tagline: tagline(club),
        logo_url: club.logo_url.clone(),
    }
}

/// Query parameters of a club's draws.
#[derive(Deserialize)]
pub struct ClubDrawsQuery {
    status: Option<String>,
}

impl ClubDrawsQuery {
    /// Returns the requested draw status. Two older status names are accepted as well (decision
    /// E-1).
    fn status(&self) -> Option<&str> {
        self.status.as_deref().map(|status| match status {
            "open" => "active",
            "awaiting_draw" => "closed",
            status => status,
        })
    }
}

/// Responds with a club's draws, optionally of one status. The club itself and the operator also
/// see archived and cancelled ones.
pub async fn list_club_draws(
    state: web::Data<State>,
    caller: Caller,
    club: web::Path<String>,
    query: web::Query<ClubDrawsQuery>,
) -> Result<HttpResponse, Problem> {
    if let Some(row) = own_club(&state.catalogue.facts(), caller, &club) {
        let mut draws = draws_of_club(&state, &row);
        draws.retain(|draw| query.status().is_none_or(|status| draw.status == status));
        return Ok(HttpResponse::Ok().json(draws));
    }
    let row = find_club(&state.catalogue.facts(), &club)?;
    let now = state.clock.now();
    let part = DrawListSlice {
        club: Some(row.id),
        ..DrawListSlice::default()
    };
    let lists = [DrawList::Active, DrawList::Awaiting, DrawList::Completed];
    let mut draws: Vec<Draw> = lists
        .into_iter()
        .flat_map(|list| state.catalogue.list_slice(list, part, now))
        .collect();
    if let Some(status) = query.status() {
        draws.retain(|draw| draw.status == status);
    }
    Ok(HttpResponse::Ok().json(draws))
}

/// Finds a club by id or slug that is not archived.
fn find_club(facts: &CatalogueFacts, club: &str) -> Result<Arc<ClubRecord>, Problem> {
    by_id_or_slug(facts, club)
        .filter(|club| !club.archived)
        .cloned()
        .ok_or_else(club_not_found)
}

/// Returns the requested club if the caller may see its private fields: the club itself or the
/// operator.
fn own_club(facts: &CatalogueFacts, caller: Caller, club: &str) -> Option<Arc<ClubRecord>> {
    by_id_or_slug(facts, club)
        .filter(|club| access::may_see_club(caller.principal(), club.id))
        .cloned()
}

fn by_id_or_slug<'a>(facts: &'a CatalogueFacts, club: &str) -> Option<&'a Arc<ClubRecord>> {
    let by_id = club.parse().ok().and_then(|id| facts.club(ClubId(id)));
    by_id.or_else(|| facts.club_by_slug(club))
}

/// Finds a club whose public page is on.
///
/// # Errors
/// 404 when the club is unknown, archived or has no page.
pub fn find_club_for_page(facts: &CatalogueFacts, club: &str) -> Result<Arc<ClubRecord>, Problem> {
    let row = find_club(facts, club)?;
    if row.page_enabled {
        Ok(row)
    } else {
        Err(club_not_found())
    }
}

fn club_not_found() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "club-not-found",
        "Club page not found",
    )
}
