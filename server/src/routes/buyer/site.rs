//! What every page needs: configuration, maintenance, footer, terms, QR codes, and where browsers report to.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::error::Problem;
use crate::identity::address;
use crate::render::qr as drawing;
use crate::routes::body::Body;
use crate::state::State;
use crate::terms::{self, Document};
use crate::wire::config::PublicConfig;
use crate::wire::footer::FooterMenu;
use crate::wire::site::{MaintenanceMode, TermsText};

pub async fn config(state: web::Data<State>) -> HttpResponse {
    let card_fee = state.catalogue.facts().card_fee_passing(state.config.fees.card_fee);
    HttpResponse::Ok().json(PublicConfig::new(&state.config, card_fee))
}

pub async fn maintenance_mode(state: web::Data<State>) -> HttpResponse {
    HttpResponse::Ok().json(MaintenanceMode { maintenance_mode: state.catalogue.facts().maintenance_mode() })
}

/// Visible menus and items only (decision I-11).
pub async fn footer_menus(state: web::Data<State>) -> HttpResponse {
    let facts = state.catalogue.facts();
    let menus: Vec<FooterMenu> = facts.footers.iter().filter(|menu| menu.is_visible).map(FooterMenu::from).collect();
    HttpResponse::Ok().json(menus)
}

/// Versioned texts (decision B-15).
pub async fn terms(kind: web::Path<String>) -> Result<HttpResponse, Problem> {
    let Document { kind, version, title, text } = terms::document(&kind).ok_or_else(Problem::not_found)?;
    let sha256 = terms::digest(text);
    Ok(HttpResponse::Ok().json(TermsText { kind, version, title, text, sha256 }))
}

#[derive(Deserialize)]
pub struct Wanted {
    url: String,
}

/// A QR code of one of our own addresses, so that no third party learns a purchase link (decision B-20).
pub async fn qr(state: web::Data<State>, wanted: web::Query<Wanted>) -> Result<HttpResponse, Problem> {
    let path = &wanted.url;
    let own = path.starts_with('/') && !path.starts_with("//") && !path.contains(['\\', '\r', '\n']);
    let drawing = own.then(|| drawing::svg(&format!("{}{path}", state.config.public_url))).flatten();
    let refused = || Problem::bad_request("bad-url", "Only short addresses of this site can be drawn.");
    Ok(HttpResponse::Ok()
        .content_type("image/svg+xml")
        .insert_header((header::CACHE_CONTROL, "private, max-age=86400"))
        .body(drawing.ok_or_else(refused)?))
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct Diagnostics {
    #[schema(value_type = Option<String>)]
    level: Value,
    #[schema(value_type = Option<String>)]
    message: Value,
}

/// A browser's diagnostics: always 204, a few a minute, a short text without its `data` (decision B-23).
pub async fn debug_log(
    request: HttpRequest,
    state: web::Data<State>,
    body: Result<Body<Diagnostics>, Problem>,
) -> HttpResponse {
    let quiet = state.catalogue.facts().maintenance_mode();
    if let (false, Ok(Body(said))) = (quiet, body)
        && state.limits.may_log(address(&request, &state.config))
    {
        let (level, message) = (short(&said.level), short(&said.message));
        tracing::debug!(browser.level = level, browser.message = message, "a browser reports");
    }
    HttpResponse::NoContent().finish()
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct Happening {
    /// `offer_view`, `offer_share` or `offer_add_to_cart`.
    #[schema(value_type = Option<String>)]
    event: Value,
}

/// First-party tracking of offers, without anything personal (decision B-10).
pub async fn track(
    request: HttpRequest,
    state: web::Data<State>,
    body: Result<Body<Happening>, Problem>,
) -> HttpResponse {
    if let Ok(Body(Happening { event })) = body
        && state.limits.may_log(address(&request, &state.config))
    {
        tracing::debug!(event = short(&event), "tracked");
    }
    HttpResponse::NoContent().finish()
}

/// Up to 200 plain characters of a text; anything that looks like an address is left out.
fn short(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    let words = text.split_whitespace().filter(|word| !word.contains('@'));
    words.collect::<Vec<_>>().join(" ").chars().filter(|c| !c.is_control()).take(200).collect()
}
