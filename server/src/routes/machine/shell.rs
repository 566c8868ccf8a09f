//! Every page: the document with its first paint, its data, and the right status. React takes over from there.

use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap,
    HeaderValue, LOCATION, VARY,
};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, web};
use serde_json::{Map, Value, json};

use crate::encoded::Encoded;
use crate::error::Problem;
use crate::metrics::{AnsweredBy, NO_ROUTE};
use crate::render::page::{self, Frame, Navigation};
use crate::site::{self, Site};
use crate::state::State;
use crate::wire;

pub mod address;
mod head;
pub mod kept;
mod short_link;
mod shown;

use address::{Page, Shows};
use kept::{Name, Stamp, Written};
use shown::{PAGE_NOT_FOUND, Shown};

/// The script that other sites embed: one address for ever, so it is asked for again every few minutes.
const WIDGET: &str = "/widgets/live.js";
const WIDGET_FRESH: &str = "public, max-age=600";

/// `GET` of anything that is no call: a built file, a short link, or a page.
pub async fn page(
    request: HttpRequest,
    state: web::Data<State>,
    site: web::Data<Site>,
) -> Result<HttpResponse, Problem> {
    request.extensions_mut().insert(AnsweredBy(NO_ROUTE));
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(Problem::not_found());
    }
    if let Some(name) = request.path().strip_prefix(site::ASSETS) {
        return Ok(site::serve(&site, name, request.headers()));
    }
    if request.path() == WIDGET {
        return Ok(widget(&site, &request));
    }
    let path = request.path().replace("%3A", ":").replace("%3a", ":");
    let asked = Page::of(&path);
    if let Some(leads_to) = asked
        .as_ref()
        .and_then(|page| short_link::follow(page, request.query_string()))
    {
        // Where it leads may change: an offer moves, a draw gets a page of its own.
        let mut found = HttpResponse::Found();
        return Ok(found
            .insert_header((LOCATION, leads_to))
            .insert_header((CACHE_CONTROL, "no-cache"))
            .finish());
    }
    Writer {
        state: &state,
        site: &site,
        headers: request.headers(),
    }
    .write(asked)
    .await
}

/// Its file may be kept a while, by any site, and checked against a digest (decision G-14).
fn widget(site: &Site, request: &HttpRequest) -> HttpResponse {
    let mut answer = site::serve(site, WIDGET.trim_start_matches('/'), request.headers());
    if answer.status() == StatusCode::OK {
        let headers = answer.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(WIDGET_FRESH));
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
    answer
}

struct Writer<'a> {
    state: &'a State,
    site: &'a Site,
    headers: &'a HeaderMap,
}

impl Writer<'_> {
    async fn write(&self, asked: Option<Page<'_>>) -> Result<HttpResponse, Problem> {
        let private = asked.as_ref().is_some_and(Page::is_private);
        let now = self.state.clock.now();
        let name = asked.as_ref().and_then(Name::of);
        let stamp = match name {
            Some(name) => Stamp::of(self.state, name, now).await,
            None => None,
        };
        let Some((name, stamp)) = name.zip(stamp) else {
            let (status, document) = self.compose(asked).await?;
            return Ok(self.answer(status, private, &kept::encoded(document)));
        };
        let written = match self.state.pages.get(name, stamp, now) {
            Some(written) => written,
            None => {
                let (status, document) = self.compose(asked).await?;
                let written = Written::new(stamp, now, document);
                if status != StatusCode::OK {
                    return Ok(self.answer(status, private, &written.document));
                }
                self.state.pages.keep(name, &written);
                written
            }
        };
        Ok(self.answer(StatusCode::OK, private, &written.document))
    }

    fn answer(&self, status: StatusCode, private: bool, document: &Encoded) -> HttpResponse {
        let mut answer = HttpResponse::build(status);
        answer.insert_header((
            CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ));
        answer.insert_header((
            CACHE_CONTROL,
            HeaderValue::from_static(if private { "no-store" } else { "no-cache" }),
        ));
        answer.insert_header((VARY, HeaderValue::from_static("Accept-Encoding")));
        // What holds a secret is not made smaller: its size must not tell anything about it.
        match document.smaller(self.headers).filter(|_| !private) {
            Some(smaller) => {
                answer.insert_header((CONTENT_ENCODING, HeaderValue::from_static("gzip")));
                answer.body(smaller)
            }
            None => answer.body(document.plain().clone()),
        }
    }

    /// The whole document, and whether there is such a page.
    async fn compose(&self, asked: Option<Page<'_>>) -> Result<(StatusCode, String), Problem> {
        let mut boot = Map::new();
        let shown = match &asked {
            Some(page) => shown::look_up(self.state, page, &mut boot).await?,
            None => PAGE_NOT_FOUND,
        };
        let is_missing = matches!(shown, Shown::Missing(..));
        let asked = asked.filter(|_| !is_missing);
        let facts = self.state.catalogue.facts();
        let maintenance = facts.maintenance_mode();
        boot.insert(
            "config".into(),
            json!(wire::config::PublicConfig::new(&self.state.config, &facts)),
        );
        boot.insert("maintenanceMode".into(), json!(maintenance));
        boot.insert("now".into(), json!(self.state.clock.now().0));
        let is_landing = asked.is_some_and(|page| page.address.shows == Shows::Landing);
        let support = &self.state.config.support;
        let frame = Frame {
            navigation: if is_landing {
                Navigation::Landing
            } else {
                Navigation::Plain
            },
            support_email: support.email.clone(),
            support_sms: support.sms.clone(),
            maintenance,
        };
        let image = match &asked {
            Some(page) => shown::share_card(self.state, page).await?,
            None => None,
        };
        let head = head::head(&self.state.config.public_url, asked.as_ref(), &shown, image);
        let key = asked.map_or("", |page| page.address.known_as);
        let document = page::document(
            self.site,
            key,
            &head,
            &frame,
            &shown.body(),
            &Value::Object(boot),
        );
        let document = document.map_err(|failure| {
            tracing::error!(%failure, "a page could not be written");
            Problem::unavailable()
        })?;
        Ok((
            if is_missing {
                StatusCode::NOT_FOUND
            } else {
                StatusCode::OK
            },
            document,
        ))
    }
}
