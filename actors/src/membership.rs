//! This node's membership in the cluster. It renews the lease, decides whether this node may serve,
//! and lists the other nodes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actix::{Message, Recipient};
use persistence::Failure;
use persistence::nodes::{InstanceId, LEASE_MS, Node, OtherNodes};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::peers::Peers;

/// Interval between two renewals of this node's lease. A lease lasts for four intervals, so one or
/// two lost renewals do no harm.
const LEASE_RENEWAL_INTERVAL: Duration = Duration::from_millis(LEASE_MS as u64 / 4);
/// Delay before this node repeats a failed renewal of its lease.
const LEASE_RENEWAL_RETRY_DELAY: Duration = Duration::from_millis(250);
/// If the database answers later than this, the database or the connection to it counts as slow.
const SLOW_DATABASE_LATENCY_MIN: Duration = Duration::from_millis(400);
/// How long the database counts as slow after a late answer. Meanwhile this node considers no draw
/// of another node stalled. This node reads the list of nodes about six times in this period. On a
/// connection that loses 30 % of the packets, all six answers are prompt in one case of eight.
const SLOW_DATABASE_STATE_DURATION: Duration = Duration::from_secs(3);
/// Largest age of the last ownership check with which this node still answers from memory. A node
/// that takes over a draw waits this long before it serves the draw. Longer than the interval
/// between two lease renewals.
pub(crate) const STALE_READ_MAX: Duration = Duration::from_secs(2);
/// This node stops serving this long before the other nodes consider its lease ended.
const LEASE_SAFETY_MARGIN: Duration = Duration::from_secs(1);

pub(crate) struct Membership {
    pub(crate) peers: Peers,
    nodes: watch::Sender<OtherNodes>,
    /// End of the lease by this node's monotonic clock. Computed from the time before the renewal
    /// was sent, so it is never too late.
    serves_until: Mutex<Instant>,
    /// Number of the current lease. Increases when a lease begins after an earlier one had ended.
    /// An answer from memory is valid only if this number has not changed since the command
    /// arrived.
    lease_number: AtomicU64,
    /// When the most recent confirmed ownership check was sent.
    ownership_checked_at: Mutex<Instant>,
    /// When the database last answered a query about the nodes late. `None`: never.
    slow_answer_at: Mutex<Option<Instant>>,
    leaving: AtomicBool,
}

/// A change of the cluster membership, sent to the supervisor of the draws.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub(crate) enum MembershipEvent {
    /// The lease had ended, so other nodes may own this node's draws.
    OwnershipUncertain,
    /// A node joined or left.
    NodesChanged,
}

/// The result of a lease renewal.
pub(crate) struct LeaseRenewal {
    /// Whether a node joined or left since the previous renewal.
    pub(crate) changed: bool,
    /// Whether the earlier lease was still valid at the renewal, so that no other node can own this
    /// node's draws.
    in_time: bool,
    until: Instant,
}

impl Membership {
    pub(crate) fn new(peers: Peers) -> Membership {
        let serves_until = Mutex::new(Instant::now());
        Membership {
            peers,
            nodes: watch::Sender::default(),
            serves_until,
            lease_number: AtomicU64::new(0),
            ownership_checked_at: Mutex::new(Instant::now()),
            slow_answer_at: Mutex::default(),
            leaving: AtomicBool::new(false),
        }
    }

    pub(crate) fn instance_id(&self) -> InstanceId {
        self.peers.me.boot
    }

    /// Whether this node may own the draws in memory. A single process always may, because no other
    /// node serves, and the epoch rejects outdated writes. A leaving node owns nothing and forwards
    /// its commands.
    pub(crate) fn may_serve(&self) -> bool {
        self.peers.me.address.is_empty()
            || self.is_leaving()
            || Instant::now() < *self.lock_lease_end()
    }

    /// Returns the number of the current lease. `None`: there is no valid lease.
    pub(crate) fn lease_number(&self) -> Option<u64> {
        self.may_serve()
            .then(|| self.lease_number.load(Ordering::Relaxed))
    }

