//! Pages that many open at the same moment, as bytes: written at most ten times a second each, and never while anything that
//! they show has changed. A moment, because a page tells its reader's clock what time it is here.

use std::sync::Arc;

use dashmap::DashMap;
use domain::{DrawId, Timestamp};
use flate2::Compression;

use super::address::{Page, Shows};
use crate::encoded::Encoded;
use crate::state::State;

/// A tick of the sockets: no page is older than what they say.
const KEPT_MS: i64 = 100;
/// Pages kept at the same time. What is asked for often is soon there again.
const PAGES_MAX: usize = 512;

/// Of gzip's nine levels: a page is a quarter smaller than at the first, and a twelfth larger than brotli's middle levels make it,
/// in a third of their time (`loadtest/PERFORMANCE.md`).
const LEVEL: u32 = 4;

/// Which page: its pattern, and the draw in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    pattern: &'static str,
    draw: Option<DrawId>,
}

/// What a page was written from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    reading: u64,
    /// The draw's revision, or how often any view has changed.
    revision: u64,
}

/// A written page.
#[derive(Clone, Debug)]
pub struct Written {
    stamp: Stamp,
    at: Timestamp,
    pub document: Arc<Encoded>,
}

/// A document, for whoever reads it.
pub fn encoded(document: String) -> Encoded {
    Encoded::new(document, Compression::new(LEVEL))
}

#[derive(Default)]
pub struct Kept(DashMap<Name, Written>);

impl Name {
    /// Pages that are the same for everybody and are made of nothing but the catalogue.
    pub fn of(page: &Page<'_>) -> Option<Name> {
        let draw = match page.address.shows {
            Shows::Landing => None,
            Shows::Draw => Some(page.draw()),
            _ => return None,
        };
        Some(Name {
            pattern: page.address.path,
            draw,
        })
    }

    /// Of a draw's own page, or the landing page.
    pub fn of_draw(draw: Option<DrawId>) -> Name {
        Name {
            pattern: if draw.is_some() { "/draw/{n}" } else { "/" },
            draw,
        }
    }
}

impl Stamp {
    /// As of now; `None` when there is no such draw.
    pub async fn of(state: &State, name: Name, now: Timestamp) -> Option<Stamp> {
        if let (None, Some(draw)) = (Stamp::ready(state, name, now), name.draw) {
            state.catalogue.draw(draw).await?;
        }
        Stamp::ready(state, name, now)
    }

    /// The same; `None` also when the draw's actor would have to be woken.
    pub fn ready(state: &State, name: Name, now: Timestamp) -> Option<Stamp> {
        let (reading, revision) = match name.draw {
            Some(draw) => {
                let key = state.catalogue.key_now(draw, now)?;
                (key.reading, key.revision)
            }
            None => (state.catalogue.facts().reading(), state.draws.changes()),
        };
        Some(Stamp { reading, revision })
    }
}

impl Written {
    pub fn new(stamp: Stamp, at: Timestamp, document: String) -> Written {
        Written {
            stamp,
            at,
            document: Arc::new(encoded(document)),
        }
    }

    fn still_says_so(&self, stamp: Stamp, now: Timestamp) -> bool {
        self.stamp == stamp && (now.0 - self.at.0).abs() <= KEPT_MS
    }
}

impl Kept {
    pub fn get(&self, name: Name, stamp: Stamp, now: Timestamp) -> Option<Written> {
        self.0
            .get(&name)
            .filter(|written| written.still_says_so(stamp, now))
            .map(|written| written.clone())
    }

    pub fn keep(&self, name: Name, written: &Written) {
        if self.0.len() >= PAGES_MAX {
            self.0
                .retain(|_, kept| (written.at.0 - kept.at.0).abs() <= KEPT_MS);
        }
        if self.0.len() < PAGES_MAX {
            self.0.insert(name, written.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: Stamp = Stamp {
        reading: 1,
        revision: 7,
    };

    fn name(draw: i64) -> Name {
        Name {
            pattern: "/draw/{n}",
            draw: Some(DrawId(draw)),
        }
    }

    #[test]
    fn a_page_is_kept_for_a_moment_and_not_beyond_a_sale() {
        let kept = Kept::default();
        kept.keep(
            name(1),
            &Written::new(STAMP, Timestamp(1_000), "page".into()),
        );
        let found = |stamp, now| kept.get(name(1), stamp, Timestamp(now)).is_some();
        assert!(found(STAMP, 1_000) && found(STAMP, 1_100));
        assert!(!found(STAMP, 1_101), "its clock would be wrong");
        assert!(
            !found(
                Stamp {
                    revision: 8,
                    ..STAMP
                },
                1_000
            ),
            "a ticket was sold"
        );
        assert!(
            !found(
                Stamp {
                    reading: 2,
                    ..STAMP
                },
                1_000
            ),
            "the club changed its words"
        );
    }

    #[test]
    fn pages_that_nobody_can_use_any_more_make_room_and_no_others() {
        let kept = Kept::default();
        for draw in 0..PAGES_MAX as i64 {
            kept.keep(
                name(draw),
                &Written::new(STAMP, Timestamp(1_000), "old".into()),
            );
        }
        kept.keep(
            name(-1),
            &Written::new(STAMP, Timestamp(1_050), "one too many".into()),
        );
        assert!(kept.get(name(-1), STAMP, Timestamp(1_050)).is_none() && kept.0.len() == PAGES_MAX);
        kept.keep(
            name(-2),
            &Written::new(STAMP, Timestamp(2_000), "new".into()),
        );
        assert_eq!(kept.0.len(), 1);
    }
}
