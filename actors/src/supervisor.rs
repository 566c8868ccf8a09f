//! Keeps draws alive: claims and builds their actors, rebuilds those that stopped, pauses those that stop too often, and
//! lets decided ones go. Ours, because actix's own supervisor neither restarts after a panic nor forgets the memory.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, ActorFutureExt, AsyncContext, Context, WrapFuture};
use domain::{Draw, DrawId};
use persistence::ledger::{Claimed, Claims, Elsewhere};
use persistence::nodes::Boot;
use persistence::{Books, Failure, Ledger};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::draw::{Cause, DrawActor, Obituary, Stopped};
use crate::membership::Membership;
use crate::thread::Thread;
use crate::{Clock, Denied};
use pauses::Pause;
use roster::Roster;

mod lookout;
mod messages;
mod pauses;
pub(crate) mod roster;
mod takeover;

pub(crate) use messages::{Doubt, HandOver, Look, Rest, Wake, WakeAll, Waker};

/// Draws claimed with one call of the ledger.
const CLAIM_BATCH_MAX: usize = 256;
/// Claims under way at once.
const CLAIMS_MAX: usize = 4;
/// Askers that may wait for one draw to wake.
const WAITERS_MAX: usize = 1024;
/// More restarts than this within `RESTARTS_WITHIN` pause a draw.
const RESTARTS_MAX: usize = 3;
const RESTARTS_WITHIN: Duration = Duration::from_secs(10);
const CLAIM_AGAIN_MS_MAX: u64 = 5_000;

type Waiter = oneshot::Sender<Result<(), Denied>>;

pub(crate) struct DrawSupervisor {
    ledger: Arc<dyn Ledger>,
    books: Arc<dyn Books>,
    clock: Arc<dyn Clock>,
    roster: Arc<Roster>,
    membership: Arc<Membership>,
    /// Where draws run; each has its place.
    threads: Vec<Thread>,
    cares: BTreeMap<DrawId, Care>,
    pauses: BTreeMap<DrawId, Pause>,
    /// To be claimed with the next batch.
    due: BTreeSet<DrawId>,
    claiming: BTreeSet<DrawId>,
    claims: usize,
    /// Nodes that did not answer for their draws: with the next claim it is asked whether their processes are gone.
    suspects: BTreeSet<Boot>,
    /// Draws that stand still, and whose owners we do not reach: with the next claim they are taken over, whatever lease still
    /// runs. A link that loses packets leaves a node enough for its lease, and too little for its buyers.
    standstills: BTreeMap<DrawId, Boot>,
    /// The books are being asked what others wrote, or will be soon.
    listens: bool,
    looked_at: Instant,
    generation: u64,
    stops: mpsc::UnboundedSender<Stopped>,
    stopped: Option<mpsc::UnboundedReceiver<Stopped>>,
    /// The engine stops: nothing is built any more.
    resting: bool,
    /// Answered when the last actor is gone.
    rested: Option<oneshot::Sender<()>>,
    alive: BTreeSet<u64>,
}

/// What the supervisor remembers of a draw that needed it.
#[derive(Default)]
struct Care {
    restarts: VecDeque<Instant>,
    claims_failed: u32,
    waiters: Vec<Waiter>,
}

impl DrawSupervisor {
    pub(crate) fn new(
        ledger: Arc<dyn Ledger>,
        books: Arc<dyn Books>,
        clock: Arc<dyn Clock>,
        roster: Arc<Roster>,
        membership: Arc<Membership>,
        threads: Vec<Thread>,
    ) -> DrawSupervisor {
        let (stops, stopped) = mpsc::unbounded_channel();
        DrawSupervisor {
            ledger,
            books,
            clock,
            roster,
            membership,
            threads,
            cares: BTreeMap::new(),
            pauses: BTreeMap::new(),
            due: BTreeSet::new(),
            claiming: BTreeSet::new(),
            claims: 0,
            suspects: BTreeSet::new(),
            standstills: BTreeMap::new(),
            listens: false,
            looked_at: Instant::now(),
            generation: 0,
            stops,
            stopped: Some(stopped),
            resting: false,
            rested: None,
            alive: BTreeSet::new(),
        }
    }

