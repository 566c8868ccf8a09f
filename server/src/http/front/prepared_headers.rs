//! Response headers and bodies of the fast path that do not depend on the request, built once per
//! worker.

use std::cell::RefCell;

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, VARY,
};
use bytes::Bytes;
use domain::{DrawId, Refusal, Timestamp};

use crate::api::error::Problem;
use crate::http::edge::{X_REQUEST_ID, X_SERVER_TIME};
use crate::render::security_policy::ResponseKind;
use crate::services::catalogue::prepared_response::{
    PREPARED_VARY_VALUE, REVALIDATE_CACHE_CONTROL,
};
use crate::state::State;

/// The prepared headers and bodies of one worker.
pub struct PreparedHeaders {
    /// Headers of a JSON response that browsers revalidate at each use.
    pub revalidated: HeaderLines,
    pub smaller_revalidated: HeaderLines,
    pub not_modified: HeaderLines,
    /// Headers of responses that must not be cached.
    pub uncached: HeaderLines,
    pub page: HeaderLines,
    pub smaller_page: HeaderLines,
    /// The text of the `Set-Cookie` header before and after the signed value.
    cookie: (String, String),
    /// The last formatted server time, reused by responses in the same millisecond.
    last_time: RefCell<(Timestamp, HeaderValue)>,
    /// The last body of a "too few tickets" response, reused because many requests for one draw get
    /// the same body.
    last_refusal: RefCell<Option<TooFewTicketsBody>>,
}

/// The body of a "too few tickets" response, before and after the request id.
struct TooFewTicketsBody {
    draw: DrawId,
    free: u16,
    status: StatusCode,
    before: String,
    after: String,
}

/// A list of response headers that never change.
pub struct HeaderLines(Vec<(HeaderName, HeaderValue)>);

/// Placeholder for the request id when a body is prepared.
const REQUEST_ID_PLACEHOLDER: &str = "no request";
/// Placeholder for the signed cookie value when the cookie is prepared.
const COOKIE_VALUE_PLACEHOLDER: &str = "no-value";

impl PreparedHeaders {
    pub fn new(state: &State) -> PreparedHeaders {
        let of = |kind, own: &[(HeaderName, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in own {
                headers.insert(name.clone(), HeaderValue::from_static(value));
            }
            state.policies.add_headers(&mut headers, kind);
            HeaderLines(headers.into_iter().collect())
        };
        let (json, revalidated) = (
            (CONTENT_TYPE, "application/json"),
            (CACHE_CONTROL, REVALIDATE_CACHE_CONTROL),
        );
        let (html, cache_control) = (
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            (CACHE_CONTROL, "no-cache"),
        );
        let (depends, varies) = ((VARY, PREPARED_VARY_VALUE), (VARY, "Accept-Encoding"));
        let smaller = (CONTENT_ENCODING, "gzip");
        let cookie = state
            .browser_cookies
            .cookie(COOKIE_VALUE_PLACEHOLDER.to_string())
            .to_string();
        let (before, after) = cookie
            .split_once(COOKIE_VALUE_PLACEHOLDER)
            .expect("a cookie has a value");
        PreparedHeaders {
            revalidated: of(
                ResponseKind::Api,
                &[json.clone(), revalidated.clone(), depends.clone()],
            ),
            smaller_revalidated: of(
                ResponseKind::Api,
                &[
                    json.clone(),
                    revalidated.clone(),
                    depends.clone(),
                    smaller.clone(),
                ],
            ),
            not_modified: of(ResponseKind::Api, &[revalidated, depends]),
            uncached: of(ResponseKind::Api, &[json]),
            page: of(
                ResponseKind::Page,
                &[html.clone(), cache_control.clone(), varies.clone()],
            ),
            smaller_page: of(ResponseKind::Page, &[html, cache_control, varies, smaller]),
            cookie: (before.to_string(), after.to_string()),
            last_time: RefCell::new((Timestamp(0), HeaderValue::from(0))),
            last_refusal: RefCell::default(),
        }
    }

    /// Builds the `Set-Cookie` header with this signed value.
    pub fn set_cookie_header(&self, value: &str) -> HeaderValue {
        let (before, after) = &self.cookie;
        let line = Bytes::from([before, value, after].concat());
        HeaderValue::from_maybe_shared(line).expect("the cookie is valid in a header")
    }

    /// Builds the response to a request for more tickets than the draw has left.
    pub fn too_few_tickets_response(
        &self,
        draw: DrawId,
        free: u16,
        request_id: &str,
    ) -> (StatusCode, String) {
        let mut last = self.last_refusal.borrow_mut();
        let last_refusal = match &mut *last {
            Some(last_refusal) if (last_refusal.draw, last_refusal.free) == (draw, free) => {
                last_refusal
            }
            other => other.insert(TooFewTicketsBody::new(draw, free)),
        };
        (
            last_refusal.status,
            [&last_refusal.before, request_id, &last_refusal.after].concat(),
        )
    }

    /// Formats the server time as a header value.
    pub fn server_time_header(&self, now: Timestamp) -> HeaderValue {
        let mut last_time = self.last_time.borrow_mut();
        if last_time.0 != now {
            *last_time = (now, HeaderValue::from(now.0));
        }
        last_time.1.clone()
    }
}

impl TooFewTicketsBody {
    fn new(draw: DrawId, free: u16) -> TooFewTicketsBody {
        let problem = Problem::command_refused(draw, Refusal::TooFewTickets { free });
        let body = problem.body(REQUEST_ID_PLACEHOLDER);
        let (before, after) = body
            .split_once(REQUEST_ID_PLACEHOLDER)
            .expect("an error body contains its request id");
        TooFewTicketsBody {
            draw,
            free,
            status: problem.status(),
            before: before.into(),
            after: after.into(),
        }
    }
}

impl HeaderLines {
    /// Adds the prepared headers, the request id and the server time to a response.
    pub fn add_to(&self, headers: &mut HeaderMap, id: HeaderValue, time: HeaderValue) {
        for (name, value) in &self.0 {
            headers.insert(name.clone(), value.clone());
        }
        headers.insert(X_SERVER_TIME, time);
        headers.insert(X_REQUEST_ID, id);
    }
}
