//! What a phone takes from the site to have it at hand: the manifest that installs it, and the worker that shows pages
//! without a signal. Both are built files (`web/src/offline`) with an address that never changes, so nobody keeps them
//! without asking again; and only from the root may a worker look after every page.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::error::Problem;
use crate::site::{self, Site};

pub async fn manifest(
    request: HttpRequest,
    site: web::Data<Site>,
) -> Result<HttpResponse, Problem> {
    built(&site, "manifest.webmanifest", &request)
}

pub async fn worker(request: HttpRequest, site: web::Data<Site>) -> Result<HttpResponse, Problem> {
    built(&site, "sw.js", &request)
}

fn built(site: &Site, name: &str, request: &HttpRequest) -> Result<HttpResponse, Problem> {
    let answer = site::serve(site, name, request.headers());
    if answer.status() == StatusCode::NOT_FOUND {
        Err(Problem::not_found())
    } else {
        Ok(answer)
    }
}
