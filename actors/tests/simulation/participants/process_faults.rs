//! Crashes, pauses, partitions and clock changes of simulated processes.

use std::time::Duration;

use tokio::time::sleep;

use super::Participant;
use crate::simulation::plan::SECOND;
use crate::simulation::processes::{Process, ProcessState};

impl Participant {
    pub(super) async fn crash(self) {
        if !self.wait_random_time().await {
            return;
        }
        let Some(process) = self.world.house.serving(&self.random) else {
            return;
        };
        self.world.watch.met("a crash");
        self.world.house.kill(&self.world, &process);
        self.pause(100, 10 * SECOND).await;
        self.start_replacement(&process).await;
    }

    async fn start_replacement(&self, from: &Process) {
        if !self.world.weather.faults_ended() {
            self.world.house.start(&self.world, Some(from.number)).await;
        }
    }

    /// Pauses a process for a while, as SIGSTOP does.
    pub(super) async fn hang(self) {
        if !self.wait_random_time().await {
            return;
        }
        let Some(process) = self.world.house.serving(&self.random) else {
            return;
        };
        self.trace_process("a process hangs", process.number);
        process.set_state(ProcessState::Paused);
        let replaced = self.wait_while_stalled(&process).await;
        self.trace_process("a process wakes", process.number);
        process.set_state(ProcessState::Running);
        self.linger_if_replaced(&process, replaced).await;
    }

    /// Cuts a process off from the database. The process still serves buyers and calls the
    /// provider.
    pub(super) async fn cut_off(self) {
        if !self.wait_random_time().await {
            return;
        }
        let Some(process) = self.world.house.serving(&self.random) else {
            return;
        };
        self.trace_process("a process is cut off", process.number);
        process.cut_off(true);
        let replaced = self.wait_while_stalled(&process).await;
        self.trace_process("a process reaches the database", process.number);
        process.cut_off(false);
        self.linger_if_replaced(&process, replaced).await;
    }

    /// Waits up to half a minute, during which another process may replace this one. Returns
    /// whether one did.
    async fn wait_while_stalled(&self, process: &Process) -> bool {
        let (until_takeover, wait_while_stalled) = (
            self.random.between(1, 6) * SECOND,
            self.random.between(1, 30) * SECOND,
        );
        sleep(Duration::from_millis(until_takeover)).await;
        let replaced = wait_while_stalled > until_takeover;
        if replaced {
            self.start_replacement(process).await;
            sleep(Duration::from_millis(wait_while_stalled - until_takeover)).await;
        }
        replaced
    }

    /// Lets a replaced process continue to run for a while, then ends it.
    async fn linger_if_replaced(&self, process: &Process, replaced: bool) {
        if replaced {
            self.pause(0, 60 * SECOND).await;
            self.end_process(process).await;
        }
    }

    pub(super) async fn deploy(self) {
        if !self.wait_random_time().await {
            return;
        }
        let Some(old) = self.world.house.serving(&self.random) else {
            return;
        };
        self.start_replacement(&old).await;
        self.pause(0, 20 * SECOND).await;
        self.trace_process("a process is replaced", old.number);
        self.end_process(&old).await;
    }

    /// Ends a replaced process, with SIGTERM or SIGKILL.
    async fn end_process(&self, old: &Process) {
        let replaced = !self.world.house.is_serving(old);
        match (replaced, self.random.coin()) {
            (true, true) => old.stop().await,
            (true, false) => self.world.house.kill(&self.world, old),
            (false, _) => {}
        }
    }

    pub(super) async fn steal(self) {
        if self.wait_random_time().await {
            let claimed = self.world.memory.steal(self.draw()).into_iter().collect();
            self.world.watch.claimed(&self.world, 0, &Ok(claimed));
            self.world.ledger_written.notify_waiters();
        }
    }

    /// Changes the process's clock while it runs.
    pub(super) async fn set_clock(self) {
        if self.wait_random_time().await
            && let Some(process) = self.world.house.serving(&self.random)
        {
            self.trace_process("a clock is set", process.number);
            process.set_clock(self.world.skew_ms());
        }
    }

    fn trace_process(&self, what: &'static str, process: u64) {
        self.world.watch.met(what);
        self.world
            .trace
            .note(what, &[process], || format!("process {process}"));
    }
}
