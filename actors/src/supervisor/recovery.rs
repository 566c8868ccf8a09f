//! What the supervisor records about draws that failed or are being claimed.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use domain::DrawId;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::Denied;

/// Largest number of callers that may wait for the same draw to become available.
const WAITING_CALLERS_MAX: usize = 1024;
/// Number of restarts of a draw that are allowed within [`RESTART_WINDOW`]. One more pauses the
/// draw.
const RESTARTS_MAX: usize = 3;
const RESTART_WINDOW: Duration = Duration::from_secs(10);
/// Longest delay between two attempts to claim a draw, in milliseconds.
const CLAIM_RETRY_DELAY_MS_MAX: u64 = 5_000;

/// The restarts, failed claims and waiting callers of each draw.
#[derive(Default)]
pub(super) struct RecoveryLog {
    draws: BTreeMap<DrawId, DrawRecoveryState>,
}

#[derive(Default)]
struct DrawRecoveryState {
    restarts: VecDeque<Instant>,
    failed_claims: u32,
    waiters: Vec<oneshot::Sender<Result<(), Denied>>>,
}

impl RecoveryLog {
    /// Whether [`WAITING_CALLERS_MAX`] callers are already waiting for the draw.
    pub(super) fn has_max_waiters(&self, draw: DrawId) -> bool {
        self.draws
            .get(&draw)
            .is_some_and(|state| state.waiters.len() >= WAITING_CALLERS_MAX)
    }

    /// Adds a caller that waits for the draw to become available.
    pub(super) fn add_waiter(&mut self, draw: DrawId, waiter: oneshot::Sender<Result<(), Denied>>) {
        self.draws.entry(draw).or_default().waiters.push(waiter);
    }

    /// Answers all callers that wait for the draw.
    pub(super) fn answer_waiters(&mut self, draw: DrawId, answer: Result<(), Denied>) {
        if let Some(state) = self.draws.get_mut(&draw) {
            if answer.is_ok() {
                state.failed_claims = 0;
            }
            for waiter in state.waiters.drain(..) {
                // Sending fails when the caller has stopped waiting, and then no answer is needed.
                let _ = waiter.send(answer);
            }
        }
    }

    /// Counts a failed claim and returns the delay before the next attempt.
    pub(super) fn count_failed_claim(&mut self, draw: DrawId) -> Duration {
        let state = self.draws.entry(draw).or_default();
        state.failed_claims += 1;
        Duration::from_millis((125 << state.failed_claims.min(6)).min(CLAIM_RETRY_DELAY_MS_MAX))
    }

    /// Counts a restart. `false`: the draw was restarted too often, so its actor must not be
    /// restarted.
    pub(super) fn count_restart_if_allowed(&mut self, draw: DrawId) -> bool {
        let now = Instant::now();
        let restarts = &mut self.draws.entry(draw).or_default().restarts;
        while restarts
            .front()
            .is_some_and(|earlier| now.duration_since(*earlier) > RESTART_WINDOW)
        {
            restarts.pop_front();
        }
        if restarts.len() == RESTARTS_MAX {
            return false;
        }
        restarts.push_back(now);
        true
    }

    /// Removes everything recorded about a draw. Callers that still wait for the draw are told that
    /// it is unavailable.
    pub(super) fn forget_draw(&mut self, draw: DrawId) {
        self.draws.remove(&draw);
    }
}
