//! Where a server is in its life. Handlers ask, sockets watch.

use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Starting,
    Ready,
    /// Told to stop: not ready any more, no new payment intents, no new sockets; what is under way finishes.
    Draining,
    /// Sockets close with 1001.
    Closing,
}

/// Only moves forward.
pub struct Life(watch::Sender<Phase>);

impl Default for Life {
    fn default() -> Life {
        Life(watch::Sender::new(Phase::Starting))
    }
}

impl Life {
    pub fn phase(&self) -> Phase {
        *self.0.borrow()
    }

    pub fn is_ready(&self) -> bool {
        self.phase() == Phase::Ready
    }

    /// For whoever must act on a change, such as an open socket.
    pub fn watch(&self) -> watch::Receiver<Phase> {
        self.0.subscribe()
    }

    pub(super) fn enter(&self, next: Phase) {
        self.0.send_if_modified(|phase| {
            let forward = next > *phase;
            if forward {
                *phase = next;
            }
            forward
        });
    }
}
