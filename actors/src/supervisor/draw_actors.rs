//! Starts the actors of draws, and records which of them are running.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use domain::Draw;
use persistence::Ledger;
use persistence::ledger::ClaimedDraw;
use tokio::sync::{mpsc, oneshot};

use super::registry::DrawRegistryWriter;
use crate::Clock;
use crate::actor_thread::ActorThread;
use crate::draw::{ActorStopped, DrawActor, StopCause, StopNotifier};

pub(super) struct DrawActors {
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    /// Threads on which draw actors run. A draw's number selects its thread.
    threads: Vec<ActorThread>,
    last_generation: u64,
    live_generations: BTreeSet<u64>,
    stop_sender: mpsc::UnboundedSender<ActorStopped>,
    /// Notified when the last actor has stopped.
    all_stopped: Option<oneshot::Sender<()>>,
}

impl DrawActors {
    /// Creates an empty set of actors. Also returns the receiver of the actors' stop messages.
    pub(super) fn new(
        ledger: Arc<dyn Ledger>,
        clock: Arc<dyn Clock>,
        threads: Vec<ActorThread>,
    ) -> (DrawActors, mpsc::UnboundedReceiver<ActorStopped>) {
        let (stop_sender, stop_receiver) = mpsc::unbounded_channel();
        let actors = DrawActors {
            ledger,
            clock,
            threads,
            last_generation: 0,
            live_generations: BTreeSet::new(),
            stop_sender,
            all_stopped: None,
        };
        (actors, stop_receiver)
    }

    /// Restores a draw from its snapshot and starts its actor. `false`: the snapshot breaks an
    /// invariant. That panic is caught, because it would end the supervisor of all draws.
    pub(super) fn start_draw_actor(
        &mut self,
        claimed: ClaimedDraw,
        registry: &DrawRegistryWriter,
    ) -> bool {
        let snapshot = claimed.snapshot.clone();
        let Ok(draw) = catch_unwind(AssertUnwindSafe(|| Draw::restore(snapshot))) else {
            return false;
        };
        let id = draw.id();
        self.last_generation += 1;
        let generation = self.last_generation;
        let publisher = registry.view_publisher(draw.view());
        let stopped = ActorStopped {
            draw: id,
            generation,
            cause: StopCause::Retired,
        };
        let stop_notifier = StopNotifier {
            stopped,
            to: self.stop_sender.clone(),
        };
        let (ledger, clock) = (self.ledger.clone(), self.clock.clone());
        let thread = &self.threads[id.0.unsigned_abs() as usize % self.threads.len()];
        let addr = thread.start_actor(move || {
            DrawActor::new(claimed.epoch, draw, ledger, clock, publisher, stop_notifier)
        });
        self.live_generations.insert(generation);
        registry.set_running(id, generation, addr);
        true
    }

    /// Records that an actor has stopped. `generation` identifies the actor, because a draw's actor
    /// may be restarted.
    pub(super) fn record_stopped_actor(&mut self, generation: u64) {
        self.live_generations.remove(&generation);
    }

    /// Returns a receiver that is notified once no actor runs.
    pub(super) fn await_all_stopped(&mut self) -> oneshot::Receiver<()> {
        let (sender, all_stopped) = oneshot::channel();
        self.all_stopped = Some(sender);
        self.notify_if_all_stopped();
        all_stopped
    }

    pub(super) fn notify_if_all_stopped(&mut self) {
        if self.live_generations.is_empty()
            && let Some(all_stopped) = self.all_stopped.take()
        {
            let _ = all_stopped.send(());
        }
    }
}
