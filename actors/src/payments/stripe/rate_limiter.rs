//! Limits the rate of calls to Stripe and decides which waiting call starts next (failure F26 of
//! the failure catalogue).
//!
//! Stripe allows a hundred calls per second with live keys, for the platform's account and all
//! clubs together, and rejects further calls with status 429. So calls beyond the rate wait here,
//! and captures start first.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// The priority of a waiting call. The first variant has the highest priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallPriority {
    Capture,
    Cancel,
    /// Creating an intent, and every other write that is neither a capture nor a cancellation.
    Create,
    Read,
}

const PRIORITY_COUNT: usize = 4;
/// Largest number of waiting calls of one priority. Each priority has its own limit, so waiting
/// reads cannot prevent a capture from waiting.
pub(super) const WAITING_CALLS_PER_PRIORITY_MAX: usize = 256;
/// Longest wait of a call. Two calls that wait this long and then take the full timeout (10 s)
/// still end before the lease of their operation (30 s) expires.
pub(super) const CALL_WAIT_MAX: Duration = Duration::from_secs(4);
/// One of this many started calls is the call that has waited longest, whatever its priority.
/// Otherwise calls for new buyers could block reads permanently, and every capture starts with a
/// read.
const LONGEST_WAITING_CALL_ONE_IN: u64 = 4;
/// The largest burst after an idle time is the number of calls per second divided by this. With a
/// rate of 80, at most 100 calls start in any second.
const RATE_TO_MAX_BURST_RATIO: u32 = 4;

/// A token bucket with a priority queue, without a task of its own. The first waiting call sleeps
/// until it may start. Every call that leaves the queue, even by being dropped, wakes the next one.
pub(super) struct RateLimiter {
    /// Time between the starts of two calls at the full rate.
    interval: Duration,
    /// The longest unused time that is saved for a burst of calls.
    burst_max: Duration,
    queue: Mutex<CallQueue>,
}

struct CallQueue {
    /// When the next call may start. It is in the past while part of the rate is unused.
    next_start: Instant,
    /// Waiting calls by priority, each queue in order of arrival.
    waiting: [VecDeque<WaitingCall>; PRIORITY_COUNT],
    arrived: u64,
    started: u64,
}

struct WaitingCall {
    /// Sequence number of the call in order of arrival.
    number: u64,
    wakeup: Arc<Notify>,
}

/// Whether a waiting call may start.
enum CallTurn {
    Start,
    /// The call is next, and may start at this time.
    WaitUntil(Instant),
    /// Other calls are before this one. The call is woken when that changes.
    Wait,
}

impl RateLimiter {
    /// Creates a limiter. It allows no burst at first, because the previous process may have made
    /// calls just before.
    pub(super) fn new(calls_per_second: NonZeroU32) -> RateLimiter {
        let interval = Duration::from_secs(1) / calls_per_second.get();
        let burst_max =
            interval * (calls_per_second.get() / RATE_TO_MAX_BURST_RATIO).saturating_sub(1);
        let queue = CallQueue {
            next_start: Instant::now(),
            waiting: Default::default(),
            arrived: 0,
            started: 0,
        };
        RateLimiter {
            interval,
            burst_max,
            queue: Mutex::new(queue),
        }
    }

    /// Waits until a call may start. `false`: too many calls of this priority wait, or the call has
    /// waited too long. Then the caller must not make the call.
    pub(super) async fn acquire(&self, priority: CallPriority) -> bool {
        match self.enqueue(priority) {
            Some(waiter) => tokio::time::timeout(CALL_WAIT_MAX, waiter.wait())
                .await
                .is_ok(),
            None => false,
        }
    }

    fn enqueue(&self, priority: CallPriority) -> Option<WaitingCallGuard<'_>> {
        let mut queue = self.lock_queue();
        let number = queue.arrived;
        let waiting = &mut queue.waiting[priority as usize];
        if waiting.len() >= WAITING_CALLS_PER_PRIORITY_MAX {
            return None;
        }
        let wakeup = Arc::new(Notify::new());
        waiting.push_back(WaitingCall {
            number,
            wakeup: wakeup.clone(),
        });
        queue.arrived += 1;
        Some(WaitingCallGuard {
            rate_limiter: self,
            priority,
            number,
            wakeup,
        })
    }

    /// Locks the queue. The lock must never be held across an await.
    fn lock_queue(&self) -> MutexGuard<'_, CallQueue> {
        // No code panics while it holds the lock, so the queue is consistent.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn waiting_count(&self) -> usize {
        self.lock_queue().waiting.iter().map(VecDeque::len).sum()
    }
}

impl CallQueue {
    fn next_waiting_call(&self) -> Option<&WaitingCall> {
        let mut first_by_priority = self.waiting.iter().filter_map(VecDeque::front);
        if (self.started + 1).is_multiple_of(LONGEST_WAITING_CALL_ONE_IN) {
            first_by_priority.min_by_key(|call| call.number)
        } else {
            first_by_priority.next()
        }
    }
}

/// A call in the queue. Dropping it removes the call.
struct WaitingCallGuard<'a> {
    rate_limiter: &'a RateLimiter,
    priority: CallPriority,
    number: u64,
    wakeup: Arc<Notify>,
}

impl WaitingCallGuard<'_> {
    async fn wait(&self) {
        loop {
            match self.try_start() {
                CallTurn::Start => return,
                CallTurn::WaitUntil(at) => tokio::time::sleep_until(at).await,
                CallTurn::Wait => self.wakeup.notified().await,
            }
        }
    }

    fn try_start(&self) -> CallTurn {
        let mut queue = self.rate_limiter.lock_queue();
        if queue
            .next_waiting_call()
            .is_none_or(|first| first.number != self.number)
        {
            return CallTurn::Wait;
        }
        let now = Instant::now();
        if queue.next_start > now {
            return CallTurn::WaitUntil(queue.next_start);
        }
        let burst_start = now.checked_sub(self.rate_limiter.burst_max).unwrap_or(now);
        queue.next_start = queue.next_start.max(burst_start) + self.rate_limiter.interval;
        queue.started += 1;
        CallTurn::Start
    }
}

impl Drop for WaitingCallGuard<'_> {
    fn drop(&mut self) {
        let mut queue = self.rate_limiter.lock_queue();
        let waiting = &mut queue.waiting[self.priority as usize];
        if let Ok(position) = waiting.binary_search_by_key(&self.number, |call| call.number) {
            waiting.remove(position);
        }
        if let Some(first) = queue.next_waiting_call() {
            first.wakeup.notify_one();
        }
    }
}

#[cfg(test)]
mod tests;
