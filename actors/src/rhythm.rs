//! When a worker looks for work: at once when nudged, soon while there is some, ever more rarely while there is none.

use std::time::Duration;

use tokio::sync::{Notify, watch};

pub(crate) struct Rhythm {
    rest: Duration,
    rests: (Duration, Duration),
    stop: watch::Receiver<bool>,
    first: bool,
}

impl Rhythm {
    /// Rests between the shortest and the longest of `rests`; ends when `stop` turns true.
    pub(crate) fn new(rests: (Duration, Duration), stop: watch::Receiver<bool>) -> Rhythm {
        Rhythm {
            rest: rests.0,
            rests,
            stop,
            first: true,
        }
    }

    /// Waits for the next look; the first is at once. `false`: stop.
    pub(crate) async fn next(&mut self, nudge: &Notify) -> bool {
        if std::mem::take(&mut self.first) {
            return !*self.stop.borrow();
        }
        tokio::select! {
            biased;
            _ = self.stop.wait_for(|stop| *stop) => return false,
            () = nudge.notified() => self.rest = self.rests.0,
            () = tokio::time::sleep(self.rest) => {}
        }
        true
    }

    pub(crate) fn found_something(&mut self) {
        self.rest = self.rests.0;
    }

    pub(crate) fn found_nothing(&mut self) {
        self.rest = (self.rest * 2).min(self.rests.1);
    }
}