    fn want(&mut self, draw: DrawId) {
        if !self.claiming.contains(&draw) {
            self.due.insert(draw);
        }
    }

    /// Claims what is due, a batch at a time.
    fn claim_due(&mut self, ctx: &mut Context<Self>) {
        while !self.resting
            && !self.roster.is_killed()
            && self.claims < CLAIMS_MAX
            && !self.due.is_empty()
        {
            let mut batch = Vec::new();
            while batch.len() < CLAIM_BATCH_MAX
                && let Some(draw) = self.due.pop_first()
            {
                batch.push(draw);
            }
            self.claim(batch, ctx);
        }
    }

    fn claim(&mut self, mut batch: Vec<DrawId>, ctx: &mut Context<Self>) {
        if self.membership.is_leaving() {
            return self.point_to_the_others(&batch);
        }
        self.claims += 1;
        self.claiming.extend(&batch);
        let (ledger, membership) = (self.ledger.clone(), self.membership.clone());
        let suspects = std::mem::take(&mut self.suspects);
        let standstills: Vec<_> = batch
            .iter()
            .filter_map(|draw| self.standstills.remove_entry(draw))
            .collect();
        let claim = async move {
            for suspect in suspects {
                membership.bury(suspect).await;
            }
            let mut claimed = ledger.claim(membership.boot(), &batch).await;
            let late =
                takeover::take_over(&*ledger, &membership, &standstills, claimed.as_mut().ok())
                    .await;
            batch.retain(|draw| late.iter().all(|one| one.draw != *draw));
            (batch, claimed, late)
        };
        ctx.spawn(
            claim
                .into_actor(self)
                .map(|(batch, claimed, late), supervisor, ctx| {
                    supervisor.claims -= 1;
                    for one in late {
                        supervisor.serve_later(one, ctx);
                    }
                    for draw in &batch {
                        supervisor.claiming.remove(draw);
                    }
                    match claimed {
                        Ok(claimed) => supervisor.claimed(&batch, claimed, ctx),
                        Err(failure) => supervisor.not_claimed(batch, &failure, ctx),
                    }
                    supervisor.claim_due(ctx);
                    supervisor.keep_listening(ctx);
                }),
        );
    }

    /// A node that goes claims nothing: whoever asks it is sent to another, which takes the draw if nobody has it.
    fn point_to_the_others(&mut self, batch: &[DrawId]) {
        let heir = self.membership.others().into_iter().next();
        for draw in batch {
            match (&heir, self.roster.view(*draw)) {
                (Some(heir), Some(view)) => {
                    self.roster.elsewhere(view, heir.clone());
                    self.answer(*draw, Ok(()));
                }
                _ => self.answer(*draw, Err(Denied::Unavailable)),
            }
        }
    }

    fn claimed(&mut self, batch: &[DrawId], claimed: Claims, ctx: &mut Context<Self>) {
        let mut missing: BTreeSet<DrawId> = batch.iter().copied().collect();
        for Elsewhere { view, owner } in claimed.elsewhere {
            missing.remove(&view.draw);
            self.roster.elsewhere(view, owner);
            self.answer(view.draw, Ok(()));
        }
        for one in claimed.taken {
            let draw = one.snapshot.id;
            missing.remove(&draw);
            if self.resting || self.membership.is_leaving() || self.roster.is_killed() {
                self.answer(draw, Err(Denied::Unavailable));
            } else if self.build(one) {
                self.answer(draw, Ok(()));
            } else {
                self.pause(draw, "its stored state breaks an invariant", ctx);
            }
        }
        for draw in missing {
            self.answer(draw, Err(Denied::NoSuchDraw));
            self.cares.remove(&draw);
        }
    }

