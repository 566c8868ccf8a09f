//! Records which owners of draws did not answer this node, and decides when a draw may be taken
//! over from such an owner.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{DrawId, View};
use persistence::nodes::InstanceId;
use tokio::sync::watch;
use tokio::time::Instant;

/// If a call to a draw's owner has no answer after this time, the call counts against the owner. A
/// connection that fails immediately does not count. An owner that commits and answers within this
/// time is responsive.
pub(crate) const UNRESPONSIVE_AFTER: Duration = Duration::from_millis(400);
/// How long an unanswered call to a draw's owner is remembered.
const UNANSWERED_CALL_AGE_MAX: Duration = Duration::from_secs(5);

/// Unanswered calls of each draw. Old entries are removed when a new one is added.
#[derive(Default)]
pub(crate) struct UnresponsiveOwners(Mutex<BTreeMap<DrawId, UnansweredCalls>>);

/// Recent unanswered calls to the owner of one draw.
#[derive(Clone, Copy)]
struct UnansweredCalls {
    owner: InstanceId,
    count: u64,
    total_wait: Duration,
    /// How often the draw's view changed in the database while the calls were waiting.
    view_changes: u64,
    last_ended_at: Instant,
}

impl UnansweredCalls {
    fn is_recent(&self) -> bool {
        self.last_ended_at.elapsed() < UNANSWERED_CALL_AGE_MAX
    }
}

impl UnresponsiveOwners {
    /// Removes a draw's unanswered calls, because its owner committed a command and answered in
    /// time.
    pub(crate) fn clear_unanswered_calls(&self, draw: DrawId) {
        self.lock_calls().remove(&draw);
    }

    /// Adds an unanswered call. Returns whether the draw is stalled.
    ///
    /// A draw is stalled if its view hardly changed during the recent unanswered calls. The limit
    /// is one change per second of waiting, plus one for each of these calls except the last. Those
    /// calls may have been executed although their answers were lost. A draw that changes more
    /// often has a busy owner that still serves other nodes.
    pub(crate) fn add_unanswered_call(
        &self,
        draw: DrawId,
        owner: InstanceId,
        wait: Duration,
        view_changes: u64,
    ) -> bool {
        let mut calls = UnansweredCalls {
            owner,
            count: 1,
            total_wait: wait,
            view_changes,
            last_ended_at: Instant::now(),
        };
        if let Some(earlier) = self.recent_unanswered_calls(draw, owner) {
            calls.count += earlier.count;
            calls.total_wait += earlier.total_wait;
            calls.view_changes += earlier.view_changes;
        }
        let mut by_draw = self.lock_calls();
        by_draw.retain(|_, calls| calls.is_recent());
        by_draw.insert(draw, calls);
        calls.view_changes < calls.count + calls.total_wait.as_secs()
    }

    fn recent_unanswered_calls(&self, draw: DrawId, owner: InstanceId) -> Option<UnansweredCalls> {
        self.lock_calls()
            .get(&draw)
            .filter(|calls| calls.owner == owner && calls.is_recent())
            .copied()
    }

    fn lock_calls(&self) -> MutexGuard<'_, BTreeMap<DrawId, UnansweredCalls>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs `work` and counts how often the draw's view changes meanwhile. Several commits that are
/// read from the database together count as one change.
pub(crate) async fn count_view_changes<T>(
    mut view: watch::Receiver<View>,
    work: impl Future<Output = T>,
) -> (T, u64) {
    let (mut work, mut changes) = (pin!(work), 0);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return (done, changes),
            Ok(()) = view.changed() => changes += 1,
        }
    }
}
