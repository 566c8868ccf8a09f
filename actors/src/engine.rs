//! Starts everything that lives, and stops it in order.

use std::sync::Arc;

use persistence::{Books, Failure, Ledger};

use crate::{Clock, Draws, Gateway, Payments, Post, Reconciler};

/// What the engine is made of.
#[derive(Clone)]
pub struct EngineParts {
    pub ledger: Arc<dyn Ledger>,
    pub books: Arc<dyn Books>,
    pub gateway: Arc<dyn Gateway>,
    pub clock: Arc<dyn Clock>,
    pub mail: Arc<dyn Post>,
}

/// Where the actors run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Draws on threads of their own, so that HTTP workers never wait behind them.
    OwnThreads { draws: usize },
    /// Everything on the current thread: tests and simulations.
    Current,
}

/// All that lives. Dropping it stops nothing: call [`Engine::stop`].
pub struct Engine {
    pub draws: Draws,
    pub payments: Payments,
    pub reconciler: Reconciler,
}

impl Engine {
    /// Wakes every live draw and starts the workers. Must be called inside an actix System.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn start(parts: EngineParts) -> Result<Engine, Failure> {
        Engine::start_at(parts, Placement::OwnThreads { draws: 1 }).await
    }

    /// The same, with a say in where the actors run.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn start_at(_parts: EngineParts, _placement: Placement) -> Result<Engine, Failure> {
        Err(Failure::NotWritten("starting".into()))
    }

    /// Lets what was begun come to an end, and stops.
    pub async fn stop(self) {}
}
