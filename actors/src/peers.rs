//! The other nodes, and how a command is forwarded to the node that owns a draw.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Command, DrawId, HoldSource};
use persistence::Nodes;
use persistence::ledger::AttachedWrite;
use persistence::nodes::{InstanceId, Node};
use persistence::records::audit::AuditEntry;
use thiserror::Error;

use crate::{CommandOutcome, Denied};

/// A command to a draw with everything that belongs to it.
#[derive(Clone, Debug)]
pub struct DrawRequest {
    pub command: Command,
    /// A further write in the same transaction.
    pub attached_write: Option<AttachedWrite>,
    /// The entry for the audit log, when a person gave the command.
    pub audit_entry: Option<AuditEntry>,
    /// The source whose quota a reservation counts against. `None`: the reservation is not limited.
    pub source: Option<HoldSource>,
}

/// Why a command was not answered by the draw's owner. It may have been executed. Sending it again
/// is safe, because every command is idempotent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PeerError {
    /// The owner could not be reached, or its answer was lost.
    #[error("the draw's owner did not answer")]
    Silent,
    /// The node answered that it does not own the draw.
    #[error("the draw is another node's")]
    NotTheOwner,
}

/// The answer of a draw's owner, if it could be reached.
pub type PeerAnswer = Result<Result<CommandOutcome, Denied>, PeerError>;

/// A client for the other nodes. The server implements it over HTTP.
#[async_trait]
pub trait PeerClient: Send + Sync {
    /// Lets a draw's owner execute a command ([`crate::Draws::execute_here`]), in bounded time. The
    /// owner never forwards it further.
    ///
    /// # Errors
    /// [`PeerError`]
    async fn execute(&self, owner: &Node, draw: DrawId, request: DrawRequest) -> PeerAnswer;
}

/// This node, the list of nodes, and the client for the others.
#[derive(Clone)]
pub struct Peers {
    pub me: Node,
    pub nodes: Arc<dyn Nodes>,
    pub client: Arc<dyn PeerClient>,
}

impl Peers {
    /// A node without others. If another node exists anyway, its draws are unavailable here, and
    /// nothing else happens.
    pub fn alone(boot: InstanceId, nodes: Arc<dyn Nodes>) -> Peers {
        Peers {
            me: Node {
                boot,
                address: String::new(),
            },
            nodes,
            client: Arc::new(NoPeers),
        }
    }
}

/// The client of a node without others.
struct NoPeers;

#[async_trait]
impl PeerClient for NoPeers {
    async fn execute(&self, _: &Node, _: DrawId, _: DrawRequest) -> PeerAnswer {
        Err(PeerError::Silent)
    }
}
