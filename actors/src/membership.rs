//! This node among the others: keeps its lease, and says whether it may serve and who else is there.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actix::Addr;
use persistence::Failure;
use persistence::nodes::{Boot, LEASE_MS, Node, Roll};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::neighbours::Neighbourhood;
use crate::supervisor::{Doubt, DrawSupervisor, Look};

/// Four times in a lease's life, so that one lost renewal or two do no harm.
const RENEW_EVERY: Duration = Duration::from_millis(LEASE_MS as u64 / 4);
/// After a renewal that failed.
const RENEW_AGAIN: Duration = Duration::from_millis(250);
/// An answer of the books that took longer says that our own line, or the database, is in trouble.
const PROMPT: Duration = Duration::from_millis(400);
/// And for so long nobody else is blamed: the list of nodes is asked some six times meanwhile, and a line that loses three
/// packets in ten is prompt six times in a row one time in eight.
const IN_TROUBLE: Duration = Duration::from_secs(3);
/// What is in memory is told for so long after the books were last heard, and whoever takes a draw over waits as long: longer
/// than a renewal takes to come round.
pub(crate) const MEMORY: Duration = Duration::from_secs(2);
/// We stop serving this long before the others may take our draws.
const MARGIN: Duration = Duration::from_secs(1);

pub(crate) struct Membership {
    pub(crate) place: Neighbourhood,
    roll: watch::Sender<Roll>,
    /// By our own monotonic clock, counted from before the last good renewal was asked for.
    good_until: Mutex<Instant>,
    /// Counts the leases that followed one that had ended: what was known under one says nothing under the next.
    term: AtomicU64,
    /// Before this was asked the books said that our draws are ours.
    heard_at: Mutex<Instant>,
    /// When the list of nodes last took long to answer.
    late_at: Mutex<Option<Instant>>,
    leaving: AtomicBool,
}

/// What a renewal brought.
pub(crate) struct Renewed {
    /// Somebody came or went.
    pub(crate) changed: bool,
    /// The lease never ended meanwhile, so that nobody can have taken anything of ours.
    in_time: bool,
    until: Instant,
}

impl Membership {
    pub(crate) fn new(place: Neighbourhood) -> Membership {
        let good_until = Mutex::new(Instant::now());
        Membership {
            place,
            roll: watch::Sender::default(),
            good_until,
            term: AtomicU64::new(0),
            heard_at: Mutex::new(Instant::now()),
            late_at: Mutex::default(),
            leaving: AtomicBool::new(false),
        }
    }

    pub(crate) fn boot(&self) -> Boot {
        self.place.me.boot
    }

    /// Whether what is in memory may still be ours. A process by itself asks nobody: the epoch guards its writes, and nobody
    /// else would serve. One that goes owns nothing, and asks the others.
    pub(crate) fn may_serve(&self) -> bool {
        self.place.me.address.is_empty() || self.is_leaving() || Instant::now() < *self.deadline()
    }

    /// Under which lease we serve; `None`: under none. What was asked under one and is answered from memory under another, or
    /// none, may have been another node's to answer by then.
    pub(crate) fn term(&self) -> Option<u64> {
        self.may_serve().then(|| self.term.load(Ordering::Relaxed))
    }

    /// Whether what an actor knows may be told though nothing was written. A node that reaches us badly may have taken a draw
    /// over, and waits as long before it serves.
    pub(crate) fn is_fresh(&self) -> bool {
        self.place.me.address.is_empty()
            || self.is_leaving()
            || lock(&self.heard_at).elapsed() < MEMORY
    }

    /// The books said whose our draws are; they were asked at this time.
    pub(crate) fn heard(&self, asked_at: Instant) {
        let mut heard_at = lock(&self.heard_at);
        *heard_at = asked_at.max(*heard_at);
    }

    /// The list of nodes answered, or said that it cannot; it was asked at this time.
    fn answered(&self, asked_at: Instant) {
        if asked_at.elapsed() > PROMPT {
            *lock(&self.late_at) = Some(Instant::now());
        }
    }

    /// Whether the last renewal came when it was due, and everything of late was answered at once: who is not heard by us is then
    /// silent itself.
    pub(crate) fn hears_well(&self) -> bool {
        let left = self.deadline().saturating_duration_since(Instant::now());
        let due = Duration::from_millis(LEASE_MS as u64) - MARGIN - RENEW_EVERY - PROMPT;
        left >= due && lock(&self.late_at).is_none_or(|late_at| late_at.elapsed() >= IN_TROUBLE)
    }

    /// Whether the books answered what they were asked after this time.
    pub(crate) fn has_heard_since(&self, time: Instant) -> bool {
        *lock(&self.heard_at) >= time
    }

    /// The other nodes, as of the last renewal.
    pub(crate) fn others(&self) -> Vec<Node> {
        self.roll.borrow().others.clone()
    }

