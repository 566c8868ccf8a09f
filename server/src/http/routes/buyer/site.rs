//! Data that every page needs: configuration, maintenance mode, footer, legal texts and QR codes.

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use serde::Deserialize;

use crate::api::error::Problem;
use crate::api::footer::FooterMenu;
use crate::api::site::{MaintenanceMode, TermsText};
use crate::render::qr::{self as qr_svg, QuietZone};
use crate::state::State;
use crate::text::terms::{self, TermsDocument};

/// Handles `GET /api/config`.
pub async fn show_site_config(state: web::Data<State>) -> HttpResponse {
    HttpResponse::Ok().json(state.catalogue.facts().public_config(&state.config))
}

/// Handles `GET /api/maintenance-mode`.
pub async fn show_maintenance_mode(state: web::Data<State>) -> HttpResponse {
    HttpResponse::Ok().json(MaintenanceMode {
        maintenance_mode: state.catalogue.facts().maintenance_mode(),
    })
}

/// Responds with the visible menus and items of the footer (decision I-11).
pub async fn list_footer_menus(state: web::Data<State>) -> HttpResponse {
    let facts = state.catalogue.facts();
    let menus: Vec<FooterMenu> = facts
        .footers
        .iter()
        .filter(|menu| menu.is_visible)
        .map(FooterMenu::from)
        .collect();
    HttpResponse::Ok().json(menus)
}

/// Responds with a versioned legal text (decision B-15).
pub async fn show_terms(kind: web::Path<String>) -> Result<HttpResponse, Problem> {
    let TermsDocument {
        kind,
        version,
        title,
        text,
    } = terms::find_terms_document(&kind).ok_or_else(Problem::not_found)?;
    let sha256 = terms::sha256_hex(text);
    Ok(HttpResponse::Ok().json(TermsText {
        kind,
        version,
        title,
        text,
        sha256,
    }))
}

/// Query parameters of the QR code.
#[derive(Deserialize)]
pub struct QrQuery {
    url: String,
    /// `none` leaves out the blank border.
    margin: Option<String>,
}

/// Draws a QR code of a URL of this site. The server draws it, so that no third party learns a
/// purchase link (decision B-20).
pub async fn serve_qr_code(
    state: web::Data<State>,
    query: web::Query<QrQuery>,
) -> Result<HttpResponse, Problem> {
    let path = &query.url;
    let is_own_path =
        path.starts_with('/') && !path.starts_with("//") && !path.contains(['\\', '\r', '\n']);
    let quiet_zone = match query.margin.as_deref() {
        Some("none") => QuietZone::LeftOut,
        _ => QuietZone::Drawn,
    };
    let qr_svg = is_own_path
        .then(|| qr_svg::svg(&format!("{}{path}", state.config.public_url), quiet_zone))
        .flatten();
    let refused =
        || Problem::bad_request("bad-url", "Only short addresses of this site can be drawn.");
    Ok(HttpResponse::Ok()
        .content_type("image/svg+xml")
        .insert_header((header::CACHE_CONTROL, "private, max-age=86400"))
        .body(qr_svg.ok_or_else(refused)?))
}