    /// Builds a draw's actor from what the books hold; `false` when that breaks an invariant. A damaged draw must not take the
    /// supervisor of all the others with it.
    fn build(&mut self, claimed: Claimed) -> bool {
        let snapshot = claimed.snapshot.clone();
        let Ok(draw) = catch_unwind(AssertUnwindSafe(|| Draw::restore(snapshot))) else {
            return false;
        };
        let id = draw.id();
        self.generation += 1;
        let generation = self.generation;
        let window = self.roster.window(draw.view());
        let stopped = Stopped {
            draw: id,
            generation,
            cause: Cause::Retired,
        };
        let obituary = Obituary {
            stopped,
            to: self.stops.clone(),
        };
        let (ledger, clock) = (self.ledger.clone(), self.clock.clone());
        let thread = &self.threads[id.0.unsigned_abs() as usize % self.threads.len()];
        let addr = thread
            .start(move || DrawActor::new(claimed.epoch, draw, ledger, clock, window, obituary));
        self.alive.insert(generation);
        self.roster.live(id, generation, addr);
        true
    }

    fn not_claimed(&mut self, batch: Vec<DrawId>, failure: &Failure, ctx: &mut Context<Self>) {
        tracing::warn!(draws = batch.len(), %failure, "draws could not be claimed");
        if let (Failure::Corrupt(_), [draw]) = (failure, &batch[..]) {
            return self.pause(*draw, "its stored state cannot be read", ctx);
        }
        if matches!(failure, Failure::Corrupt(_)) {
            // One unreadable draw must not keep its neighbours asleep: find it by claiming one at a time.
            for draw in batch {
                self.claim(vec![draw], ctx);
            }
            return;
        }
        for draw in batch {
            self.answer(draw, Err(Denied::Unavailable));
            let care = self.cares.entry(draw).or_default();
            care.claims_failed += 1;
            let pause_ms = (125 << care.claims_failed.min(6)).min(CLAIM_AGAIN_MS_MAX);
            ctx.run_later(Duration::from_millis(pause_ms), move |supervisor, ctx| {
                if !supervisor.roster.is_live(draw) && supervisor.roster.owner(draw).is_none() {
                    supervisor.want(draw);
                    supervisor.claim_due(ctx);
                }
            });
        }
    }

    fn answer(&mut self, draw: DrawId, answer: Result<(), Denied>) {
        if let Some(care) = self.cares.get_mut(&draw) {
            if answer.is_ok() {
                care.claims_failed = 0;
            }
            for waiter in care.waiters.drain(..) {
                // An asker that has gone away needs no answer.
                let _ = waiter.send(answer);
            }
        }
    }

    /// An actor is gone.
    fn stopped(&mut self, gone: Stopped, ctx: &mut Context<Self>) {
        self.alive.remove(&gone.generation);
        if self.roster.is_killed() {
            return;
        }
        if self.resting || self.membership.is_leaving() {
            return self.rest_when_all_are_gone();
        }
        if !self.roster.asleep(gone.draw, gone.generation) {
            return;
        }
        match gone.cause {
            Cause::Retired => {}
            Cause::Failed if self.restarts_too_often(gone.draw) => {
                self.pause(gone.draw, "its actor stopped again and again", ctx);
            }
            // Fenced: another process has taken it. While that one's lease runs the claim only says whose it is.
            Cause::Failed | Cause::Fenced | Cause::Contradicted | Cause::Unsure => {
                self.want(gone.draw);
                self.claim_due(ctx);
            }
        }
    }

    fn restarts_too_often(&mut self, draw: DrawId) -> bool {
        let now = Instant::now();
        let restarts = &mut self.cares.entry(draw).or_default().restarts;
        while restarts
            .front()
            .is_some_and(|earlier| now.duration_since(*earlier) > RESTARTS_WITHIN)
        {
            restarts.pop_front();
        }
        if restarts.len() == RESTARTS_MAX {
            return true;
        }
        restarts.push_back(now);
        false
    }

    fn rest_when_all_are_gone(&mut self) {
        if self.alive.is_empty()
            && let Some(rested) = self.rested.take()
        {
            let _ = rested.send(());
        }
    }
}

impl Actor for DrawSupervisor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Context<Self>) {
        if let Some(mut stopped) = self.stopped.take() {
            let stops = futures_util::stream::poll_fn(move |cx| stopped.poll_recv(cx));
            ctx.add_stream(stops);
        }
        Self::keep_looking(ctx);
    }
}
