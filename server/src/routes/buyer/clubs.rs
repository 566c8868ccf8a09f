//! Clubs' public pages.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use domain::{ClubId, access};
use persistence::records::clubs::Club as Row;
use serde::Deserialize;

use crate::catalogue::Facts;
use crate::catalogue::lists::{List, Part};
use crate::error::Problem;
use crate::identity::Caller;
use crate::routes::club::draws::all_of;
use crate::state::State;
use crate::wire::club::{Club, ClubListed, OwnClub, tagline};
use crate::wire::draw::Draw;
use crate::wire::site::ClubMeta;

pub async fn public_list(state: web::Data<State>) -> HttpResponse {
    let facts = state.catalogue.facts();
    // A tile must not lead to a page that is switched off (decision H-14).
    let shown = facts
        .clubs()
        .filter(|club| !club.archived && club.page_enabled);
    let mut clubs: Vec<ClubListed> = shown.map(|club| ClubListed::from(&**club)).collect();
    clubs.sort_by_key(|club| club.name.to_lowercase());
    HttpResponse::Ok().json(clubs)
}

/// A club's page with its draws; 404 when it is archived or its page is off (decisions H-3, H-14).
pub async fn by_slug(
    state: web::Data<State>,
    slug: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = page(&state.catalogue.facts(), &slug)?;
    let now = state.clock.now();
    let part = Part {
        club: Some(club.id),
        ..Part::default()
    };
    let active = state.catalogue.part(List::Active, part, now);
    let completed = state.catalogue.part(List::Completed, part, now);
    Ok(HttpResponse::Ok().json(Club::new(&club, &slug).with_draws(active, completed)))
}

/// By id or slug (decision J-13). The club itself and the operator read more, and also of an archived one.
pub async fn one(
    state: web::Data<State>,
    caller: Caller,
    club: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    if let Some(row) = own(&state.catalogue.facts(), caller, &club) {
        return Ok(HttpResponse::Ok().json(OwnClub::from(&*row)));
    }
    let row = find(&state.catalogue.facts(), &club)?;
    Ok(HttpResponse::Ok().json(Club::new(&row, &row.slug)))
}

/// What a page's head needs (A:235).
pub async fn meta(
    state: web::Data<State>,
    club: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let row = page(&state.catalogue.facts(), &club)?;
    Ok(HttpResponse::Ok().json(meta_of(&row)))
}

pub fn meta_of(club: &Row) -> ClubMeta {
    ClubMeta {
        facebook_pixel_id: club.facebook_pixel_id.clone(),
        primary_color: club.primary_color.clone(),
        secondary_color: club.secondary_color.clone(),
        accent_color: club.accent_color.clone(),
        name: club.name.clone(),
        tagline: tagline(club),
        logo_url: club.logo_url.clone(),
    }
}

#[derive(Deserialize)]
pub struct Wanted {
    status: Option<String>,
}

impl Wanted {
    /// In our own word: two more are read, and never written (decision E-1).
    fn status(&self) -> Option<&str> {
        self.status.as_deref().map(|status| match status {
            "open" => "active",
            "awaiting_draw" => "closed",
            status => status,
        })
    }
}

/// A club's draws, all of them or those of a status; for the club itself and the operator with archived and cancelled ones.
pub async fn draws(
    state: web::Data<State>,
    caller: Caller,
    club: web::Path<String>,
    wanted: web::Query<Wanted>,
) -> Result<HttpResponse, Problem> {
    if let Some(row) = own(&state.catalogue.facts(), caller, &club) {
        let mut draws = all_of(&state, &row);
        draws.retain(|draw| wanted.status().is_none_or(|status| draw.status == status));
        return Ok(HttpResponse::Ok().json(draws));
    }
    let row = find(&state.catalogue.facts(), &club)?;
    let now = state.clock.now();
    let part = Part {
        club: Some(row.id),
        ..Part::default()
    };
    let lists = [List::Active, List::Awaiting, List::Completed];
    let mut draws: Vec<Draw> = lists
        .into_iter()
        .flat_map(|list| state.catalogue.part(list, part, now))
        .collect();
    if let Some(status) = wanted.status() {
        draws.retain(|draw| draw.status == status);
    }
    Ok(HttpResponse::Ok().json(draws))
}

fn find(facts: &Facts, club: &str) -> Result<Arc<Row>, Problem> {
    by_id_or_slug(facts, club)
        .filter(|club| !club.archived)
        .cloned()
        .ok_or_else(club_not_found)
}

/// The club that was asked for, if it is the caller's to see in whole.
fn own(facts: &Facts, caller: Caller, club: &str) -> Option<Arc<Row>> {
    by_id_or_slug(facts, club)
        .filter(|club| access::owns(caller.principal(), club.id))
        .cloned()
}

fn by_id_or_slug<'a>(facts: &'a Facts, club: &str) -> Option<&'a Arc<Row>> {
    let by_id = club.parse().ok().and_then(|id| facts.club(ClubId(id)));
    by_id.or_else(|| facts.club_by_slug(club))
}

/// # Errors
/// 404 for a club that is unknown, archived or without a page.
pub fn page(facts: &Facts, club: &str) -> Result<Arc<Row>, Problem> {
    let row = find(facts, club)?;
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
