//! The other nodes of the cluster, and the interface for forwarding a command to the node that owns
//! a draw.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Command, DrawId, ReservationSource};
use persistence::Nodes;
use persistence::ledger::AttachedWrite;
use persistence::nodes::{InstanceId, Node};
use persistence::records::audit::AuditEntry;
use thiserror::Error;

use crate::{CommandOutcome, Denied};

/// A command to a draw, with the data that is written together with it.
#[derive(Clone, Debug)]
pub struct DrawRequest {
    pub command: Command,
    /// A further write in the transaction of the command.
    pub attached_write: Option<AttachedWrite>,
    /// The entry for the audit log if a person gave the command.
    pub audit_entry: Option<AuditEntry>,
    /// The source whose quota a reservation counts against. `None`: the reservation is not limited.
    pub source: Option<ReservationSource>,
}

/// Why the owner of a draw did not answer a command. The command may have been executed. Sending it
/// again is safe, because every command is idempotent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PeerError {
    /// The owner could not be reached, or its answer was lost.
    #[error("the draw's owner did not answer")]
    Silent,
    /// The node answered that it does not own the draw.
    #[error("the node does not own the draw")]
    NotTheOwner,
}

/// The answer of a draw's owner, or why there is none.
pub type PeerAnswer = Result<Result<CommandOutcome, Denied>, PeerError>;

/// A client for commands to other nodes. The server implements it over HTTP.
#[async_trait]
pub trait PeerClient: Send + Sync {
    /// Sends a command to the owner of a draw, which executes it
    /// ([`crate::Draws::execute_on_this_node`]). Ends within a limited time. The owner never
    /// forwards the command.
    ///
    /// # Errors
    /// [`PeerError`]
    async fn execute(&self, owner: &Node, draw: DrawId, request: DrawRequest) -> PeerAnswer;
}

/// This node, the list of nodes, and the client for the other nodes.
#[derive(Clone)]
pub struct Peers {
    pub me: Node,
    pub nodes: Arc<dyn Nodes>,
    pub client: Arc<dyn PeerClient>,
}

impl Peers {
    /// Returns the peers of a node that runs alone. If other nodes exist nevertheless, this node
    /// cannot reach the draws that they own, but nothing else goes wrong.
    pub fn of_single_node(boot: InstanceId, nodes: Arc<dyn Nodes>) -> Peers {
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

/// The client of a node that runs alone. Every call fails.
struct NoPeers;

#[async_trait]
impl PeerClient for NoPeers {
    async fn execute(&self, _: &Node, _: DrawId, _: DrawRequest) -> PeerAnswer {
        Err(PeerError::Silent)
    }
}
