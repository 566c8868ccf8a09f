//! What is the same for everybody and lies ready in memory is answered here, before the application: no address is looked up
//! in a table, no extractor runs, and what is said of the answer was written when the worker began. Whatever is not there in
//! exactly this form goes to the application, which makes it; its answers are the same, byte for byte (`tests/api/front.rs`).
//! So is told, before anything is noted of anybody, who wants tickets of a draw that has none left.

use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use actix_http::Request;
use actix_service::{IntoServiceFactory, Service, ServiceFactory};
use actix_web::body::BoxBody;
use actix_web::dev::{AppConfig, Payload, Response, ServiceResponse};
use actix_web::http::header::{ETAG, HeaderMap, SET_COOKIE};
use actix_web::http::{Method, StatusCode};
use actix_web::{Error, HttpMessage, web};
use actors::Timings;
use bytes::Bytes;
use domain::Timestamp;
use futures_util::TryFutureExt;
use futures_util::future::{Either, LocalBoxFuture, MapOk, Ready, ready};

use crate::catalogue::prepared::Prepared;
use crate::edge::new_id;
use crate::identity::Browser;
use crate::routes::machine::shell::kept::{Name, Stamp};
use crate::state::State;

mod address;
mod brought;
mod refusal;
mod said;

use address::Address;
use brought::Brought;
use said::Said;

/// Makes a front for each worker.
pub struct Front<A> {
    state: web::Data<State>,
    app: A,
}

impl<A: ServiceFactory<Request>> Front<A> {
    /// Before `app`, which is wrapped in [`crate::edge::wrap`].
    pub fn before(app: impl IntoServiceFactory<A, Request>, state: web::Data<State>) -> Front<A> {
        Front {
            state,
            app: app.into_factory(),
        }
    }
}

impl<A> ServiceFactory<Request> for Front<A>
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
    type Service = Desk<A::Service>;
    type InitError = ();
    type Future = LocalBoxFuture<'static, Result<Self::Service, ()>>;

    fn new_service(&self, config: AppConfig) -> Self::Future {
        let (state, app) = (self.state.clone(), self.app.new_service(config));
        Box::pin(async move {
            let (said, counts) = (Said::new(&state), Counts::new(&state));
            Ok(Desk(Rc::new(Inner {
                state,
                said,
                counts,
                app: app.await?,
            })))
        })
    }
}

/// One worker's.
pub struct Desk<S>(Rc<Inner<S>>);

struct Inner<S> {
    state: web::Data<State>,
    said: Said,
    counts: Counts,
    app: S,
}

type Answer = Result<Response<BoxBody>, Error>;
type OfTheApp<F> = MapOk<F, fn(ServiceResponse<BoxBody>) -> Response<BoxBody>>;

impl<S> Service<Request> for Desk<S>
where
    S: Service<Request, Response = ServiceResponse<BoxBody>, Error = Error> + 'static,
{
    type Response = Response<BoxBody>;
    type Error = Error;
    type Future =
        Either<Ready<Answer>, Either<LocalBoxFuture<'static, Answer>, OfTheApp<S::Future>>>;

    fn poll_ready(&self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.0.app.poll_ready(context)
    }

    fn call(&self, mut request: Request) -> Self::Future {
        if let Some(response) = self.0.at_once(&mut request) {
            return Either::Left(ready(Ok(response)));
        }
        if *request.method() == Method::POST && request.path() == address::WISH {
            return Either::Right(Either::Left(Box::pin(self.0.clone().wish(request))));
        }
        Either::Right(Either::Right(
            self.0.app.call(request).map_ok(Response::from),
        ))
    }
}

/// Where each kind of answer is counted: 200, and 304.
type Counted = [Arc<Timings>; 2];

struct Counts {
    calls: [Counted; address::CALLS.len()],
    page: Arc<Timings>,
    too_late: Arc<Timings>,
}

impl Counts {
    fn new(state: &State) -> Counts {
        let counter = |route, status| state.metrics.counter(&Method::GET, route, status);
        Counts {
            calls: address::CALLS.map(|route| [counter(route, 200), counter(route, 304)]),
            page: counter(crate::metrics::NO_ROUTE, 200),
            too_late: state.metrics.counter(&Method::POST, address::WISH, 409),
        }
    }
}

impl<S> Inner<S> {
    /// `None`: the application knows.
    fn at_once(&self, request: &mut Request) -> Option<Response<BoxBody>> {
        if *request.method() != Method::GET || !matches!(request.payload(), Payload::None) {
            return None;
        }
        let (begun, now) = (Instant::now(), self.state.clock.now());
        let (response, count) = match Address::of(request.uri())? {
            Address::Call(call) => {
                if call.depends_on_login()
                    && Brought::by(request.headers(), &self.state.config)?.login
                {
                    return None;
                }
                let prepared = call.ready(&self.state.catalogue, now)?;
                let known = prepared.is_known_to(request);
                (
                    self.checked(&prepared, known, request.headers(), now),
                    &self.counts.calls[call.place()][usize::from(known)],
                )
            }
            Address::Page(name) => (self.page(name, request.headers(), now)?, &self.counts.page),
        };
        // No line of the log for each: a crowd of readers would bury what matters. They are counted, and none of them waits.
        count.note(begun.elapsed());
        Some(response)
    }

    fn checked(
        &self,
        prepared: &Prepared,
        known: bool,
        headers: &HeaderMap,
        now: Timestamp,
    ) -> Response<BoxBody> {
        let (status, lines, body) = if known {
            (
                StatusCode::NOT_MODIFIED,
                &self.said.not_modified,
                Bytes::new(),
            )
        } else if let Some(smaller) = prepared.body().smaller(headers) {
            (StatusCode::OK, &self.said.smaller_checked, smaller)
        } else {
            (
                StatusCode::OK,
                &self.said.checked,
                prepared.body().plain().clone(),
            )
        };
        let mut response = Response::with_body(status, BoxBody::new(body));
        lines.write(response.headers_mut(), new_id(), self.said.time(now));
        response.headers_mut().insert(ETAG, prepared.tag().clone());
        response
    }

    fn page(&self, name: Name, headers: &HeaderMap, now: Timestamp) -> Option<Response<BoxBody>> {
        let brought = Brought::by(headers, &self.state.config)?;
        let written = self
            .state
            .pages
            .get(name, Stamp::ready(&self.state, name, now)?, now)?;
        let (lines, body) = match written.document.smaller(headers) {
            Some(smaller) => (&self.said.smaller_page, smaller),
            None => (&self.said.page, written.document.plain().clone()),
        };
        let mut response = Response::with_body(StatusCode::OK, BoxBody::new(body));
        lines.write(response.headers_mut(), new_id(), self.said.time(now));
        if brought.browser.is_none() {
            response
                .headers_mut()
                .append(SET_COOKIE, self.said.cookie(Browser::new()));
        }
        Some(response)
    }
}
