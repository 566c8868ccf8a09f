#![doc = include_str!("../README.md")]

pub mod audit_log;
pub mod auditor;
mod change;
pub mod embedded;
pub mod error;
pub mod failpoint;
pub mod integrity;
pub mod journal;
pub mod ledger;
pub mod link_secrets;
#[cfg(feature = "testing")]
pub mod memory;
pub mod nodes;
pub mod postgres;
pub mod records;
pub mod seal;
mod stable_hash;
pub mod stores;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "testing")]
pub mod unchecked_statements;

pub use error::Failure;
pub use ledger::Ledger;
pub use nodes::Nodes;
pub use postgres::Postgres;
pub use seal::Sealer;
pub use stores::PaymentStores;

/// The database schema: every file of `migrations/`, compiled in.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("../migrations");
