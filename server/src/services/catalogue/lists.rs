//! The public lists: draws on sale, games waiting for a result, and recent results.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, PoisonError};

use bytes::{BufMut, Bytes, BytesMut};
use domain::{ClubId, Timestamp, View};
use persistence::records::listings::Listing;

use super::prepared_response::{PreparedResponse, PreparedResponseKey};
use super::{Catalogue, CatalogueFacts};
use crate::api::draw::{Draw, shown_status};

/// A public list of draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DrawList {
    /// Draws on sale, the next kick-off first.
    Active,
    /// Draws without a result whose kick-off is past or near (decision E-1), the latest kick-off
    /// first.
    Awaiting,
    /// Draws with a result that are not archived, the latest kick-off first.
    Completed,
}

/// Maximum number of completed draws in the topic `draws`. The topic may be sent every second, so
/// it does not hold a whole season.
const RESULTS_PUBLISHED_MAX: usize = 50;

/// The requested part of a list: one club's draws, and paging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawListSlice {
    pub club: Option<ClubId>,
    pub offset: usize,
    pub limit: Option<usize>,
}

/// The most recent complete responses of the three public lists.
#[derive(Default)]
pub struct CachedLists {
    changed: u64,
    reading: u64,
    /// The next kick-off. At that time the responses become outdated without a write, because a
    /// draw moves to another list or its winner is revealed.
    valid_until: Option<Timestamp>,
    responses: Option<[PreparedResponse; 3]>,
}

type ListedDraw = (Arc<Listing>, View);

impl CachedLists {
    /// Returns the cached responses if nothing has changed since they were built.
    fn responses_if_current(
        &self,
        reading: u64,
        changed: u64,
        now: Timestamp,
    ) -> Option<&[PreparedResponse; 3]> {
        let current = self.reading == reading
            && self.changed == changed
            && self.valid_until.is_none_or(|valid_until| now < valid_until);
        self.responses.as_ref().filter(|_| current)
    }
}

impl Catalogue {
    /// Returns a complete list as a prepared response, rebuilt only after a change.
    pub fn list_response(&self, list: DrawList, now: Timestamp) -> PreparedResponse {
        let facts = self.facts();
        let changed = self.draws.view_change_count();
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(responses) = lists.responses_if_current(facts.reading, changed, now) {
            return responses[list as usize].clone();
        }
        let draws_by_list = self.draws_by_list(&facts, now);
        let old = lists.responses.take();
        let make = |list: DrawList| {
            let cached = old.as_ref().map(|responses| &responses[list as usize]);
            self.build_list_response(&facts, &draws_by_list[list as usize], cached, now)
        };
        let responses = [
            make(DrawList::Active),
            make(DrawList::Awaiting),
            make(DrawList::Completed),
        ];
        let answer = responses[list as usize].clone();
        *lists = CachedLists {
            changed,
            reading: facts.reading,
            valid_until: draws_by_list
                .iter()
                .flatten()
                .map(|(_, view)| view.closes_at)
                .filter(|kick_off| *kick_off > now)
                .min(),
            responses: Some(responses),
        };
        answer
    }

    /// Returns a complete list as a prepared response from memory; `None` if the response would
    /// have to be rebuilt.
    pub fn list_response_if_cached(
        &self,
        list: DrawList,
        now: Timestamp,
    ) -> Option<PreparedResponse> {
        let reading = self.with_facts(CatalogueFacts::reading_number);
        let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists
            .responses_if_current(reading, self.draws.view_change_count(), now)
            .map(|responses| responses[list as usize].clone())
    }

    /// Returns the requested part of a list as API objects.
    pub fn list_slice(&self, list: DrawList, slice: DrawListSlice, now: Timestamp) -> Vec<Draw> {
        let facts = self.facts();
        let draws_by_list = self.draws_by_list(&facts, now);
        let chosen = draws_by_list[list as usize]
            .iter()
            .filter(|(listing, _)| slice.club.is_none_or(|club| listing.club == club));
        let chosen = chosen
            .skip(slice.offset)
            .take(slice.limit.unwrap_or(usize::MAX));
        chosen
            .filter_map(|(listing, view)| facts.to_api_draw(listing, view, now))
            .collect()
    }

    /// Returns all draws of a club in any status, sorted by kick-off.
    pub fn all_draws_of_club(
        &self,
        facts: &CatalogueFacts,
        club: ClubId,
    ) -> Vec<(Arc<Listing>, View)> {
        let actor_views = self.draws.views();
        let newest =
            |listing: &Arc<Listing>| (listing.clone(), facts.newest_view_of(listing, &actor_views));
        let mut draws: Vec<_> = facts
            .draws
            .values()
            .filter(|listing| listing.club == club)
            .map(newest)
            .collect();
        draws.sort_by_key(|(_, view)| (view.closes_at, view.draw));
        draws
    }

    /// Returns all draws that wait for a result. Archived clubs are included, because their draws
    /// are still completed and paid (decision H-3).
    pub fn draws_without_result(
        &self,
        facts: &CatalogueFacts,
        now: Timestamp,
    ) -> Vec<(Arc<Listing>, View)> {
        let actor_views = self.draws.views();
        let newest = facts
            .draws
            .values()
            .map(|listing| (listing.clone(), facts.newest_view_of(listing, &actor_views)));
        newest
            .filter(|(_, view)| shown_status(view, now) == "closed")
            .collect()
    }

