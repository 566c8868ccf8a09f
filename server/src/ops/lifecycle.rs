//! The lifecycle phases of a server, from starting to stopping. Handlers read the current phase,
//! and sockets are notified of changes.

use tokio::sync::watch;

/// A phase of the server's lifecycle. A later phase compares as greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Starting,
    Ready,
    /// The server was asked to stop. It reports not ready, and refuses new payment intents and new
    /// sockets. Requests in flight finish.
    Draining,
    /// Sockets are being closed with code 1001.
    Closing,
}

/// The current phase, which only advances to later phases.
pub struct Lifecycle(watch::Sender<Phase>);

impl Default for Lifecycle {
    fn default() -> Lifecycle {
        Lifecycle(watch::Sender::new(Phase::Starting))
    }
}

impl Lifecycle {
    pub fn phase(&self) -> Phase {
        *self.0.borrow()
    }

    pub fn is_ready(&self) -> bool {
        self.phase() == Phase::Ready
    }

    /// Returns a receiver that is notified of every change of phase.
    pub fn watch(&self) -> watch::Receiver<Phase> {
        self.0.subscribe()
    }

    /// Enters a later phase. Ignored if the current phase is the same or later.
    pub fn enter(&self, next: Phase) {
        self.0.send_if_modified(|phase| {
            let is_forward = next > *phase;
            if is_forward {
                *phase = next;
            }
            is_forward
        });
    }
}
