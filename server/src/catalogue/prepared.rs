//! An answer as bytes, made once and handed out until what it shows has changed.

use actix_web::http::header::{self, ETag, EntityTag, Header, IfNoneMatch};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use dashmap::DashMap;
use domain::DrawId;
use serde::Serialize;

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

#[derive(Clone, Debug)]
pub struct Prepared {
    pub key: Key,
    pub body: Bytes,
}

/// One prepared answer for each draw.
#[derive(Default)]
pub struct PerDraw(DashMap<DrawId, Prepared>);

impl PerDraw {
    pub fn get(&self, draw: DrawId, key: Key) -> Option<Prepared> {
        self.0.get(&draw).filter(|prepared| prepared.key == key).map(|prepared| prepared.clone())
    }

    pub fn keep(&self, draw: DrawId, prepared: Prepared) -> Prepared {
        self.0.insert(draw, prepared.clone());
        prepared
    }
}

impl Prepared {
    pub fn json(key: Key, value: &impl Serialize) -> Prepared {
        Prepared { key, body: Bytes::from(serde_json::to_vec(value).unwrap_or_default()) }
    }

    /// 200 with the bytes, or 304 when the browser has them. Browsers ask every time; nobody in between keeps a copy.
    pub fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let tag = EntityTag::new_strong(format!("{:x}.{:x}.{}", self.key.reading, self.key.revision, self.key.phase));
        let known = request.headers().contains_key(header::IF_NONE_MATCH)
            && match IfNoneMatch::parse(request) {
                Ok(IfNoneMatch::Any) => true,
                Ok(IfNoneMatch::Items(items)) => items.iter().any(|item| item.weak_eq(&tag)),
                Err(_) => false,
            };
        let mut response = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        response.insert_header(ETag(tag)).insert_header((header::CACHE_CONTROL, "private, no-cache"));
        if known { response.finish() } else { response.content_type("application/json").body(self.body.clone()) }
    }
}
