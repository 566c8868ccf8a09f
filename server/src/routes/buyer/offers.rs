//! Offers: a club's specials and bundles, as buyers meet them.

use std::collections::BTreeSet;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use domain::{ClubId, OrderId};

use crate::error::Problem;
use crate::offer::{Offer, Standing};
use crate::open_orders::Counts;
use crate::state::State;
use crate::wire::special::PublicOffer;

/// What may be bought now (A:176). Never kept by anybody.
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

/// One offer, closed ones too (decision B-11).
pub async fn one(
    state: web::Data<State>,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let club = super::clubs::page(&state.catalogue.facts(), &path.0).map_err(|_| not_found())?;
    let offer = find(&state, &club.slug, &path.1).await?;
    Ok(HttpResponse::Ok().json(PublicOffer::new(&state, &offer)))
}

/// # Errors
/// 404 for one that is unknown, a draft, archived or expired (A:105).
pub async fn find(state: &State, club: &str, slug: &str) -> Result<Offer, Problem> {
    let found = Offer::find(state, club, slug)
        .await?
        .filter(|offer| offer.standing != Standing::Ended);
    found.ok_or_else(not_found)
}

fn not_found() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "offer-not-found",
        "Special Offer Not Found",
    )
}

/// Remembers from which offers a cart was put together. Its lines say so themselves (`bundleId`); they are believed as far as
/// the whole offer is in the cart, and the club's own.
///
/// # Errors
/// The books could not be written.
pub async fn note(
    state: &State,
    club: ClubId,
    order: OrderId,
    counts: &Counts,
    said: &BTreeSet<i64>,
) -> Result<(), Problem> {
    let mut found = Vec::new();
    if !said.is_empty() {
        for bundle in state.records.bundles(club).await? {
            let sells = matches!(bundle.status.as_str(), "active" | "locked");
            let whole = bundle
                .games
                .iter()
                .map(|game| counts.get(game).copied().unwrap_or(0))
                .min()
                .unwrap_or(0);
            if sells && whole > 0 && said.contains(&bundle.id) {
                found.push((bundle.id, whole));
            }
        }
    }
    Ok(state.records.note_offers(order, &found).await?)
}
