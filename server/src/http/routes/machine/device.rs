//! The web app manifest, the service worker and the icons with a fixed URL.
//!
//! All are built from `web/src/offline`. Their URLs never change, so clients revalidate them. The
//! service worker is served from the root, because otherwise it could not control every page.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::api::error::Problem;
use crate::render::web_build::{self, WebBuild};

/// Handles `GET /manifest.webmanifest`.
pub async fn serve_manifest(
    request: HttpRequest,
    site: web::Data<WebBuild>,
) -> Result<HttpResponse, Problem> {
    serve_built_file(&site, "manifest.webmanifest", &request)
}

/// Handles `GET /favicon.ico`, which browsers request for documents without an icon link, such as
/// JSON and PDF files.
pub async fn serve_favicon(
    request: HttpRequest,
    site: web::Data<WebBuild>,
) -> Result<HttpResponse, Problem> {
    serve_built_file(&site, "favicon.ico", &request)
}

/// Handles `GET /apple-touch-icon.png`, which iPhones request for the home screen.
pub async fn serve_touch_icon(
    request: HttpRequest,
    site: web::Data<WebBuild>,
) -> Result<HttpResponse, Problem> {
    serve_built_file(&site, "apple-touch-icon.png", &request)
}

/// Handles `GET /sw.js`.
pub async fn serve_service_worker(
    request: HttpRequest,
    site: web::Data<WebBuild>,
) -> Result<HttpResponse, Problem> {
    serve_built_file(&site, "sw.js", &request)
}

fn serve_built_file(
    site: &WebBuild,
    name: &str,
    request: &HttpRequest,
) -> Result<HttpResponse, Problem> {
    let answer = web_build::serve(site, name, request.headers());
    if answer.status() == StatusCode::NOT_FOUND {
        Err(Problem::not_found())
    } else {
        Ok(answer)
    }
}
