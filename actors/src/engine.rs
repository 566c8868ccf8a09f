//! Starts everything that lives, and stops it in order.

use std::sync::Arc;
use std::time::Duration;

use actix::{Addr, Arbiter};
use persistence::{Books, Failure, Ledger};
use tokio::sync::watch;

use crate::membership::Membership;
use crate::payment::room::{Nudges, Room};
use crate::payment::{Desk, PaymentActor, operations, until_killed};
use crate::supervisor::roster::Roster;
use crate::supervisor::{DrawSupervisor, HandOver, Rest, WakeAll};
use crate::thread::Thread;
use crate::{
    Anomalies, Clock, Draws, Gateway, Neighbourhood, Outbox, Payments, Post, Reconciler, mailer,
    membership, notices, reconciler,
};

/// How long stopping waits for what was begun; whatever is cut off is found by the next restart scan.
const DRAIN_MAX: Duration = Duration::from_secs(20);

/// What the engine is made of.
#[derive(Clone)]
pub struct EngineParts {
    pub ledger: Arc<dyn Ledger>,
    pub books: Arc<dyn Books>,
    pub gateway: Arc<dyn Gateway>,
    pub clock: Arc<dyn Clock>,
    pub mail: Arc<dyn Post>,
    pub neighbourhood: Neighbourhood,
}

/// Where the actors run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// On threads of their own, so that HTTP workers never wait behind them: so many for draws, one for the rest.
    OwnThreads { draws: usize },
    /// Everything on the current thread: tests and simulations.
    Current,
}

/// All that lives. Dropping it stops nothing: call [`Engine::stop`].
pub struct Engine {
    pub draws: Draws,
    pub payments: Payments,
    pub reconciler: Reconciler,
    pub anomalies: Anomalies,
    pub outbox: Outbox,
    supervisor: Addr<DrawSupervisor>,
    membership: Arc<Membership>,
    desk: Desk,
    stop: watch::Sender<bool>,
    kill: watch::Sender<bool>,
    threads: Vec<Arbiter>,
}

impl Engine {
    /// Wakes every live draw and starts the workers. Must be called inside an actix System.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn start(parts: EngineParts) -> Result<Engine, Failure> {
        Engine::start_at(parts, Placement::OwnThreads { draws: 1 }).await
    }

    /// The same, with a say in where the actors run; on the current thread any tokio runtime for local tasks will do.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn start_at(parts: EngineParts, placement: Placement) -> Result<Engine, Failure> {
        let membership = Arc::new(Membership::new(parts.neighbourhood));
        membership.join().await?;
        // After a crash our own former self is among them, and must not keep us waiting.
        if membership.bury_the_dead().await {
            membership.join().await?;
        }
        let live = parts.ledger.live().await?;
        let threads: Vec<Arbiter> = match placement {
            Placement::OwnThreads { draws } => (0..=draws.max(1)).map(|_| Arbiter::new()).collect(),
            Placement::Current => Vec::new(),
        };
        let mut of_draws: Vec<Thread> = threads
            .iter()
            .map(|thread| Thread::Own(thread.handle()))
            .collect();
        let rest = of_draws.pop().unwrap_or(Thread::Current);
        if of_draws.is_empty() {
            of_draws.push(rest.clone());
        }

        let (kill, killed) = watch::channel(false);
        let dying = killed.clone();
        let roster = Arc::new(Roster::new(killed.clone()));
        let supervisor = {
            let (ledger, books, clock) = (
                parts.ledger.clone(),
                parts.books.clone(),
                parts.clock.clone(),
            );
            let (roster, membership) = (roster.clone(), membership.clone());
            rest.start(move || {
                DrawSupervisor::new(ledger, books, clock, roster, membership, of_draws)
            })
        };
        let draws = Draws::new(roster, supervisor.clone(), membership.clone(), parts.ledger);
        let desk = Desk::new(rest.start(move || PaymentActor::new(dying)));
        let room = Arc::new(Room {
            draws: draws.clone(),
            books: parts.books,
            gateway: parts.gateway,
            clock: parts.clock,
            desk: desk.clone(),
            index: Default::default(),
            nudges: Nudges::default(),
            confirmations: Default::default(),
            tally: Default::default(),
        });
        let awake = supervisor.send(WakeAll(live.clone())).await.unwrap_or(0);
        tracing::info!(live = live.len(), awake, "live draws are awake");
        let (stop, stopping) = watch::channel(false);
        let lease = membership::run(membership.clone(), supervisor.clone(), stopping.clone());
        rest.spawn(until_killed(killed.clone(), lease));
        rest.spawn(until_killed(
            killed.clone(),
            operations::run(room.clone(), stopping.clone()),
        ));
        rest.spawn(until_killed(
            killed.clone(),
            notices::run(room.clone(), stopping.clone()),
        ));
        rest.spawn(until_killed(
            killed.clone(),
            reconciler::run(room.clone(), stopping.clone()),
        ));
        rest.spawn(until_killed(
            killed,
            mailer::run(room.clone(), parts.mail, stopping),
        ));
        let (payments, reconciler) = (Payments::new(room.clone()), Reconciler::new(room.clone()));
        let outbox = Outbox::new(room.clone());
        let anomalies = Anomalies::new(room, reconciler.clone());
        Ok(Engine {
            draws,
            payments,
            reconciler,
            anomalies,
            outbox,
            supervisor,
            membership,
            desk,
            stop,
            kill,
            threads,
        })
    }

    /// Gives the draws to the other nodes while this one still answers: from now on it asks them. Without others it does
    /// nothing, since there is nobody to ask.
    pub async fn hand_over(&self) {
        if !self.membership.has_others() {
            return;
        }
        if tokio::time::timeout(DRAIN_MAX, self.supervisor.send(HandOver))
            .await
            .is_err()
        {
            tracing::warn!("draws were not handed over; the lease ends by itself");
        }
    }

    /// Lets what was begun come to an end, and stops. Nothing is lost by not calling it: a stop is a kind crash.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        if tokio::time::timeout(DRAIN_MAX, self.desk.drain())
            .await
            .is_err()
        {
            tracing::warn!("payment work was cut off; the restart scan finds it");
        }
        if tokio::time::timeout(DRAIN_MAX, self.supervisor.send(Rest))
            .await
            .is_err()
        {
            tracing::warn!("draws were cut off in the middle of a commit");
        }
        self.membership.leave().await;
        self.kill.send_replace(true);
        for thread in &self.threads {
            thread.stop();
        }
    }

    /// Ends as `kill -9` would: nothing is finished, nobody is told, what is at the books already may still be written.
    #[cfg(feature = "testing")]
    pub fn kill(self) {
        self.membership.place.nodes.vanish(self.membership.boot());
        self.kill.send_replace(true);
        for thread in &self.threads {
            thread.stop();
        }
    }
}
