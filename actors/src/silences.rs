//! Owners of draws that did not answer us, and when that is enough to take a draw over.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{DrawId, View};
use persistence::nodes::Boot;
use tokio::sync::watch;
use tokio::time::Instant;

/// A connection that breaks at once says nothing of who was to answer on it; and who writes and answers within this is well.
pub(crate) const SILENCE: Duration = Duration::from_millis(400);
/// So long an owner is suspect after it was silent.
const SUSPECT: Duration = Duration::from_secs(5);

/// By draw. Whoever was silent longer ago than `SUSPECT` is forgotten with the next silence.
#[derive(Default)]
pub(crate) struct Silences(Mutex<BTreeMap<DrawId, Silence>>);

/// What an owner's silences add up to.
#[derive(Clone, Copy)]
struct Silence {
    owner: Boot,
    times: u64,
    lasted: Duration,
    /// How often we saw meanwhile, in the books, that the draw had gone on.
    moves: u64,
    ended_at: Instant,
}

impl Silence {
    fn is_lately(&self) -> bool {
        self.ended_at.elapsed() < SUSPECT
    }
}

impl Silences {
    /// A draw's owner wrote something, and said so in time.
    pub(crate) fn broken(&self, draw: DrawId) {
        self.lock().remove(&draw);
    }

    /// A draw's owner was silent once more. Whether that is enough to call it a standstill: all its silences together, the draw
    /// went on once a second at most, and once for each of our own errands but the last, which may have been done though their
    /// answers were lost. An owner whose draw goes on under our eyes is busy with those who do reach it.
    pub(crate) fn add(&self, draw: DrawId, owner: Boot, lasted: Duration, moves: u64) -> bool {
        let mut silence = Silence {
            owner,
            times: 1,
            lasted,
            moves,
            ended_at: Instant::now(),
        };
        if let Some(before) = self.lately(draw, owner) {
            silence.times += before.times;
            silence.lasted += before.lasted;
            silence.moves += before.moves;
        }
        let mut silences = self.lock();
        silences.retain(|_, silence| silence.is_lately());
        silences.insert(draw, silence);
        silence.moves < silence.times + silence.lasted.as_secs()
    }

    fn lately(&self, draw: DrawId, owner: Boot) -> Option<Silence> {
        self.lock()
            .get(&draw)
            .filter(|silence| silence.owner == owner && silence.is_lately())
            .copied()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<DrawId, Silence>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for something, and says how often a view was seen to change meanwhile: once at most for each look into the books,
/// however many commits it showed.
pub(crate) async fn while_watching<T>(
    mut view: watch::Receiver<View>,
    work: impl Future<Output = T>,
) -> (T, u64) {
    let (mut work, mut moves) = (pin!(work), 0);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return (done, moves),
            Ok(()) = view.changed() => moves += 1,
        }
    }
}
