//! What is said of answers besides their bytes: the lines that are the same each time, written once for each worker.

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, VARY,
};
use domain::Timestamp;

use crate::catalogue::prepared::CHECKED;
use crate::edge::policy::Place;
use crate::edge::{X_REQUEST_ID, X_SERVER_TIME};
use crate::identity::Browser;
use crate::state::State;

pub struct Said {
    /// Of JSON that browsers check again each time, and of the answer that they have it.
    pub checked: Lines,
    pub not_modified: Lines,
    /// Of what is nobody's to keep.
    pub unkept: Lines,
    pub page: Lines,
    pub smaller_page: Lines,
    cookie: String,
}

/// Header lines that are always the same.
pub struct Lines(Vec<(HeaderName, HeaderValue)>);

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
        let page = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-cache"), (VARY, "Accept-Encoding")];
        let [kind, kept, varies] = page.clone();
        Said {
            checked: of(Place::Api, &[(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, CHECKED)]),
            not_modified: of(Place::Api, &[(CACHE_CONTROL, CHECKED)]),
            unkept: of(Place::Api, &[(CONTENT_TYPE, "application/json")]),
            page: of(Place::Page, &page),
            smaller_page: of(Place::Page, &[kind, kept, varies, (CONTENT_ENCODING, "gzip")]),
            cookie: NOBODY.cookie(&state.config).to_string(),
        }
    }

    /// A new browser's cookie.
    pub fn cookie(&self, browser: Browser) -> HeaderValue {
        let line = self.cookie.replacen(&hex::encode(NOBODY.0), &hex::encode(browser.0), 1);
        HeaderValue::try_from(line).expect("a cookie of ours stands in a header")
    }
}

impl Lines {
    /// These, and what is this answer's alone: its id and its time.
    pub fn write(&self, headers: &mut HeaderMap, id: HeaderValue, now: Timestamp) {
        for (name, value) in &self.0 {
            headers.insert(name.clone(), value.clone());
        }
        headers.insert(X_SERVER_TIME, HeaderValue::from(now.0));
        headers.insert(X_REQUEST_ID, id);
    }
}
