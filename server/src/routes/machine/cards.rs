//! The pictures of share cards, drawn once and kept while their words stay.

use std::sync::Arc;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use bytes::Bytes;
use dashmap::DashMap;
use serde::Deserialize;

use crate::error::Problem;
use crate::render::card::Card;
use crate::render::page::DrawFace;
use crate::routes::buyer::{clubs, draw_number, offers};
use crate::state::State;

/// Pictures kept in memory, about 30 KB each.
const KEPT_MAX: usize = 300;

/// By what they show.
#[derive(Clone, Default)]
pub struct Cards(Arc<DashMap<String, Bytes>>);

#[derive(Deserialize)]
pub struct Asked {
    /// What the page's head named: then the picture never changes.
    v: Option<String>,
}

pub async fn site(
    state: web::Data<State>,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Problem> {
    answer(&state, Card::of_site(), &asked).await
}

pub async fn draw(
    state: web::Data<State>,
    path: web::Path<String>,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Problem> {
    let draw = draw_number(&path)?;
    let card = of_draw(&state, draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    answer(&state, card, &asked).await
}

pub async fn club(
    state: web::Data<State>,
    path: web::Path<String>,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Problem> {
    let facts = state.catalogue.facts();
    let card = Card::of_club(&*clubs::page(&facts, &path)?, &facts);
    answer(&state, card, &asked).await
}

pub async fn offer(
    state: web::Data<State>,
    path: web::Path<(String, String)>,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Problem> {
    let offer = offers::find(&state, &path.0, &path.1).await?;
    answer(&state, Card::of_offer(&offer), &asked).await
}

/// The card of a draw as it stands now.
pub async fn of_draw(state: &State, draw: domain::DrawId) -> Option<Card> {
    let now = state.clock.now();
    let (facts, listing, view) = state.catalogue.draw(draw).await?;
    let club = facts.club(listing.club)?;
    let wire = facts.wire(&listing, &view, now)?;
    Some(Card::of_draw(club, &wire, &DrawFace::new(&wire, now)))
}

async fn answer(state: &State, card: Card, asked: &Asked) -> Result<HttpResponse, Problem> {
    let version = card.version();
    let kept = state.cards.0.get(&version).map(|bytes| bytes.clone());
    let bytes = match kept {
        Some(bytes) => bytes,
        None => {
            let bytes = Bytes::from(
                web::block(move || card.draw())
                    .await
                    .map_err(|_| Problem::unavailable())?,
            );
            if state.cards.0.len() >= KEPT_MAX {
                state.cards.0.clear();
            }
            state.cards.0.insert(version.clone(), bytes.clone());
            bytes
        }
    };
    let is_current = asked.v.as_deref() == Some(version.as_str());
    let kept = if is_current {
        "public, max-age=31536000, immutable"
    } else {
        "public, max-age=300"
    };
    Ok(HttpResponse::Ok()
        .content_type("image/png")
        .insert_header((CACHE_CONTROL, kept))
        .body(bytes))
}
