//! What the supervisor may be asked.

use actix::{Context, Handler, Message, ResponseFuture, StreamHandler};
use domain::DrawId;
use persistence::nodes::Boot;
use tokio::sync::oneshot;

use super::{DrawSupervisor, WAITERS_MAX};
use crate::Denied;
use crate::draw::Stopped;

/// Wake a draw.
#[derive(Message)]
#[rtype(result = "Result<(), Denied>")]
pub(crate) struct Wake {
    pub(crate) draw: DrawId,
    pub(crate) who: Waker,
}

/// Who wakes: a paused draw stays paused for buyers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waker {
    Asker,
    /// This node was asked as the draw's owner and did not do it. Whether it `stands_still`: nothing was heard of it, from
    /// itself or from the books.
    Forsaken {
        by: Boot,
        stands_still: bool,
    },
    Operator,
}

/// Somebody came or went among the nodes: look for draws that want an owner.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct Look;

/// Nobody knows whether our draws are ours still: what is in memory is forgotten, and claimed anew.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct Doubt;

/// Let every actor finish and go, give the draws to the other nodes, and claim nothing any more.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct HandOver;

/// Wake many draws; answers how many are awake.
#[derive(Message)]
#[rtype(result = "usize")]
pub(crate) struct WakeAll(pub(crate) Vec<DrawId>);

/// Let every actor finish and go; answered when they are gone.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct Rest;

impl DrawSupervisor {
    fn wake(&mut self, draw: DrawId, who: Waker) -> oneshot::Receiver<Result<(), Denied>> {
        let (reply, answer) = oneshot::channel();
        if who == Waker::Operator && self.roster.is_paused(draw) {
            self.resume(draw);
        }
        if let Waker::Forsaken { by, stands_still } = who
            && self.roster.forget_owner(draw, by)
        {
            self.suspects.insert(by);
            if stands_still {
                self.standstills.insert(draw, by);
            }
        }
        let care = self.cares.entry(draw).or_default();
        let at_once =
            if self.resting || self.roster.is_killed() || care.waiters.len() >= WAITERS_MAX {
                Some(Err(Denied::Unavailable))
            } else if self.roster.is_paused(draw) {
                Some(Err(Denied::Paused))
            } else if self.roster.is_live(draw) || self.roster.owner(draw).is_some() {
                Some(Ok(()))
            } else {
                None
            };
        match at_once {
            Some(at_once) => {
                let _ = reply.send(at_once);
            }
            None => {
                care.waiters.push(reply);
                self.want(draw);
            }
        }
        answer
    }
}

impl Handler<Wake> for DrawSupervisor {
    type Result = ResponseFuture<Result<(), Denied>>;

    fn handle(&mut self, asked: Wake, ctx: &mut Context<Self>) -> Self::Result {
        let answer = self.wake(asked.draw, asked.who);
        self.claim_due(ctx);
        Box::pin(async move { answer.await.unwrap_or(Err(Denied::Unavailable)) })
    }
}

impl Handler<WakeAll> for DrawSupervisor {
    type Result = ResponseFuture<usize>;

    fn handle(&mut self, asked: WakeAll, ctx: &mut Context<Self>) -> Self::Result {
        let answers: Vec<_> = asked
            .0
            .into_iter()
            .map(|draw| self.wake(draw, Waker::Asker))
            .collect();
        self.claim_due(ctx);
        Box::pin(async move {
            let mut awake = 0;
            for answer in answers {
                awake += usize::from(matches!(answer.await, Ok(Ok(()))));
            }
            awake
        })
    }
}

impl Handler<Look> for DrawSupervisor {
    type Result = ();

    fn handle(&mut self, _: Look, ctx: &mut Context<Self>) {
        self.round(ctx);
        self.keep_listening(ctx);
    }
}

impl Handler<Doubt> for DrawSupervisor {
    type Result = ();

    fn handle(&mut self, _: Doubt, ctx: &mut Context<Self>) {
        for draw in self.roster.doubt() {
            self.want(draw);
        }
        self.claim_due(ctx);
    }
}

impl Handler<HandOver> for DrawSupervisor {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: HandOver, _: &mut Context<Self>) -> Self::Result {
        let (done, all_gone) = oneshot::channel();
        let membership = self.membership.clone();
        membership.begin_leaving();
        self.rested = Some(done);
        self.roster.let_go();
        self.rest_when_all_are_gone();
        Box::pin(async move {
            let _ = all_gone.await;
            membership.leave().await;
        })
    }
}

impl Handler<Rest> for DrawSupervisor {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Rest, _: &mut Context<Self>) -> Self::Result {
        let (done, all_gone) = oneshot::channel();
        self.resting = true;
        self.rested = Some(done);
        self.roster.let_go();
        self.rest_when_all_are_gone();
        Box::pin(async move {
            // The sender is dropped only when the supervisor itself is gone, and then there is nothing to wait for.
            let _ = all_gone.await;
        })
    }
}

impl StreamHandler<Stopped> for DrawSupervisor {
    fn handle(&mut self, gone: Stopped, ctx: &mut Context<Self>) {
        self.stopped(gone, ctx);
    }
}
