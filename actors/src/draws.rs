//! The handle to all draws: finds or wakes a draw's actor and asks it.

use domain::{Allocation, Cell, Command, Deal, DrawId, Refusal, Reservation, Serial, View};
use persistence::ledger::Rider;
use thiserror::Error;
use tokio::sync::watch;

/// Asks draws. Cheap to clone; every clone reaches the same actors.
#[derive(Clone)]
pub struct Draws {}

/// What a command came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The draw after the command.
    pub view: View,
    /// What the command's order has reserved, if anything.
    pub reservation: Option<Reservation>,
    /// The tickets the command's order has, if any.
    pub allocation: Option<Allocation>,
}

/// Why a draw did not do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Denied {
    /// The rules say no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The machine could not: certainly safe to try the same again in a moment (503, `Retry-After`).
    #[error("the draw is busy or being rebuilt, try again")]
    Unavailable,
    /// It failed three times in ten seconds and waits for an operator.
    #[error("the draw is paused")]
    Paused,
    #[error("no such draw")]
    NoSuchDraw,
}

impl Draws {
    /// Carries out a command, with what the asker wants written in the same transaction. Idempotent: a command that was
    /// carried out before changes nothing, writes no rider and answers the same.
    ///
    /// # Errors
    /// [`Denied`]; after `Unavailable` the same command may be sent again.
    pub async fn execute(&self, _draw: DrawId, _command: Command, _rider: Option<Rider>) -> Result<Committed, Denied> {
        Err(Denied::Unavailable)
    }

    /// The latest view of a draw, for as long as the receiver lives; it survives the actor.
    ///
    /// # Errors
    /// [`Denied`]: the draw is unknown or cannot be woken now.
    pub async fn watch(&self, _draw: DrawId) -> Result<watch::Receiver<View>, Denied> {
        Err(Denied::Unavailable)
    }

    /// What anyone may see of a draw, now.
    ///
    /// # Errors
    /// [`Denied`]: the draw is unknown or cannot be woken now.
    pub async fn view(&self, _draw: DrawId) -> Result<View, Denied> {
        Err(Denied::Unavailable)
    }

    /// Every draw that is awake, ascending.
    pub fn views(&self) -> Vec<View> {
        Vec::new()
    }

    /// Counts up whenever any view changed: for lists and caches.
    pub fn changed(&self) -> watch::Receiver<u64> {
        watch::channel(0).1
    }

    /// The pairs on some tickets. Secret: only for their owner, until the reveal (rule 4).
    ///
    /// # Errors
    /// [`Denied`]
    pub async fn cells(&self, _draw: DrawId, _serials: &[Serial]) -> Result<Vec<(Serial, Cell)>, Denied> {
        Err(Denied::Unavailable)
    }

    /// The whole deal with its seed. Secret until the draw is completed and its kick-off has passed (decisions K-1, E-6).
    ///
    /// # Errors
    /// [`Denied`]
    pub async fn deal(&self, _draw: DrawId) -> Result<Deal, Denied> {
        Err(Denied::Unavailable)
    }

    /// Wakes a draw that was just created, or one that is paused.
    ///
    /// # Errors
    /// [`Denied`]
    pub async fn wake(&self, _draw: DrawId) -> Result<(), Denied> {
        Err(Denied::Unavailable)
    }
}
