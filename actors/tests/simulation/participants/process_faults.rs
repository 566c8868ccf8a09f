//! Crashes, pauses, partitions and clock changes of simulated processes.

use std::time::Duration;

use tokio::time::sleep;

use super::Participant;
use crate::simulation::plan::SECOND_MS;
use crate::simulation::processes::{Process, ProcessState};

impl Participant {
    pub(super) async fn crash_process(self) {
        if !self.wait_random_time().await {
            return;
        }
        let Some(process) = self.world.processes.random_serving_process(&self.random) else {
            return;
        };
        self.world.monitor.record_situation("a crash");
        self.world.processes.kill(&self.world, &process);
        self.wait_random_ms(100, 10 * SECOND_MS).await;
        self.start_replacement(&process).await;
    }

    async fn start_replacement(&self, from: &Process) {
        if !self.world.fault_injector.have_faults_ended() {
            self.world
                .processes
                .start(&self.world, Some(from.number))
                .await;
        }
    }

    /// Pauses a process for a while, as SIGSTOP does.
    pub(super) async fn hang_process(self) {
        if !self.wait_random_time().await {
            return;
        }
        let Some(process) = self.world.processes.random_serving_process(&self.random) else {
            return;
        };
        self.trace_process("a process hangs", process.number);
        process.set_state(ProcessState::Paused);
        let replaced = self.wait_for_possible_replacement(&process).await;
        self.trace_process("a process wakes", process.number);
        process.set_state(ProcessState::Running);
        self.end_replaced_process_later(&process, replaced).await;
    }

    /// Cuts a process off from the database. The process still serves buyers and calls the
    /// provider.
    pub(super) async fn cut_off_process(self) {
        if !self.wait_random_time().await {
            return;
        }
        let Some(process) = self.world.processes.random_serving_process(&self.random) else {
            return;
        };
        self.trace_process("a process is cut off", process.number);
        process.set_cut_off(true);
        let replaced = self.wait_for_possible_replacement(&process).await;
        self.trace_process("a process reaches the database", process.number);
        process.set_cut_off(false);
        self.end_replaced_process_later(&process, replaced).await;
    }

    /// Waits up to half a minute, during which another process may replace this one. Returns
    /// whether one did.
    async fn wait_for_possible_replacement(&self, process: &Process) -> bool {
        let (until_takeover, stalled_for) = (
            self.random.between(1, 6) * SECOND_MS,
            self.random.between(1, 30) * SECOND_MS,
        );
        sleep(Duration::from_millis(until_takeover)).await;
        let replaced = stalled_for > until_takeover;
        if replaced {
            self.start_replacement(process).await;
            sleep(Duration::from_millis(stalled_for - until_takeover)).await;
        }
        replaced
    }

    /// Lets a replaced process continue to run for a while, then ends it.
    async fn end_replaced_process_later(&self, process: &Process, replaced: bool) {
        if replaced {
            self.wait_random_ms(0, 60 * SECOND_MS).await;
            self.end_process(process).await;
        }
    }

    pub(super) async fn deploy_replacement(self) {
        if !self.wait_random_time().await {
            return;
        }
        let Some(old) = self.world.processes.random_serving_process(&self.random) else {
            return;
        };
        self.start_replacement(&old).await;
        self.wait_random_ms(0, 20 * SECOND_MS).await;
        self.trace_process("a process is replaced", old.number);
        self.end_process(&old).await;
    }

    /// Ends a replaced process, with SIGTERM or SIGKILL.
    async fn end_process(&self, old: &Process) {
        let replaced = !self.world.processes.is_serving(old);
        match (replaced, self.random.coin_flip()) {
            (true, true) => old.stop().await,
            (true, false) => self.world.processes.kill(&self.world, old),
            (false, _) => {}
        }
    }

    pub(super) async fn steal_claim(self) {
        if self.wait_random_time().await {
            let claimed = self
                .world
                .memory
                .remove_owner_despite_lease(self.random_draw_id())
                .into_iter()
                .collect();
            self.world
                .monitor
                .record_claims(&self.world, 0, &Ok(claimed));
            self.world.ledger_written.notify_waiters();
        }
    }

    /// Changes the process's clock while it runs.
    pub(super) async fn change_process_clock(self) {
        if self.wait_random_time().await
            && let Some(process) = self.world.processes.random_serving_process(&self.random)
        {
            self.trace_process("a clock is set", process.number);
            process.set_clock_skew_ms(self.world.random_clock_skew_ms());
        }
    }

    fn trace_process(&self, what: &'static str, process: u64) {
        self.world.monitor.record_situation(what);
        self.world
            .trace
            .record_event(what, &[process], || format!("process {process}"));
    }
}
