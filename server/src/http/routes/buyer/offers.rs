//! A club's public offers: specials and bundles.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};

use crate::api::error::Problem;
use crate::api::offer::PublicOffer;
use crate::render::share_card;
use crate::services::offer::{Offer, OfferStatus};
use crate::state::State;

/// Responds with a club's offers that are on sale now. The response is never cached.
pub async fn list(
    state: web::Data<State>,
    club: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let row = super::clubs::find_club_for_page(&state.catalogue.facts(), &club)?;
    let offers = state.offers().of_club(&row).await?;
    let on_sale = offers.iter().filter(|offer| offer.is_on_sale());
    let listed: Vec<PublicOffer> = on_sale.map(|offer| public_offer(&state, offer)).collect();
    Ok(HttpResponse::Ok().json(listed))
}

/// Responds with one offer, even if the offer is closed (decision B-11).
pub async fn show(
    state: web::Data<State>,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let club = super::clubs::find_club_for_page(&state.catalogue.facts(), &path.0)
        .map_err(|_| not_found())?;
    let offer = find(&state, &club.slug, &path.1).await?;
    Ok(HttpResponse::Ok().json(public_offer(&state, &offer)))
}

/// Finds a public offer by its club's slug and the offer's slug.
///
/// # Errors
/// 404 when the offer is unknown, a draft, archived or expired.
pub async fn find(state: &State, club: &str, slug: &str) -> Result<Offer, Problem> {
    let found = state
        .offers()
        .find(club, slug)
        .await?
        .filter(|offer| offer.sale_status != OfferStatus::Ended);
    found.ok_or_else(not_found)
}

/// Builds the public API object of an offer, with the URL of its picture or share card.
pub fn public_offer(state: &State, offer: &Offer) -> PublicOffer {
    let picture = share_card::offer_image_url(&state.config.public_url, offer);
    offer.public_offer(picture, state.clock.now())
}

fn not_found() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "offer-not-found",
        "Special Offer Not Found",
    )
}
