//! An answer as bytes, made once and handed out until what it shows has changed.

use std::sync::Arc;

use actix_web::http::header::{
    self, EntityTag, Header, HeaderValue, IfNoneMatch, TryIntoHeaderValue,
};
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use bytes::Bytes;
use dashmap::DashMap;
use domain::DrawId;
use flate2::Compression;
use serde::Serialize;

use crate::encoded::Encoded;

/// What is said of keeping such an answer: ask again every time.
pub const CHECKED: &str = "private, no-cache";
/// What such an answer depends on besides its address: its owner may read more, and not everybody takes it smaller.
pub const DEPENDS_ON: &str = "Cookie, Accept-Encoding";

/// What an answer was made from; another key means that it is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The reading of the facts.
    pub reading: u64,
    /// The draw's revision, or a digest of several.
    pub revision: u64,
    /// What the clock alone can change: past its kick-off, revealed.
    pub phase: u8,
}

/// Cheap to clone: all who ask are handed the same bytes.
#[derive(Clone, Debug)]
pub struct Prepared(Arc<Made>);

#[derive(Debug)]
struct Made {
    key: Key,
    body: Encoded,
    /// The key as browsers give it back, and as a header.
    tag: EntityTag,
    header: HeaderValue,
}

/// One prepared answer for each draw.
#[derive(Default)]
pub struct PerDraw(DashMap<DrawId, Prepared>);

impl PerDraw {
    pub fn get(&self, draw: DrawId, key: Key) -> Option<Prepared> {
        self.0
            .get(&draw)
            .filter(|prepared| prepared.value().key() == key)
            .map(|prepared| prepared.clone())
    }

    pub fn keep(&self, draw: DrawId, prepared: Prepared) -> Prepared {
        self.0.insert(draw, prepared.clone());
        prepared
    }
}

impl Prepared {
    pub fn new(key: Key, body: Bytes) -> Prepared {
        let tag = EntityTag::new_weak(format!(
            "{:x}.{:x}.{}",
            key.reading, key.revision, key.phase
        ));
        let header = tag
            .clone()
            .try_into_value()
            .expect("digits and points stand in a header");
        Prepared(Arc::new(Made {
            key,
            body: Encoded::new(body, Compression::fast()),
            tag,
            header,
        }))
    }

    pub fn json(key: Key, value: &impl Serialize) -> Prepared {
        Prepared::new(
            key,
            Bytes::from(serde_json::to_vec(value).unwrap_or_default()),
        )
    }

    pub fn key(&self) -> Key {
        self.0.key
    }

    pub fn body(&self) -> &Encoded {
        &self.0.body
    }

    /// The key as a browser gives it back. Weak: it is the same for the bytes and for the smaller ones.
    pub fn tag(&self) -> &HeaderValue {
        &self.0.header
    }

    /// Whether the browser has these bytes already.
    pub fn is_known_to(&self, request: &impl HttpMessage) -> bool {
        let Some(said) = request.headers().get(header::IF_NONE_MATCH) else {
            return false;
        };
        said == self.tag()
            || match IfNoneMatch::parse(request) {
                Ok(IfNoneMatch::Any) => true,
                Ok(IfNoneMatch::Items(items)) => items.iter().any(|item| item.weak_eq(&self.0.tag)),
                Err(_) => false,
            }
    }

    /// 200 with the bytes, or 304 when the browser has them. Browsers ask every time; nobody in between keeps a copy.
    pub fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let known = self.is_known_to(request);
        let mut response = if known {
            HttpResponse::NotModified()
        } else {
            HttpResponse::Ok()
        };
        response.insert_header((header::ETAG, self.tag().clone()));
        response.insert_header((header::CACHE_CONTROL, HeaderValue::from_static(CHECKED)));
        response.insert_header((header::VARY, HeaderValue::from_static(DEPENDS_ON)));
        if known {
            return response.finish();
        }
        response.insert_header((
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ));
        match self.body().smaller(request.headers()) {
            Some(smaller) => {
                response
                    .insert_header((header::CONTENT_ENCODING, HeaderValue::from_static("gzip")));
                response.body(smaller)
            }
            None => response.body(self.body().plain().clone()),
        }
    }
}
