//! This node among the others: keeps its lease, and says whether it may serve and who else is there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actix::Addr;
use persistence::Failure;
use persistence::nodes::{Boot, LEASE_MS, Node, Roll};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::neighbours::Neighbourhood;
use crate::supervisor::{DrawSupervisor, Look};

/// Four times in a lease's life, so that one lost renewal or two do no harm.
const RENEW_EVERY: Duration = Duration::from_millis(LEASE_MS as u64 / 4);
/// After a renewal that failed.
const RENEW_AGAIN: Duration = Duration::from_millis(250);
/// We stop serving this long before the others may take our draws.
const MARGIN: Duration = Duration::from_secs(1);

pub(crate) struct Membership {
    pub(crate) place: Neighbourhood,
    roll: watch::Sender<Roll>,
    /// By our own monotonic clock, counted from before the last good renewal was asked for.
    good_until: Mutex<Instant>,
    leaving: AtomicBool,
}

impl Membership {
    pub(crate) fn new(place: Neighbourhood) -> Membership {
        let good_until = Mutex::new(Instant::now());
        Membership { place, roll: watch::Sender::default(), good_until, leaving: AtomicBool::new(false) }
    }

    pub(crate) fn boot(&self) -> Boot {
        self.place.me.boot
    }

    /// Whether what is in memory may still be ours. A process by itself asks nobody: the epoch guards its writes, and nobody
    /// else would serve. One that goes owns nothing, and asks the others.
    pub(crate) fn may_serve(&self) -> bool {
        self.place.me.address.is_empty() || self.is_leaving() || Instant::now() < *self.deadline()
    }

    /// The other nodes, as of the last renewal.
    pub(crate) fn others(&self) -> Vec<Node> {
        self.roll.borrow().others.clone()
    }

    pub(crate) fn has_others(&self) -> bool {
        !self.roll.borrow().others.is_empty()
    }

    pub(crate) fn knows(&self, boot: Boot) -> bool {
        self.roll.borrow().others.iter().any(|other| other.boot == boot)
    }

    /// What one node is enough for is ours: the eldest's. While nodes come and go it may be nobody's or two nodes' for the
    /// length of a lease, so whatever it is must be safe to do twice and to do later.
    pub(crate) fn is_eldest(&self) -> bool {
        !self.is_leaving() && self.roll.borrow().eldest
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    fn deadline(&self) -> std::sync::MutexGuard<'_, Instant> {
        self.good_until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers whether somebody came or went.
    pub(crate) async fn renew(&self) -> Result<bool, Failure> {
        let asked_at = Instant::now();
        let roll = self.place.nodes.renew(&self.place.me).await?;
        *self.deadline() = asked_at + Duration::from_millis(LEASE_MS as u64) - MARGIN;
        Ok(self.roll.send_if_modified(|known| {
            let moved = *known != roll;
            *known = roll;
            moved
        }))
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
        let buried = self.place.nodes.bury(gone).await.unwrap_or(false);
        if buried {
            tracing::warn!(node = %gone, "a node's process has ended; its draws are free");
            self.roll.send_modify(|roll| roll.others.retain(|other| other.boot != gone));
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
            Ok(changed) => {
                pause = RENEW_EVERY;
                if membership.bury_the_dead().await || changed {
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
