//! What happens to processes.

use std::time::Duration;

use tokio::time::sleep;

use super::Person;
use crate::simulation::house::{Process, Stand};
use crate::simulation::plan::SECOND;

impl Person {
    pub(super) async fn crash(self) {
        if !self.some_time().await {
            return;
        }
        let Some(process) = self.world.house.serving(&self.chance) else {
            return;
        };
        self.world.watch.met("a crash");
        self.world.house.kill(&self.world, &process);
        self.pause(100, 10 * SECOND).await;
        self.take_over(&process).await;
    }

    async fn take_over(&self, from: &Process) {
        if !self.world.weather.is_calm() {
            self.world.house.start(&self.world, Some(from.number)).await;
        }
    }

    /// As by SIGSTOP.
    pub(super) async fn hang(self) {
        if !self.some_time().await {
            return;
        }
        let Some(process) = self.world.house.serving(&self.chance) else {
            return;
        };
        self.note("a process hangs", process.number);
        process.stands(Stand::Hung);
        let replaced = self.stalled(&process).await;
        self.note("a process wakes", process.number);
        process.stands(Stand::Running);
        self.haunts(&process, replaced).await;
    }

    /// It goes on, and talks to buyers and to the provider, but not to the books.
    pub(super) async fn cut_off(self) {
        if !self.some_time().await {
            return;
        }
        let Some(process) = self.world.house.serving(&self.chance) else {
            return;
        };
        self.note("a process is cut off", process.number);
        process.cut_off(true);
        let replaced = self.stalled(&process).await;
        self.note("a process reaches the books", process.number);
        process.cut_off(false);
        self.haunts(&process, replaced).await;
    }

    /// Up to half a minute, in which another may take over.
    async fn stalled(&self, process: &Process) -> bool {
        let (until_takeover, stalled) = (
            self.chance.between(1, 6) * SECOND,
            self.chance.between(1, 30) * SECOND,
        );
        sleep(Duration::from_millis(until_takeover)).await;
        let replaced = stalled > until_takeover;
        if replaced {
            self.take_over(process).await;
            sleep(Duration::from_millis(stalled - until_takeover)).await;
        }
        replaced
    }

    /// A ghost that does not know it, until somebody ends it.
    async fn haunts(&self, process: &Process, replaced: bool) {
        if replaced {
            self.pause(0, 60 * SECOND).await;
            self.end(process).await;
        }
    }

    pub(super) async fn deploy(self) {
        if !self.some_time().await {
            return;
        }
        let Some(old) = self.world.house.serving(&self.chance) else {
            return;
        };
        self.take_over(&old).await;
        self.pause(0, 20 * SECOND).await;
        self.note("a process is replaced", old.number);
        self.end(&old).await;
    }

    /// Ends a process that another has replaced, politely or not.
    async fn end(&self, old: &Process) {
        let replaced = !self.world.house.is_serving(old);
        match (replaced, self.chance.coin()) {
            (true, true) => old.stop().await,
            (true, false) => self.world.house.kill(&self.world, old),
            (false, _) => {}
        }
    }

    pub(super) async fn steal(self) {
        if self.some_time().await {
            let claimed = self.world.memory.steal(self.draw()).into_iter().collect();
            self.world.watch.claimed(&self.world, 0, &Ok(claimed));
            self.world.stirred.notify_waiters();
        }
    }

    /// Its clock is set, hours after it began.
    pub(super) async fn set_clock(self) {
        if self.some_time().await
            && let Some(process) = self.world.house.serving(&self.chance)
        {
            self.note("a clock is set", process.number);
            process.set_clock(self.world.skew_ms());
        }
    }

    fn note(&self, what: &'static str, process: u64) {
        self.world.watch.met(what);
        self.world
            .trace
            .note(what, &[process], || format!("process {process}"));
    }
}
