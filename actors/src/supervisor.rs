//! The supervisor of the draws: claims draws and starts their actors, restarts actors that stopped,
//! pauses draws that fail repeatedly, and removes decided ones.
//!
//! actix's own supervisor is not used: it does not restart after a panic, and it keeps the memory
//! of the failed actor.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, ActorFutureExt, AsyncContext, Context, WrapFuture};
use domain::{Draw, DrawId};
use persistence::ledger::{Claimed, Claims, ForeignDraw};
use persistence::nodes::InstanceId;
use persistence::{Failure, Ledger, PaymentStores};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::actor_thread::ActorThread;
use crate::draw::{ActorStopped, DrawActor, StopCause, StopNotifier};
use crate::membership::Membership;
use crate::{Clock, Denied};
use pauses::DrawPause;
use roster::Roster;

mod messages;
mod pauses;
mod remote_views;
pub(crate) mod roster;
mod takeover;

pub(crate) use messages::{HandOver, RescanOwnership, StopAll, Wake, WakeAll, WakeCause};

/// Draws that one call to the ledger claims.
const CLAIM_BATCH_MAX: usize = 256;
/// Concurrent calls that claim draws.
const CONCURRENT_CLAIMS_MAX: usize = 4;
/// Callers that may wait for one draw to wake.
const WAITERS_MAX: usize = 1024;
/// Restarts within [`RESTART_WINDOW`]. One more pauses the draw.
const RESTARTS_MAX: usize = 3;
const RESTART_WINDOW: Duration = Duration::from_secs(10);
/// Longest delay between two attempts to claim a draw.
const CLAIM_RETRY_MS_MAX: u64 = 5_000;

type Waiter = oneshot::Sender<Result<(), Denied>>;

pub(crate) struct DrawSupervisor {
    ledger: Arc<dyn Ledger>,
    store: Arc<dyn PaymentStores>,
    clock: Arc<dyn Clock>,
    roster: Arc<Roster>,
    membership: Arc<Membership>,
    /// Threads for draws. A draw's number selects its thread.
    threads: Vec<ActorThread>,
    recovery: BTreeMap<DrawId, RecoveryState>,
    pauses: BTreeMap<DrawId, DrawPause>,
    /// Draws to claim with the next batch.
    claim_queue: BTreeSet<DrawId>,
    claiming: BTreeSet<DrawId>,
    claims_in_flight: usize,
    /// Nodes that did not answer for their draws. The next claim first checks whether their
    /// processes are gone.
    suspects: BTreeSet<InstanceId>,
    /// Stalled draws with an owner that this node cannot reach. The next claim takes them over even
    /// while the owner's lease is valid. A connection that loses packets may be good enough for the
    /// owner's lease, but not for its buyers.
    stalled_draws: BTreeMap<DrawId, InstanceId>,
    /// The views of other nodes' draws are being read, or a timer for it is running.
    is_polling_views: bool,
    scanned_at: Instant,
    generation: u64,
    stop_sender: mpsc::UnboundedSender<ActorStopped>,
    stop_receiver: Option<mpsc::UnboundedReceiver<ActorStopped>>,
    /// The engine is stopping: no actor is started any more.
    is_stopping: bool,
    /// Notified when the last actor has stopped.
    all_stopped: Option<oneshot::Sender<()>>,
    live_generations: BTreeSet<u64>,
}

/// What the supervisor remembers about a draw that failed or is being claimed.
#[derive(Default)]
struct RecoveryState {
    restarts: VecDeque<Instant>,
    failed_claims: u32,
    waiters: Vec<Waiter>,
}

impl DrawSupervisor {
    pub(crate) fn new(
        ledger: Arc<dyn Ledger>,
        store: Arc<dyn PaymentStores>,
        clock: Arc<dyn Clock>,
        roster: Arc<Roster>,
        membership: Arc<Membership>,
        threads: Vec<ActorThread>,
    ) -> DrawSupervisor {
        let (stop_sender, stop_receiver) = mpsc::unbounded_channel();
        DrawSupervisor {
            ledger,
            store,
            clock,
            roster,
            membership,
            threads,
            recovery: BTreeMap::new(),
            pauses: BTreeMap::new(),
            claim_queue: BTreeSet::new(),
            claiming: BTreeSet::new(),
            claims_in_flight: 0,
            suspects: BTreeSet::new(),
            stalled_draws: BTreeMap::new(),
            is_polling_views: false,
            scanned_at: Instant::now(),
            generation: 0,
            stop_sender,
            stop_receiver: Some(stop_receiver),
            is_stopping: false,
            all_stopped: None,
            live_generations: BTreeSet::new(),
        }
    }

