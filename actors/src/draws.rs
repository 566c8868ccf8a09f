//! The handle to all draws: finds or wakes a draw's actor and asks it.

use std::sync::Arc;

use actix::{Addr, Handler, Message};
use domain::{
    Allocation, Cell, Command, Deal, DrawId, Editor, Refusal, Reservation, Serial, TermsEdit, View,
};
use persistence::Ledger;
use persistence::ledger::{DrawDetails, Rider};
use persistence::nodes::{Boot, Node, Roll};
use persistence::records::audit::Entry;
use thiserror::Error;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use crate::draw::{AskCells, AskDeal, DrawActor, Execute};
use crate::membership::Membership;
use crate::neighbours::{Answered, Errand, Unreachable};
use crate::silences::{SILENCE, Silences, while_watching};
use crate::supervisor::roster::{Asked, Roster};
use crate::supervisor::{DrawSupervisor, Look, Wake, Waker};

/// Ways an errand may take: asked, after waking the draw, after its owner did not answer, and once more.
const TURNS_MAX: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    MayForward,
    HereOnly,
}

/// Asks draws. Cheap to clone; every clone reaches the same actors.
#[derive(Clone)]
pub struct Draws {
    roster: Arc<Roster>,
    supervisor: Addr<DrawSupervisor>,
    membership: Arc<Membership>,
    ledger: Arc<dyn Ledger>,
    silences: Arc<Silences>,
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
    /// It failed three times in ten seconds and waits for an operator, who closes its anomaly.
    #[error("the draw is paused")]
    Paused,
    #[error("no such draw")]
    NoSuchDraw,
}

impl Draws {
    pub(crate) fn new(
        roster: Arc<Roster>,
        supervisor: Addr<DrawSupervisor>,
        membership: Arc<Membership>,
        ledger: Arc<dyn Ledger>,
    ) -> Draws {
        Draws {
            roster,
            supervisor,
            membership,
            ledger,
            silences: Arc::default(),
            act: None,
        }
    }

    /// A handle that signs: every commit it brings about carries the entry into the audit log, in the same transaction. A
    /// command that changes nothing leaves none.
    #[must_use]
    pub fn by(&self, act: Entry) -> Draws {
        Draws {
            act: Some(Arc::new(act)),
            ..self.clone()
        }
    }

    /// Carries out a command, with what the asker wants written in the same transaction. Idempotent: a command that was
    /// carried out before changes nothing, writes no rider and answers the same.
    ///
    /// # Errors
    /// [`Denied`]; after `Unavailable` the same command may be sent again.
    pub async fn execute(
        &self,
        draw: DrawId,
        command: Command,
        rider: Option<Rider>,
    ) -> Result<Committed, Denied> {
        let errand = Errand {
            command,
            rider,
            act: self.act.as_deref().cloned(),
        };
        self.errand(draw, errand, Way::MayForward)
            .await
            .unwrap_or(Err(Denied::Unavailable))
    }

    /// The same for another node, which took this one for the draw's owner: it is done here, if need be after claiming the
    /// draw, and never sent on.
    ///
    /// # Errors
    /// [`Unreachable`]: the draw is somebody else's.
    pub async fn execute_here(&self, draw: DrawId, errand: Errand) -> Answered {
        self.errand(draw, errand, Way::HereOnly).await
    }

    /// Whether this node may answer from memory: it has heard from the books lately enough, or has no neighbours.
    pub fn may_serve(&self) -> bool {
        self.membership.may_serve()
    }

    /// How many other nodes there are.
    pub fn others(&self) -> usize {
        self.membership.others().len()
    }

    /// Turns when that changes, or whose turn it is.
    pub(crate) fn others_change(&self) -> watch::Receiver<Roll> {
        self.membership.change()
    }

    /// What one node is enough for is this one's to do; see [`crate::neighbours`]. It may be two nodes' for a moment.
    pub fn is_eldest(&self) -> bool {
        self.membership.is_eldest()
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
        let command = Command::Amend {
            edit,
            by,
            described: details.is_some(),
        };
        self.execute(draw, command, details.map(Rider::Describe))
            .await
    }

    /// Takes a draw that has ended out of the public lists, or puts it back (B:140, decision E-14).
    ///
    /// # Errors
    /// `Refused(NotCompleted)` while it is on sale or awaits its result.
    pub async fn archive(&self, draw: DrawId, archived: bool) -> Result<Committed, Denied> {
        self.execute(draw, Command::Archive { archived }, None)
            .await
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

    /// Counts up whenever any view changed, for whoever waits for that: tests do; lists and caches compare [`Self::changes`].
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.roster.changed()
    }

    /// How often any view has changed until now.
    pub fn changes(&self) -> u64 {
        self.roster.changes()
    }

    /// The pairs on some tickets. Secret: only for their owner, until the reveal (rule 4).
    ///
    /// # Errors
    /// [`Denied`]
    pub async fn cells(
        &self,
        draw: DrawId,
        serials: &[Serial],
    ) -> Result<Vec<(Serial, Cell)>, Denied> {
        let wanted = serials.to_vec();
        if let Some(cells) = self
            .ask(draw, |reply| AskCells {
                serials: wanted,
                reply,
            })
            .await?
        {
            return Ok(cells);
        }
        let deal = self.deal_from_the_books(draw).await?;
        Ok(serials
            .iter()
            .map(|serial| (*serial, deal.cell(*serial)))
            .collect())
    }

