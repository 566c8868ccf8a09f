//! What lives: one actor per draw, one for payments, and a supervisor that keeps draws alive.

pub mod clock;
pub mod payment {
    pub mod gateway;
}