    fn enqueue_claim(&mut self, draw: DrawId) {
        if !self.claiming.contains(&draw) {
            self.claim_queue.insert(draw);
        }
    }

    /// Claims the queued draws in batches.
    fn claim_queued(&mut self, ctx: &mut Context<Self>) {
        while !self.is_stopping
            && !self.roster.is_killed()
            && self.claims_in_flight < CONCURRENT_CLAIMS_MAX
            && !self.claim_queue.is_empty()
        {
            let mut batch = Vec::new();
            while batch.len() < CLAIM_BATCH_MAX
                && let Some(draw) = self.claim_queue.pop_first()
            {
                batch.push(draw);
            }
            self.claim(batch, ctx);
        }
    }

    fn claim(&mut self, mut batch: Vec<DrawId>, ctx: &mut Context<Self>) {
        if self.membership.is_leaving() {
            return self.assign_to_other_node(&batch);
        }
        self.claims_in_flight += 1;
        self.claiming.extend(&batch);
        let (ledger, membership) = (self.ledger.clone(), self.membership.clone());
        let suspects = std::mem::take(&mut self.suspects);
        let stalled_draws: Vec<_> = batch
            .iter()
            .filter_map(|draw| self.stalled_draws.remove_entry(draw))
            .collect();
        let claim = async move {
            for suspect in suspects {
                membership.expire_if_dead(suspect).await;
            }
            let mut claimed = ledger.claim(membership.boot(), &batch).await;
            let takeovers =
                takeover::take_over(&*ledger, &membership, &stalled_draws, claimed.as_mut().ok())
                    .await;
            batch.retain(|draw| takeovers.iter().all(|takeover| takeover.draw != *draw));
            (batch, claimed, takeovers)
        };
        ctx.spawn(
            claim
                .into_actor(self)
                .map(|(batch, claimed, takeovers), supervisor, ctx| {
                    supervisor.claims_in_flight -= 1;
                    for takeover in takeovers {
                        supervisor.serve_after_delay(takeover, ctx);
                    }
                    for draw in &batch {
                        supervisor.claiming.remove(draw);
                    }
                    match claimed {
                        Ok(claims) => supervisor.handle_claims(&batch, claims, ctx),
                        Err(failure) => supervisor.handle_failed_claim(batch, &failure, ctx),
                    }
                    supervisor.claim_queued(ctx);
                    supervisor.keep_polling_views(ctx);
                }),
        );
    }

    /// Assigns draws to another node in the roster. A leaving node claims nothing. It forwards to
    /// the other node, which claims the draw if it has no owner.
    fn assign_to_other_node(&mut self, batch: &[DrawId]) {
        let other = self.membership.others().into_iter().next();
        for draw in batch {
            match (&other, self.roster.view(*draw)) {
                (Some(other), Some(view)) => {
                    self.roster.set_remote(view, other.clone());
                    self.answer_waiters(*draw, Ok(()));
                }
                _ => self.answer_waiters(*draw, Err(Denied::Unavailable)),
            }
        }
    }

    fn handle_claims(&mut self, batch: &[DrawId], claims: Claims, ctx: &mut Context<Self>) {
        let mut missing: BTreeSet<DrawId> = batch.iter().copied().collect();
        for ForeignDraw { view, owner } in claims.elsewhere {
            missing.remove(&view.draw);
            self.roster.set_remote(view, owner);
            self.answer_waiters(view.draw, Ok(()));
        }
        for claimed in claims.taken {
            let draw = claimed.snapshot.id;
            missing.remove(&draw);
            if self.is_stopping || self.membership.is_leaving() || self.roster.is_killed() {
                self.answer_waiters(draw, Err(Denied::Unavailable));
            } else if self.start_actor(claimed) {
                self.answer_waiters(draw, Ok(()));
            } else {
                self.pause(draw, "its stored state breaks an invariant", ctx);
            }
        }
        for draw in missing {
            self.answer_waiters(draw, Err(Denied::NoSuchDraw));
            self.recovery.remove(&draw);
        }
    }

