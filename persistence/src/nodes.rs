//! The list of nodes: the processes that serve this database, each with the end of its lease.

use std::fmt;

use async_trait::async_trait;
use sqlx::PgExecutor;

use crate::error::Failure;

/// The duration of a node's lease in milliseconds, measured by the database's clock.
pub const LEASE_MS: i64 = 5_000;

/// Time from the end of a node's lease until the node counts as gone, in milliseconds. A node that
/// left or was removed counts as gone at once.
pub const GONE_AFTER_LEASE_END_MS: i64 = 10_000;

/// Identifies one start of a process. After a restart, a process has a new id and counts as another
/// node, with new epochs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId(pub u128);

impl InstanceId {
    /// Returns a random id for a process that has just started.
    ///
    /// # Panics
    /// When the operating system provides no random bytes.
    pub fn random() -> InstanceId {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
        InstanceId(u128::from_be_bytes(bytes))
    }
}

/// Formats the instance id in the form that logs and other nodes show.
impl fmt::Display for InstanceId {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:032x}", self.0)
    }
}

/// A process that serves this database now, or did so before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub boot: InstanceId,
    /// The network address to which other nodes send requests, as `host:port`. Empty when the
    /// server runs without other nodes.
    pub address: String,
}

/// The other nodes at the time of a lease renewal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherNodes {
    /// The other nodes whose lease has not ended, in the order in which they started.
    pub others: Vec<Node>,
    /// Whether no other living node started before the node that renews its lease. The eldest node
    /// does the work that needs only one node.
    pub eldest: bool,
}

/// Stores the list of nodes.
///
/// Leases only keep nodes from competing for the same draws. Stale writes are prevented by the
/// draw's epoch, which every write names.
#[async_trait]
pub trait Nodes: Send + Sync {
    /// Extends the lease of the node `me` so that it ends in [`LEASE_MS`], and returns the other
    /// nodes.
    async fn renew(&self, me: &Node) -> Result<OtherNodes, Failure>;

    /// Ends the lease of a node whose process has ended. Returns `false` when it is not certain
    /// that the process has ended: a node that hangs or is cut off may still run.
    async fn remove_ended_node(&self, gone: InstanceId) -> Result<bool, Failure>;

    /// Removes the node `me` from the list. It must have stopped writing, because other nodes can
    /// claim its draws at once.
    async fn leave(&self, me: InstanceId) -> Result<(), Failure>;

    /// Tells a store in a test that the process was killed. The Postgres store ignores the call.
    fn simulate_kill(&self, _me: InstanceId) {}
}

/// Returns whether a node with an earlier version of the program is alive. Such a node stores link
/// secrets and audit entries without keyed hashes.
pub(crate) async fn has_older_node(database: impl PgExecutor<'_>) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
           select from public.nodes where not keeps_link_secrets and lease_until > clock_timestamp()) as "exists!""#
    )
    .fetch_one(database)
    .await
}
