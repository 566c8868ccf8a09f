//! In which order and how fast calls leave for the provider (reliability.md, F26). Its documented limit is of the platform's account,
//! for all clubs together: a hundred calls a second with live keys; whoever asks more is answered 429. So calls that would be
//! too many wait here, and money that is ours to take goes first.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// Which calls go before which while calls must wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rank {
    Capture,
    Cancel,
    /// Making an intent, and every other write.
    Create,
    Read,
}

const RANKS: usize = 4;
/// Calls of one rank that may wait; reads in their hundreds do not keep a capture out.
pub(super) const WAITING_MAX: usize = 256;
/// Longest wait. Two calls that wait as long and are answered as late as may be (10 s) are over before their operation's lease
/// is (30 s).
pub(super) const WAIT_MAX: Duration = Duration::from_secs(4);
/// Of so many calls one is whoever has waited longest: a capture begins with a read, which new buyers must not keep out for good.
const TURN: u64 = 4;
/// What an idle second saves up, as a part of the rate: a rate of 80 never comes to more than 100 in any second.
const BURST_PART: u32 = 4;

/// A bucket that fills at a steady rate, and who waits for it. No task of its own: whoever is first in line minds the clock, and
/// whoever leaves the line, also by being dropped, wakes the next.
pub(super) struct Pacer {
    /// Between two calls.
    every: Duration,
    /// How far the next call's time may lie behind now.
    saved_max: Duration,
    line: Mutex<Line>,
}

struct Line {
    /// When the next call may leave; behind now while fewer leave than may.
    next: Instant,
    /// By rank, whoever came first in front.
    waiting: [VecDeque<Place>; RANKS],
    came: u64,
    left: u64,
}

struct Place {
    /// How many had come before.
    number: u64,
    turn: Arc<Notify>,
}

/// What whoever asks for its turn hears.
enum Turn {
    Now,
    /// It is first, and must wait until then.
    At(Instant),
    /// Others are first; it is woken when that changes.
    Later,
}

impl Pacer {
    /// A process that has just begun has nothing saved up: the one before it may have called a moment ago.
    pub(super) fn new(calls_per_second: NonZeroU32) -> Pacer {
        let every = Duration::from_secs(1) / calls_per_second.get();
        let saved_max = every * (calls_per_second.get() / BURST_PART).saturating_sub(1);
        let line = Line {
            next: Instant::now(),
            waiting: Default::default(),
            came: 0,
            left: 0,
        };
        Pacer {
            every,
            saved_max,
            line: Mutex::new(line),
        }
    }

    /// Waits for this call's turn. `false`: too many wait, or it waited too long; then it must not leave.
    pub(super) async fn pass(&self, rank: Rank) -> bool {
        match self.join(rank) {
            Some(waiter) => tokio::time::timeout(WAIT_MAX, waiter.turn()).await.is_ok(),
            None => false,
        }
    }

    fn join(&self, rank: Rank) -> Option<Waiter<'_>> {
        let mut line = self.lock();
        let number = line.came;
        let queue = &mut line.waiting[rank as usize];
        if queue.len() >= WAITING_MAX {
            return None;
        }
        let turn = Arc::new(Notify::new());
        queue.push_back(Place {
            number,
            turn: turn.clone(),
        });
        line.came += 1;
        Some(Waiter {
            pacer: self,
            rank,
            number,
            turn,
        })
    }

    /// Never held while anybody waits.
    fn lock(&self) -> MutexGuard<'_, Line> {
        // Nothing in here panics half done.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.lock().waiting.iter().map(VecDeque::len).sum()
    }
}

impl Line {
    fn first(&self) -> Option<&Place> {
        let mut fronts = self.waiting.iter().filter_map(VecDeque::front);
        match (self.left + 1).is_multiple_of(TURN) {
            true => fronts.min_by_key(|place| place.number),
            false => fronts.next(),
        }
    }
}

/// A call in line, until it leaves or nobody wants its answer any more.
struct Waiter<'a> {
    pacer: &'a Pacer,
    rank: Rank,
    number: u64,
    turn: Arc<Notify>,
}

impl Waiter<'_> {
    async fn turn(&self) {
        loop {
            match self.ask() {
                Turn::Now => return,
                Turn::At(when) => tokio::time::sleep_until(when).await,
                Turn::Later => self.turn.notified().await,
            }
        }
    }

    fn ask(&self) -> Turn {
        let mut line = self.pacer.lock();
        if line.first().is_none_or(|first| first.number != self.number) {
            return Turn::Later;
        }
        let now = Instant::now();
        if line.next > now {
            return Turn::At(line.next);
        }
        let saved = now.checked_sub(self.pacer.saved_max).unwrap_or(now);
        line.next = line.next.max(saved) + self.pacer.every;
        line.left += 1;
        Turn::Now
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut line = self.pacer.lock();
        let queue = &mut line.waiting[self.rank as usize];
        if let Ok(place) = queue.binary_search_by_key(&self.number, |place| place.number) {
            queue.remove(place);
        }
        if let Some(first) = line.first() {
            first.turn.notify_one();
        }
    }
}

#[cfg(test)]
mod tests;
