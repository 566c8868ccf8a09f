//! Files for search engines: robots.txt and the sitemap.

use std::fmt::Write;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};

use crate::api::error::Problem;
use crate::services::catalogue::lists::{DrawList, DrawListSlice};
use crate::state::State;

/// Maximum number of URLs in the sitemap; the sitemap protocol allows 50,000.
const SITEMAP_URLS_MAX: usize = 45_000;
const CACHE_FOR_AN_HOUR: (actix_web::http::header::HeaderName, &str) =
    (CACHE_CONTROL, "public, max-age=3600");

/// The line of robots.txt that excludes the sandbox. It is empty in a build without the sandbox.
#[cfg(feature = "demo")]
const SANDBOX_ROBOTS_RULE: &str = "Disallow: /sandbox/\n";
#[cfg(not(feature = "demo"))]
const SANDBOX_ROBOTS_RULE: &str = "";

/// Handles `GET /robots.txt`.
pub async fn serve_robots_txt(state: web::Data<State>) -> HttpResponse {
    let site = &state.config.public_url;
    // Pages that must not be indexed are not listed here, because they say so themselves. A crawler
    // must be able to fetch such a page to read that.
    let text = format!(
        "User-agent: *\nDisallow: /api/\n{SANDBOX_ROBOTS_RULE}\nSitemap: {site}/sitemap.xml\n"
    );
    HttpResponse::Ok()
        .insert_header(CACHE_FOR_AN_HOUR)
        .content_type("text/plain; charset=utf-8")
        .body(text)
}

/// Responds with the sitemap: landing page, clubs, draws and offers.
pub async fn serve_sitemap(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let facts = state.catalogue.facts();
    let now = state.clock.now();
    let mut paths = vec!["/".to_string()];
    let shown = |club: &persistence::records::clubs::Club| !club.archived && club.page_enabled;
    paths.extend(
        facts
            .clubs()
            .filter(|club| shown(club))
            .map(|club| format!("/club/{}", club.slug)),
    );
    for (club, slug) in state.records.open_bundles().await? {
        if let Some(club) = facts.club(club).filter(|club| shown(club)) {
            paths.push(format!("/club/{}/specials/{slug}", club.slug));
        }
    }
    for list in [DrawList::Active, DrawList::Awaiting, DrawList::Completed] {
        let draws = state
            .catalogue
            .list_slice(list, DrawListSlice::default(), now);
        paths.extend(
            draws
                .iter()
                .map(|draw| format!("/draw/{}", draw.draw_number)),
        );
    }
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for path in paths.iter().take(SITEMAP_URLS_MAX) {
        // The URL needs no XML escaping, because slugs contain only letters, digits and hyphens.
        let _ = writeln!(
            xml,
            "<url><loc>{}{path}</loc></url>",
            state.config.public_url
        );
    }
    xml.push_str("</urlset>\n");
    Ok(HttpResponse::Ok()
        .insert_header(CACHE_FOR_AN_HOUR)
        .content_type("application/xml; charset=utf-8")
        .body(xml))
}
