//! Prepared responses: serialised once and served as bytes until their contents change.

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

use crate::api::compressible_body::CompressibleBody;

/// `Cache-Control` value of prepared responses: only browsers cache them, and revalidate every
/// time.
pub const REVALIDATE_CACHE_CONTROL: &str = "private, no-cache";
/// `Vary` value of prepared responses: the draw's club and the operator may see more fields, and
/// not every client accepts gzip.
pub const PREPARED_VARY_VALUE: &str = "Cookie, Accept-Encoding";

/// Identifies the data that a prepared response was built from. A response with another key than
/// the current data is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PreparedResponseKey {
    /// Sequence number of the catalogue reading.
    pub reading: u64,
    /// The draw's revision, or a digest of several revisions.
    pub revision: u64,
    /// The part of the state that depends on the current time: whether kick-off is past and the
    /// winner revealed.
    pub phase: u8,
}

/// A prepared response. Cloning is cheap, because all clones share the same bytes.
#[derive(Clone, Debug)]
pub struct PreparedResponse(Arc<PreparedResponseParts>);

#[derive(Debug)]
struct PreparedResponseParts {
    key: PreparedResponseKey,
    body: CompressibleBody,
    /// The entity tag, made from the key, to compare with a request's `If-None-Match`.
    tag: EntityTag,
    header: HeaderValue,
}

/// One prepared response per draw.
#[derive(Default)]
pub struct PreparedResponsesByDraw(DashMap<DrawId, PreparedResponse>);

impl PreparedResponsesByDraw {
    /// Returns the draw's response if it was prepared for this key.
    pub fn get(&self, draw: DrawId, key: PreparedResponseKey) -> Option<PreparedResponse> {
        self.0
            .get(&draw)
            .filter(|prepared| prepared.value().key() == key)
            .map(|prepared| prepared.clone())
    }

    /// Stores a draw's response and returns it.
    pub fn insert(&self, draw: DrawId, prepared: PreparedResponse) -> PreparedResponse {
        self.0.insert(draw, prepared.clone());
        prepared
    }
}

impl PreparedResponse {
    pub fn new(key: PreparedResponseKey, body: Bytes) -> PreparedResponse {
        let tag = EntityTag::new_weak(format!(
            "{:x}.{:x}.{}",
            key.reading, key.revision, key.phase
        ));
        let header = tag
            .clone()
            .try_into_value()
            .expect("digits and dots are valid in a header");
        PreparedResponse(Arc::new(PreparedResponseParts {
            key,
            body: CompressibleBody::new(body, Compression::fast()),
            tag,
            header,
        }))
    }

    /// Serialises a value to a prepared JSON response.
    pub fn from_json(key: PreparedResponseKey, value: &impl Serialize) -> PreparedResponse {
        PreparedResponse::new(
            key,
            Bytes::from(serde_json::to_vec(value).unwrap_or_default()),
        )
    }

    pub fn key(&self) -> PreparedResponseKey {
        self.0.key
    }

    /// Returns the body, plain and compressed.
    pub fn body(&self) -> &CompressibleBody {
        &self.0.body
    }

    /// Returns the `ETag` header. The tag is weak, because plain and gzip bytes share it.
    pub fn etag(&self) -> &HeaderValue {
        &self.0.header
    }

    /// Whether the request's `If-None-Match` shows that the browser already has these bytes.
    pub fn is_cached_by_client(&self, request: &impl HttpMessage) -> bool {
        let Some(if_none_match) = request.headers().get(header::IF_NONE_MATCH) else {
            return false;
        };
        if_none_match == self.etag()
            || match IfNoneMatch::parse(request) {
                Ok(IfNoneMatch::Any) => true,
                Ok(IfNoneMatch::Items(items)) => items.iter().any(|item| item.weak_eq(&self.0.tag)),
                Err(_) => false,
            }
    }

    /// Builds the 200 response with the bytes, or a 304 if the browser already has them. Browsers
    /// revalidate every time, and shared caches keep no copy.
    pub fn respond(&self, request: &HttpRequest) -> HttpResponse {
        let is_known = self.is_cached_by_client(request);
        let mut response = if is_known {
            HttpResponse::NotModified()
        } else {
            HttpResponse::Ok()
        };
        response.insert_header((header::ETAG, self.etag().clone()));
        response.insert_header((
            header::CACHE_CONTROL,
            HeaderValue::from_static(REVALIDATE_CACHE_CONTROL),
        ));
        response.insert_header((header::VARY, HeaderValue::from_static(PREPARED_VARY_VALUE)));
        if is_known {
            return response.finish();
        }
        response.insert_header((
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ));
        match self.body().gzip_if_accepted(request.headers()) {
            Some(smaller) => {
                response
                    .insert_header((header::CONTENT_ENCODING, HeaderValue::from_static("gzip")));
                response.body(smaller)
            }
            None => response.body(self.body().plain().clone()),
        }
    }
}
