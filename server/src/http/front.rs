//! The fast path: answers frequent requests from memory, before they reach the application. Such a
//! request skips routing and extractors, and its response headers are prepared once per worker.
//!
//! All other requests go to the application. For the same request both give the same response, byte
//! for byte (`tests/api/fast_path.rs`). Sold-out requests are also rejected here, before any state
//! is recorded.

use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use actix_http::Request;
use actix_service::{IntoServiceFactory, Service, ServiceFactory};
use actix_web::body::BoxBody;
use actix_web::dev::{AppConfig, Payload, Response, ServiceResponse};
use actix_web::http::header::{CACHE_CONTROL, ETAG, HeaderMap, HeaderValue, SET_COOKIE};
use actix_web::http::{Method, StatusCode};
use actix_web::{Error, HttpMessage, web};
use actors::DurationHistogram;
use bytes::Bytes;
use domain::Timestamp;
use futures_util::TryFutureExt;
use futures_util::future::{Either, LocalBoxFuture, MapOk, Ready, ready};

use crate::http::edge::{PRIVATE_PAGE_CACHE_CONTROL, new_request_id};
use crate::render::page_cache::{CachedPageKey, PageVersion};
use crate::services::catalogue::prepared_response::PreparedResponse;
use crate::services::identity::Browser;
use crate::state::State;

mod fast_path_address;
mod prepared_headers;
mod request_cookies;
mod sold_out;

use fast_path_address::FastPathAddress;
use prepared_headers::PreparedHeaders;
use request_cookies::RequestCookies;

/// Factory that creates the fast path of each worker.
pub struct FastPathFactory<A> {
    state: web::Data<State>,
    app: A,
}

impl<A: ServiceFactory<Request>> FastPathFactory<A> {
    /// Puts the fast path before `app`, which is wrapped in [`crate::http::edge::edge_middleware`].
    pub fn new(
        app: impl IntoServiceFactory<A, Request>,
        state: web::Data<State>,
    ) -> FastPathFactory<A> {
        FastPathFactory {
            state,
            app: app.into_factory(),
        }
    }
}

impl<A> ServiceFactory<Request> for FastPathFactory<A>
where
    A: ServiceFactory<
            Request,
            Config = AppConfig,
            Response = ServiceResponse<BoxBody>,
            Error = Error,
            InitError = (),
        >,
    A::Future: 'static,
    A::Service: 'static,
{
    type Response = Response<BoxBody>;
    type Error = Error;
    type Config = AppConfig;
    type Service = FastPath<A::Service>;
    type InitError = ();
    type Future = LocalBoxFuture<'static, Result<Self::Service, ()>>;

    fn new_service(&self, config: AppConfig) -> Self::Future {
        let (state, app) = (self.state.clone(), self.app.new_service(config));
        Box::pin(async move {
            let (headers, counts) = (PreparedHeaders::new(&state), ResponseCounters::new(&state));
            Ok(FastPath(Rc::new(FastPathInner {
                state,
                headers,
                counts,
                app: app.await?,
            })))
        })
    }
}

/// The fast path of one worker.
pub struct FastPath<S>(Rc<FastPathInner<S>>);

struct FastPathInner<S> {
    state: web::Data<State>,
    headers: PreparedHeaders,
    counts: ResponseCounters,
    app: S,
}

type FastPathResult = Result<Response<BoxBody>, Error>;
type AppFuture<F> = MapOk<F, fn(ServiceResponse<BoxBody>) -> Response<BoxBody>>;

impl<S> Service<Request> for FastPath<S>
where
    S: Service<Request, Response = ServiceResponse<BoxBody>, Error = Error> + 'static,
{
    type Response = Response<BoxBody>;
    type Error = Error;
    type Future = Either<
        Ready<FastPathResult>,
        Either<LocalBoxFuture<'static, FastPathResult>, AppFuture<S::Future>>,
    >;

    fn poll_ready(&self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.0.app.poll_ready(context)
    }

    fn call(&self, mut request: Request) -> Self::Future {
        if let Some(response) = self.0.respond_from_memory(&mut request) {
            return Either::Left(ready(Ok(response)));
        }
        if *request.method() == Method::POST
            && request.path() == fast_path_address::CREATE_INTENT_PATH
        {
            return Either::Right(Either::Left(Box::pin(
                self.0.clone().create_intent(request),
            )));
        }
        Either::Right(Either::Right(
            self.0.app.call(request).map_ok(Response::from),
        ))
    }
}

