//! What is remembered. The only crate that knows SQL.

pub mod books;
pub mod error;
pub mod ledger;

pub use books::Books;
pub use error::Failure;
pub use ledger::Ledger;
