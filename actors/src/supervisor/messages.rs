//! The messages of the supervisor.

use actix::{Context, Handler, Message, ResponseFuture, StreamHandler};
use domain::{DrawId, PauseCause};
use persistence::nodes::InstanceId;
use tokio::sync::oneshot;

use super::DrawSupervisor;
use crate::Denied;
use crate::draw::{ActorStopped, StopCause};
use crate::membership::MembershipEvent;

/// Makes a draw available: starts its actor, or finds the node that owns the draw.
#[derive(Message)]
#[rtype(result = "Result<(), Denied>")]
pub(crate) struct WakeDraw {
    pub(crate) draw: DrawId,
    pub(crate) cause: WakeCause,
}

/// Why a draw should be available. Only an operator's wakeup resumes a paused draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WakeCause {
    Caller,
    /// The node that seemed to own the draw did not answer a command as its owner, or was not
    /// asked. The command may have been executed. `is_stalled`: whether that node did not answer in
    /// time and the draw hardly changed in the database.
    OwnerUnreachable {
        owner: InstanceId,
        is_stalled: bool,
    },
    Operator,
}

/// Searches for draws without an owner, and for paused draws whose anomaly was closed.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct RescanOwnership;

/// Stops all actors after their current work, and hands the draws over to the other nodes.
/// Afterwards this node claims no draw.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct HandOverDraws;

/// Makes many draws available. The answer is the number of draws that are available.
#[derive(Message)]
#[rtype(result = "usize")]
pub(crate) struct WakeDraws(pub(crate) Vec<DrawId>);

/// Stops all actors after their current work. The answer is sent when all have stopped.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct StopAllActors;

impl DrawSupervisor {
    fn wake(&mut self, draw: DrawId, cause: WakeCause) -> oneshot::Receiver<Result<(), Denied>> {
        let (reply, answer) = oneshot::channel();
        if cause == WakeCause::Operator && self.registry.is_paused(draw) {
            self.resume(draw);
        }
        if let WakeCause::OwnerUnreachable { owner, is_stalled } = cause
            && self.registry_writer.forget_owner(draw, owner)
        {
            self.claims.add_suspect_owner(owner, draw, is_stalled);
        }
        let immediate =
            if self.is_stopping || self.registry.is_killed() || self.recovery.has_max_waiters(draw)
            {
                Some(Err(Denied::Unavailable))
            } else if self.registry.is_paused(draw) {
                Some(Err(Denied::Paused))
            } else if self.registry.is_running(draw) || self.registry.remote_owner(draw).is_some() {
                Some(Ok(()))
            } else {
                None
            };
        if let Some(immediate) = immediate {
            let _ = reply.send(immediate);
        } else {
            self.recovery.add_waiter(draw, reply);
            self.claims.push(draw);
        }
        answer
    }
}

impl Handler<WakeDraw> for DrawSupervisor {
    type Result = ResponseFuture<Result<(), Denied>>;

    fn handle(&mut self, message: WakeDraw, ctx: &mut Context<Self>) -> Self::Result {
        let answer = self.wake(message.draw, message.cause);
        self.claim_queued_draws(ctx);
        Box::pin(async move { answer.await.unwrap_or(Err(Denied::Unavailable)) })
    }
}

impl Handler<WakeDraws> for DrawSupervisor {
    type Result = ResponseFuture<usize>;

    fn handle(&mut self, message: WakeDraws, ctx: &mut Context<Self>) -> Self::Result {
        let answers: Vec<_> = message
            .0
            .into_iter()
            .map(|draw| self.wake(draw, WakeCause::Caller))
            .collect();
        self.claim_queued_draws(ctx);
        Box::pin(async move {
            let mut available = 0;
            for answer in answers {
                available += usize::from(matches!(answer.await, Ok(Ok(()))));
            }
            available
        })
    }
}

impl Handler<RescanOwnership> for DrawSupervisor {
    type Result = ();

    fn handle(&mut self, _: RescanOwnership, ctx: &mut Context<Self>) {
        self.scan_draws(ctx);
        self.schedule_view_poll(ctx);
    }
}

impl Handler<MembershipEvent> for DrawSupervisor {
    type Result = ();

    fn handle(&mut self, event: MembershipEvent, ctx: &mut Context<Self>) {
        match event {
            // Every draw is dropped and claimed again.
            MembershipEvent::OwnershipUncertain => {
                for draw in self.registry_writer.evict_all_actors() {
                    self.claims.push(draw);
                }
                self.claim_queued_draws(ctx);
            }
            MembershipEvent::NodesChanged => Handler::handle(self, RescanOwnership, ctx),
        }
    }
}

impl Handler<HandOverDraws> for DrawSupervisor {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: HandOverDraws, _: &mut Context<Self>) -> Self::Result {
        let membership = self.membership.clone();
        membership.begin_leaving();
        self.registry_writer.stop_all_actors();
        let all_stopped = self.actors.await_all_stopped();
        Box::pin(async move {
            let _ = all_stopped.await;
            membership.leave_cluster().await;
        })
    }
}

impl Handler<StopAllActors> for DrawSupervisor {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: StopAllActors, _: &mut Context<Self>) -> Self::Result {
        self.is_stopping = true;
        self.registry_writer.stop_all_actors();
        let all_stopped = self.actors.await_all_stopped();
        Box::pin(async move {
            // Waiting fails only if the supervisor has ended. Then there is nothing to wait for.
            let _ = all_stopped.await;
        })
    }
}

impl StreamHandler<ActorStopped> for DrawSupervisor {
    /// Restarts an actor that stopped, or pauses its draw if it failed too often.
    fn handle(&mut self, stopped: ActorStopped, ctx: &mut Context<Self>) {
        self.actors.record_stopped_actor(stopped.generation);
        if self.registry.is_killed() {
            return;
        }
        if self.is_stopping || self.membership.is_leaving() {
            return self.actors.notify_if_all_stopped();
        }
        if !self
            .registry_writer
            .set_stopped(stopped.draw, stopped.generation)
        {
            return;
        }
        match stopped.cause {
            StopCause::Retired => {}
            StopCause::Failed if !self.recovery.count_restart_if_allowed(stopped.draw) => {
                self.pause(stopped.draw, PauseCause::RestartedTooOften, ctx);
            }
            // After `Fenced` another process owns the draw. While that process's lease is valid, a
            // claim does not take the draw but returns its owner.
            StopCause::Failed
            | StopCause::Fenced
            | StopCause::Contradicted
            | StopCause::UnknownCommit => {
                self.claims.push(stopped.draw);
                self.claim_queued_draws(ctx);
            }
        }
    }
}
