//! In-memory cache of share card images.

use std::sync::Arc;

use bytes::Bytes;
use dashmap::DashMap;

/// Maximum number of cached images, of about 30 KB each.
const CACHED_IMAGES_MAX: usize = 300;

/// Cached PNG images by card version.
#[derive(Clone, Default)]
pub struct ShareCardCache(Arc<DashMap<String, Bytes>>);

impl ShareCardCache {
    /// Returns the cached image of a card version.
    pub fn get(&self, version: &str) -> Option<Bytes> {
        self.0.get(version).map(|bytes| bytes.clone())
    }

    /// Stores an image. If the cache is full, all older images are removed first.
    pub fn insert(&self, version: String, image: Bytes) {
        if self.0.len() >= CACHED_IMAGES_MAX {
            self.0.clear();
        }
        self.0.insert(version, image);
    }
}