    /// Turns when somebody comes, goes, or becomes the eldest.
    pub(crate) fn change(&self) -> watch::Receiver<Roll> {
        self.roll.subscribe()
    }

    pub(crate) fn has_others(&self) -> bool {
        !self.roll.borrow().others.is_empty()
    }

    pub(crate) fn knows(&self, boot: Boot) -> bool {
        self.roll
            .borrow()
            .others
            .iter()
            .any(|other| other.boot == boot)
    }

    /// What one node is enough for is ours: the eldest's. While nodes come and go it may be nobody's or two nodes' for the
    /// length of a lease, so whatever it is must be safe to do twice and to do later.
    pub(crate) fn is_eldest(&self) -> bool {
        !self.is_leaving() && self.roll.borrow().eldest
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    fn deadline(&self) -> MutexGuard<'_, Instant> {
        lock(&self.good_until)
    }

    /// Asks for the lease, or for more of it. When the one before may have ended first, nothing is served until [`serve`] says
    /// so: whoever has draws in memory must forget them before.
    ///
    /// [`serve`]: Membership::serve
    pub(crate) async fn renew(&self) -> Result<Renewed, Failure> {
        let asked_at = Instant::now();
        let renewed = self.place.nodes.renew(&self.place.me).await;
        self.answered(asked_at);
        let roll = renewed?;
        if roll.others.is_empty() {
            // Nobody is there who could take anything, and so nobody listens.
            self.heard(asked_at);
        }
        let until = asked_at + Duration::from_millis(LEASE_MS as u64) - MARGIN;
        // By now it is written; whether in time is known only if the time is not over yet.
        let in_time = self.may_serve();
        if in_time {
            *self.deadline() = until;
        }
        let changed = self.roll.send_if_modified(|known| {
            let moved = *known != roll;
            *known = roll;
            moved
        });
        Ok(Renewed {
            changed,
            in_time,
            until,
        })
    }

    /// A new lease begins: nothing is in memory that was there before it.
    pub(crate) fn serve(&self, renewed: &Renewed) {
        self.term.fetch_add(1, Ordering::Relaxed);
        *self.deadline() = renewed.until;
    }

    /// Asks for the first lease, before there is anything in memory.
    pub(crate) async fn join(&self) -> Result<(), Failure> {
        let renewed = self.renew().await?;
        self.serve(&renewed);
        Ok(())
    }

    /// Ends the leases of nodes whose processes are gone. Whoever hangs keeps its own until it ends by itself.
    pub(crate) async fn bury_the_dead(&self) -> bool {
        let mut buried = false;
        for other in self.others() {
            buried |= self.bury(other.boot).await;
        }
        buried
    }

    pub(crate) async fn bury(&self, gone: Boot) -> bool {
        let asked_at = Instant::now();
        let buried = self.place.nodes.bury(gone).await.unwrap_or(false);
        self.answered(asked_at);
        if buried {
            tracing::warn!(node = %gone, "a node's process has ended; its draws are free");
            self.roll
                .send_modify(|roll| roll.others.retain(|other| other.boot != gone));
        }
        buried
    }

    /// From now on nothing is claimed here, and what is asked of us goes to the others.
    pub(crate) fn begin_leaving(&self) {
        self.leaving.store(true, Ordering::Relaxed);
    }

    /// What we owned is anybody's.
    pub(crate) async fn leave(&self) {
        self.begin_leaving();
        if let Err(failure) = self.place.nodes.leave(self.boot()).await {
            tracing::warn!(%failure, "the lease ends by itself");
        }
    }
}

fn lock<T>(at: &Mutex<T>) -> MutexGuard<'_, T> {
    at.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the lease until the engine stops.
pub(crate) async fn run(
    membership: Arc<Membership>,
    supervisor: Addr<DrawSupervisor>,
    mut stop: watch::Receiver<bool>,
) {
    let mut pause = RENEW_EVERY;
    loop {
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(pause) => {}
        }
        if membership.is_leaving() {
            return;
        }
        match membership.renew().await {
            // It was asked for before we left, and may have been written after.
            Ok(_) if membership.is_leaving() => return membership.leave().await,
            Ok(renewed) => {
                pause = RENEW_EVERY;
                if !renewed.in_time {
                    // A process that hung, or was cut off: others may have taken its draws, and sold from them.
                    tracing::warn!(
                        "the lease had ended; what is in memory is read anew before it is believed"
                    );
                    let _ = supervisor.send(Doubt).await;
                    membership.serve(&renewed);
                }
                if membership.bury_the_dead().await || renewed.changed {
                    // Whatever a node that went away owned is to be taken; one that came may have made draws. A supervisor
                    // too busy to hear it looks again by itself.
                    let _ = supervisor.try_send(Look);
                }
            }
            Err(failure) => {
                pause = RENEW_AGAIN;
                tracing::warn!(%failure, "the lease could not be renewed");
            }
        }
    }
}
