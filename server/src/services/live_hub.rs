//! Manages WebSocket subscriptions: the open sockets, their topics, and each topic's newest frame.

use std::collections::{BTreeSet, HashMap};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use bytestring::ByteString;
use dashmap::DashMap;
use domain::Timestamp;
use persistence::records::Records;

use crate::services::limits::Network;

pub mod outbox;
pub mod topic;

use outbox::{DisconnectReason, Outbox};
use topic::Topic;

/// The open sockets and the subscribed topics.
#[derive(Default)]
pub struct LiveHub {
    topics: DashMap<Topic, TopicState>,
    sessions: Mutex<OpenSockets>,
    /// Tokens of the orders that changed since the last publication.
    changed_orders: Mutex<BTreeSet<String>>,
}

/// The open sockets, and their number per network for the limit on new sockets.
#[derive(Default)]
struct OpenSockets {
    open: Vec<Arc<Outbox>>,
    by_network: HashMap<Network, usize>,
}

#[derive(Default)]
struct TopicState {
    latest: Option<TopicFrame>,
    watchers: Vec<Arc<Outbox>>,
}

/// An encoded frame of a topic.
#[derive(Clone)]
pub struct TopicFrame {
    pub seq: u64,
    pub text: ByteString,
}

impl LiveHub {
    /// Number of open sockets.
    pub fn open_socket_count(&self) -> usize {
        self.sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .open
            .len()
    }

    /// Number of open sockets of one network.
    pub fn open_sockets_of_network(&self, network: Network) -> usize {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.by_network.get(&network).copied().unwrap_or(0)
    }

    /// Registers a new open socket.
    pub fn register_socket(&self, outbox: Arc<Outbox>) {
        self.sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .add(outbox);
    }

    /// Marks an order as changed, so that its subscribers are updated at once.
    pub fn mark_order_changed(&self, token: &str) {
        if self.topics.contains_key(&Topic::Order(token.to_string())) {
            self.changed_orders
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(token.to_string());
        }
    }

    /// Returns the tokens of the orders that changed since the last call, and clears the set.
    pub fn take_changed_orders(&self) -> BTreeSet<String> {
        mem::take(
            &mut *self
                .changed_orders
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Subscribes a socket to a topic. Returns the topic's newest frame if the topic had
    /// subscribers before. Otherwise returns `None`, because a topic without subscribers is not
    /// updated.
    pub fn add_subscriber(&self, topic: &Topic, outbox: &Arc<Outbox>) -> Option<TopicFrame> {
        let mut topic_state = self.topics.entry(topic.clone()).or_default();
        let current = if topic_state.watchers.is_empty() {
            None
        } else {
            topic_state.latest.clone()
        };
        if !topic_state
            .watchers
            .iter()
            .any(|watcher| Arc::ptr_eq(watcher, outbox))
        {
            topic_state.watchers.push(outbox.clone());
        }
        current
    }

    /// Sends a socket its first frame of a topic. Also stores the frame for later subscribers,
    /// unless an equally new or newer frame is stored already.
    pub fn send_first_frame(&self, topic: &Topic, outbox: &Arc<Outbox>, first: TopicFrame) {
        outbox.queue_frame(topic, &first);
        if let Some(mut topic_state) = self.topics.get_mut(topic)
            && topic_state
                .latest
                .as_ref()
                .is_none_or(|old| old.seq < first.seq)
        {
            topic_state.latest = Some(first);
        }
    }

    /// Unsubscribes a socket from a topic.
    pub fn unsubscribe(&self, topic: &Topic, outbox: &Arc<Outbox>) {
        if let Some(mut topic_state) = self.topics.get_mut(topic) {
            topic_state
                .watchers
                .retain(|watcher| !Arc::ptr_eq(watcher, outbox));
        }
    }

    /// Sends a frame of a topic to all its subscribers. A frame that is no newer than the last one
    /// is dropped.
    pub fn publish(&self, topic: &Topic, latest: TopicFrame) {
        let Some(mut topic_state) = self.topics.get_mut(topic) else {
            return;
        };
        if topic_state
            .latest
            .as_ref()
            .is_some_and(|old| old.seq >= latest.seq)
        {
            return;
        }
        topic_state
            .watchers
            .retain(|watcher| watcher.queue_frame(topic, &latest));
        topic_state.latest = Some(latest);
    }

    /// Unsubscribes the sockets whose login has ended from `topic`, which requires a login.
    pub async fn unsubscribe_signed_out(&self, records: &Records, now: Timestamp, topic: &Topic) {
        let watchers = self
            .topics
            .get(topic)
            .map(|topic_state| topic_state.watchers.clone())
            .unwrap_or_default();
        for watcher in watchers {
            let open = match &watcher.login {
                Some(login) => records.session_is_open(login, now).await,
                None => Ok(false),
            };
            // Keep the subscription if the database cannot be read: no new frame of such a topic is
            // published then.
            if !open.unwrap_or(true) {
                self.unsubscribe(topic, &watcher);
                watcher.remove_topic(topic);
            }
        }
    }

    /// Returns the subscribed topics that match `filter`, each with the sequence number of its
    /// newest frame.
    pub fn subscribed_topics(&self, filter: impl Fn(&Topic) -> bool) -> Vec<(Topic, u64)> {
        let topics = self
            .topics
            .iter()
            .filter(|topic_state| filter(topic_state.key()) && !topic_state.watchers.is_empty());
        topics
            .map(|topic_state| {
                (
                    topic_state.key().clone(),
                    topic_state.latest.as_ref().map_or(0, |latest| latest.seq),
                )
            })
            .collect()
    }

    /// Removes closed and stalled sockets, and topics without subscribers.
    pub fn remove_closed_sockets(&self, now_ms: i64) {
        self.sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove_closed(now_ms);
        self.topics.retain(|_, topic_state| {
            topic_state.watchers.retain(|watcher| !watcher.is_closed());
            !topic_state.watchers.is_empty()
        });
    }

    /// Asks every socket to reconnect to another node.
    pub fn close_all_sockets(&self) {
        for outbox in &self
            .sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .open
        {
            outbox.request_close(DisconnectReason::Draining);
        }
    }
}

impl OpenSockets {
    fn add(&mut self, outbox: Arc<Outbox>) {
        if let Some(network) = outbox.network {
            *self.by_network.entry(network).or_default() += 1;
        }
        self.open.push(outbox);
    }

    fn remove_closed(&mut self, now_ms: i64) {
        self.by_network.clear();
        let by_network = &mut self.by_network;
        self.open.retain(|outbox| {
            outbox.drop_if_stalled(now_ms);
            let is_open = !outbox.is_closed();
            if let (true, Some(network)) = (is_open, outbox.network) {
                *by_network.entry(network).or_default() += 1;
            }
            is_open
        });
    }
}
