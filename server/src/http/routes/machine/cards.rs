//! Images of share cards (Open Graph). An image is drawn once and cached until the texts on it
//! change.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use bytes::Bytes;
use serde::Deserialize;

use crate::api::error::Problem;
use crate::http::routes::buyer::{clubs, draw_number, offers};
use crate::render::blocking_jobs;
use crate::render::draw_story::DrawStory;
use crate::render::page::DrawTexts;
use crate::render::share_card::ShareCard;
use crate::state::State;

/// Query parameters of a share card.
#[derive(Deserialize)]
pub struct CardQuery {
    /// Version of the card's contents, as linked in the page's `<head>`. The image of one version
    /// never changes.
    v: Option<String>,
}

/// Handles `GET /og/site`.
pub async fn serve_site_card(
    state: web::Data<State>,
    query: web::Query<CardQuery>,
) -> Result<HttpResponse, Problem> {
    card_response(&state, ShareCard::of_site(), &query).await
}

/// Handles `GET /og/draw/{draw}`.
pub async fn serve_draw_card(
    state: web::Data<State>,
    path: web::Path<String>,
    query: web::Query<CardQuery>,
) -> Result<HttpResponse, Problem> {
    let draw = draw_number(&path)?;
    let card = share_card_of_draw(&state, draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    card_response(&state, card, &query).await
}

/// Handles `GET /og/draw/{draw}/story`.
pub async fn serve_draw_story(
    state: web::Data<State>,
    path: web::Path<String>,
    query: web::Query<CardQuery>,
) -> Result<HttpResponse, Problem> {
    let draw = draw_number(&path)?;
    let story = story_of_draw(&state, draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    let (version, key) = (
        story.version(),
        story.crest_upload_key().map(str::to_string),
    );
    let render = move |logo: Option<&[u8]>| story.render_png(logo);
    image_response(&state, version, key, render, &query).await
}

async fn story_of_draw(state: &State, draw: domain::DrawId) -> Option<DrawStory> {
    let now = state.clock.now();
    let (facts, listing, view) = state.catalogue.draw(draw).await?;
    let club = facts.club(listing.club)?;
    let wire = facts.to_api_draw(&listing, &view, now)?;
    let link = format!("{}/draw/{draw}", state.config.public_url);
    Some(DrawStory::new(club, &DrawTexts::new(&wire, now), link))
}

/// Handles `GET /og/club/{slug}`.
pub async fn serve_club_card(
    state: web::Data<State>,
    path: web::Path<String>,
    query: web::Query<CardQuery>,
) -> Result<HttpResponse, Problem> {
    let facts = state.catalogue.facts();
    let card = ShareCard::of_club(&*clubs::find_club_for_page(&facts, &path)?, &facts);
    card_response(&state, card, &query).await
}

/// Handles `GET /og/offer/{slug}/{bundle}`.
pub async fn serve_offer_card(
    state: web::Data<State>,
    path: web::Path<(String, String)>,
    query: web::Query<CardQuery>,
) -> Result<HttpResponse, Problem> {
    let offer = offers::find(&state, &path.0, &path.1).await?;
    card_response(&state, ShareCard::of_offer(&offer), &query).await
}

/// Builds the share card of a draw's current state.
pub async fn share_card_of_draw(state: &State, draw: domain::DrawId) -> Option<ShareCard> {
    let now = state.clock.now();
    let (facts, listing, view) = state.catalogue.draw(draw).await?;
    let club = facts.club(listing.club)?;
    let wire = facts.to_api_draw(&listing, &view, now)?;
    Some(ShareCard::of_draw(club, &wire, &DrawTexts::new(&wire, now)))
}

async fn card_response(
    state: &State,
    card: ShareCard,
    query: &CardQuery,
) -> Result<HttpResponse, Problem> {
    let (version, key) = (card.version(), card.crest_upload_key().map(str::to_string));
    let render = move |logo: Option<&[u8]>| card.render_png(logo);
    image_response(state, version, key, render, query).await
}

/// Responds with an image, which is drawn unless it is cached. `version` identifies its contents.
/// `render_png` gets the file of the uploaded logo with this key.
async fn image_response(
    state: &State,
    version: String,
    crest_upload_key: Option<String>,
    render_png: impl FnOnce(Option<&[u8]>) -> Vec<u8> + Send + 'static,
    query: &CardQuery,
) -> Result<HttpResponse, Problem> {
    let bytes = if let Some(bytes) = state.cards.get(&version) {
        bytes
    } else {
        let logo = match crest_upload_key {
            Some(key) => state.records.upload(&key).await?,
            None => None,
        };
        let bytes = Bytes::from(blocking_jobs::run_job(move || render_png(logo.as_deref())).await?);
        state.cards.insert(version.clone(), bytes.clone());
        bytes
    };
    let is_current = query.v.as_deref() == Some(version.as_str());
    let cache_control = if is_current {
        "public, max-age=31536000, immutable"
    } else {
        "public, max-age=300"
    };
    Ok(HttpResponse::Ok()
        .content_type("image/png")
        .insert_header((CACHE_CONTROL, cache_control))
        .body(bytes))
}