    /// Restores a draw from its snapshot and starts its actor. `false`: the snapshot breaks an
    /// invariant. The panic of a damaged draw is caught, because it must not stop the supervisor of
    /// all the others.
    fn start_actor(&mut self, claimed: Claimed) -> bool {
        let snapshot = claimed.snapshot.clone();
        let Ok(draw) = catch_unwind(AssertUnwindSafe(|| Draw::restore(snapshot))) else {
            return false;
        };
        let id = draw.id();
        self.generation += 1;
        let generation = self.generation;
        let publisher = self.roster.publisher(draw.view());
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
        let addr = thread.start(move || {
            DrawActor::new(claimed.epoch, draw, ledger, clock, publisher, stop_notifier)
        });
        self.live_generations.insert(generation);
        self.roster.set_running(id, generation, addr);
        true
    }

    fn handle_failed_claim(
        &mut self,
        batch: Vec<DrawId>,
        failure: &Failure,
        ctx: &mut Context<Self>,
    ) {
        tracing::warn!(draws = batch.len(), %failure, "draws not claimed: database error");
        if let (Failure::Corrupt(_), [draw]) = (failure, &batch[..]) {
            return self.pause(*draw, "its stored state cannot be read", ctx);
        }
        if matches!(failure, Failure::Corrupt(_)) {
            // One unreadable draw must not block the others: claim them one at a time.
            for draw in batch {
                self.claim(vec![draw], ctx);
            }
            return;
        }
        for draw in batch {
            self.answer_waiters(draw, Err(Denied::Unavailable));
            let recovery = self.recovery.entry(draw).or_default();
            recovery.failed_claims += 1;
            let delay_ms = (125 << recovery.failed_claims.min(6)).min(CLAIM_RETRY_MS_MAX);
            ctx.run_later(Duration::from_millis(delay_ms), move |supervisor, ctx| {
                if !supervisor.roster.is_running(draw)
                    && supervisor.roster.remote_owner(draw).is_none()
                {
                    supervisor.enqueue_claim(draw);
                    supervisor.claim_queued(ctx);
                }
            });
        }
    }

    fn answer_waiters(&mut self, draw: DrawId, answer: Result<(), Denied>) {
        if let Some(recovery) = self.recovery.get_mut(&draw) {
            if answer.is_ok() {
                recovery.failed_claims = 0;
            }
            for waiter in recovery.waiters.drain(..) {
                // A caller that stopped waiting needs no answer.
                let _ = waiter.send(answer);
            }
        }
    }

    /// Handles an actor that stopped: restarts it, or pauses its draw.
    fn handle_stopped(&mut self, stopped: ActorStopped, ctx: &mut Context<Self>) {
        self.live_generations.remove(&stopped.generation);
        if self.roster.is_killed() {
            return;
        }
        if self.is_stopping || self.membership.is_leaving() {
            return self.notify_when_all_stopped();
        }
        if !self.roster.set_stopped(stopped.draw, stopped.generation) {
            return;
        }
        match stopped.cause {
            StopCause::Retired => {}
            StopCause::Failed if self.restarts_too_often(stopped.draw) => {
                self.pause(stopped.draw, "its actor stopped again and again", ctx);
            }
            // After `Fenced` another process owns the draw. While its lease is valid, the claim
            // only returns the owner.
            StopCause::Failed
            | StopCause::Fenced
            | StopCause::Contradicted
            | StopCause::UnknownCommit => {
                self.enqueue_claim(stopped.draw);
                self.claim_queued(ctx);
            }
        }
    }

    fn restarts_too_often(&mut self, draw: DrawId) -> bool {
        let now = Instant::now();
        let restarts = &mut self.recovery.entry(draw).or_default().restarts;
        while restarts
            .front()
            .is_some_and(|earlier| now.duration_since(*earlier) > RESTART_WINDOW)
        {
            restarts.pop_front();
        }
        if restarts.len() == RESTARTS_MAX {
            return true;
        }
        restarts.push_back(now);
        false
    }

    fn notify_when_all_stopped(&mut self) {
        if self.live_generations.is_empty()
            && let Some(all_stopped) = self.all_stopped.take()
        {
            let _ = all_stopped.send(());
        }
    }
}

impl Actor for DrawSupervisor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Context<Self>) {
        if let Some(mut receiver) = self.stop_receiver.take() {
            let stops = futures_util::stream::poll_fn(move |cx| receiver.poll_recv(cx));
            ctx.add_stream(stops);
        }
        Self::scan_periodically(ctx);
    }
}
