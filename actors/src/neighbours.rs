//! Other nodes: how the owner of a draw is asked, when it is one of them.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Command, DrawId};
use persistence::Nodes;
use persistence::ledger::Rider;
use persistence::nodes::{Boot, Node};
use persistence::records::audit::Entry;
use thiserror::Error;

use crate::{Committed, Denied};

/// What a draw's owner is asked to do.
#[derive(Clone, Debug)]
pub struct Errand {
    pub command: Command,
    /// What the asker wants written in the same transaction.
    pub rider: Option<Rider>,
    /// Who asks, when a person does.
    pub act: Option<Entry>,
}

/// It was not done there, or nobody knows. Asking again is safe: every command is idempotent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unreachable {
    /// Nobody was there, or the answer was lost.
    #[error("the draw's owner did not answer")]
    Silent,
    /// It answered that the draw is another node's.
    #[error("the draw is another node's")]
    NotTheOwner,
}

/// What became of an errand: what the draw's owner answered, if it could be asked.
pub type Answered = Result<Result<Committed, Denied>, Unreachable>;

/// The way to other nodes. The server gives it: actors know no HTTP.
#[async_trait]
pub trait Neighbours: Send + Sync {
    /// Has a draw's owner do it ([`crate::Draws::execute_here`]), in bounded time. The owner asks nobody else: one hop.
    ///
    /// # Errors
    /// [`Unreachable`]
    async fn execute(&self, owner: &Node, draw: DrawId, errand: Errand) -> Answered;
}

/// Where a process lives.
#[derive(Clone)]
pub struct Neighbourhood {
    pub me: Node,
    pub nodes: Arc<dyn Nodes>,
    pub neighbours: Arc<dyn Neighbours>,
}

impl Neighbourhood {
    /// One process by itself. If there is another all the same, draws that it owns are unavailable here, and never harmed.
    pub fn alone(boot: Boot, nodes: Arc<dyn Nodes>) -> Neighbourhood {
        Neighbourhood {
            me: Node {
                boot,
                address: String::new(),
            },
            nodes,
            neighbours: Arc::new(Nobody),
        }
    }
}

struct Nobody;

#[async_trait]
impl Neighbours for Nobody {
    async fn execute(&self, _: &Node, _: DrawId, _: Errand) -> Answered {
        Err(Unreachable::Silent)
    }
}
