//! Paces a worker that polls: at once when it is woken, soon while there is work, ever less often
//! while there is none.

use std::time::Duration;

use tokio::sync::{Notify, watch};

/// Delays between polls. The delay doubles with every poll that finds no work.
pub(crate) struct PollBackoff {
    delay: Duration,
    shortest: Duration,
    longest: Duration,
    stop: watch::Receiver<bool>,
    is_first: bool,
}

impl PollBackoff {
    /// Starts with the shortest of `delays` (shortest, longest). Ends when `stop` becomes true.
    pub(crate) fn new(delays: (Duration, Duration), stop: watch::Receiver<bool>) -> PollBackoff {
        let (shortest, longest) = delays;
        PollBackoff {
            delay: shortest,
            shortest,
            longest,
            stop,
            is_first: true,
        }
    }

    /// Waits until the next poll is due or `wakeup` is notified. The first poll is due at once.
    /// `false`: the engine is stopping.
    pub(crate) async fn wait(&mut self, wakeup: &Notify) -> bool {
        if std::mem::take(&mut self.is_first) {
            return !*self.stop.borrow();
        }
        tokio::select! {
            biased;
            _ = self.stop.wait_for(|stop| *stop) => return false,
            () = wakeup.notified() => self.delay = self.shortest,
            () = tokio::time::sleep(self.delay) => {}
        }
        true
    }

    /// After a poll that found work.
    pub(crate) fn reset(&mut self) {
        self.delay = self.shortest;
    }

    /// After a poll that found no work or failed.
    pub(crate) fn increase(&mut self) {
        self.delay = (self.delay * 2).min(self.longest);
    }
}
