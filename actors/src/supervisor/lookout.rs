//! Looks around: for draws that want an owner, for decided ones that may go, and for what other nodes wrote.

use std::time::Duration;

use actix::{ActorContext, ActorFutureExt, AsyncContext, Context, WrapFuture};
use domain::DrawId;
use persistence::ledger::{Known, Moved};
use tokio::time::Instant;

use super::DrawSupervisor;

/// How often decided draws are let go, and live ones that nobody woke are looked for.
const ROUND: Duration = Duration::from_secs(60);
/// The same while there are other nodes, which make draws, too.
const ROUND_AMONG_OTHERS: Duration = Duration::from_secs(5);
/// How often what other nodes wrote is read, so that boards follow within a second.
const LISTEN: Duration = Duration::from_millis(400);
/// A decided draw is let go when nobody asked for it this long.
const IDLE_MS: u64 = 600_000;

impl DrawSupervisor {
    pub(super) fn keep_looking(ctx: &mut Context<Self>) {
        ctx.run_interval(ROUND, Self::round);
    }

    /// Listens until there is nobody to listen to; a process by itself has no timer for it.
    pub(super) fn keep_listening(&mut self, ctx: &mut Context<Self>) {
        let among_others = self.membership.has_others() || self.roster.has_elsewhere();
        let over = self.resting || self.roster.is_killed();
        if among_others && !over && !std::mem::replace(&mut self.listens, true) {
            ctx.run_later(LISTEN, Self::listen);
        }
    }

    /// Finds live draws that nobody woke (made by another process, or lost to one) and paused ones that may go on, and lets
    /// decided ones go.
    pub(super) fn round(&mut self, ctx: &mut Context<Self>) {
        if self.roster.is_killed() {
            return ctx.terminate();
        }
        self.looked_at = Instant::now();
        let retired = self.roster.retire(IDLE_MS);
        if retired > 0 {
            tracing::debug!(retired, "decided draws were let go");
        }
        self.look_after_pauses(ctx);
        let ledger = self.ledger.clone();
        let look = async move { ledger.live().await };
        ctx.spawn(
            look.into_actor(self)
                .map(|live, supervisor, ctx| match live {
                    Ok(live) => {
                        for draw in live {
                            if supervisor.wants_an_owner(draw) {
                                supervisor.want(draw);
                            }
                        }
                        supervisor.claim_due(ctx);
                    }
                    Err(failure) => tracing::warn!(%failure, "live draws could not be listed"),
                }),
        );
    }

    /// Nobody has it, as far as we know.
    fn wants_an_owner(&self, draw: DrawId) -> bool {
        match self.roster.owner(draw) {
            Some(owner) => !self.membership.knows(owner) && self.roster.forget_owner(draw, owner),
            None => !self.roster.is_live(draw) && !self.roster.is_paused(draw),
        }
    }

    /// Reads what other nodes wrote: their draws' newer views, and which of ours they have taken. The next question waits for
    /// this one's answer.
    fn listen(&mut self, ctx: &mut Context<Self>) {
        if self.resting || self.roster.is_killed() {
            self.listens = false;
            return;
        }
        if self.looked_at.elapsed() >= ROUND_AMONG_OTHERS {
            self.round(ctx);
        }
        let (known, generations): (Vec<Known>, Vec<u64>) = self.roster.known().into_iter().unzip();
        let (ledger, me) = (self.ledger.clone(), self.membership.boot());
        let asked_at = Instant::now();
        let read = async move {
            let moved = ledger.moved(me, &known).await;
            (moved, known)
        };
        ctx.spawn(
            read.into_actor(self)
                .map(move |(moved, known), supervisor, ctx| {
                    supervisor.listens = false;
                    match moved {
                        Ok(moved) => {
                            moved.into_iter().for_each(|one| {
                                let place =
                                    known.iter().position(|known| known.draw == one.view.draw);
                                supervisor.heard(one, place.map_or(0, |place| generations[place]));
                            });
                            supervisor.membership.heard(asked_at);
                        }
                        Err(failure) => {
                            tracing::debug!(%failure, "what other nodes wrote could not be read")
                        }
                    }
                    supervisor.claim_due(ctx);
                    supervisor.keep_listening(ctx);
                }),
        );
    }

    /// `generation`: of our actor of the draw when we asked.
    fn heard(&mut self, moved: Moved, generation: u64) {
        let draw = moved.view.draw;
        self.roster.show(moved.view);
        // An actor that nobody asked would never learn that it is a ghost.
        if !moved.ours && self.roster.evict(draw, generation) {
            self.want(draw);
        }
    }
}
