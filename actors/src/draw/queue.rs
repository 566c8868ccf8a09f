//! Commands that wait for a draw, in the order they came.

use std::collections::VecDeque;

use domain::Draw;

use super::batch::{Asker, Batch, Unsaid};
use crate::{Clock, Denied};

/// Commits in one transaction: beyond it a longer transaction brings less than the wait for it costs.
pub(super) const TOGETHER_MAX: usize = 64;
/// When commands that could not be written together cannot be written alone either, so many in a row, it is the database.
const MISSES_MAX: usize = 2;

#[derive(Default)]
pub(super) struct Queue {
    waiting: VecDeque<Asker>,
    /// So many at the head could not be written together: each is written alone, so that only the guilty one fails.
    alone: usize,
    /// Of those, so many in a row were not written alone either.
    missed: usize,
}

impl Queue {
    pub(super) fn push(&mut self, asker: Asker) {
        self.waiting.push_back(asker);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Decides as many as may be written together. `draw` is what is written.
    pub(super) fn next_batch(&mut self, draw: &Draw, epoch: i64, clock: &dyn Clock) -> Batch {
        let most = if self.alone > 0 { 1 } else { TOGETHER_MAX };
        let mut batch = Batch::default();
        while self
            .waiting
            .front()
            .is_some_and(|asker| batch.admits(asker, most))
            && let Some(asker) = self.waiting.pop_front()
        {
            self.alone = self.alone.saturating_sub(1);
            batch.take(asker, draw, epoch, clock.now());
        }
        batch
    }

    /// A batch was written.
    pub(super) fn went_well(&mut self) {
        self.missed = 0;
    }

    /// A batch of several was certainly not written, perhaps for the sake of one of them: they are decided anew, and written
    /// one by one.
    pub(super) fn part(&mut self, unsaid: Unsaid) {
        self.missed = 0;
        self.alone += self.put_back(unsaid);
    }

    /// A single command was certainly not written, and hears why. Whoever was refused because of it is decided anew. When this
    /// happens to several in a row that are written one by one, the rest need not be tried.
    pub(super) fn miss(&mut self, mut unsaid: Unsaid, why: Denied) {
        let (asker, _) = unsaid.answers.remove(0);
        asker.answer(Err(why));
        self.put_back(unsaid);
        // Any other word was about this one.
        self.missed = if why == Denied::Unavailable {
            self.missed + 1
        } else {
            0
        };
        if self.missed >= MISSES_MAX {
            self.waiting
                .drain(..self.alone)
                .for_each(|asker| asker.answer(Err(Denied::Unavailable)));
            self.alone = 0;
        }
    }

    /// The timer's command is not among them: the timer is armed again.
    fn put_back(&mut self, unsaid: Unsaid) -> usize {
        let before = self.waiting.len();
        let askers = unsaid.answers.into_iter().map(|(asker, _)| asker);
        askers
            .filter(|asker| !asker.is_timer())
            .rev()
            .for_each(|asker| self.waiting.push_front(asker));
        self.waiting.len() - before
    }
}
