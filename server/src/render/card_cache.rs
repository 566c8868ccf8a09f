//! Cache of drawn share cards.

use std::sync::Arc;

use bytes::Bytes;
use dashmap::DashMap;

/// Most images in memory, about 30 KB each.
const CACHED_IMAGES_MAX: usize = 300;

/// Cached PNG images by card version.
#[derive(Clone, Default)]
pub struct CardCache(Arc<DashMap<String, Bytes>>);

impl CardCache {
    /// The image of a card version, if cached.
    pub fn get(&self, version: &str) -> Option<Bytes> {
        self.0.get(version).map(|bytes| bytes.clone())
    }

    /// Caches an image. A full cache is emptied first.
    pub fn insert(&self, version: String, image: Bytes) {
        if self.0.len() >= CACHED_IMAGES_MAX {
            self.0.clear();
        }
        self.0.insert(version, image);
    }
}
