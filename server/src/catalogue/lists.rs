//! The public lists: draws on sale, games waiting for a result, recent results.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, PoisonError};

use bytes::{BufMut, Bytes, BytesMut};
use domain::{ClubId, Timestamp, View};
use persistence::records::listings::Listing;

use super::prepared::{Key, Prepared};
use super::{Catalogue, Facts};
use crate::wire::draw::{Draw, status_shown};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// On sale, the next kick-off first.
    Active,
    /// Played or about to be, without a result (decision E-1), the latest kick-off first.
    Awaiting,
    /// With a result and not archived, the latest kick-off first.
    Completed,
}

/// Results that sockets hear of: a season's worth would be too much to say again every second.
const RESULTS_TOLD_MAX: usize = 50;

/// A part of a list: what a page asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub club: Option<ClubId>,
    pub offset: usize,
    pub limit: Option<usize>,
}

/// The last answers of the three lists in whole.
#[derive(Default)]
pub struct Lists {
    changed: u64,
    reading: u64,
    /// The next kick-off: then a draw moves from one list to another, or shows its winner, without any commit.
    until: Option<Timestamp>,
    whole: Option<[Prepared; 3]>,
}

type Listed = (Arc<Listing>, View);

impl Lists {
    /// What was answered last, if nothing has changed since.
    fn as_of(&self, reading: u64, changed: u64, now: Timestamp) -> Option<&[Prepared; 3]> {
        let current = self.reading == reading
            && self.changed == changed
            && self.until.is_none_or(|until| now < until);
        self.whole.as_ref().filter(|_| current)
    }
}

impl Catalogue {
    /// A list in whole, as bytes that are made again only after something in it changed.
    pub fn list(&self, list: List, now: Timestamp) -> Prepared {
        let facts = self.facts();
        let changed = self.draws.changes();
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(whole) = lists.as_of(facts.reading, changed, now) {
            return whole[list as usize].clone();
        }
        let members = self.members(&facts, now);
        let old = lists.whole.take();
        let make = |list: List| {
            let kept = old.as_ref().map(|whole| &whole[list as usize]);
            self.joined(&facts, &members[list as usize], kept, now)
        };
        let whole = [
            make(List::Active),
            make(List::Awaiting),
            make(List::Completed),
        ];
        let answer = whole[list as usize].clone();
        *lists = Lists {
            changed,
            reading: facts.reading,
            until: members
                .iter()
                .flatten()
                .map(|(_, view)| view.closes_at)
                .filter(|kick_off| *kick_off > now)
                .min(),
            whole: Some(whole),
        };
        answer
    }

    /// The same, unless it would have to be made first.
    pub fn list_ready(&self, list: List, now: Timestamp) -> Option<Prepared> {
        let reading = self.looked_up(Facts::reading);
        let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists
            .as_of(reading, self.draws.changes(), now)
            .map(|whole| whole[list as usize].clone())
    }

    /// A part of a list, as the wire writes each of its draws.
    pub fn part(&self, list: List, part: Part, now: Timestamp) -> Vec<Draw> {
        let facts = self.facts();
        let members = self.members(&facts, now);
        let chosen = members[list as usize]
            .iter()
            .filter(|(listing, _)| part.club.is_none_or(|club| listing.club == club));
        let chosen = chosen
            .skip(part.offset)
            .take(part.limit.unwrap_or(usize::MAX));
        chosen
            .filter_map(|(listing, view)| facts.wire(listing, view, now))
            .collect()
    }

    /// Every draw of a club, whatever became of it, by kick-off.
    pub fn of_club(&self, facts: &Facts, club: ClubId) -> Vec<(Arc<Listing>, View)> {
        let awake = self.draws.views();
        let newest = |listing: &Arc<Listing>| (listing.clone(), facts.newest_of(listing, &awake));
        let mut draws: Vec<_> = facts
            .draws
            .values()
            .filter(|listing| listing.club == club)
            .map(newest)
            .collect();
        draws.sort_by_key(|(_, view)| (view.closes_at, view.draw));
        draws
    }

    /// Every draw that waits for its result, an archived club's too: what runs there finishes and pays (decision H-3).
    pub fn without_result(&self, facts: &Facts, now: Timestamp) -> Vec<(Arc<Listing>, View)> {
        let awake = self.draws.views();
        let newest = facts
            .draws
            .values()
            .map(|listing| (listing.clone(), facts.newest_of(listing, &awake)));
        newest
            .filter(|(_, view)| status_shown(view, now) == "closed")
            .collect()
    }

