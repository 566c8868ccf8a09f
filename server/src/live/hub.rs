//! Who watches what: every socket that is open, every topic that somebody hears, and its newest frame.

use std::collections::{BTreeSet, HashMap};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use bytestring::ByteString;
use dashmap::DashMap;

use super::make;
use super::outbox::{Farewell, Outbox};
use super::topic::Topic;
use crate::limits::Network;
use crate::state::State;

/// Who watches what, and the newest frame of each topic.
#[derive(Default)]
pub struct Hub {
    subjects: DashMap<Topic, Subject>,
    sessions: Mutex<Sessions>,
    /// Tokens of orders that just moved.
    moved: Mutex<BTreeSet<String>>,
}

/// Sockets that are open, and how many of them each network has: counted, because every new one asks.
#[derive(Default)]
struct Sessions {
    open: Vec<Arc<Outbox>>,
    by_network: HashMap<Network, usize>,
}

#[derive(Default)]
struct Subject {
    newest: Option<Newest>,
    watchers: Vec<Arc<Outbox>>,
}

/// A frame, encoded once.
#[derive(Clone)]
pub struct Newest {
    pub seq: u64,
    pub text: ByteString,
}

impl Hub {
    /// Sockets that are open.
    pub fn sessions(&self) -> usize {
        self.sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .open
            .len()
    }

    /// Those of one network.
    pub(super) fn sessions_of(&self, network: Network) -> usize {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.by_network.get(&network).copied().unwrap_or(0)
    }

    pub(super) fn admit(&self, outbox: Arc<Outbox>) {
        self.sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .admit(outbox);
    }

    /// An order's payment went on: whoever watches it hears so at once.
    pub fn order_moved(&self, token: &str) {
        if self.subjects.contains_key(&Topic::Order(token.to_string())) {
            self.moved
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(token.to_string());
        }
    }

    /// Tokens of the orders that moved since this was last asked.
    pub(super) fn take_moved(&self) -> BTreeSet<String> {
        mem::take(&mut *self.moved.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A watcher joins a topic and hears its newest frame first. What does not exist stays silent.
    pub async fn join(&self, state: &State, topic: Topic, outbox: &Arc<Outbox>) {
        // It watches before its first frame is made: what is published meanwhile is newer, and goes before it.
        let known = self.watch(&topic, outbox);
        let first = match known {
            Some(newest) => Some(newest),
            None => make(state, &topic, 0).await,
        };
        let Some(first) = first else {
            return self.leave(&topic, outbox);
        };
        outbox.put(&topic, &first);
        if let Some(mut subject) = self.subjects.get_mut(&topic)
            && subject
                .newest
                .as_ref()
                .is_none_or(|old| old.seq < first.seq)
        {
            subject.newest = Some(first);
        }
    }

    /// What the others who watch heard last. While nobody watches nothing is published: then that may be old, and is not given.
    fn watch(&self, topic: &Topic, outbox: &Arc<Outbox>) -> Option<Newest> {
        let mut subject = self.subjects.entry(topic.clone()).or_default();
        let known = if subject.watchers.is_empty() {
            None
        } else {
            subject.newest.clone()
        };
        if !subject
            .watchers
            .iter()
            .any(|watcher| Arc::ptr_eq(watcher, outbox))
        {
            subject.watchers.push(outbox.clone());
        }
        known
    }

    pub fn leave(&self, topic: &Topic, outbox: &Arc<Outbox>) {
        if let Some(mut subject) = self.subjects.get_mut(topic) {
            subject
                .watchers
                .retain(|watcher| !Arc::ptr_eq(watcher, outbox));
        }
    }

    /// Gives a newer frame to everybody who watches.
    pub(super) fn publish(&self, topic: &Topic, newest: Newest) {
        let Some(mut subject) = self.subjects.get_mut(topic) else {
            return;
        };
        if subject
            .newest
            .as_ref()
            .is_some_and(|old| old.seq >= newest.seq)
        {
            return;
        }
        subject
            .watchers
            .retain(|watcher| watcher.put(topic, &newest));
        subject.newest = Some(newest);
    }

    /// Whoever opened the socket with a login that has ended since hears no more of a topic that is for that login alone.
    pub(super) async fn dismiss_signed_out(&self, state: &State, topic: &Topic) {
        let watchers = self
            .subjects
            .get(topic)
            .map(|subject| subject.watchers.clone())
            .unwrap_or_default();
        for watcher in watchers {
            let open = match &watcher.login {
                Some(login) => {
                    state
                        .records
                        .session_is_open(login, state.clock.now())
                        .await
                }
                None => Ok(false),
            };
            // While the books cannot be read nobody is told anything new anyway.
            if !open.unwrap_or(true) {
                self.leave(topic, &watcher);
                watcher.forget(topic);
            }
        }
    }

    /// Topics that somebody watches, with the sequence number of what they heard last.
    pub(super) fn watched(&self, wanted: impl Fn(&Topic) -> bool) -> Vec<(Topic, u64)> {
        let subjects = self
            .subjects
            .iter()
            .filter(|subject| wanted(subject.key()) && !subject.watchers.is_empty());
        subjects
            .map(|subject| {
                (
                    subject.key().clone(),
                    subject.newest.as_ref().map_or(0, |newest| newest.seq),
                )
            })
            .collect()
    }

    pub(super) fn clean(&self, now_ms: i64) {
        self.sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clean(now_ms);
        self.subjects.retain(|_, subject| {
            subject.watchers.retain(|watcher| !watcher.is_closed());
            !subject.watchers.is_empty()
        });
    }

    pub(super) fn say_goodbye(&self) {
        for outbox in &self
            .sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .open
        {
            outbox.close(Farewell::Draining);
        }
    }
}

impl Sessions {
    fn admit(&mut self, outbox: Arc<Outbox>) {
        if let Some(network) = outbox.network {
            *self.by_network.entry(network).or_default() += 1;
        }
        self.open.push(outbox);
    }

    fn clean(&mut self, now_ms: i64) {
        self.by_network.clear();
        let by_network = &mut self.by_network;
        self.open.retain(|outbox| {
            outbox.drop_if_stalled(now_ms);
            let stays = !outbox.is_closed();
            if let (true, Some(network)) = (stays, outbox.network) {
                *by_network.entry(network).or_default() += 1;
            }
            stays
        });
    }
}
