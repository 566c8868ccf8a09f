//! The handle to all draws: finds or wakes a draw's actor and asks it.

use std::sync::Arc;

use actix::{Addr, Handler, Message};
use domain::{Allocation, Cell, Command, Deal, DrawId, Editor, Refusal, Reservation, Serial, TermsEdit, View};
use persistence::ledger::{DrawDetails, Rider};
use persistence::records::audit::Entry;
use thiserror::Error;
use tokio::sync::{oneshot, watch};

use crate::draw::{AskCells, AskDeal, DrawActor, Execute};
use crate::supervisor::roster::{Asked, Roster};
use crate::supervisor::{DrawSupervisor, Wake, Waker};

/// Asks draws. Cheap to clone; every clone reaches the same actors.
#[derive(Clone)]
pub struct Draws {
    roster: Arc<Roster>,
    supervisor: Addr<DrawSupervisor>,
    act: Option<Arc<Entry>>,
}

/// What a command came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The draw after the command.
    pub view: View,
    /// What the command's order has reserved, if anything.
    pub reservation: Option<Reservation>,
    /// The tickets the command's order has, if any.
    pub allocation: Option<Allocation>,
    /// `false`: nothing was left to do, and no rider was written.
    pub written: bool,
}

/// Why a draw did not do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Denied {
    /// The rules say no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The machine could not: certainly safe to try the same again in a moment (503, `Retry-After`).
    #[error("the draw is busy or being rebuilt, try again")]
    Unavailable,
    /// It failed three times in ten seconds and waits for an operator.
    #[error("the draw is paused")]
    Paused,
    #[error("no such draw")]
    NoSuchDraw,
}

impl Draws {
    pub(crate) fn new(roster: Arc<Roster>, supervisor: Addr<DrawSupervisor>) -> Draws {
        Draws { roster, supervisor, act: None }
    }

    /// A handle that signs: every commit it brings about carries the entry into the audit log, in the same transaction. A
    /// command that changes nothing leaves none.
    #[must_use]
    pub fn by(&self, act: Entry) -> Draws {
        Draws { act: Some(Arc::new(act)), ..self.clone() }
    }

    /// Carries out a command, with what the asker wants written in the same transaction. Idempotent: a command that was
    /// carried out before changes nothing, writes no rider and answers the same.
    ///
    /// # Errors
    /// [`Denied`]; after `Unavailable` the same command may be sent again.
    pub async fn execute(&self, draw: DrawId, command: Command, rider: Option<Rider>) -> Result<Committed, Denied> {
        let act = self.act.as_deref().cloned();
        self.ask(draw, |reply| Execute { command, rider, act, reply }).await?
    }

    /// Changes a draw's terms and what its page says, in one commit; what is not given stays. While anybody has a ticket, price
    /// and prize are locked (B:158, decision E-12). A moved kick-off moves the timer with it.
    ///
    /// # Errors
    /// `Refused`: `DrawNotActive`, `GameStarted` (the operator may, decision E-9), `TermsLocked` with the tickets sold,
    /// `TermsKept` while somebody is paying at the old price, `TermsInvalid`. After `Unavailable` send the same again.
    pub async fn edit(
        &self,
        draw: DrawId,
        edit: TermsEdit,
        details: Option<DrawDetails>,
        by: Editor,
    ) -> Result<Committed, Denied> {
        let command = Command::Amend { edit, by, described: details.is_some() };
        self.execute(draw, command, details.map(Rider::Describe)).await
    }

    /// Takes a draw that has ended out of the public lists, or puts it back (B:140, decision E-14).
    ///
    /// # Errors
    /// `Refused(NotCompleted)` while it is on sale or awaits its result.
    pub async fn archive(&self, draw: DrawId, archived: bool) -> Result<Committed, Denied> {
        self.execute(draw, Command::Archive { archived }, None).await
    }

