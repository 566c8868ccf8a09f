//! A club's public offers: specials and bundles.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};

use crate::api::error::Problem;
use crate::api::offer::PublicOffer;
use crate::services::offer::{Offer, OfferStatus};
use crate::state::State;

/// Responds with the offers on sale now. Never cached.
pub async fn list(
    state: web::Data<State>,
    club: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let row = super::clubs::page(&state.catalogue.facts(), &club)?;
    let offers = Offer::of_club(&state, &row).await?;
    let on_sale = offers.iter().filter(|offer| offer.is_on_sale());
    let shown: Vec<PublicOffer> = on_sale
        .map(|offer| PublicOffer::new(&state, offer))
        .collect();
    Ok(HttpResponse::Ok().json(shown))
}

/// Answers one offer, also when it is closed (decision B-11).
pub async fn show(
    state: web::Data<State>,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let club = super::clubs::page(&state.catalogue.facts(), &path.0).map_err(|_| not_found())?;
    let offer = find(&state, &club.slug, &path.1).await?;
    Ok(HttpResponse::Ok().json(PublicOffer::new(&state, &offer)))
}

/// Finds a public offer by the slugs of its club and its own.
///
/// # Errors
/// 404 when the offer is unknown, a draft, archived or expired.
pub async fn find(state: &State, club: &str, slug: &str) -> Result<Offer, Problem> {
    let found = Offer::find(state, club, slug)
        .await?
        .filter(|offer| offer.standing != OfferStatus::Ended);
    found.ok_or_else(not_found)
}

fn not_found() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "offer-not-found",
        "Special Offer Not Found",
    )
}
