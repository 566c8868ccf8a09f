//! The outermost layer of every answer: its id, its clock, its security headers, the browser's cookie, a problem's body.

use std::time::{Duration, Instant};

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpResponse, web};
use tracing::Instrument;

use crate::error::Problem;
use crate::identity::{Browser, random};
use crate::metrics::route;
use crate::state::State;

pub mod policy;

pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub const X_SERVER_TIME: HeaderName = HeaderName::from_static("x-server-time");

/// Under which the log, the buyer's screen and support know a request.
pub fn new_id() -> HeaderValue {
    let mut id = [0; 16];
    hex::encode_to_slice(random::<8>(), &mut id).expect("two digits a byte");
    HeaderValue::from_bytes(&id).expect("digits stand in a header")
}

/// Wraps the whole application: `App::new().wrap(from_fn(edge::wrap))`.
///
/// # Errors
/// None of its own: a handler's error becomes an answer here.
pub async fn wrap(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let state = request
        .app_data::<web::Data<State>>()
        .cloned()
        .expect("routes::configure gave every App its state");
    let id = new_id();
    let known = Browser::read(request.request(), &state.config);
    let browser = known.unwrap_or_default();
    request.extensions_mut().insert(browser);
    let place = policy::Place::of(request.path());

    let begun = Instant::now();
    // Whatever is said while this request is answered bears its id.
    let span = tracing::error_span!("request", request.id = text_of(&id));
    let mut response = next
        .call(request)
        .instrument(span.clone())
        .await?
        .map_into_boxed_body();
    span.in_scope(|| told(&state, &response, begun.elapsed()));
    if let Some(body) = problem_body(&response, text_of(&id)) {
        let (request, old) = response.into_parts();
        let mut new = HttpResponse::build(old.status())
            .content_type("application/json")
            .body(body);
        for (name, value) in old
            .headers()
            .iter()
            .filter(|(name, _)| *name != header::CONTENT_TYPE)
        {
            new.headers_mut().append(name.clone(), value.clone());
        }
        response = ServiceResponse::new(request, new);
    }
    if known.is_none() && place.knows_browsers() && !response.headers().contains_key(header::ETAG) {
        let cookie = browser.cookie(&state.config).to_string();
        if let Ok(value) = HeaderValue::try_from(cookie) {
            response.headers_mut().append(header::SET_COOKIE, value);
        }
    }
    let headers = response.headers_mut();
    headers.insert(X_SERVER_TIME, HeaderValue::from(state.clock.now().0));
    headers.insert(X_REQUEST_ID, id);
    state.policies.write(headers, place);
    Ok(response)
}

pub fn text_of(id: &HeaderValue) -> &str {
    id.to_str().unwrap_or_default()
}

/// One line of the log and one count for every call: what was asked and how it ended, nothing of who asked.
fn told(state: &State, response: &ServiceResponse<BoxBody>, took: Duration) {
    let (request, status) = (response.request(), response.status().as_u16());
    let route = route(request);
    tell(request.method(), &route, status, took);
    state.metrics.note(request.method(), route, status, took);
}

/// The line.
fn tell(method: &Method, route: &str, status: u16, took: Duration) {
    tracing::info!(
        method = method.as_str(),
        route,
        status,
        ms = took.as_millis() as u64,
        "answered"
    );
}

/// The line of a call that said nothing else.
pub fn tell_alone(id: &HeaderValue, method: &Method, route: &str, status: u16, took: Duration) {
    if tracing::enabled!(tracing::Level::INFO) {
        tracing::error_span!("request", request.id = text_of(id))
            .in_scope(|| tell(method, route, status, took));
    }
}

/// The JSON of a problem, of ours or of the framework's own making (a body too large, a method not allowed).
fn problem_body(response: &ServiceResponse<BoxBody>, id: &str) -> Option<String> {
    let status = response.status();
    let error = response.response().error();
    if let Some(problem) = error.and_then(|error| error.as_error::<Problem>()) {
        if status.is_server_error() {
            let route = route(response.request());
            tracing::warn!(request.id = id, route = &*route, %problem, "answered with a failure");
        }
        return Some(problem.body(id));
    }
    if error.is_none() || !status.is_client_error() && !status.is_server_error() {
        return None;
    }
    let (code, message) = match status {
        StatusCode::PAYLOAD_TOO_LARGE => ("too-large", "The request is too large."),
        StatusCode::NOT_FOUND => ("not-found", "Not found"),
        status if status.is_client_error() => ("bad-request", "The request could not be read."),
        _ => ("unavailable", "Please wait a moment and try again."),
    };
    Some(Problem::new(status, code, message).body(id))
}

/// Whether a call may change something.
pub fn is_unsafe(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}
