//! Periodic reads of the database: they find draws without an owner, and the views of draws that
//! other nodes own.

use std::time::Duration;

use actix::{ActorContext, ActorFutureExt, AsyncContext, Context, WrapFuture};
use domain::DrawId;
use persistence::ledger::{ChangedDraw, KnownDraw};
use tokio::time::Instant;

use super::DrawSupervisor;

/// Interval between two scans. A scan removes finished draws and finds draws without an owner.
pub(super) const DRAW_SCAN_INTERVAL: Duration = Duration::from_secs(60);
/// Interval between two scans while there are other nodes, because other nodes also create draws.
const DRAW_SCAN_INTERVAL_WITH_PEERS: Duration = Duration::from_secs(5);
/// Interval between two reads of other nodes' commits. Short enough that a displayed grid shows
/// other nodes' sales within a second.
const VIEW_POLL_INTERVAL: Duration = Duration::from_millis(400);
/// A finished draw is removed from memory after this time without use, in milliseconds.
const IDLE_DRAW_REMOVAL_AGE_MS: u64 = 600_000;

impl DrawSupervisor {
    /// Starts the timer for the next read of other nodes' commits. Does nothing if this is the only
    /// node.
    pub(super) fn schedule_view_poll(&mut self, ctx: &mut Context<Self>) {
        let has_peers = self.membership.has_other_nodes() || self.registry.has_remote_draw();
        let has_ended = self.is_stopping || self.registry.is_killed();
        if has_peers && !has_ended && !std::mem::replace(&mut self.is_polling_views, true) {
            ctx.run_later(VIEW_POLL_INTERVAL, Self::poll_views);
        }
    }

    /// Claims live draws without an owner, resumes paused draws whose anomaly was closed, and
    /// removes finished draws that are not used. A draw has no owner if another process created it,
    /// or if its owner ended.
    pub(super) fn scan_draws(&mut self, ctx: &mut Context<Self>) {
        if self.registry.is_killed() {
            return ctx.terminate();
        }
        self.scanned_at = Instant::now();
        let removed = self
            .registry_writer
            .remove_idle_draws(IDLE_DRAW_REMOVAL_AGE_MS);
        if removed > 0 {
            tracing::debug!(removed, "idle decided draws removed from memory");
        }
        self.sync_pauses_with_anomalies(ctx);
        let ledger = self.ledger.clone();
        let read = async move { ledger.live_draws().await };
        ctx.spawn(
            read.into_actor(self)
                .map(|live, supervisor, ctx| match live {
                    Ok(live) => {
                        for draw in live {
                            if supervisor.needs_owner(draw) {
                                supervisor.claims.push(draw);
                            }
                        }
                        supervisor.claim_queued_draws(ctx);
                    }
                    Err(failure) => {
                        tracing::warn!(%failure, "live draws not listed: database error");
                    }
                }),
        );
    }

    /// Whether no node owns the draw, as far as this node knows.
    fn needs_owner(&self, draw: DrawId) -> bool {
        match self.registry.remote_owner(draw) {
            Some(owner) => {
                !self.membership.has_node(owner) && self.registry_writer.forget_owner(draw, owner)
            }
            None => !self.registry.is_running(draw) && !self.registry.is_paused(draw),
        }
    }

    /// Reads other nodes' commits: the newer views of their draws, and which of this node's draws
    /// they have claimed. The next read starts after this one was answered.
    fn poll_views(&mut self, ctx: &mut Context<Self>) {
        if self.is_stopping || self.registry.is_killed() {
            self.is_polling_views = false;
            return;
        }
        if self.scanned_at.elapsed() >= DRAW_SCAN_INTERVAL_WITH_PEERS {
            self.scan_draws(ctx);
        }
        let (known, generations): (Vec<KnownDraw>, Vec<u64>) =
            self.registry.known_revisions().into_iter().unzip();
        let (ledger, me) = (self.ledger.clone(), self.membership.instance_id());
        let sent_at = Instant::now();
        let read = async move {
            let moved = ledger.changed_draws(me, &known).await;
            (moved, known)
        };
        ctx.spawn(
            read.into_actor(self)
                .map(move |(moved, known), supervisor, ctx| {
                    supervisor.is_polling_views = false;
                    match moved {
                        Ok(moved) => {
                            for change in moved {
                                let position = known
                                    .iter()
                                    .position(|known| known.draw == change.view.draw);
                                let generation =
                                    position.map_or(0, |position| generations[position]);
                                supervisor.handle_remote_change(change, generation);
                            }
                            supervisor.membership.record_ownership_check(sent_at);
                        }
                        Err(failure) => {
                            tracing::debug!(%failure, "views of other nodes not read: database error");
                        }
                    }
                    supervisor.claim_queued_draws(ctx);
                    supervisor.schedule_view_poll(ctx);
                }),
        );
    }

    /// Publishes a view that another node wrote. `generation`: the generation of this node's actor
    /// of the draw when the read was sent. 0: there was no actor.
    fn handle_remote_change(&mut self, change: ChangedDraw, generation: u64) {
        let draw = change.view.draw;
        self.registry_writer.publish_remote_view(change.view);
        // An actor without commands would not notice that another node has claimed its draw, so it
        // is stopped here.
        if !change.ours && self.registry_writer.evict_actor(draw, generation) {
            self.claims.push(draw);
        }
    }
}
