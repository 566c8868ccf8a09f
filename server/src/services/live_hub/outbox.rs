//! The unsent frames of one socket: the newest frame of each topic, and nothing older.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bytestring::ByteString;

use super::TopicFrame;
use super::topic::Topic;
use crate::services::limits::Network;

/// Time in milliseconds after which a socket with unsent frames counts as stalled.
const SOCKET_STALLED_AFTER_MS: i64 = 10_000;

/// Why the server closes a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisconnectReason {
    /// Close code 1001: the server stops. Clients reconnect after a random delay.
    Draining,
    /// Close code 1013: the client does not read fast enough.
    TooSlow,
}

/// Notifies the session that owns the outbox of new frames. Returns `false` when the session has
/// ended.
pub type SessionWaker = Box<dyn Fn() -> bool + Send + Sync>;

/// The unsent frames of one socket.
#[derive(Default)]
pub struct Outbox {
    inner: Mutex<OutboxState>,
    waker: OnceLock<SessionWaker>,
    /// Hash of the login with which the socket was opened. Subscriptions that require a login end
    /// when this login ends.
    pub login: Option<[u8; 32]>,
    /// The client's network, by which open sockets are counted and limited.
    pub network: Option<Network>,
}

#[derive(Default)]
struct OutboxState {
    /// The subscribed topics in order of subscription. A list suffices, because most sockets have
    /// one or two topics.
    topics: Vec<TopicQueue>,
    waiting_since_ms: Option<i64>,
    disconnect: Option<DisconnectReason>,
    closed: bool,
}

/// The state of one topic on a socket.
struct TopicQueue {
    topic: Topic,
    /// Highest sequence number queued so far. Frames with a lower number arrive late and are
    /// dropped.
    newest_seq: u64,
    waiting: Option<ByteString>,
}

impl OutboxState {
    fn has_unsent_frame(&self) -> bool {
        self.topics.iter().any(|queue| queue.waiting.is_some())
    }

    fn drop_unsent_frames(&mut self) {
        self.topics
            .iter_mut()
            .for_each(|queue| queue.waiting = None);
    }
}

/// The frames that a session must send, and the reason to close its socket, if any.
pub struct OutboxContents {
    pub frames: Vec<ByteString>,
    pub disconnect: Option<DisconnectReason>,
}

impl Outbox {
    pub fn new(login: Option<[u8; 32]>, network: Network) -> Outbox {
        Outbox {
            login,
            network: Some(network),
            ..Outbox::default()
        }
    }

    /// Registers the callback that notifies the session of new frames.
    pub fn attach_waker(&self, waker: SessionWaker) {
        let _ = self.waker.set(waker);
        if self.lock_state().has_unsent_frame() {
            self.wake_session();
        }
    }

    /// Queues a frame in place of an unsent frame of the same topic. Returns `false` when the
    /// socket is closed.
    pub fn queue_frame(&self, topic: &Topic, frame: &TopicFrame) -> bool {
        let mut inner = self.lock_state();
        if inner.closed {
            return false;
        }
        let was_empty = !inner.has_unsent_frame();
        match inner.topics.iter_mut().find(|queue| queue.topic == *topic) {
            Some(queue) if queue.newest_seq >= frame.seq => return true,
            Some(queue) => {
                (queue.newest_seq, queue.waiting) = (frame.seq, Some(frame.text.clone()));
            }
            None => {
                inner.topics.reserve_exact(1);
                let (topic, waiting) = (topic.clone(), Some(frame.text.clone()));
                inner.topics.push(TopicQueue {
                    topic,
                    newest_seq: frame.seq,
                    waiting,
                });
            }
        }
        drop(inner);
        // If other frames were unsent, the session has been notified already.
        !was_empty || self.wake_session()
    }

    /// Removes a topic and its unsent frame. A new subscription to the topic begins with the
    /// topic's current frame.
    pub fn remove_topic(&self, topic: &Topic) {
        self.lock_state()
            .topics
            .retain(|queue| queue.topic != *topic);
    }

