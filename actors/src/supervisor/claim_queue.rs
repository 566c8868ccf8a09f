//! The draws that wait to be claimed, and those that are being claimed.

use std::collections::{BTreeMap, BTreeSet};

use domain::DrawId;
use persistence::nodes::InstanceId;

/// Draws that one call to the ledger claims.
const CLAIM_BATCH_MAX: usize = 256;
/// Concurrent calls that claim draws.
const CONCURRENT_CLAIMS_MAX: usize = 4;

#[derive(Default)]
pub(super) struct ClaimQueue {
    /// Draws to claim with the next batch.
    queued: BTreeSet<DrawId>,
    claiming: BTreeSet<DrawId>,
    in_flight: usize,
    /// Nodes that did not answer for their draws. The next claim first checks whether their
    /// processes are gone.
    suspects: BTreeSet<InstanceId>,
    /// Stalled draws with an owner that this node cannot reach. The next claim takes them over even
    /// while the owner's lease is valid. A connection that loses packets may be good enough for the
    /// owner's lease, but not for its buyers.
    stalled_draws: BTreeMap<DrawId, InstanceId>,
}

/// One call to the ledger that claims draws.
pub(super) struct ClaimBatch {
    pub(super) draws: Vec<DrawId>,
    /// Nodes whose processes may be gone.
    pub(super) suspects: BTreeSet<InstanceId>,
    /// Those of the draws that are taken over from an owner that does not answer.
    pub(super) stalled_draws: Vec<(DrawId, InstanceId)>,
}

impl ClaimQueue {
    /// Queues a draw, unless it is being claimed.
    pub(super) fn push(&mut self, draw: DrawId) {
        if !self.claiming.contains(&draw) {
            self.queued.insert(draw);
        }
    }

    /// Notes that the owner of a draw did not answer. `is_stalled`: the draw makes no progress.
    pub(super) fn suspect(&mut self, owner: InstanceId, draw: DrawId, is_stalled: bool) {
        self.suspects.insert(owner);
        if is_stalled {
            self.stalled_draws.insert(draw, owner);
        }
    }

    /// Returns the next draws to claim. `None`: no draw waits, or enough calls are in flight.
    pub(super) fn next_draws(&mut self) -> Option<Vec<DrawId>> {
        if self.in_flight >= CONCURRENT_CLAIMS_MAX || self.queued.is_empty() {
            return None;
        }
        let mut draws = Vec::new();
        while draws.len() < CLAIM_BATCH_MAX
            && let Some(draw) = self.queued.pop_first()
        {
            draws.push(draw);
        }
        Some(draws)
    }

    /// Begins a call that claims draws. It ends with [`Self::end_call`], and for each draw with
    /// [`Self::end`].
    pub(super) fn begin(&mut self, draws: Vec<DrawId>) -> ClaimBatch {
        self.in_flight += 1;
        self.claiming.extend(&draws);
        let stalled_draws = draws
            .iter()
            .filter_map(|draw| self.stalled_draws.remove_entry(draw))
            .collect();
        ClaimBatch {
            draws,
            suspects: std::mem::take(&mut self.suspects),
            stalled_draws,
        }
    }

    /// Notes that a call to the ledger was answered.
    pub(super) fn end_call(&mut self) {
        self.in_flight -= 1;
    }

    /// Notes that a draw is no longer being claimed.
    pub(super) fn end(&mut self, draw: DrawId) {
        self.claiming.remove(&draw);
    }
}
