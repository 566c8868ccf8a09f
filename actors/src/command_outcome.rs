//! The outcome of a command to a draw.

use domain::{Allocation, Refusal, Reservation, View};
use thiserror::Error;

/// The state of a draw after a command was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutcome {
    /// The public view after the command.
    pub view: View,
    /// The active reservation of the order that the command names. `None`: there is none.
    pub reservation: Option<Reservation>,
    /// The tickets of the order that the command names. `None`: there are none.
    pub allocation: Option<Allocation>,
    /// Whether the command wrote events. `false`: it changed nothing, usually because an earlier
    /// call had executed it. Then its attached write was not written either.
    pub written: bool,
}

/// Why a draw did not execute a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Denied {
    /// The rules of the draw forbid the command.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A technical failure. The caller may send the same command again after a moment (status 503
    /// with `Retry-After`).
    #[error("the draw is busy or being rebuilt, try again")]
    Unavailable,
    /// The draw is paused, because its actor failed repeatedly within ten seconds. An operator
    /// resumes the draw by closing its anomaly.
    #[error("the draw is paused")]
    Paused,
    #[error("no such draw")]
    NoSuchDraw,
}
