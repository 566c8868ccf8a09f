//! The draws that wait to be claimed by this node, and the draws that are being claimed.

use std::collections::{BTreeMap, BTreeSet};

use domain::DrawId;
use persistence::nodes::InstanceId;

/// Largest number of draws that one call to the ledger claims.
const CLAIM_BATCH_MAX: usize = 256;
/// Largest number of concurrent calls that claim draws.
const CONCURRENT_CLAIMS_MAX: usize = 4;

#[derive(Default)]
pub(super) struct ClaimQueue {
    /// Draws that wait for the next call that claims draws.
    queued: BTreeSet<DrawId>,
    claiming: BTreeSet<DrawId>,
    in_flight: usize,
    /// Nodes that did not answer a command to a draw that they own. The next claim first checks
    /// whether their processes have ended.
    suspects: BTreeSet<InstanceId>,
    /// Stalled draws, each with an owner that does not answer this node. The next claim takes these
    /// draws over even while the owner's lease is valid. A connection that loses packets may be
    /// good enough to renew the lease, but not to serve buyers.
    stalled_draws: BTreeMap<DrawId, InstanceId>,
}

/// The draws of one call to the ledger that claims draws.
pub(super) struct ClaimBatch {
    pub(super) draws: Vec<DrawId>,
    /// Nodes whose processes may have ended.
    pub(super) suspects: BTreeSet<InstanceId>,
    /// The draws of this call that are taken over from an owner that does not answer.
    pub(super) stalled_draws: Vec<(DrawId, InstanceId)>,
}

impl ClaimQueue {
    /// Queues a draw to be claimed, unless it is already being claimed.
    pub(super) fn push(&mut self, draw: DrawId) {
        if !self.claiming.contains(&draw) {
            self.queued.insert(draw);
        }
    }

    /// Records that the owner of a draw did not answer a command. `is_stalled`: whether the draw
    /// also hardly changed meanwhile.
    pub(super) fn add_suspect_owner(&mut self, owner: InstanceId, draw: DrawId, is_stalled: bool) {
        self.suspects.insert(owner);
        if is_stalled {
            self.stalled_draws.insert(draw, owner);
        }
    }

    /// Returns the next draws to claim. `None`: no draw is queued, or [`CONCURRENT_CLAIMS_MAX`]
    /// calls are running.
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

    /// Begins a call that claims draws. The caller ends the call with [`Self::end_claim_call`], and
    /// the claim of each draw with [`Self::end_draw_claim`].
    pub(super) fn begin_claim_call(&mut self, draws: Vec<DrawId>) -> ClaimBatch {
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

    /// Records that a call to the ledger has ended.
    pub(super) fn end_claim_call(&mut self) {
        self.in_flight -= 1;
    }

    /// Records that a draw is no longer being claimed.
    pub(super) fn end_draw_claim(&mut self, draw: DrawId) {
        self.claiming.remove(&draw);
    }
}
