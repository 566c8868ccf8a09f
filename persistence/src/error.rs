//! The two kinds of write failure, told apart once and for all.

use thiserror::Error;

/// The machine went wrong, not the rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// Certainly not written: memory is still right; the caller may try again.
    #[error("not written: {0}")]
    NotWritten(String),
    /// Nobody knows whether it was written: whoever holds it in memory must forget and read the books.
    #[error("outcome unknown: {0}")]
    Unknown(String),
    /// Another owner has claimed the draw since, or somebody wrote in between: this writer is a ghost.
    #[error("fenced: another owner holds the draw")]
    Fenced,
    /// The database's clock says that kick-off has come (rule 5). Certainly not written.
    #[error("closed by the database's clock")]
    ClosedByClock,
    /// What was asked for is not there.
    #[error("not found")]
    NotFound,
    /// A stored value cannot be read: a bug or a damaged database.
    #[error("stored value unreadable: {0}")]
    Corrupt(String),
}
