//! Starts all actors and workers of this process, and stops them in order.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use actix::{Addr, Arbiter};
use persistence::{Failure, Ledger, PaymentStores};
use tokio::sync::watch;

use crate::actor_thread::ActorThread;
use crate::membership::Membership;
use crate::metrics::EngineMetrics;
use crate::payments::confirmed_intents::ConfirmedIntents;
use crate::payments::context::{OrderIndex, PaymentContext, WorkerWakeups};
use crate::payments::foreign_payments::ClubAccounts;
use crate::payments::job_queue::{KeyedJobQueue, PaymentActor, run_until_killed};
use crate::payments::operation_worker;
use crate::supervisor::registry::DrawRegistry;
use crate::supervisor::{DrawSupervisor, HandOverDraws, StopAllActors, WakeDraws};
use crate::{
    Anomalies, Clock, Draws, Gateway, MailTransport, Outbox, Payments, Peers, Reconciler, mailer,
    membership, reconciler, webhook_events,
};

/// Longest time that stopping waits for running work. Interrupted work is found by the scan after
/// the next start.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);

/// The stores, clients and settings that an engine is built from.
#[derive(Clone)]
pub struct EngineDependencies {
    pub ledger: Arc<dyn Ledger>,
    pub store: Arc<dyn PaymentStores>,
    pub gateway: Arc<dyn Gateway>,
    pub clock: Arc<dyn Clock>,
    pub mail: Arc<dyn MailTransport>,
    pub peers: Peers,
}

/// Selects the threads on which actors run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadPlacement {
    /// On separate threads, so that HTTP workers never wait for actors: `draws` threads for draw
    /// actors, and one for all other actors.
    OwnThreads { draws: usize },
    /// Everything on the current thread. For tests and simulations.
    Current,
}

/// All actors and workers. Dropping the engine stops nothing: call [`Engine::stop`].
pub struct Engine {
    pub draws: Draws,
    pub payments: Payments,
    pub reconciler: Reconciler,
    pub anomalies: Anomalies,
    pub outbox: Outbox,
    supervisor: Addr<DrawSupervisor>,
    membership: Arc<Membership>,
    jobs: KeyedJobQueue,
    stop: watch::Sender<bool>,
    kill: watch::Sender<bool>,
    threads: Vec<Arbiter>,
}