/// Duration histograms of one route, for status 200 and 304.
type CountersByStatus = [Arc<DurationHistogram>; 2];

struct ResponseCounters {
    calls: [CountersByStatus; fast_path_address::FAST_PATH_ROUTES.len()],
    page: Arc<DurationHistogram>,
    sold_out: Arc<DurationHistogram>,
}

impl ResponseCounters {
    fn new(state: &State) -> ResponseCounters {
        let counter = |route, status| state.metrics.histogram(&Method::GET, route, status);
        ResponseCounters {
            calls: fast_path_address::FAST_PATH_ROUTES
                .map(|route| [counter(route, 200), counter(route, 304)]),
            page: counter(crate::ops::metrics::NO_ROUTE_LABEL, 200),
            sold_out: state.metrics.histogram(
                &Method::POST,
                fast_path_address::CREATE_INTENT_PATH,
                409,
            ),
        }
    }
}

impl<S> FastPathInner<S> {
    /// Answers a request from memory. `None` passes the request to the application.
    fn respond_from_memory(&self, request: &mut Request) -> Option<Response<BoxBody>> {
        if *request.method() != Method::GET || !matches!(request.payload(), Payload::None) {
            return None;
        }
        let (started, now) = (Instant::now(), self.state.clock.now());
        let (response, count) = match FastPathAddress::of(request.uri())? {
            FastPathAddress::Call(call) => {
                if call.depends_on_login()
                    && RequestCookies::of(request.headers(), &self.state, now)?.login
                {
                    return None;
                }
                let prepared = call.prepared_response(&self.state.catalogue, now)?;
                let is_known = prepared.is_cached_by_client(request);
                (
                    self.json_response(&prepared, is_known, request.headers(), now),
                    &self.counts.calls[call.index()][usize::from(is_known)],
                )
            }
            FastPathAddress::Page(name) => (
                self.page_response(name, request.headers(), now)?,
                &self.counts.page,
            ),
        };
        // Responses from memory are counted but not logged, because their many log lines would hide
        // important ones.
        count.record_duration(started.elapsed());
        Some(response)
    }

    fn json_response(
        &self,
        prepared: &PreparedResponse,
        is_known: bool,
        headers: &HeaderMap,
        now: Timestamp,
    ) -> Response<BoxBody> {
        let (status, lines, body) = if is_known {
            (
                StatusCode::NOT_MODIFIED,
                &self.headers.not_modified,
                Bytes::new(),
            )
        } else if let Some(smaller) = prepared.body().gzip_if_accepted(headers) {
            (StatusCode::OK, &self.headers.smaller_revalidated, smaller)
        } else {
            (
                StatusCode::OK,
                &self.headers.revalidated,
                prepared.body().plain().clone(),
            )
        };
        let mut response = Response::with_body(status, BoxBody::new(body));
        lines.add_to(
            response.headers_mut(),
            new_request_id(),
            self.headers.server_time_header(now),
        );
        response.headers_mut().insert(ETAG, prepared.etag().clone());
        response
    }

    fn page_response(
        &self,
        name: CachedPageKey,
        headers: &HeaderMap,
        now: Timestamp,
    ) -> Option<Response<BoxBody>> {
        let cookies = RequestCookies::of(headers, &self.state, now)?;
        let rendered = self.state.pages.get(
            name,
            PageVersion::version_from_memory(&self.state.catalogue, name, now)?,
            now,
        )?;
        let (lines, body) = match rendered.document.gzip_if_accepted(headers) {
            Some(smaller) => (&self.headers.smaller_page, smaller),
            None => (&self.headers.page, rendered.document.plain().clone()),
        };
        let mut response = Response::with_body(StatusCode::OK, BoxBody::new(body));
        lines.add_to(
            response.headers_mut(),
            new_request_id(),
            self.headers.server_time_header(now),
        );
        if cookies.browser.is_none() {
            response.headers_mut().insert(
                CACHE_CONTROL,
                HeaderValue::from_static(PRIVATE_PAGE_CACHE_CONTROL),
            );
        }
        self.set_cookie(cookies, &mut response, now);
        Some(response)
    }

    /// Sets a new browser cookie if the request had no valid one.
    fn set_cookie(
        &self,
        cookies: RequestCookies,
        response: &mut Response<BoxBody>,
        now: Timestamp,
    ) {
        if cookies.browser.is_none() {
            let value = self.state.browser_cookies.sign(Browser::new(), now);
            response
                .headers_mut()
                .append(SET_COOKIE, self.headers.set_cookie_header(&value));
        }
    }
}
