//! The phases of a server's life, which handlers read and sockets watch.

use tokio::sync::watch;

/// A phase of the server's life. Phases are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Starting,
    Ready,
    /// Told to stop: reports not ready, and refuses new payment intents and new sockets. Requests
    /// in flight finish.
    Draining,
    /// Sockets are closed with code 1001.
    Closing,
}

/// The current phase. It only moves forward.
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

    /// A receiver that sees every change of phase, for example for an open socket.
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