    /// Takes a result back (decision E-6): the view's status is `active` again only while kick-off is ahead, else `closed`.
    /// Pending payouts and the winner's claim go in the same commit, and whoever was told of winning is sent a correction.
    ///
    /// # Errors
    /// `Refused`: `NotCompleted`, or `PaidOut` once a payout was completed.
    pub async fn undo(&self, draw: DrawId) -> Result<Committed, Denied> {
        self.execute(draw, Command::Undo, None).await
    }

    /// The latest view of a draw, for as long as the receiver lives; it survives the actor.
    ///
    /// # Errors
    /// [`Denied`]: the draw is unknown or cannot be woken now.
    pub async fn watch(&self, draw: DrawId) -> Result<watch::Receiver<View>, Denied> {
        if let Some(watched) = self.roster.watch(draw) {
            return Ok(watched);
        }
        self.wake_for(draw, Waker::Asker).await?;
        self.roster.watch(draw).ok_or(Denied::Unavailable)
    }

    /// What anyone may see of a draw, now.
    ///
    /// # Errors
    /// [`Denied`]: the draw is unknown or cannot be woken now.
    pub async fn view(&self, draw: DrawId) -> Result<View, Denied> {
        if let Some(view) = self.roster.view(draw) {
            return Ok(view);
        }
        self.wake_for(draw, Waker::Asker).await?;
        self.roster.view(draw).ok_or(Denied::Unavailable)
    }

    /// Every draw that is awake, ascending.
    pub fn views(&self) -> Vec<View> {
        self.roster.views()
    }

    /// How many draws wait for an operator because they failed again and again.
    pub fn paused(&self) -> usize {
        self.roster.paused()
    }

    /// Counts up whenever any view changed: for lists and caches.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.roster.changed()
    }

    /// The pairs on some tickets. Secret: only for their owner, until the reveal (rule 4).
    ///
    /// # Errors
    /// [`Denied`]
    pub async fn cells(&self, draw: DrawId, serials: &[Serial]) -> Result<Vec<(Serial, Cell)>, Denied> {
        let serials = serials.to_vec();
        self.ask(draw, |reply| AskCells { serials, reply }).await
    }

    /// The whole deal with its seed. Secret until the draw is completed and its kick-off has passed (decisions K-1, E-6).
    ///
    /// # Errors
    /// [`Denied`]
    pub async fn deal(&self, draw: DrawId) -> Result<Deal, Denied> {
        self.ask(draw, |reply| AskDeal { reply }).await
    }

    /// Wakes a draw that was just created, or one that is paused.
    ///
    /// # Errors
    /// [`Denied`]
    pub async fn wake(&self, draw: DrawId) -> Result<(), Denied> {
        self.wake_for(draw, Waker::Operator).await
    }

    /// The latest view of a draw that is awake; asks nobody.
    pub(crate) fn shown(&self, draw: DrawId) -> Option<View> {
        self.roster.view(draw)
    }

    async fn ask<M, T>(&self, draw: DrawId, message: impl FnOnce(oneshot::Sender<T>) -> M) -> Result<T, Denied>
    where
        M: Message<Result = ()> + Send + 'static,
        DrawActor: Handler<M>,
    {
        let (reply, answer) = oneshot::channel();
        let message = match self.roster.ask(draw, message(reply)) {
            Asked::Absent(message) => message,
            asked => return Self::answered(asked, answer).await,
        };
        self.wake_for(draw, Waker::Asker).await?;
        Self::answered(self.roster.ask(draw, message), answer).await
    }

    async fn answered<M, T>(asked: Asked<M>, answer: oneshot::Receiver<T>) -> Result<T, Denied> {
        match asked {
            // An actor that died on it drops the reply: nobody knows, and asking again is safe.
            Asked::Sent => answer.await.map_err(|_| Denied::Unavailable),
            Asked::Paused => Err(Denied::Paused),
            Asked::Full | Asked::Absent(_) => Err(Denied::Unavailable),
        }
    }

    async fn wake_for(&self, draw: DrawId, who: Waker) -> Result<(), Denied> {
        self.supervisor.send(Wake { draw, who }).await.unwrap_or(Err(Denied::Unavailable))
    }
}