    /// Whether an answer may be given from memory without a write. Another node that cannot reach
    /// this one may have taken a draw over, but waits [`STALE_READ_MAX`] before it serves the draw.
    pub(crate) fn may_answer_from_memory(&self) -> bool {
        self.peers.me.address.is_empty()
            || self.is_leaving()
            || lock(&self.ownership_checked_at).elapsed() < STALE_READ_MAX
    }

    /// Records that the database confirmed this node's ownership of its draws, in a check that was
    /// sent at `sent_at`.
    pub(crate) fn record_ownership_check(&self, sent_at: Instant) {
        let mut checked_at = lock(&self.ownership_checked_at);
        *checked_at = sent_at.max(*checked_at);
    }

    /// Records a late answer of the database to a query about the nodes, which was sent at
    /// `sent_at` and may have failed.
    fn record_late_database_answer(&self, sent_at: Instant) {
        if sent_at.elapsed() > SLOW_DATABASE_LATENCY_MIN {
            *lock(&self.slow_answer_at) = Some(Instant::now());
        }
    }

    /// Whether the last renewal was on time and the database has recently answered promptly. If
    /// another node does not answer then, the database is not the cause.
    pub(crate) fn has_healthy_database(&self) -> bool {
        let left = self
            .lock_lease_end()
            .saturating_duration_since(Instant::now());
        let spare = LEASE_SAFETY_MARGIN + LEASE_RENEWAL_INTERVAL + SLOW_DATABASE_LATENCY_MIN;
        let due = Duration::from_millis(LEASE_MS as u64).saturating_sub(spare);
        left >= due
            && lock(&self.slow_answer_at)
                .is_none_or(|at| at.elapsed() >= SLOW_DATABASE_STATE_DURATION)
    }

    /// Whether the database has confirmed this node's ownership of its draws in a check that was
    /// sent at `time` or later.
    pub(crate) fn has_ownership_check_since(&self, time: Instant) -> bool {
        *lock(&self.ownership_checked_at) >= time
    }

    /// Returns the other nodes that the last renewal listed.
    pub(crate) fn other_nodes(&self) -> Vec<Node> {
        self.nodes.borrow().others.clone()
    }

    /// Returns a receiver that is notified when a node joins or leaves, or when another node
    /// becomes the oldest.
    pub(crate) fn watch_other_nodes(&self) -> watch::Receiver<OtherNodes> {
        self.nodes.subscribe()
    }

    pub(crate) fn has_other_nodes(&self) -> bool {
        !self.nodes.borrow().others.is_empty()
    }

    pub(crate) fn has_node(&self, boot: InstanceId) -> bool {
        self.nodes
            .borrow()
            .others
            .iter()
            .any(|other| other.boot == boot)
    }

    /// Whether this node is the oldest one, which does the work that only one node needs to do.
    /// While nodes join and leave, there may be no oldest node or two of them, for the length of a
    /// lease. So it must be safe to do such work twice, or late.
    pub(crate) fn is_oldest_node(&self) -> bool {
        !self.is_leaving() && self.nodes.borrow().eldest
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    fn lock_lease_end(&self) -> MutexGuard<'_, Instant> {
        lock(&self.serves_until)
    }

    /// Renews the lease. If the earlier lease may have ended before, this node serves nothing until
    /// [`Self::begin_lease`] is called. Before that call, the caller must drop all draws in memory.
    ///
    /// # Errors
    /// The lease could not be renewed.
    pub(crate) async fn renew_lease(&self) -> Result<LeaseRenewal, Failure> {
        let sent_at = Instant::now();
        let renewed = self.peers.nodes.renew(&self.peers.me).await;
        self.record_late_database_answer(sent_at);
        let nodes = renewed?;
        if nodes.others.is_empty() {
            // Without other nodes no draw can have another owner, so the renewal counts as an
            // ownership check.
            self.record_ownership_check(sent_at);
        }
        let until = sent_at + Duration::from_millis(LEASE_MS as u64) - LEASE_SAFETY_MARGIN;
        // The renewal is written now. It was in time only if the earlier lease is still valid.
        let in_time = self.may_serve();
        if in_time {
            *self.lock_lease_end() = until;
        }
        let changed = self.nodes.send_if_modified(|known| {
            let is_new = *known != nodes;
            *known = nodes;
            is_new
        });
        Ok(LeaseRenewal {
            changed,
            in_time,
            until,
        })
    }

