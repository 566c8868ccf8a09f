//! What one socket still has to send: the newest frame of each topic, and nothing older.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bytestring::ByteString;

use super::Newest;
use super::topic::Topic;
use crate::limits::Network;

/// A socket whose frames wait so long is not being read.
const STALLED_MS: i64 = 10_000;

/// Why the server ends a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// 1001: the server stops; come back, not all at once.
    Draining,
    /// 1013: it does not read what it is sent.
    TooSlow,
}

/// Wakes the session that owns the outbox; `false` when it is gone.
pub type Waker = Box<dyn Fn() -> bool + Send + Sync>;

#[derive(Default)]
pub struct Outbox {
    inner: Mutex<Inner>,
    waker: OnceLock<Waker>,
    /// The login it was opened with, as the books hold it: what is for that login alone ends with it.
    pub login: Option<[u8; 32]>,
    /// Where its browser is.
    pub network: Option<Network>,
}

#[derive(Default)]
struct Inner {
    /// In the order in which they were first heard of. Most sockets have one or two: a list of them is small.
    topics: Vec<Heard>,
    waiting_since_ms: Option<i64>,
    farewell: Option<Farewell>,
    closed: bool,
}

/// One topic as a socket hears it.
struct Heard {
    topic: Topic,
    /// The newest sequence number put in: an older frame that comes late is not sent.
    seen: u64,
    waiting: Option<ByteString>,
}

impl Inner {
    fn has_waiting(&self) -> bool {
        self.topics.iter().any(|heard| heard.waiting.is_some())
    }

    fn drop_waiting(&mut self) {
        self.topics
            .iter_mut()
            .for_each(|heard| heard.waiting = None);
    }
}

/// What a session has to do now.
pub struct Taken {
    pub frames: Vec<ByteString>,
    pub farewell: Option<Farewell>,
}

impl Outbox {
    pub fn of(login: Option<[u8; 32]>, network: Network) -> Outbox {
        Outbox {
            login,
            network: Some(network),
            ..Outbox::default()
        }
    }

    /// The session started and can be woken.
    pub fn opened(&self, waker: Waker) {
        let _ = self.waker.set(waker);
        if self.lock().has_waiting() {
            self.wake();
        }
    }

    /// Puts in a frame, over an older one of the same topic. `false` when the socket is gone.
    pub fn put(&self, topic: &Topic, newest: &Newest) -> bool {
        let mut inner = self.lock();
        if inner.closed {
            return false;
        }
        let idle = !inner.has_waiting();
        match inner.topics.iter_mut().find(|heard| heard.topic == *topic) {
            Some(heard) if heard.seen >= newest.seq => return true,
            Some(heard) => (heard.seen, heard.waiting) = (newest.seq, Some(newest.text.clone())),
            None => {
                inner.topics.reserve_exact(1);
                let (topic, waiting) = (topic.clone(), Some(newest.text.clone()));
                inner.topics.push(Heard {
                    topic,
                    seen: newest.seq,
                    waiting,
                });
            }
        }
        drop(inner);
        // One wake-up is enough for any number of frames.
        !idle || self.wake()
    }

    /// Forgets a topic: what waits of it is not sent, and joining it again begins with a snapshot.
    pub fn forget(&self, topic: &Topic) {
        self.lock().topics.retain(|heard| heard.topic != *topic);
    }

    pub fn take(&self) -> Taken {
        let mut inner = self.lock();
        inner.waiting_since_ms = None;
        let frames = inner
            .topics
            .iter_mut()
            .filter_map(|heard| heard.waiting.take())
            .collect();
        Taken {
            frames,
            farewell: inner.farewell,
        }
    }

    /// Ends the socket as soon as its session runs.
    pub fn close(&self, farewell: Farewell) {
        self.lock().farewell.get_or_insert(farewell);
        self.wake();
    }

    /// A session that has had frames waiting too long is cut off from every topic and closed when it runs again.
    pub fn drop_if_stalled(&self, now_ms: i64) {
        let mut inner = self.lock();
        if !inner.has_waiting() || inner.closed {
            return;
        }
        let since = *inner.waiting_since_ms.get_or_insert(now_ms);
        if now_ms - since >= STALLED_MS {
            inner.farewell.get_or_insert(Farewell::TooSlow);
            inner.drop_waiting();
            inner.closed = true;
        }
    }

    /// The session ended.
    pub fn gone(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.drop_waiting();
    }

    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    fn wake(&self) -> bool {
        self.waker.get().is_none_or(|waker| waker())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn newest(seq: u64) -> Newest {
        Newest {
            seq,
            text: format!("{seq}").into(),
        }
    }

    fn outbox() -> (Outbox, Arc<AtomicUsize>) {
        let (outbox, woken) = (Outbox::default(), Arc::new(AtomicUsize::new(0)));
        let count = woken.clone();
        outbox.opened(Box::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
            true
        }));
        (outbox, woken)
    }

    #[test]
    fn a_slow_socket_skips_to_the_newest_frame_of_each_topic() {
        let (outbox, woken) = outbox();
        for seq in 1..=1000 {
            assert!(outbox.put(&Topic::Draws, &newest(seq)));
        }
        outbox.put(&Topic::Public, &newest(7));
        assert_eq!(woken.load(Ordering::Relaxed), 1, "one wake-up for all");
        assert_eq!(outbox.take().frames, ["1000", "7"]);
        assert!(outbox.take().frames.is_empty());
    }

    #[test]
    fn an_older_frame_that_comes_late_is_not_sent() {
        let (outbox, _) = outbox();
        outbox.put(&Topic::Draws, &newest(5));
        outbox.take();
        outbox.put(&Topic::Draws, &newest(4));
        assert!(outbox.take().frames.is_empty());
        outbox.forget(&Topic::Draws);
        outbox.put(&Topic::Draws, &newest(4));
        assert_eq!(outbox.take().frames, ["4"], "joined again");
    }

    #[test]
    fn who_does_not_read_is_dropped_and_told_why_when_it_runs_again() {
        let (outbox, _) = outbox();
        outbox.put(&Topic::Draws, &newest(1));
        outbox.drop_if_stalled(0);
        outbox.drop_if_stalled(STALLED_MS - 1);
        assert!(!outbox.is_closed());
        outbox.drop_if_stalled(STALLED_MS);
        assert!(outbox.is_closed());
        assert!(
            !outbox.put(&Topic::Draws, &newest(2)),
            "cut off from the topic"
        );
        assert_eq!(outbox.take().farewell, Some(Farewell::TooSlow));
    }
}
