//! Publishes the views of one draw to its watchers.

use domain::View;
use tokio::sync::watch;

/// Publishes the views of one draw. The channel outlives the draw's actor.
#[derive(Clone)]
pub(crate) struct ViewPublisher {
    view: watch::Sender<View>,
    /// Counts the changes of all views of this node.
    changes: watch::Sender<u64>,
    killed: watch::Receiver<bool>,
}

impl ViewPublisher {
    pub(crate) fn new(
        view: watch::Sender<View>,
        changes: watch::Sender<u64>,
        killed: watch::Receiver<bool>,
    ) -> ViewPublisher {
        ViewPublisher {
            view,
            changes,
            killed,
        }
    }

    /// Whether this engine was killed. An actor of a killed engine must not have any effect.
    pub(crate) fn is_killed(&self) -> bool {
        *self.killed.borrow()
    }

    /// Publishes a view unless the published one is newer. An actor that stops late can therefore
    /// not replace a newer view by an older one.
    pub(crate) fn publish(&self, view: View) {
        if self.is_killed() {
            return;
        }
        let is_newer = self.view.send_if_modified(|published| {
            let is_newer = view.revision >= published.revision && view != *published;
            if is_newer {
                *published = view;
            }
            is_newer
        });
        if is_newer {
            self.changes.send_modify(|count| *count += 1);
        }
    }
}
