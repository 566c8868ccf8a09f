//! Limits the rate of calls to Stripe and decides which waiting call starts next (failure F26 of
//! the failure catalogue).
//!
//! Stripe allows a hundred calls per second with live keys in all, and 25 per second of each
//! endpoint, and rejects further calls with status 429. So calls beyond a rate wait here, and
//! captures start first. `GET /v1/payment_intents/{id}` is one endpoint, whatever the id.
//!
//! Source: Stripe's page "Rate limits".

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// The limits of calls to Stripe. They stay below Stripe's own limits, because other nodes and
/// Stripe's clock also count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StripeRateLimits {
    /// Calls per second from this process, for all accounts and endpoints together.
    pub calls_per_second: NonZeroU32,
    /// Calls per second from this process to one endpoint for one account.
    pub endpoint_calls_per_second: NonZeroU32,
}

/// Stripe's limit of all calls with a live key (100) divided by its limit of one endpoint (25). With
/// a test key both limits are 25.
const LIVE_CALLS_TO_ENDPOINT_CALLS: u32 = 4;

impl StripeRateLimits {
    /// Returns limits in the proportion of Stripe's own limits.
    pub fn in_proportion(calls_per_second: NonZeroU32, is_live: bool) -> StripeRateLimits {
        let divisor = if is_live {
            LIVE_CALLS_TO_ENDPOINT_CALLS
        } else {
            1
        };
        let endpoint_calls = NonZeroU32::new(calls_per_second.get() / divisor);
        StripeRateLimits {
            calls_per_second,
            endpoint_calls_per_second: endpoint_calls.unwrap_or(NonZeroU32::MIN),
        }
    }
}

/// The calls that share one of Stripe's limits: those to one endpoint for one account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CallBucket {
    /// The method and the path, with `{id}` in place of ids.
    pub endpoint: String,
    /// The connected account. Empty: the platform itself.
    pub account: String,
}

/// The priority of a waiting call. The first variant has the highest priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
/// rate of 80, at most 100 calls start in any second; with a rate of 20, at most 25.
const RATE_TO_MAX_BURST_RATIO: u32 = 4;
/// Pause of a bucket after its first rejected call. It doubles with each further rejection.
const BACK_OFF_FIRST: Duration = Duration::from_millis(250);
/// Longest pause of a bucket. It stays below [`CALL_WAIT_MAX`], so that waiting calls can start.
const BACK_OFF_MAX: Duration = Duration::from_secs(2);
/// Number of buckets above which idle ones are dropped.
const BUCKETS_MAX: usize = 4_096;

/// Token buckets with one priority queue, without a task of their own. The waiting call that may
/// start first sleeps until then. Every call that leaves the queue, even by being dropped, wakes
/// the next one.
pub(super) struct RateLimiter {
    endpoint_rate: CallRate,
    /// When the limiter was created. New buckets begin then: they had no calls since.
    created_at: Instant,
    queue: Mutex<CallQueue>,
}

/// The rate of one limit.
#[derive(Clone, Copy)]
struct CallRate {
    /// Time between the starts of two calls at the full rate.
    interval: Duration,
    /// The longest unused time that is saved for a burst of calls.
    burst_max: Duration,
}

/// One limit and how much of it is used.
struct TokenBucket {
    rate: CallRate,
    /// When the next call may start. It is in the past while part of the rate is unused.
    next_start: Instant,
    /// Number of calls in a row that Stripe rejected because of this limit.
    rejections: u32,
}

struct CallQueue {
    /// The limit of all calls together.
    total: TokenBucket,
    buckets: BTreeMap<CallBucket, TokenBucket>,
    /// Waiting calls by priority, each queue in order of arrival.
    waiting: [VecDeque<WaitingCall>; PRIORITY_COUNT],
    arrived: u64,
    started: u64,
}

struct WaitingCall {
    /// Sequence number of the call in order of arrival.
    number: u64,
    bucket: CallBucket,
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

impl CallRate {
    fn new(calls_per_second: NonZeroU32) -> CallRate {
        let interval = Duration::from_secs(1) / calls_per_second.get();
        let burst = (calls_per_second.get() / RATE_TO_MAX_BURST_RATIO).saturating_sub(1);
        CallRate {
            interval,
            burst_max: interval * burst,
        }
    }
}

impl TokenBucket {
    fn new(rate: CallRate, next_start: Instant) -> TokenBucket {
        TokenBucket {
            rate,
            next_start,
            rejections: 0,
        }
    }

    fn take_token(&mut self, now: Instant) {
        let burst_start = now.checked_sub(self.rate.burst_max).unwrap_or(now);
        self.next_start = self.next_start.max(burst_start) + self.rate.interval;
    }

    fn back_off(&mut self, now: Instant) {
        let pause = BACK_OFF_FIRST.saturating_mul(1 << self.rejections.min(16));
        self.rejections += 1;
        self.next_start = self.next_start.max(now + pause.min(BACK_OFF_MAX));
    }

