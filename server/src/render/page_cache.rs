//! Cache of rendered pages. A page is rendered at most ten times a second and never served after
//! its data changed.
//!
//! The lifetime is short, because a page contains the server's time.

use std::sync::Arc;

use dashmap::DashMap;
use domain::{DrawId, Timestamp};
use flate2::Compression;

use crate::api::encoded::Encoded;
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

/// The version of the data that a page was rendered from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageVersion {
    reading: u64,
    /// The revision of the page's draw, or for the landing page the number of changes to any draw.
    revision: u64,
}

/// A rendered page with the version of its data and the time of rendering.
#[derive(Clone, Debug)]
pub struct RenderedPage {
    stamp: PageVersion,
    at: Timestamp,
    pub document: Arc<Encoded>,
}

/// Wraps an HTML document as a response body that can also be sent compressed.
pub fn encoded(document: String) -> Encoded {
    Encoded::new(document, Compression::new(GZIP_LEVEL))
}

/// Rendered pages by key.
#[derive(Default)]
pub struct PageCache(DashMap<CachedPageKey, RenderedPage>);

impl CachedPageKey {
    /// Returns the cache key of a page that is the same for all visitors and depends only on the
    /// catalogue; `None` for other pages.
    pub fn of(page: &Page<'_>) -> Option<CachedPageKey> {
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
    pub async fn of(
        catalogue: &Catalogue,
        name: CachedPageKey,
        now: Timestamp,
    ) -> Option<PageVersion> {
        if let (None, Some(draw)) = (PageVersion::ready(catalogue, name, now), name.draw) {
            catalogue.draw(draw).await?;
        }
        PageVersion::ready(catalogue, name, now)
    }

    /// Like [`PageVersion::of`], but `None` also when the draw's actor would have to start.
    pub fn ready(
        catalogue: &Catalogue,
        name: CachedPageKey,
        now: Timestamp,
    ) -> Option<PageVersion> {
        let (reading, revision) = match name.draw {
            Some(draw) => {
                let key = catalogue.key_now(draw, now)?;
                (key.reading, key.revision)
            }
            None => (
                catalogue.facts().reading(),
                catalogue.draws().view_change_count(),
            ),
        };
        Some(PageVersion { reading, revision })
    }
}

impl RenderedPage {
    pub fn new(stamp: PageVersion, at: Timestamp, document: String) -> RenderedPage {
        RenderedPage {
            stamp,
            at,
            document: Arc::new(encoded(document)),
        }
    }

    fn is_valid(&self, stamp: PageVersion, now: Timestamp) -> bool {
        self.stamp == stamp && (now.0 - self.at.0).abs() <= PAGE_LIFETIME_MS
    }
}

impl PageCache {
    /// Returns a cached page that is still valid.
    pub fn get(
        &self,
        name: CachedPageKey,
        stamp: PageVersion,
        now: Timestamp,
    ) -> Option<RenderedPage> {
        self.0
            .get(&name)
            .filter(|page| page.is_valid(stamp, now))
            .map(|page| page.clone())
    }

    /// Stores a page. If the cache is full, expired pages are removed first; if none has expired,
    /// the page is not stored.
    pub fn keep(&self, name: CachedPageKey, page: &RenderedPage) {
        if self.0.len() >= CACHED_PAGES_MAX {
            self.0
                .retain(|_, cache| (page.at.0 - cache.at.0).abs() <= PAGE_LIFETIME_MS);
        }
        if self.0.len() < CACHED_PAGES_MAX {
            self.0.insert(name, page.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: PageVersion = PageVersion {
        reading: 1,
        revision: 7,
    };

    fn name(draw: i64) -> CachedPageKey {
        CachedPageKey {
            pattern: "/draw/{n}",
            draw: Some(DrawId(draw)),
        }
    }

    #[test]
    fn cached_page_expires_after_a_tick_or_a_change() {
        let cache = PageCache::default();
        cache.keep(
            name(1),
            &RenderedPage::new(STAMP, Timestamp(1_000), "page".into()),
        );
        let found = |stamp, now| cache.get(name(1), stamp, Timestamp(now)).is_some();
        assert!(found(STAMP, 1_000) && found(STAMP, 1_100));
        assert!(!found(STAMP, 1_101), "its clock would be wrong");
        assert!(
            !found(
                PageVersion {
                    revision: 8,
                    ..STAMP
                },
                1_000
            ),
            "a ticket was sold"
        );
        assert!(
            !found(
                PageVersion {
                    reading: 2,
                    ..STAMP
                },
                1_000
            ),
            "the club changed its words"
        );
    }

    #[test]
    fn only_expired_pages_make_room_in_a_full_cache() {
        let cache = PageCache::default();
        for draw in 0..CACHED_PAGES_MAX as i64 {
            cache.keep(
                name(draw),
                &RenderedPage::new(STAMP, Timestamp(1_000), "old".into()),
            );
        }
        cache.keep(
            name(-1),
            &RenderedPage::new(STAMP, Timestamp(1_050), "one too many".into()),
        );
        assert!(
            cache.get(name(-1), STAMP, Timestamp(1_050)).is_none()
                && cache.0.len() == CACHED_PAGES_MAX
        );
        cache.keep(
            name(-2),
            &RenderedPage::new(STAMP, Timestamp(2_000), "new".into()),
        );
        assert_eq!(cache.0.len(), 1);
    }
}
