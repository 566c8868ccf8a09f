//! What is said of answers besides their bytes: the lines that are the same each time, written once for each worker.

use std::cell::RefCell;

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, VARY,
};
use bytes::BytesMut;
use domain::{DrawId, Refusal, Timestamp};

use crate::catalogue::prepared::{CHECKED, DEPENDS_ON};
use crate::edge::policy::Place;
use crate::edge::{X_REQUEST_ID, X_SERVER_TIME};
use crate::error::Problem;
use crate::identity::Browser;
use crate::state::State;

pub struct Said {
    /// Of JSON that browsers check again each time, and of the answer that they have it.
    pub checked: Lines,
    pub smaller_checked: Lines,
    pub not_modified: Lines,
    /// Of what is nobody's to keep.
    pub unkept: Lines,
    pub page: Lines,
    pub smaller_page: Lines,
    /// A new browser's cookie, before and after the digits that say which it is.
    cookie: (String, String),
    /// The last time that was told: many answers are of the same millisecond.
    told: RefCell<(Timestamp, HeaderValue)>,
    /// The last refusal that was written: a crowd is told the same of one draw.
    refused: RefCell<Option<Refused>>,
}

/// That a draw has too few tickets, before and after the digits that say which request is answered.
struct Refused {
    draw: DrawId,
    free: u16,
    status: StatusCode,
    before: String,
    after: String,
}

/// Header lines that are always the same.
pub struct Lines(Vec<(HeaderName, HeaderValue)>);

/// Stands where a request's id will.
const NO_REQUEST: &str = "no request";
/// Stands where a browser's own bits will.
const NOBODY: Browser = Browser([0; 16]);

impl Said {
    pub fn new(state: &State) -> Said {
        let of = |place, own: &[(HeaderName, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in own {
                headers.insert(name.clone(), HeaderValue::from_static(value));
            }
            state.policies.write(&mut headers, place);
            Lines(headers.into_iter().collect())
        };
        let (json, checked) = ((CONTENT_TYPE, "application/json"), (CACHE_CONTROL, CHECKED));
        let (html, kept) = (
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            (CACHE_CONTROL, "no-cache"),
        );
        let (depends, varies) = ((VARY, DEPENDS_ON), (VARY, "Accept-Encoding"));
        let smaller = (CONTENT_ENCODING, "gzip");
        let cookie = NOBODY.cookie(&state.config).to_string();
        let (before, after) = cookie
            .split_once(&hex::encode(NOBODY.0))
            .expect("a cookie says whose it is");
        Said {
            checked: of(
                Place::Api,
                &[json.clone(), checked.clone(), depends.clone()],
            ),
            smaller_checked: of(
                Place::Api,
                &[
                    json.clone(),
                    checked.clone(),
                    depends.clone(),
                    smaller.clone(),
                ],
            ),
            not_modified: of(Place::Api, &[checked, depends]),
            unkept: of(Place::Api, &[json]),
            page: of(Place::Page, &[html.clone(), kept.clone(), varies.clone()]),
            smaller_page: of(Place::Page, &[html, kept, varies, smaller]),
            cookie: (before.to_string(), after.to_string()),
            told: RefCell::new((Timestamp(0), HeaderValue::from(0))),
            refused: RefCell::default(),
        }
    }

    /// A new browser's cookie.
    pub fn cookie(&self, browser: Browser) -> HeaderValue {
        let (before, after) = &self.cookie;
        let mut line = BytesMut::zeroed(before.len() + 2 * browser.0.len() + after.len());
        let (start, rest) = line.split_at_mut(before.len());
        let (digits, end) = rest.split_at_mut(2 * browser.0.len());
        start.copy_from_slice(before.as_bytes());
        hex::encode_to_slice(browser.0, digits).expect("two digits a byte");
        end.copy_from_slice(after.as_bytes());
        HeaderValue::from_maybe_shared(line.freeze()).expect("a cookie of ours stands in a header")
    }

    /// That a draw has too few tickets left, to one request.
    pub fn too_few(&self, draw: DrawId, free: u16, request_id: &str) -> (StatusCode, String) {
        let mut last = self.refused.borrow_mut();
        let refused = match &mut *last {
            Some(refused) if (refused.draw, refused.free) == (draw, free) => refused,
            other => other.insert(Refused::new(draw, free)),
        };
        (
            refused.status,
            [&refused.before, request_id, &refused.after].concat(),
        )
    }

    /// The time, as a line says it.
    pub fn time(&self, now: Timestamp) -> HeaderValue {
        let mut told = self.told.borrow_mut();
        if told.0 != now {
            *told = (now, HeaderValue::from(now.0));
        }
        told.1.clone()
    }
}

impl Refused {
    fn new(draw: DrawId, free: u16) -> Refused {
        let problem = Problem::refused(draw, Refusal::TooFewTickets { free });
        let body = problem.body(NO_REQUEST);
        let (before, after) = body
            .split_once(NO_REQUEST)
            .expect("a problem says which request it answers");
        Refused {
            draw,
            free,
            status: problem.status(),
            before: before.into(),
            after: after.into(),
        }
    }
}

impl Lines {
    /// These, and what is this answer's alone: its id and its time.
    pub fn write(&self, headers: &mut HeaderMap, id: HeaderValue, time: HeaderValue) {
        for (name, value) in &self.0 {
            headers.insert(name.clone(), value.clone());
        }
        headers.insert(X_SERVER_TIME, time);
        headers.insert(X_REQUEST_ID, id);
    }
}
