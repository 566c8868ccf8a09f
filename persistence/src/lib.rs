//! What is remembered. The only crate that knows SQL.

pub mod books;
pub mod embedded;
pub mod error;
pub mod ledger;
#[cfg(feature = "testing")]
pub mod testing;

pub use books::Books;
pub use error::Failure;
pub use ledger::Ledger;

/// The shape of memory: every file of `migrations/`, compiled in.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("../migrations");