    /// Starts serving under a new lease. The caller must have dropped the draws of the earlier
    /// lease.
    pub(crate) fn begin_lease(&self, renewal: &LeaseRenewal) {
        self.lease_number.fetch_add(1, Ordering::Relaxed);
        *self.lock_lease_end() = renewal.until;
    }

    /// Takes the first lease, before any draw is loaded into memory.
    pub(crate) async fn join_cluster(&self) -> Result<(), Failure> {
        let renewal = self.renew_lease().await?;
        self.begin_lease(&renewal);
        Ok(())
    }

    /// Ends the leases of nodes whose processes have ended. A process that hangs keeps its lease
    /// until the lease expires. Returns whether any lease was ended.
    pub(crate) async fn expire_dead_nodes(&self) -> bool {
        let mut any = false;
        for other in self.other_nodes() {
            any |= self.expire_if_dead(other.boot).await;
        }
        any
    }

    /// Ends the lease of a node if its process has ended. Returns whether the lease was ended.
    pub(crate) async fn expire_if_dead(&self, node: InstanceId) -> bool {
        let sent_at = Instant::now();
        let expired = self
            .peers
            .nodes
            .remove_ended_node(node)
            .await
            .unwrap_or(false);
        self.record_late_database_answer(sent_at);
        if expired {
            tracing::warn!(%node, "lease of another node expired: its process has ended");
            self.nodes
                .send_modify(|nodes| nodes.others.retain(|other| other.boot != node));
        }
        expired
    }

    /// Stops claiming draws on this node. From now on its commands are forwarded to other nodes.
    pub(crate) fn begin_leaving(&self) {
        self.leaving.store(true, Ordering::Relaxed);
    }

    /// Gives up the lease, so that other nodes may claim this node's draws.
    pub(crate) async fn leave_cluster(&self) {
        self.begin_leaving();
        if let Err(failure) = self.peers.nodes.leave(self.instance_id()).await {
            tracing::warn!(%failure, "lease not given up: database error; it expires by itself");
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Renews the lease until the engine stops, and sends each change to `events`.
pub(crate) async fn run_lease_renewal(
    membership: Arc<Membership>,
    events: Recipient<MembershipEvent>,
    mut stop: watch::Receiver<bool>,
) {
    let mut delay = LEASE_RENEWAL_INTERVAL;
    loop {
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(delay) => {}
        }
        if membership.is_leaving() {
            return;
        }
        match membership.renew_lease().await {
            // The renewal was sent before this node left, and may have been written after the lease
            // was given up. So the lease is given up again.
            Ok(_) if membership.is_leaving() => return membership.leave_cluster().await,
            Ok(renewal) => {
                delay = LEASE_RENEWAL_INTERVAL;
                if !renewal.in_time {
                    // This process hung or lost its database connection: other nodes may have sold
                    // tickets of its draws.
                    tracing::warn!("lease had ended: all draws are dropped and claimed again");
                    let _ = events.send(MembershipEvent::OwnershipUncertain).await;
                    membership.begin_lease(&renewal);
                }
                if membership.expire_dead_nodes().await || renewal.changed {
                    // The draws of a node that left need an owner, and a node that joined may have
                    // created draws. Sending fails when the supervisor's mailbox is full; it then
                    // rescans at its next interval.
                    let _ = events.try_send(MembershipEvent::NodesChanged);
                }
            }
            Err(failure) => {
                delay = LEASE_RENEWAL_RETRY_DELAY;
                tracing::warn!(%failure, "lease not renewed: database error");
            }
        }
    }
}
