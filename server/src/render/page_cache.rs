//! Cache of rendered pages. A page is rendered at most ten times a second and never served after
//! its data changed.
//!
//! The lifetime of a cached page is short, because the page contains the server's time.

use std::sync::Arc;

use dashmap::DashMap;
use domain::{DrawId, Timestamp};
use flate2::Compression;

use crate::api::compressible_body::CompressibleBody;
use crate::render::page_address::{Page, PageKind};
use crate::services::catalogue::Catalogue;

/// How long a page is cached, in milliseconds: one update interval of the `WebSockets`.
const PAGE_LIFETIME_MS: i64 = 100;
/// Maximum number of pages in the cache.
const CACHED_PAGES_MAX: usize = 512;

/// Gzip level of pages. Level 4 makes a page a quarter smaller than level 1, for a third of the CPU
/// time of brotli's middle levels (`loadtest/PERFORMANCE.md`).
const GZIP_LEVEL: u32 = 4;

/// Cache key of a page: its pattern, and the draw that it shows, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CachedPageKey {
    pattern: &'static str,
    draw: Option<DrawId>,
}

/// The version of the data that a page is rendered from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageVersion {
    reading: u64,
    /// The revision of the page's draw, or for the landing page the number of changes to any draw.
    revision: u64,
}

/// A rendered page with the version of its data and the time of rendering.
#[derive(Clone, Debug)]
pub struct RenderedPage {
    version: PageVersion,
    at: Timestamp,
    pub document: Arc<CompressibleBody>,
}

/// Wraps an HTML document as a response body that can also be sent compressed.
pub fn compressible_html(document: String) -> CompressibleBody {
    CompressibleBody::new(document, Compression::new(GZIP_LEVEL))
}

/// Rendered pages by key.
#[derive(Default)]
pub struct PageCache(DashMap<CachedPageKey, RenderedPage>);

impl CachedPageKey {
    /// Returns the cache key of a page that is the same for all visitors and depends only on the
    /// catalogue; `None` for other pages.
    pub fn for_page(page: &Page<'_>) -> Option<CachedPageKey> {
        let draw = match page.address.shows {
            PageKind::Landing => None,
            PageKind::Draw => Some(page.draw()),
            _ => return None,
        };
        Some(CachedPageKey {
            pattern: page.address.path,
            draw,
        })
    }

    /// Returns the cache key of a draw's page, or of the landing page if `draw` is `None`.
    pub fn of_draw(draw: Option<DrawId>) -> CachedPageKey {
        CachedPageKey {
            pattern: if draw.is_some() { "/draw/{n}" } else { "/" },
            draw,
        }
    }
}

impl PageVersion {
    /// Returns the current version of a page's data; `None` when the page's draw does not exist.
    pub async fn current_version(
        catalogue: &Catalogue,
        key: CachedPageKey,
        now: Timestamp,
    ) -> Option<PageVersion> {
        if let (None, Some(draw)) = (
            PageVersion::version_from_memory(catalogue, key, now),
            key.draw,
        ) {
            catalogue.draw(draw).await?;
        }
        PageVersion::version_from_memory(catalogue, key, now)
    }

    /// Returns the current version of a page's data from memory; `None` when the page's draw does
    /// not exist, or its actor would have to be started.
    pub fn version_from_memory(
        catalogue: &Catalogue,
        key: CachedPageKey,
        now: Timestamp,
    ) -> Option<PageVersion> {
        let (reading, revision) = match key.draw {
            Some(draw) => {
                let key = catalogue.response_key_from_memory(draw, now)?;
                (key.reading, key.revision)
            }
            None => (
                catalogue.facts().reading_number(),
                catalogue.draws().view_change_count(),
            ),
        };
        Some(PageVersion { reading, revision })
    }
}

impl RenderedPage {
    pub fn new(version: PageVersion, at: Timestamp, document: String) -> RenderedPage {
        RenderedPage {
            version,
            at,
            document: Arc::new(compressible_html(document)),
        }
    }

    fn is_valid(&self, version: PageVersion, now: Timestamp) -> bool {
        self.version == version && (now.0 - self.at.0).abs() <= PAGE_LIFETIME_MS
    }
}

impl PageCache {
    /// Returns a cached page, if its data has this version and its lifetime has not ended.
    pub fn get(
        &self,
        key: CachedPageKey,
        version: PageVersion,
        now: Timestamp,
    ) -> Option<RenderedPage> {
        self.0
            .get(&key)
            .filter(|page| page.is_valid(version, now))
            .map(|page| page.clone())
    }

    /// Stores a page. If the cache is full, expired pages are removed first; if none has expired,
    /// the page is not stored.
    pub fn insert(&self, key: CachedPageKey, page: &RenderedPage) {
        if self.0.len() >= CACHED_PAGES_MAX {
            self.0
                .retain(|_, cache| (page.at.0 - cache.at.0).abs() <= PAGE_LIFETIME_MS);
        }
        if self.0.len() < CACHED_PAGES_MAX {
            self.0.insert(key, page.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST_VERSION: PageVersion = PageVersion {
        reading: 1,
        revision: 7,
    };

    fn key(draw: i64) -> CachedPageKey {
        CachedPageKey {
            pattern: "/draw/{n}",
            draw: Some(DrawId(draw)),
        }
    }

    #[test]
    fn cached_page_expires_after_100_ms_or_a_change() {
        let cache = PageCache::default();
        cache.insert(
            key(1),
            &RenderedPage::new(TEST_VERSION, Timestamp(1_000), "page".into()),
        );
        let found = |version, now| cache.get(key(1), version, Timestamp(now)).is_some();
        assert!(found(TEST_VERSION, 1_000) && found(TEST_VERSION, 1_100));
        assert!(!found(TEST_VERSION, 1_101), "its clock would be wrong");
        assert!(
            !found(
                PageVersion {
                    revision: 8,
                    ..TEST_VERSION
                },
                1_000
            ),
            "a ticket was sold"
        );
        assert!(
            !found(
                PageVersion {
                    reading: 2,
                    ..TEST_VERSION
                },
                1_000
            ),
            "the club changed its words"
        );
    }

    #[test]
    fn full_cache_evicts_only_expired_pages() {
        let cache = PageCache::default();
        for draw in 0..CACHED_PAGES_MAX as i64 {
            cache.insert(
                key(draw),
                &RenderedPage::new(TEST_VERSION, Timestamp(1_000), "old".into()),
            );
        }
        cache.insert(
            key(-1),
            &RenderedPage::new(TEST_VERSION, Timestamp(1_050), "one too many".into()),
        );
        assert!(
            cache.get(key(-1), TEST_VERSION, Timestamp(1_050)).is_none()
                && cache.0.len() == CACHED_PAGES_MAX
        );
        cache.insert(
            key(-2),
            &RenderedPage::new(TEST_VERSION, Timestamp(2_000), "new".into()),
        );
        assert_eq!(cache.0.len(), 1);
    }
}
