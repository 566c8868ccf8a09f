//! The commands that wait for a draw, in order of arrival.

use std::collections::VecDeque;

use domain::{Draw, HoldLimiter};

use super::batch::{CommandBatch, PendingCommand, UncommittedBatch};
use crate::{Clock, Denied};

/// Commits of one transaction. A longer transaction would gain less than its latency costs.
pub(super) const BATCH_COMMITS_MAX: usize = 64;
/// When this many commands in a row cannot be written alone either, the database is at fault.
const CONSECUTIVE_FAILURES_MAX: usize = 2;

#[derive(Default)]
pub(super) struct CommandQueue {
    waiting: VecDeque<PendingCommand>,
    /// Commands at the head whose batch could not be written. Each is written alone, so that only
    /// the faulty one fails.
    individual: usize,
    /// Failed writes of individual commands in a row.
    consecutive_failures: usize,
    /// Follows the committed draw: a decision that was not written does not count.
    limiter: HoldLimiter,
}

impl CommandQueue {
    pub(super) fn push(&mut self, pending: PendingCommand) {
        self.waiting.push_back(pending);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Decides as many commands as may be written together. `draw` is the committed state.
    pub(super) fn next_batch(
        &mut self,
        draw: &Draw,
        epoch: i64,
        clock: &dyn Clock,
    ) -> CommandBatch {
        let commits_max = if self.individual > 0 {
            1
        } else {
            BATCH_COMMITS_MAX
        };
        let mut batch = CommandBatch::default();
        while self
            .waiting
            .front()
            .is_some_and(|pending| batch.admits(pending, commits_max))
            && let Some(pending) = self.waiting.pop_front()
        {
            self.individual = self.individual.saturating_sub(1);
            batch.add(pending, draw, &mut self.limiter, epoch, clock.now());
        }
        batch
    }

    /// After a batch was written.
    pub(super) fn reset_failures(&mut self) {
        self.consecutive_failures = 0;
    }

    /// Requeues a batch of several commands that was certainly not written. One command may be the
    /// cause, so each is decided again and written alone.
    pub(super) fn retry_individually(&mut self, uncommitted: UncommittedBatch) {
        self.consecutive_failures = 0;
        self.individual += self.requeue(uncommitted);
    }

    /// Answers the failed command of a batch with `denied` and requeues the others, which were
    /// decided on the assumption that it is written. After several failures in a row, the remaining
    /// individual commands are not attempted.
    pub(super) fn fail_first(&mut self, mut uncommitted: UncommittedBatch, denied: Denied) {
        let (pending, _) = uncommitted.answers.remove(0);
        pending.answer(Err(denied));
        self.requeue(uncommitted);
        // Any other denial concerns this command only.
        self.consecutive_failures = if denied == Denied::Unavailable {
            self.consecutive_failures + 1
        } else {
            0
        };
        if self.consecutive_failures >= CONSECUTIVE_FAILURES_MAX {
            self.waiting
                .drain(..self.individual)
                .for_each(|pending| pending.answer(Err(Denied::Unavailable)));
            self.individual = 0;
        }
    }

    /// Puts commands back at the head and returns how many. The timer's tick is dropped: the timer
    /// is armed again.
    fn requeue(&mut self, uncommitted: UncommittedBatch) -> usize {
        let before = self.waiting.len();
        let pending = uncommitted.answers.into_iter().map(|(pending, _)| pending);
        pending
            .filter(|pending| !pending.is_timer())
            .rev()
            .for_each(|pending| self.waiting.push_front(pending));
        self.waiting.len() - before
    }
}