    /// The whole deal with its seed. Secret until the draw is completed and its kick-off has passed (decisions K-1, E-6).
    ///
    /// # Errors
    /// [`Denied`]
    pub async fn deal(&self, draw: DrawId) -> Result<Deal, Denied> {
        match self.ask(draw, |reply| AskDeal { reply }).await? {
            Some(deal) => Ok(deal),
            None => self.deal_from_the_books(draw).await,
        }
    }

    async fn deal_from_the_books(&self, draw: DrawId) -> Result<Deal, Denied> {
        self.ledger.deal(draw).await.map_err(|failure| {
            tracing::warn!(draw.id = %draw, %failure, "a deal could not be read");
            Denied::Unavailable
        })
    }

    /// Wakes a draw that was just created, or one that is paused.
    ///
    /// # Errors
    /// [`Denied`]
    pub async fn wake(&self, draw: DrawId) -> Result<(), Denied> {
        self.wake_for(draw, Waker::Operator).await
    }

    /// Somebody closed an anomaly: it may have been a paused draw's. Other nodes find out within seconds.
    pub(crate) fn look(&self) {
        // A supervisor too busy to hear it looks again by itself.
        let _ = self.supervisor.try_send(Look);
    }

    /// This start of this process.
    pub(crate) fn boot(&self) -> Boot {
        self.membership.boot()
    }

    /// The latest view of a draw that is awake; asks nobody and waits for nobody.
    pub fn shown(&self, draw: DrawId) -> Option<View> {
        self.roster.view(draw)
    }

    /// Does it here, or sends it to the draw's owner once.
    async fn errand(&self, draw: DrawId, errand: Errand, way: Way) -> Answered {
        let Some(term) = self.membership.term() else {
            return Ok(Err(Denied::Unavailable));
        };
        let (reply, answer) = oneshot::channel();
        let mut message = Execute { errand, reply };
        let mut asked_before = None;
        for _ in 0..TURNS_MAX {
            message = match self.roster.ask(draw, message) {
                // An actor that died on it drops the reply: nobody knows, and asking again is safe. What is written is true; what
                // was answered from memory only if nobody else can have owned the draw meanwhile.
                Asked::Sent => {
                    let answer = answer.await.unwrap_or(Err(Denied::Unavailable));
                    let written = answer.as_ref().is_ok_and(|committed| committed.written);
                    let is_true = written
                        || (self.membership.term() == Some(term) && self.membership.is_fresh());
                    return Ok(if is_true {
                        answer
                    } else {
                        Err(Denied::Unavailable)
                    });
                }
                Asked::Paused => return Ok(Err(Denied::Paused)),
                Asked::Full => return Ok(Err(Denied::Unavailable)),
                Asked::Absent(message) => {
                    if let Err(denied) = self.wake_for(draw, Waker::Asker).await {
                        return Ok(Err(denied));
                    }
                    message
                }
                Asked::Elsewhere(owner, _)
                    if asked_before.replace(owner.boot) == Some(owner.boot) =>
                {
                    break;
                }
                Asked::Elsewhere(owner, message) => {
                    let mut stands_still = false;
                    if way == Way::MayForward {
                        match self.forward(&owner, draw, &message.errand).await {
                            Ok(done) => return Ok(done),
                            Err(still) => stands_still = still,
                        }
                    }
                    // Its process may be gone, or its lease over, or the draw in other hands: the books know.
                    let who = Waker::Forsaken {
                        by: owner.boot,
                        stands_still,
                    };
                    if let Err(denied) = self.wake_for(draw, who).await {
                        return Ok(Err(denied));
                    }
                    message
                }
            };
        }
        Err(Unreachable::NotTheOwner)
    }

    /// What the owner answered; else whether it and the draw stand still: nothing came back for a while, and the books, which we
    /// hear well, showed hardly a commit meanwhile. A busy owner's draw goes on.
    async fn forward(
        &self,
        owner: &Node,
        draw: DrawId,
        errand: &Errand,
    ) -> Result<Result<Committed, Denied>, bool> {
        let Some(view) = self.roster.watch(draw) else {
            return Err(false);
        };
        let asked_at = Instant::now();
        let asked = self
            .membership
            .place
            .neighbours
            .execute(owner, draw, errand.clone());
        let (answer, moves) = while_watching(view, asked).await;
        let lasted = asked_at.elapsed();
        // What it knows by heart it may tell over the worst of links, one packet each way; a commit takes it a dozen.
        if lasted < SILENCE && matches!(&answer, Ok(Ok(done)) if done.written) {
            self.silences.broken(draw);
        }
        answer.map_err(|why| {
            let silent = why == Unreachable::Silent && lasted >= SILENCE;
            // A database that stands still has silenced us both.
            let hears_well =
                self.membership.hears_well() && self.membership.has_heard_since(asked_at);
            silent && hears_well && self.silences.add(draw, owner.boot, lasted, moves)
        })
    }

    /// `None`: another node owns the draw.
    async fn ask<M, T>(
        &self,
        draw: DrawId,
        message: impl FnOnce(oneshot::Sender<T>) -> M,
    ) -> Result<Option<T>, Denied>
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

    async fn answered<M, T>(
        asked: Asked<M>,
        answer: oneshot::Receiver<T>,
    ) -> Result<Option<T>, Denied> {
        match asked {
            Asked::Sent => answer.await.map(Some).map_err(|_| Denied::Unavailable),
            Asked::Elsewhere(..) => Ok(None),
            Asked::Paused => Err(Denied::Paused),
            Asked::Full | Asked::Absent(_) => Err(Denied::Unavailable),
        }
    }

    async fn wake_for(&self, draw: DrawId, who: Waker) -> Result<(), Denied> {
        self.supervisor
            .send(Wake { draw, who })
            .await
            .unwrap_or(Err(Denied::Unavailable))
    }
}
