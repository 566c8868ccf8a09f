#![doc = include_str!("../README.md")]

pub mod auditor;
pub mod books;
mod change;
pub mod disturbance;
pub mod embedded;
pub mod error;
pub mod failpoint;
pub mod integrity;
pub mod journal;
pub mod ledger;
#[cfg(feature = "testing")]
pub mod memory;
pub mod nodes;
pub mod postgres;
pub mod records;
pub mod seal;
#[cfg(feature = "testing")]
pub mod testing;
pub mod yardstick;

pub use books::Books;
pub use error::Failure;
pub use ledger::Ledger;
pub use nodes::Nodes;
pub use postgres::Postgres;
pub use seal::Sealer;

/// The shape of memory: every file of `migrations/`, compiled in.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("../migrations");
