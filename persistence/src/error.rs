//! The two kinds of write failure, told apart once and for all.

use thiserror::Error;

/// The machine went wrong, not the rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// Certainly not written: memory is still right; the caller may try again.
    #[error("not written: {0}")]
    NotWritten(String),
    /// Two transactions in each other's way, and this one gave in. Certainly not written: it is tried again before anybody hears
    /// of it, and told as `NotWritten` when it gave in each time.
    #[error("not written: {0}")]
    Collided(String),
    /// Nobody knows whether it was written: whoever holds it in memory must forget and read the books.
    #[error("outcome unknown: {0}")]
    Unknown(String),
    /// Another owner has claimed the draw since, or somebody wrote in between: this writer is a ghost.
    #[error("fenced: another owner holds the draw")]
    Fenced,
    /// The database's clock says that kick-off has come (rule 5). Certainly not written.
    #[error("closed by the database's clock")]
    ClosedByClock,
    /// A payout of the draw was completed: its result cannot be taken back (decision E-6). Certainly not written.
    #[error("a payout of the draw was completed")]
    PaidOut,
    /// What was asked for is not there.
    #[error("not found")]
    NotFound,
    /// A stored value cannot be read: a bug or a damaged database.
    #[error("stored value unreadable: {0}")]
    Corrupt(String),
}

/// How a `sqlx::Error` is told apart: by when it happened, not by what it says. Its text names constraints and causes, never
/// values.
impl Failure {
    /// A statement that only reads.
    pub(crate) fn from_read(why: sqlx::Error) -> Failure {
        match why {
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => {
                Failure::Corrupt(why.to_string())
            }
            sqlx::Error::RowNotFound => Failure::NotFound,
            _ => Failure::NotWritten(why.to_string()),
        }
    }

    /// Inside an explicit transaction: as `COMMIT` was never sent, Postgres rolls back, even when the connection is gone.
    pub(crate) fn before_commit(why: sqlx::Error) -> Failure {
        if is_collision(&why) {
            Failure::Collided(why.to_string())
        } else {
            Failure::from_read(why)
        }
    }

    /// `COMMIT` itself, or a statement that is its own transaction. Only when Postgres took part in saying no is it a no:
    /// a lost answer may hide a yes.
    pub(crate) fn at_commit(why: sqlx::Error) -> Failure {
        match &why {
            _ if is_collision(&why) => Failure::Collided(why.to_string()),
            sqlx::Error::Database(said) if !ends_the_session(said.code().as_deref()) => {
                Failure::NotWritten(why.to_string())
            }
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => {
                Failure::NotWritten(why.to_string())
            }
            _ => Failure::Unknown(why.to_string()),
        }
    }

    /// As it is told to whoever asked, when it is not tried again.
    pub(crate) fn told(self) -> Failure {
        match self {
            Failure::Collided(why) => Failure::NotWritten(why),
            other => other,
        }
    }
}

/// Shutting down and crashing (57P…) and broken connections (08…) can be reported after the commit record was written.
fn ends_the_session(code: Option<&str>) -> bool {
    code.is_none_or(|code| code.starts_with("57P") || code.starts_with("08"))
}

/// A lock or a statement that took longer than it may.
pub(crate) fn is_timeout(why: &sqlx::Error) -> bool {
    let code = why.as_database_error().and_then(|said| said.code());
    matches!(code.as_deref(), Some("55P03" | "57014"))
}

/// Two transactions in each other's way, not a mistake of either: worth another try.
pub(crate) fn is_collision(why: &sqlx::Error) -> bool {
    let code = why.as_database_error().and_then(|said| said.code());
    matches!(code.as_deref(), Some("40001" | "40P01"))
}

/// The session may only read: the database was demoted, or its owner closed it. Another connection may lead to one that writes.
pub(crate) fn is_read_only(why: &sqlx::Error) -> bool {
    why.as_database_error()
        .and_then(|said| said.code())
        .as_deref()
        == Some("25006")
}
