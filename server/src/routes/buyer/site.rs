//! What every page needs: configuration, maintenance, footer, terms, QR codes.

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use serde::Deserialize;

use crate::error::Problem;
use crate::render::qr as drawing;
use crate::state::State;
use crate::terms::{self, Document};
use crate::wire::config::PublicConfig;
use crate::wire::footer::FooterMenu;
use crate::wire::site::{MaintenanceMode, TermsText};

pub async fn config(state: web::Data<State>) -> HttpResponse {
    HttpResponse::Ok().json(PublicConfig::new(&state.config, &state.catalogue.facts()))
}

pub async fn maintenance_mode(state: web::Data<State>) -> HttpResponse {
    HttpResponse::Ok().json(MaintenanceMode {
        maintenance_mode: state.catalogue.facts().maintenance_mode(),
    })
}

/// Visible menus and items only (decision I-11).
pub async fn footer_menus(state: web::Data<State>) -> HttpResponse {
    let facts = state.catalogue.facts();
    let menus: Vec<FooterMenu> = facts
        .footers
        .iter()
        .filter(|menu| menu.is_visible)
        .map(FooterMenu::from)
        .collect();
    HttpResponse::Ok().json(menus)
}

/// Versioned texts (decision B-15).
pub async fn terms(kind: web::Path<String>) -> Result<HttpResponse, Problem> {
    let Document {
        kind,
        version,
        title,
        text,
    } = terms::document(&kind).ok_or_else(Problem::not_found)?;
    let sha256 = terms::digest(text);
    Ok(HttpResponse::Ok().json(TermsText {
        kind,
        version,
        title,
        text,
        sha256,
    }))
}

#[derive(Deserialize)]
pub struct Wanted {
    url: String,
}

/// A QR code of one of our own addresses, so that no third party learns a purchase link (decision B-20).
pub async fn qr(
    state: web::Data<State>,
    wanted: web::Query<Wanted>,
) -> Result<HttpResponse, Problem> {
    let path = &wanted.url;
    let own =
        path.starts_with('/') && !path.starts_with("//") && !path.contains(['\\', '\r', '\n']);
    let drawing = own
        .then(|| drawing::svg(&format!("{}{path}", state.config.public_url)))
        .flatten();
    let refused =
        || Problem::bad_request("bad-url", "Only short addresses of this site can be drawn.");
    Ok(HttpResponse::Ok()
        .content_type("image/svg+xml")
        .insert_header((header::CACHE_CONTROL, "private, max-age=86400"))
        .body(drawing.ok_or_else(refused)?))
}