impl Engine {
    /// Makes every live draw available, and starts the workers. A draw is available if it has an
    /// actor here or a known owner. Must be called inside an actix `System`.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn start(parts: EngineDependencies) -> Result<Engine, Failure> {
        Engine::start_with_placement(parts, ThreadPlacement::OwnThreads { draws: 1 }).await
    }

    /// Makes every live draw available, and starts the workers on the threads that `placement`
    /// selects. `ThreadPlacement::Current` needs only a tokio runtime with local tasks.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn start_with_placement(
        parts: EngineDependencies,
        placement: ThreadPlacement,
    ) -> Result<Engine, Failure> {
        let membership = Arc::new(Membership::new(parts.peers));
        membership.join_cluster().await?;
        // After a crash, the previous process of this node is still in the list of nodes. Its lease
        // is ended here, so that this process can claim its draws at once.
        if membership.expire_dead_nodes().await {
            membership.join_cluster().await?;
        }
        let live = parts.ledger.live_draws().await?;
        let threads: Vec<Arbiter> = match placement {
            ThreadPlacement::OwnThreads { draws } => {
                (0..=draws.max(1)).map(|_| Arbiter::new()).collect()
            }
            ThreadPlacement::Current => Vec::new(),
        };
        let mut draw_threads: Vec<ActorThread> = threads
            .iter()
            .map(|thread| ActorThread::Own(thread.handle()))
            .collect();
        let main_thread = draw_threads.pop().unwrap_or(ActorThread::Current);
        if draw_threads.is_empty() {
            draw_threads.push(main_thread.clone());
        }

        let (kill, killed) = watch::channel(false);
        let actor_killed = killed.clone();
        let registry = Arc::new(DrawRegistry::new(killed.clone()));
        let supervisor = {
            let (ledger, store, clock) = (
                parts.ledger.clone(),
                parts.store.clone(),
                parts.clock.clone(),
            );
            let (registry, membership) = (registry.clone(), membership.clone());
            main_thread.start_actor(move || {
                DrawSupervisor::new(ledger, store, clock, registry, membership, draw_threads)
            })
        };
        let draws = Draws::new(
            registry,
            supervisor.clone(),
            membership.clone(),
            parts.ledger,
        );
        let jobs =
            KeyedJobQueue::new(main_thread.start_actor(move || PaymentActor::new(actor_killed)));
        let context = Arc::new(PaymentContext {
            draws: draws.clone(),
            store: parts.store,
            gateway: parts.gateway,
            clock: parts.clock,
            jobs: jobs.clone(),
            index: OrderIndex::default(),
            club_accounts: ClubAccounts::default(),
            confirmed_intents: ConfirmedIntents::default(),
            wakeups: WorkerWakeups::default(),
            confirmation_attempts: AtomicU64::default(),
            metrics: EngineMetrics::default(),
        });
        let woken = supervisor.send(WakeDraws(live.clone())).await.unwrap_or(0);
        tracing::info!(live = live.len(), woken, "live draws woken");
        let (stop, stopping) = watch::channel(false);
        let lease = membership::run_lease_renewal(
            membership.clone(),
            supervisor.clone().recipient(),
            stopping.clone(),
        );
        main_thread.spawn_worker(run_until_killed(killed.clone(), lease));
        main_thread.spawn_worker(run_until_killed(
            killed.clone(),
            operation_worker::run_operation_worker(context.clone(), stopping.clone()),
        ));
        main_thread.spawn_worker(run_until_killed(
            killed.clone(),
            webhook_events::run_webhook_worker(context.clone(), stopping.clone()),
        ));
        main_thread.spawn_worker(run_until_killed(
            killed.clone(),
            reconciler::run_reconciler(context.clone(), stopping.clone()),
        ));
        main_thread.spawn_worker(run_until_killed(
            killed,
            mailer::run_mailer(context.clone(), parts.mail, stopping),
        ));
        let payments = Payments::new(context.clone());
        let reconciler = Reconciler::new(context.clone());
        let outbox = Outbox::new(context.clone());
        let anomalies = Anomalies::new(context, reconciler.clone());
        Ok(Engine {
            draws,
            payments,
            reconciler,
            anomalies,
            outbox,
            supervisor,
            membership,
            jobs,
            stop,
            kill,
            threads,
        })
    }

    /// Hands all draws over to the other nodes. Meanwhile this node still accepts commands and
    /// forwards them. Does nothing without other nodes.
    pub async fn hand_over_draws(&self) {
        if !self.membership.has_other_nodes() {
            return;
        }
        if tokio::time::timeout(DRAIN_TIMEOUT, self.supervisor.send(HandOverDraws))
            .await
            .is_err()
        {
            tracing::warn!("draws not handed over: timeout; the lease expires by itself");
        }
    }

    /// Completes running work and stops the engine. Without this call nothing is lost, because the
    /// next process recovers as after a crash.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        if tokio::time::timeout(DRAIN_TIMEOUT, self.jobs.drain())
            .await
            .is_err()
        {
            tracing::warn!("payment jobs cut off: timeout; the restart scan continues them");
        }
        if tokio::time::timeout(DRAIN_TIMEOUT, self.supervisor.send(StopAllActors))
            .await
            .is_err()
        {
            tracing::warn!("draws cut off during a commit: timeout");
        }
        self.membership.leave_cluster().await;
        self.kill.send_replace(true);
        for thread in &self.threads {
            thread.stop();
        }
    }

    /// Ends the engine like `kill -9`: nothing is completed, and other nodes are not informed. A
    /// write that has reached the database may still be committed.
    #[cfg(feature = "testing")]
    pub fn kill(self) {
        self.membership
            .peers
            .nodes
            .simulate_kill(self.membership.instance_id());
        self.kill.send_replace(true);
        for thread in &self.threads {
            thread.stop();
        }
    }
}