    /// What the topic `draws` tells: every draw on sale or waiting for its result, and the latest results.
    pub fn listed(&self, now: Timestamp) -> (Arc<Facts>, Vec<View>) {
        let facts = self.facts();
        let mut members = self.members(&facts, now);
        members[List::Completed as usize].truncate(RESULTS_TOLD_MAX);
        let views = members
            .into_iter()
            .flatten()
            .map(|(_, view)| view)
            .collect();
        (facts, views)
    }

    fn members(&self, facts: &Facts, now: Timestamp) -> [Vec<Listed>; 3] {
        let awake = self.draws.views();
        let mut members: [Vec<Listed>; 3] = Default::default();
        let mut awake = awake.iter().peekable();
        // Both ascend by draw.
        for (id, listing) in &facts.draws {
            while awake.next_if(|view| view.draw < *id).is_some() {}
            let view = facts.newest(listing, awake.next_if(|view| view.draw == *id));
            if facts.club(listing.club).is_none_or(|club| club.archived) {
                continue;
            }
            let list = match status_shown(&view, now) {
                "active" => List::Active,
                "closed" => List::Awaiting,
                "completed" if !listing.archived => List::Completed,
                _ => continue,
            };
            members[list as usize].push((listing.clone(), view));
        }
        members[List::Active as usize].sort_by_key(|(_, view)| (view.closes_at, view.draw));
        for list in [List::Awaiting, List::Completed] {
            members[list as usize]
                .sort_by_key(|(_, view)| std::cmp::Reverse((view.closes_at, view.draw)));
        }
        members
    }

    /// The list as one JSON array, joined from each draw's own bytes, unless `kept` says the same already.
    fn joined(
        &self,
        facts: &Facts,
        members: &[Listed],
        kept: Option<&Prepared>,
        now: Timestamp,
    ) -> Prepared {
        let mut digest = DefaultHasher::new();
        for (_, view) in members {
            (view.draw, view.revision, now >= view.closes_at).hash(&mut digest);
        }
        let key = Key {
            reading: facts.reading,
            revision: digest.finish(),
            phase: 0,
        };
        if let Some(kept) = kept.filter(|kept| kept.key() == key) {
            return kept.clone();
        }
        let parts: Vec<Bytes> = members
            .iter()
            .map(|(listing, view)| self.fragment(facts, listing, view, now))
            .collect();
        let mut body =
            BytesMut::with_capacity(parts.iter().map(|part| part.len() + 1).sum::<usize>() + 2);
        body.put_u8(b'[');
        for (place, part) in parts.iter().filter(|part| !part.is_empty()).enumerate() {
            if place > 0 {
                body.put_u8(b',');
            }
            body.put_slice(part);
        }
        body.put_u8(b']');
        Prepared::new(key, body.freeze())
    }

    fn fragment(&self, facts: &Facts, listing: &Listing, view: &View, now: Timestamp) -> Bytes {
        let key = facts.key(view, now);
        let fresh = || match facts.wire(listing, view, now) {
            Some(draw) => Prepared::json(key, &draw),
            None => Prepared::new(key, Bytes::new()),
        };
        self.fragments
            .get(view.draw, key)
            .unwrap_or_else(|| self.fragments.keep(view.draw, fresh()))
            .body()
            .plain()
            .clone()
    }
}

impl Facts {
    /// What a draw's answers depend on.
    pub(super) fn key(&self, view: &View, now: Timestamp) -> Key {
        let phase = u8::from(now >= view.closes_at);
        Key {
            reading: self.reading,
            revision: view.revision,
            phase,
        }
    }

    /// The newest of a draw where `awake` has what the actors say, ascending by draw.
    fn newest_of(&self, listing: &Listing, awake: &[View]) -> View {
        let place = awake.binary_search_by_key(&listing.id(), |view| view.draw);
        self.newest(listing, place.ok().map(|place| &awake[place]))
    }

    /// A draw as lists show it; `None` only when its club is not known here yet.
    pub fn wire(&self, listing: &Listing, view: &View, now: Timestamp) -> Option<Draw> {
        let club = self.club(listing.club)?;
        Some(Draw::listed(
            listing,
            club,
            view,
            self.winner_sold(view, now),
            now,
        ))
    }
}
