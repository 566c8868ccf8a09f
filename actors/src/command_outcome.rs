//! The outcome of a command to a draw.

use domain::{Allocation, Refusal, Reservation, View};
use thiserror::Error;

/// The draw after a command was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutcome {
    /// The draw after the command.
    pub view: View,
    /// The reservation of the command's order, if it has one.
    pub reservation: Option<Reservation>,
    /// The tickets of the command's order, if it has any.
    pub allocation: Option<Allocation>,
    /// `false`: the command had been executed before. Nothing was written, no attached write either.
    pub written: bool,
}

/// Why a draw did not execute a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Denied {
    /// The rules of the draw forbid the command.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A technical failure. The same command may be sent again in a moment (503, `Retry-After`).
    #[error("the draw is busy or being rebuilt, try again")]
    Unavailable,
    /// The draw's actor failed repeatedly within ten seconds. An operator resumes the draw by
    /// closing its anomaly.
    #[error("the draw is paused")]
    Paused,
    #[error("no such draw")]
    NoSuchDraw,
}
