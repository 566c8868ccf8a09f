//! Decides when a polling worker polls next: at once after a wakeup, and soon after a poll that
//! found work. While there is no work, the worker polls ever less often.

use std::time::Duration;

use tokio::sync::{Notify, watch};

/// The current delay between two polls. It doubles with every poll that finds no work.
pub(crate) struct PollBackoff {
    delay: Duration,
    shortest: Duration,
    longest: Duration,
    stop: watch::Receiver<bool>,
    is_first: bool,
}

impl PollBackoff {
    /// Creates a backoff that starts with the first of `delays` (shortest, longest). It ends when
    /// `stop` becomes true.
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
    pub(crate) async fn wait_for_next_poll(&mut self, wakeup: &Notify) -> bool {
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

    /// Returns to the shortest delay, after a poll that found work.
    pub(crate) fn reset_delay(&mut self) {
        self.delay = self.shortest;
    }

    /// Doubles the delay, after a poll that found no work or failed.
    pub(crate) fn increase_delay(&mut self) {
        self.delay = (self.delay * 2).min(self.longest);
    }
}
