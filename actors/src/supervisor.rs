//! The supervisor of the draw actors. It claims draws and starts their actors, restarts actors that
//! stopped, pauses draws that fail repeatedly, and removes finished draws from memory.
//!
//! actix's own supervisor is not used, because it does not restart an actor after a panic, and it
//! keeps the memory of the failed actor.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actix::{Actor, ActorFutureExt, AsyncContext, Context, WrapFuture};
use domain::{DrawId, PauseCause};
use persistence::ledger::{DrawClaims, DrawOfAnotherNode};
use persistence::{Failure, Ledger, PaymentStores};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::actor_thread::ActorThread;
use crate::draw::ActorStopped;
use crate::membership::Membership;
use crate::{Clock, Denied};
use claim_queue::ClaimQueue;
use draw_actors::DrawActors;
use pauses::PausedDraw;
use recovery::RecoveryLog;
use registry::{DrawRegistry, DrawRegistryWriter};
use remote_views::DRAW_SCAN_INTERVAL;

mod claim_queue;
mod draw_actors;
mod messages;
mod pauses;
mod recovery;
pub(crate) mod registry;
mod remote_views;
mod takeover;

pub(crate) use messages::{
    HandOverDraws, RescanOwnership, StopAllActors, WakeCause, WakeDraw, WakeDraws,
};

pub(crate) struct DrawSupervisor {
    ledger: Arc<dyn Ledger>,
    store: Arc<dyn PaymentStores>,
    clock: Arc<dyn Clock>,
    registry: Arc<DrawRegistry>,
    registry_writer: DrawRegistryWriter,
    membership: Arc<Membership>,
    actors: DrawActors,
    /// The receiver of the actors' stop messages. `None`: the started supervisor has taken it.
    stop_receiver: Option<mpsc::UnboundedReceiver<ActorStopped>>,
    claims: ClaimQueue,
    recovery: RecoveryLog,
    pauses: BTreeMap<DrawId, PausedDraw>,
    /// Whether a read of other nodes' views is running or scheduled.
    is_polling_views: bool,
    scanned_at: Instant,
    /// Whether the engine is stopping. Then no actor is started any more.
    is_stopping: bool,
}

impl DrawSupervisor {
    pub(crate) fn new(
        ledger: Arc<dyn Ledger>,
        store: Arc<dyn PaymentStores>,
        clock: Arc<dyn Clock>,
        registry: Arc<DrawRegistry>,
        membership: Arc<Membership>,
        threads: Vec<ActorThread>,
    ) -> DrawSupervisor {
        let (actors, stop_receiver) = DrawActors::new(ledger.clone(), clock.clone(), threads);
        DrawSupervisor {
            ledger,
            store,
            clock,
            registry_writer: DrawRegistryWriter::new(registry.clone()),
            registry,
            membership,
            actors,
            stop_receiver: Some(stop_receiver),
            claims: ClaimQueue::default(),
            recovery: RecoveryLog::default(),
            pauses: BTreeMap::new(),
            is_polling_views: false,
            scanned_at: Instant::now(),
            is_stopping: false,
        }
    }

    /// Claims the queued draws in batches.
    fn claim_queued_draws(&mut self, ctx: &mut Context<Self>) {
        while !self.is_stopping
            && !self.registry.is_killed()
            && let Some(draws) = self.claims.next_draws()
        {
            self.claim_draws(draws, ctx);
        }
    }

