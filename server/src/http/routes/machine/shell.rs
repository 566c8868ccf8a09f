//! Serves every HTML page with server-rendered content, data for React and the right status.

use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap,
    HeaderValue, LOCATION, VARY,
};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, web};
use serde_json::{Map, Value, json};

use crate::api::compressible_body::CompressibleBody;
use crate::api::error::Problem;
#[cfg(feature = "demo")]
use crate::config::Stage;
use crate::ops::metrics::{MatchedRoute, NO_ROUTE_LABEL};
use crate::render::page::{self, HeaderLinks, PageLayout};
use crate::render::page_address::{Page, PageKind};
use crate::render::page_cache::{self, CachedPageKey, PageVersion, RenderedPage};
use crate::render::web_build::{self, WebBuild};
use crate::state::State;

mod head;
mod page_content;
mod short_link;

use page_content::{PAGE_NOT_FOUND, PageContent};

/// The URL path of the script that other sites embed. The script is cached for ten minutes only,
/// because its URL stays the same when its contents change.
const WIDGET_SCRIPT: &str = "/widgets/live.js";
const WIDGET_CACHE_CONTROL: &str = "public, max-age=600";

/// Answers `GET` of any path outside the API: a built file, a short link or a page.
pub async fn serve_page(
    request: HttpRequest,
    state: web::Data<State>,
    site: web::Data<WebBuild>,
) -> Result<HttpResponse, Problem> {
    request
        .extensions_mut()
        .insert(MatchedRoute(NO_ROUTE_LABEL));
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(Problem::not_found());
    }
    if let Some(name) = request.path().strip_prefix(web_build::ASSETS_PATH_PREFIX) {
        return Ok(web_build::serve(&site, name, request.headers()));
    }
    if request.path() == WIDGET_SCRIPT {
        return Ok(widget_script_response(&site, &request));
    }
    let path = request.path().replace("%3A", ":").replace("%3a", ":");
    let page_found = Page::for_path(&path).filter(|page| is_served(&state, page));
    if let Some(target) = page_found
        .as_ref()
        .and_then(|page| short_link::redirect_target(page, request.query_string()))
    {
        // Clients revalidate the redirect, because its target may change.
        let mut found = HttpResponse::Found();
        return Ok(found
            .insert_header((LOCATION, target))
            .insert_header((CACHE_CONTROL, "no-cache"))
            .finish());
    }
    PageWriter {
        state: &state,
        site: &site,
        headers: request.headers(),
    }
    .write(page_found)
    .await
}

/// Whether this server has a page. In production, a page of the demo gives the 404 page.
#[cfg_attr(not(feature = "demo"), expect(unused_variables))]
fn is_served(state: &State, page: &Page<'_>) -> bool {
    #[cfg(feature = "demo")]
    if page.address.shows == PageKind::DemoOnly {
        return state.config.stage == Stage::Demo;
    }
    true
}

/// Serves the widget script, cached for ten minutes. It is readable from any origin, because a site
/// that checks the script's digest must read it (decision G-14).
fn widget_script_response(site: &WebBuild, request: &HttpRequest) -> HttpResponse {
    let mut answer = web_build::serve(
        site,
        WIDGET_SCRIPT.trim_start_matches('/'),
        request.headers(),
    );
    if answer.status() == StatusCode::OK {
        let headers = answer.headers_mut();
        headers.insert(
            CACHE_CONTROL,
            HeaderValue::from_static(WIDGET_CACHE_CONTROL),
        );
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
    answer
}

/// Renders the HTML page that one request asks for.
struct PageWriter<'a> {
    state: &'a State,
    site: &'a WebBuild,
    headers: &'a HeaderMap,
}

impl PageWriter<'_> {
    async fn write(&self, page_found: Option<Page<'_>>) -> Result<HttpResponse, Problem> {
        let private = page_found.as_ref().is_some_and(Page::is_private);
        let now = self.state.clock.now();
        let name = page_found.as_ref().and_then(CachedPageKey::for_page);
        let stamp = match name {
            Some(name) => PageVersion::current_version(&self.state.catalogue, name, now).await,
            None => None,
        };
        let Some((name, stamp)) = name.zip(stamp) else {
            let (status, document) = self.render_document(page_found).await?;
            return Ok(self.page_response(
                status,
                private,
                &page_cache::compressible_html(document),
            ));
        };
        let rendered = if let Some(rendered) = self.state.pages.get(name, stamp, now) {
            rendered
        } else {
            let (status, document) = self.render_document(page_found).await?;
            let rendered = RenderedPage::new(stamp, now, document);
            if status != StatusCode::OK {
                return Ok(self.page_response(status, private, &rendered.document));
            }
            self.state.pages.insert(name, &rendered);
            rendered
        };
        Ok(self.page_response(StatusCode::OK, private, &rendered.document))
    }

    fn page_response(
        &self,
        status: StatusCode,
        private: bool,
        document: &CompressibleBody,
    ) -> HttpResponse {
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
        // A private page is not compressed, because the compressed size would leak information
        // about its secret (BREACH attack).
        match document.gzip_if_accepted(self.headers).filter(|_| !private) {
            Some(smaller) => {
                answer.insert_header((CONTENT_ENCODING, HeaderValue::from_static("gzip")));
                answer.body(smaller)
            }
            None => answer.body(document.plain().clone()),
        }
    }

    /// Renders a page's HTML document and returns it with its status.
    async fn render_document(
        &self,
        page_found: Option<Page<'_>>,
    ) -> Result<(StatusCode, String), Problem> {
        let mut boot = Map::new();
        let page_content = match &page_found {
            Some(page) => page_content::read_page_content(self.state, page, &mut boot).await?,
            None => PAGE_NOT_FOUND,
        };
        let is_missing = matches!(page_content, PageContent::Missing(..));
        let page_found = page_found.filter(|_| !is_missing);
        let facts = self.state.catalogue.facts();
        let maintenance = facts.maintenance_mode();
        boot.insert(
            "config".into(),
            json!(facts.public_config(&self.state.config)),
        );
        boot.insert("maintenanceMode".into(), json!(maintenance));
        boot.insert("now".into(), json!(self.state.clock.now().0));
        let is_landing = page_found.is_some_and(|page| page.address.shows == PageKind::Landing);
        let support = &self.state.config.support;
        let frame = PageLayout {
            navigation: if is_landing {
                HeaderLinks::Landing
            } else {
                HeaderLinks::Plain
            },
            support_email: support.email.clone(),
            support_sms: support.sms.clone(),
            maintenance,
        };
        let image = match &page_found {
            Some(page) => page_content::share_image_url(self.state, page).await?,
            None => None,
        };
        let head = head::build_page_head(
            &self.state.config.public_url,
            page_found.as_ref(),
            &page_content,
            image,
        );
        let key = page_found.map_or("", |page| page.address.canonical_path);
        let document = page::render_document(
            self.site,
            key,
            &head,
            &frame,
            &page_content.template_body(),
            &Value::Object(boot),
        );
        let document = document.map_err(|failure| {
            tracing::error!(%failure, "rendering a page failed");
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