    /// Whether the bucket is as a new one, so that it need not be kept.
    fn is_idle(&self, now: Instant) -> bool {
        self.rejections == 0 && self.next_start + self.rate.burst_max <= now
    }
}

impl RateLimiter {
    /// Creates a limiter. It allows no burst at first, because the previous process may have made
    /// calls just before.
    pub(super) fn new(limits: StripeRateLimits) -> RateLimiter {
        let created_at = Instant::now();
        let queue = CallQueue {
            total: TokenBucket::new(CallRate::new(limits.calls_per_second), created_at),
            buckets: BTreeMap::new(),
            waiting: Default::default(),
            arrived: 0,
            started: 0,
        };
        RateLimiter {
            endpoint_rate: CallRate::new(limits.endpoint_calls_per_second),
            created_at,
            queue: Mutex::new(queue),
        }
    }

    /// Waits until a call may start. `false`: too many calls of this priority wait, or the call has
    /// waited too long. Then the caller must not make the call.
    pub(super) async fn acquire(&self, priority: CallPriority, bucket: &CallBucket) -> bool {
        match self.enqueue(priority, bucket) {
            Some(waiter) => tokio::time::timeout(CALL_WAIT_MAX, waiter.wait())
                .await
                .is_ok(),
            None => false,
        }
    }

    /// Pauses the calls that share a limit after Stripe rejected one of them with status 429.
    /// `is_total`: Stripe named the limit of all calls.
    pub(super) fn back_off(&self, bucket: &CallBucket, is_total: bool) {
        let now = Instant::now();
        let mut queue = self.lock_queue();
        if is_total {
            queue.total.back_off(now);
        } else {
            self.bucket_in(&mut queue, bucket).back_off(now);
        }
    }

    /// Ends the lengthening of pauses after Stripe has accepted a call.
    pub(super) fn note_accepted_call(&self, bucket: &CallBucket) {
        let mut queue = self.lock_queue();
        queue.total.rejections = 0;
        if let Some(bucket) = queue.buckets.get_mut(bucket) {
            bucket.rejections = 0;
        }
    }

    fn enqueue(&self, priority: CallPriority, bucket: &CallBucket) -> Option<WaitingCallGuard<'_>> {
        let mut queue = self.lock_queue();
        let number = queue.arrived;
        let waiting = &mut queue.waiting[priority as usize];
        if waiting.len() >= WAITING_CALLS_PER_PRIORITY_MAX {
            return None;
        }
        let wakeup = Arc::new(Notify::new());
        waiting.push_back(WaitingCall {
            number,
            bucket: bucket.clone(),
            wakeup: wakeup.clone(),
        });
        queue.arrived += 1;
        self.bucket_in(&mut queue, bucket);
        Some(WaitingCallGuard {
            rate_limiter: self,
            priority,
            number,
            wakeup,
        })
    }

    /// Returns the bucket of a call. Creates it if the call is the first of its kind.
    fn bucket_in<'a>(&self, queue: &'a mut CallQueue, bucket: &CallBucket) -> &'a mut TokenBucket {
        if queue.buckets.len() >= BUCKETS_MAX {
            let (now, waiting) = (Instant::now(), &queue.waiting);
            let is_used = |kept: &CallBucket| {
                let mut calls = waiting.iter().flatten();
                calls.any(|call| call.bucket == *kept)
            };
            queue
                .buckets
                .retain(|kept, tokens| !tokens.is_idle(now) || is_used(kept));
        }
        let new = || TokenBucket::new(self.endpoint_rate, self.created_at);
        queue.buckets.entry(bucket.clone()).or_insert_with(new)
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
    /// Returns the waiting call that may start first, and when. Of the calls that may start at the
    /// same time, the priority decides, or the order of arrival for one call of
    /// [`LONGEST_WAITING_CALL_ONE_IN`].
    fn next_waiting_call(&self, now: Instant) -> Option<(&WaitingCall, Instant)> {
        let by_arrival = (self.started + 1).is_multiple_of(LONGEST_WAITING_CALL_ONE_IN);
        let from = self.total.next_start.max(now);
        let calls = self
            .waiting
            .iter()
            .enumerate()
            .flat_map(|(priority, calls)| {
                let rank = if by_arrival { 0 } else { priority };
                calls.iter().map(move |call| (rank, call))
            });
        let candidates = calls.map(|(rank, call)| {
            let bucket_start = self
                .buckets
                .get(&call.bucket)
                .map(|bucket| bucket.next_start);
            let start = bucket_start.map_or(from, |bucket_start| bucket_start.max(from));
            (start, rank, call)
        });
        candidates
            .min_by_key(|(start, rank, call)| (*start, *rank, call.number))
            .map(|(start, _, call)| (call, start))
    }

    fn wake_next_call(&self, now: Instant) {
        if let Some((next, _)) = self.next_waiting_call(now) {
            next.wakeup.notify_one();
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
        let now = Instant::now();
        let Some((next, start)) = queue.next_waiting_call(now) else {
            return CallTurn::Wait;
        };
        if next.number != self.number {
            // A pause of this call's bucket may have made another call the next one, which then
            // still waits for a wakeup.
            next.wakeup.notify_one();
            return CallTurn::Wait;
        }
        if start > now {
            return CallTurn::WaitUntil(start);
        }
        let bucket = next.bucket.clone();
        queue.total.take_token(now);
        let bucket = self.rate_limiter.bucket_in(&mut queue, &bucket);
        bucket.take_token(now);
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
        queue.wake_next_call(Instant::now());
    }
}

#[cfg(test)]
mod tests;