    /// Returns the draws that the topic `draws` publishes: those on sale or waiting for a result,
    /// and the latest results.
    pub fn published_draws(&self, now: Timestamp) -> (Arc<CatalogueFacts>, Vec<View>) {
        let facts = self.facts();
        let mut draws_by_list = self.draws_by_list(&facts, now);
        draws_by_list[DrawList::Completed as usize].truncate(RESULTS_PUBLISHED_MAX);
        let views = draws_by_list
            .into_iter()
            .flatten()
            .map(|(_, view)| view)
            .collect();
        (facts, views)
    }

    fn draws_by_list(&self, facts: &CatalogueFacts, now: Timestamp) -> [Vec<ListedDraw>; 3] {
        let actor_views = self.draws.views();
        let mut draws_by_list: [Vec<ListedDraw>; 3] = Default::default();
        let mut actor_views = actor_views.iter().peekable();
        // Merge the stored draws with the actors' views. Both are sorted by draw number, ascending.
        for (id, listing) in &facts.draws {
            while actor_views.next_if(|view| view.draw < *id).is_some() {}
            let view = facts.newest_view(listing, actor_views.next_if(|view| view.draw == *id));
            if facts.club(listing.club).is_none_or(|club| club.archived) {
                continue;
            }
            let list = match shown_status(&view, now) {
                "active" => DrawList::Active,
                "closed" => DrawList::Awaiting,
                "completed" if !listing.archived => DrawList::Completed,
                _ => continue,
            };
            draws_by_list[list as usize].push((listing.clone(), view));
        }
        draws_by_list[DrawList::Active as usize]
            .sort_by_key(|(_, view)| (view.closes_at, view.draw));
        for list in [DrawList::Awaiting, DrawList::Completed] {
            draws_by_list[list as usize]
                .sort_by_key(|(_, view)| std::cmp::Reverse((view.closes_at, view.draw)));
        }
        draws_by_list
    }

    /// Builds the response of a list: an array of the draws' JSON. Returns `cached` instead if no
    /// draw of the list has changed.
    fn build_list_response(
        &self,
        facts: &CatalogueFacts,
        draws: &[ListedDraw],
        cached: Option<&PreparedResponse>,
        now: Timestamp,
    ) -> PreparedResponse {
        let mut digest = DefaultHasher::new();
        for (_, view) in draws {
            (view.draw, view.revision, now >= view.closes_at).hash(&mut digest);
        }
        let key = PreparedResponseKey {
            reading: facts.reading,
            revision: digest.finish(),
            phase: 0,
        };
        if let Some(cached) = cached.filter(|cached| cached.key() == key) {
            return cached.clone();
        }
        let parts: Vec<Bytes> = draws
            .iter()
            .map(|(listing, view)| self.draw_json(facts, listing, view, now))
            .collect();
        let mut body =
            BytesMut::with_capacity(parts.iter().map(|part| part.len() + 1).sum::<usize>() + 2);
        body.put_u8(b'[');
        for (index, part) in parts.iter().filter(|part| !part.is_empty()).enumerate() {
            if index > 0 {
                body.put_u8(b',');
            }
            body.put_slice(part);
        }
        body.put_u8(b']');
        PreparedResponse::new(key, body.freeze())
    }

    fn draw_json(
        &self,
        facts: &CatalogueFacts,
        listing: &Listing,
        view: &View,
        now: Timestamp,
    ) -> Bytes {
        let key = facts.response_key(view, now);
        let build = || match facts.to_api_draw(listing, view, now) {
            Some(draw) => PreparedResponse::from_json(key, &draw),
            None => PreparedResponse::new(key, Bytes::new()),
        };
        self.fragments
            .get(view.draw, key)
            .unwrap_or_else(|| self.fragments.insert(view.draw, build()))
            .body()
            .plain()
            .clone()
    }
}

impl CatalogueFacts {
    /// Returns the cache key of a draw's prepared responses.
    pub(super) fn response_key(&self, view: &View, now: Timestamp) -> PreparedResponseKey {
        let phase = u8::from(now >= view.closes_at);
        PreparedResponseKey {
            reading: self.reading,
            revision: view.revision,
            phase,
        }
    }

    /// Returns the newest view of a draw. `actor_views` must be sorted by draw number, ascending.
    fn newest_view_of(&self, listing: &Listing, actor_views: &[View]) -> View {
        let index = actor_views.binary_search_by_key(&listing.id(), |view| view.draw);
        self.newest_view(listing, index.ok().map(|index| &actor_views[index]))
    }

    /// Builds the API object of a draw for a list. `None` while the draw's club is not loaded yet.
    pub fn to_api_draw(&self, listing: &Listing, view: &View, now: Timestamp) -> Option<Draw> {
        let club = self.club(listing.club)?;
        Some(Draw::for_list(
            listing,
            club,
            view,
            self.winner_sold(view, now),
            now,
        ))
    }
}