    /// Returns all unsent frames and the close reason, and empties the outbox.
    pub fn drain_frames(&self) -> OutboxContents {
        let mut inner = self.lock_state();
        inner.waiting_since_ms = None;
        let frames = inner
            .topics
            .iter_mut()
            .filter_map(|queue| queue.waiting.take())
            .collect();
        OutboxContents {
            frames,
            disconnect: inner.disconnect,
        }
    }

    /// Requests that the session closes the socket for this reason.
    pub fn request_close(&self, disconnect: DisconnectReason) {
        self.lock_state().disconnect.get_or_insert(disconnect);
        self.wake_session();
    }

    /// Drops the frames of a stalled session and requests that the session closes its socket.
    pub fn drop_if_stalled(&self, now_ms: i64) {
        let mut inner = self.lock_state();
        if !inner.has_unsent_frame() || inner.closed {
            return;
        }
        let since = *inner.waiting_since_ms.get_or_insert(now_ms);
        if now_ms - since >= SOCKET_STALLED_AFTER_MS {
            inner.disconnect.get_or_insert(DisconnectReason::TooSlow);
            inner.drop_unsent_frames();
            inner.closed = true;
        }
    }

    /// Marks the session as ended.
    pub fn mark_session_ended(&self) {
        let mut inner = self.lock_state();
        inner.closed = true;
        inner.drop_unsent_frames();
    }

    pub fn is_closed(&self) -> bool {
        self.lock_state().closed
    }

    fn wake_session(&self) -> bool {
        self.waker.get().is_none_or(|waker| waker())
    }

    fn lock_state(&self) -> MutexGuard<'_, OutboxState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn frame(seq: u64) -> TopicFrame {
        TopicFrame {
            seq,
            text: format!("{seq}").into(),
        }
    }

    fn outbox_with_wake_count() -> (Outbox, Arc<AtomicUsize>) {
        let (outbox, woken) = (Outbox::default(), Arc::new(AtomicUsize::new(0)));
        let count = woken.clone();
        outbox.attach_waker(Box::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
            true
        }));
        (outbox, woken)
    }

    #[test]
    fn slow_socket_gets_only_the_newest_frame_of_each_topic() {
        let (outbox, woken) = outbox_with_wake_count();
        for seq in 1..=1000 {
            assert!(outbox.queue_frame(&Topic::Draws, &frame(seq)));
        }
        outbox.queue_frame(&Topic::Public, &frame(7));
        assert_eq!(woken.load(Ordering::Relaxed), 1, "one wake-up for all");
        assert_eq!(outbox.drain_frames().frames, ["1000", "7"]);
        assert!(outbox.drain_frames().frames.is_empty());
    }

    #[test]
    fn late_older_frame_is_not_sent() {
        let (outbox, _) = outbox_with_wake_count();
        outbox.queue_frame(&Topic::Draws, &frame(5));
        outbox.drain_frames();
        outbox.queue_frame(&Topic::Draws, &frame(4));
        assert!(outbox.drain_frames().frames.is_empty());
        outbox.remove_topic(&Topic::Draws);
        outbox.queue_frame(&Topic::Draws, &frame(4));
        assert_eq!(outbox.drain_frames().frames, ["4"], "subscribed again");
    }

    #[test]
    fn stalled_socket_is_cut_off_and_closed_as_too_slow() {
        let (outbox, _) = outbox_with_wake_count();
        outbox.queue_frame(&Topic::Draws, &frame(1));
        outbox.drop_if_stalled(0);
        outbox.drop_if_stalled(SOCKET_STALLED_AFTER_MS - 1);
        assert!(!outbox.is_closed());
        outbox.drop_if_stalled(SOCKET_STALLED_AFTER_MS);
        assert!(outbox.is_closed());
        assert!(
            !outbox.queue_frame(&Topic::Draws, &frame(2)),
            "cut off from the topic"
        );
        assert_eq!(
            outbox.drain_frames().disconnect,
            Some(DisconnectReason::TooSlow)
        );
    }
}
