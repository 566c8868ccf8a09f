//! Which processes serve the books at this moment, and how long each is believed.

use std::fmt;

use async_trait::async_trait;

use crate::error::Failure;

/// How long a node is believed after it last spoke, by the database's clock.
pub const LEASE_MS: i64 = 5_000;

/// A node that left or was buried is gone; one that hangs, or is cut off, is taken for gone so long after its lease was over.
pub const GONE_MS: i64 = 10_000;

/// One start of a process. Never a machine's name: a process that comes back is another node, with epochs of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Boot(pub u128);

impl Boot {
    /// A name that no process had before.
    ///
    /// # Panics
    /// When the operating system gives no random bytes.
    pub fn fresh() -> Boot {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
        Boot(u128::from_be_bytes(bytes))
    }
}

/// What a process is called among nodes, and in logs.
impl fmt::Display for Boot {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:032x}", self.0)
    }
}

/// A process that serves, or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub boot: Boot,
    /// Where other nodes ask it, as `host:port`; empty when it has no neighbours.
    pub address: String,
}

/// Who else is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roll {
    /// The other nodes whose lease runs, in the order they started.
    pub others: Vec<Node>,
    /// None of them started before us: what one node is enough for is ours.
    pub eldest: bool,
}

/// The list of nodes. A lease is a courtesy that keeps nodes out of each other's way; what keeps them from doing harm is the
/// draw's epoch, which every write names.
#[async_trait]
pub trait Nodes: Send + Sync {
    /// We are alive for [`LEASE_MS`] more. Answers who else is.
    async fn renew(&self, me: &Node) -> Result<Roll, Failure>;

    /// Ends the lease of a node whose process is gone, without waiting for its end; `false` when that is not certain. A process
    /// that hangs, or is cut off, is not gone.
    async fn bury(&self, gone: Boot) -> Result<bool, Failure>;

    /// We have stopped writing: our draws are anybody's at once.
    async fn leave(&self, me: Boot) -> Result<(), Failure>;

    /// This process was killed, as far as a test double can be. A real one need not say so.
    fn vanish(&self, _me: Boot) {}
}
