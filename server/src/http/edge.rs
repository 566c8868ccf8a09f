//! The outermost middleware. It adds the request id, the server time, security headers and the
//! browser's cookie, and writes error bodies.

use std::time::{Duration, Instant};

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpResponse, web};
use tracing::Instrument;

use crate::api::error::Problem;
use crate::ops::metrics::{NO_ROUTE_LABEL, route_label};
use crate::services::identity::{RequestBrowser, random};
use crate::state::State;

pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub const X_SERVER_TIME: HeaderName = HeaderName::from_static("x-server-time");

/// Creates a request id, which is logged and shown to the buyer for support.
pub fn new_request_id() -> HeaderValue {
    let mut id = [0; 16];
    hex::encode_to_slice(random::<8>(), &mut id).expect("the buffer has two digits per byte");
    HeaderValue::from_bytes(&id).expect("digits are valid in a header")
}

/// Middleware around the whole application. It is installed with
/// `App::new().wrap(from_fn(edge::edge_middleware))`.
///
/// # Errors
///
/// Never fails: a handler's error becomes an error response here.
pub async fn edge_middleware(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let state = request
        .app_data::<web::Data<State>>()
        .cloned()
        .expect("routes::configure gave every App its state");
    let id = new_request_id();
    let browser_from_cookie = state
        .browser_cookies
        .read(request.request(), state.clock.now());
    let browser = browser_from_cookie.unwrap_or_default();
    request
        .extensions_mut()
        .insert(RequestBrowser(browser_from_cookie));
    request.extensions_mut().insert(browser);
    count_untrusted_forward(&state, &request);

    let started = Instant::now();
    // All log lines written while this request is handled carry its id.
    let span = tracing::error_span!("request", request.id = request_id_text(&id));
    let mut response = if has_needless_escape(request.path()) {
        refuse_escaped_path(request)
    } else {
        next.call(request)
            .instrument(span.clone())
            .await?
            .map_into_boxed_body()
    };
    let kind = response_kind(&response);
    span.in_scope(|| record_response(&state, &response, started.elapsed()));
    if let Some(body) = problem_body(&response, request_id_text(&id)) {
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
    if browser_from_cookie.is_none()
        && kind.sets_browser_cookie()
        && !response.headers().contains_key(header::ETAG)
    {
        let cookies = &state.browser_cookies;
        let cookie = cookies
            .cookie(cookies.sign(browser, state.clock.now()))
            .to_string();
        if let Ok(value) = HeaderValue::try_from(cookie) {
            response.headers_mut().append(header::SET_COOKIE, value);
        }
    }
    let headers = response.headers_mut();
    headers.insert(X_SERVER_TIME, HeaderValue::from(state.clock.now().0));
    headers.insert(X_REQUEST_ID, id);
    state.policies.add_headers(headers, kind);
    if headers.contains_key(header::SET_COOKIE)
        && kind == crate::render::security_policy::ResponseKind::Page
    {
        headers.insert(
            header::CACHE_CONTROL,
            HeaderValue::from_static(PRIVATE_PAGE_CACHE_CONTROL),
        );
    }
    Ok(response)
}

/// The `Cache-Control` value of a page that sets a cookie. Shared caches must not store it, because
/// the cookie belongs to one browser.
pub const PRIVATE_PAGE_CACHE_CONTROL: &str = "private, no-cache";

/// Returns the kind of response that selects the security headers. It depends on the matched route,
/// or on the path if no route matched.
fn response_kind(
    response: &ServiceResponse<BoxBody>,
) -> crate::render::security_policy::ResponseKind {
    match route_label(response.request()).as_ref() {
        NO_ROUTE_LABEL => {
            crate::render::security_policy::ResponseKind::for_path(response.request().path())
        }
        matched => crate::render::security_policy::ResponseKind::for_path(matched),
    }
}

/// Whether a path escapes a character that needs no escape (RFC 3986, section 2.3). Such a path is
/// refused: the router decodes it, but checks that compare the undecoded text would miss it.
fn has_needless_escape(path: &str) -> bool {
    path.as_bytes().windows(3).any(|window| {
        let mut byte = [0];
        window[0] == b'%'
            && hex::decode_to_slice(&window[1..], &mut byte).is_ok()
            && (byte[0].is_ascii_alphanumeric() || b"-._~".contains(&byte[0]))
    })
}

fn refuse_escaped_path(request: ServiceRequest) -> ServiceResponse<BoxBody> {
    let (request, _) = request.into_parts();
    let mut response = ServiceResponse::from_err(Problem::not_found(), request);
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Counts requests forwarded by a proxy that is not in `TRUSTED_PROXIES`, and logs the first one.
/// All clients behind such a proxy count as one caller for rate limits.
fn count_untrusted_forward(state: &State, request: &ServiceRequest) {
    let peer = request.peer_addr().map(|peer| peer.ip().to_canonical());
    let is_trusted = |peer| {
        state
            .config
            .proxies
            .iter()
            .any(|proxy| proxy.to_canonical() == peer)
    };
    if request.headers().contains_key(header::X_FORWARDED_FOR) && !peer.is_some_and(is_trusted) {
        state.metrics.add_untrusted_forward();
    }
}

pub fn request_id_text(id: &HeaderValue) -> &str {
    id.to_str().unwrap_or_default()
}

/// Logs and counts one response with its route, status and duration. No data of the caller is
/// recorded.
fn record_response(state: &State, response: &ServiceResponse<BoxBody>, elapsed: Duration) {
    let (request, status) = (response.request(), response.status().as_u16());
    let route = route_label(request);
    log_response(request.method(), &route, status, elapsed);
    state
        .metrics
        .record_duration(request.method(), route, status, elapsed);
}

/// Writes the log line of one response.
fn log_response(method: &Method, route: &str, status: u16, elapsed: Duration) {
    tracing::info!(
        method = method.as_str(),
        route,
        status,
        ms = elapsed.as_millis() as u64,
        "answered"
    );
}

/// Writes the log line of a response with its request id, outside the request's tracing span.
pub fn log_response_with_id(
    id: &HeaderValue,
    method: &Method,
    route: &str,
    status: u16,
    elapsed: Duration,
) {
    if tracing::enabled!(tracing::Level::INFO) {
        tracing::error_span!("request", request.id = request_id_text(id))
            .in_scope(|| log_response(method, route, status, elapsed));
    }
}

/// Returns the JSON body of an error response: of a [`Problem`], or of an error of actix, such as
/// an unsupported method.
fn problem_body(response: &ServiceResponse<BoxBody>, id: &str) -> Option<String> {
    let status = response.status();
    let error = response.response().error();
    if let Some(problem) = error.and_then(|error| error.as_error::<Problem>()) {
        if status.is_server_error() {
            let route = route_label(response.request());
            tracing::warn!(request.id = id, route = &*route, %problem, "request failed");
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

/// Whether a request method may change state.
pub fn is_unsafe(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}