    fn claim_draws(&mut self, draws: Vec<DrawId>, ctx: &mut Context<Self>) {
        if self.membership.is_leaving() {
            return self.mark_owned_by_other_node(&draws);
        }
        let mut batch = self.claims.begin_claim_call(draws);
        let (ledger, membership) = (self.ledger.clone(), self.membership.clone());
        let claim = async move {
            for suspect in std::mem::take(&mut batch.suspects) {
                membership.expire_if_dead(suspect).await;
            }
            let mut claimed = ledger.claim(membership.instance_id(), &batch.draws).await;
            let takeovers = takeover::take_over(
                &*ledger,
                &membership,
                &batch.stalled_draws,
                claimed.as_mut().ok(),
            )
            .await;
            let mut draws = batch.draws;
            draws.retain(|draw| takeovers.iter().all(|takeover| takeover.draw != *draw));
            (draws, claimed, takeovers)
        };
        ctx.spawn(
            claim
                .into_actor(self)
                .map(|(draws, claimed, takeovers), supervisor, ctx| {
                    supervisor.claims.end_claim_call();
                    for takeover in takeovers {
                        supervisor.serve_draw_after_delay(takeover, ctx);
                    }
                    for draw in &draws {
                        supervisor.claims.end_draw_claim(*draw);
                    }
                    match claimed {
                        Ok(claims) => supervisor.handle_claims(&draws, claims, ctx),
                        Err(failure) => supervisor.handle_failed_claim(draws, &failure, ctx),
                    }
                    supervisor.claim_queued_draws(ctx);
                    supervisor.schedule_view_poll(ctx);
                }),
        );
    }

    /// Marks draws in the registry as owned by another node. A leaving node does not claim a draw
    /// but forwards its commands to the other node, which claims the draw if it has no owner.
    fn mark_owned_by_other_node(&mut self, batch: &[DrawId]) {
        let other = self.membership.other_nodes().into_iter().next();
        for draw in batch {
            match (&other, self.registry.view(*draw)) {
                (Some(other), Some(view)) => {
                    self.registry_writer.set_remote_owner(view, other.clone());
                    self.recovery.answer_waiters(*draw, Ok(()));
                }
                _ => self
                    .recovery
                    .answer_waiters(*draw, Err(Denied::Unavailable)),
            }
        }
    }

    fn handle_claims(&mut self, batch: &[DrawId], claims: DrawClaims, ctx: &mut Context<Self>) {
        let mut missing: BTreeSet<DrawId> = batch.iter().copied().collect();
        for DrawOfAnotherNode { view, owner } in claims.elsewhere {
            missing.remove(&view.draw);
            self.registry_writer.set_remote_owner(view, owner);
            self.recovery.answer_waiters(view.draw, Ok(()));
        }
        for claimed in claims.taken {
            let draw = claimed.snapshot.id;
            missing.remove(&draw);
            if self.is_stopping || self.membership.is_leaving() || self.registry.is_killed() {
                self.recovery.answer_waiters(draw, Err(Denied::Unavailable));
            } else if self.actors.start_draw_actor(claimed, &self.registry_writer) {
                self.recovery.answer_waiters(draw, Ok(()));
            } else {
                self.pause(draw, PauseCause::BrokenInvariant, ctx);
            }
        }
        for draw in missing {
            self.recovery.answer_waiters(draw, Err(Denied::NoSuchDraw));
            self.recovery.forget_draw(draw);
        }
    }

    fn handle_failed_claim(
        &mut self,
        batch: Vec<DrawId>,
        failure: &Failure,
        ctx: &mut Context<Self>,
    ) {
        tracing::warn!(draws = batch.len(), %failure, "draws not claimed: database error");
        if let (Failure::Corrupt(_), [draw]) = (failure, &batch[..]) {
            return self.pause(*draw, PauseCause::UnreadableState, ctx);
        }
        if matches!(failure, Failure::Corrupt(_)) {
            // A draw that cannot be read must not block the others of its batch, so each is claimed
            // alone.
            for draw in batch {
                self.claim_draws(vec![draw], ctx);
            }
            return;
        }
        for draw in batch {
            self.recovery.answer_waiters(draw, Err(Denied::Unavailable));
            let delay = self.recovery.count_failed_claim(draw);
            ctx.run_later(delay, move |supervisor, ctx| {
                if !supervisor.registry.is_running(draw)
                    && supervisor.registry.remote_owner(draw).is_none()
                {
                    supervisor.claims.push(draw);
                    supervisor.claim_queued_draws(ctx);
                }
            });
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
        ctx.run_interval(DRAW_SCAN_INTERVAL, Self::scan_draws);
    }
}
