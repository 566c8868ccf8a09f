//! Errors of the stores. They distinguish a write that certainly did not happen from a write with
//! an unknown outcome.

use domain::RefusedTransition;
use thiserror::Error;

/// A technical failure of a store. A violation of a business rule is no `Failure`: the domain crate
/// returns a refusal for it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// The write certainly did not happen. The caller's state is still right, and the caller may
    /// try again.
    #[error("not written: {0}")]
    NotWritten(String),
    /// A deadlock or serialization failure, so the write certainly did not happen. The store tries
    /// again, and returns `NotWritten` after the last try.
    #[error("not written: {0}")]
    Collided(String),
    /// The write may or may not have happened. The caller must discard its copy of the state and
    /// read the database.
    #[error("outcome unknown: {0}")]
    Unknown(String),
    /// Another owner has claimed the draw, or another commit was written first. The caller no
    /// longer owns the draw.
    #[error("fenced: another owner holds the draw")]
    Fenced,
    /// Kick-off has come by the database's clock (rule 5 of the decisions). The write certainly did
    /// not happen.
    #[error("closed by the database's clock")]
    ClosedByClock,
    /// A payout of the draw was completed, so its result cannot be undone (decision E-6). The write
    /// certainly did not happen.
    #[error("a payout of the draw was completed")]
    PaidOut,
    /// The requested row does not exist.
    #[error("not found")]
    NotFound,
    /// A stored value cannot be read, because of a bug or a damaged database.
    #[error("stored value unreadable: {0}")]
    Corrupt(String),
}

/// A refused state transition of an order becomes [`Failure::NotWritten`]. The caller's copy of the
/// order is out of date.
impl From<RefusedTransition> for Failure {
    fn from(refused: RefusedTransition) -> Failure {
        Failure::NotWritten(refused.to_string())
    }
}

/// Conversions from `sqlx::Error`. The result depends on when the error happened, not on its
/// message. The text of the resulting `Failure` names constraints and causes, never values.
impl Failure {
    /// Converts the error of a statement that only reads.
    pub(crate) fn from_read_error(why: sqlx::Error) -> Failure {
        match why {
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => {
                Failure::Corrupt(why.to_string())
            }
            sqlx::Error::RowNotFound => Failure::NotFound,
            _ => Failure::NotWritten(why.to_string()),
        }
    }

    /// Converts an error inside a transaction. `COMMIT` was not sent, so Postgres rolls back the
    /// transaction, even if the connection is lost.
    pub(crate) fn from_error_before_commit(why: sqlx::Error) -> Failure {
        if is_deadlock_or_serialization_failure(&why) {
            Failure::Collided(why.to_string())
        } else {
            Failure::from_read_error(why)
        }
    }

    /// Converts the error of `COMMIT`, or of a statement that is its own transaction. The write
    /// certainly did not happen only if Postgres itself refused it: a lost response may hide a
    /// success.
    pub(crate) fn from_commit_error(why: sqlx::Error) -> Failure {
        match &why {
            _ if is_deadlock_or_serialization_failure(&why) => Failure::Collided(why.to_string()),
            sqlx::Error::Database(database_error)
                if !is_session_lost_sql_state(database_error.code().as_deref()) =>
            {
                Failure::NotWritten(why.to_string())
            }
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => {
                Failure::NotWritten(why.to_string())
            }
            _ => Failure::Unknown(why.to_string()),
        }
    }

    /// Converts [`Failure::Collided`] into [`Failure::NotWritten`] after the last attempt at the
    /// write.
    pub(crate) fn collision_to_not_written(self) -> Failure {
        match self {
            Failure::Collided(why) => Failure::NotWritten(why),
            other => other,
        }
    }
}

/// Returns whether this SQLSTATE means that the database session is lost: a shutdown or crash
/// (57P…) or a broken connection (08…). Such an error may be reported although the commit was
/// written.
fn is_session_lost_sql_state(code: Option<&str>) -> bool {
    code.is_none_or(|code| code.starts_with("57P") || code.starts_with("08"))
}

/// Returns whether a lock wait or a statement exceeded its time limit.
pub(crate) fn is_timeout(why: &sqlx::Error) -> bool {
    let code = why
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    matches!(code.as_deref(), Some("55P03" | "57014"))
}

/// Returns whether the error is a deadlock or serialization failure, which another try may avoid.
pub(crate) fn is_deadlock_or_serialization_failure(why: &sqlx::Error) -> bool {
    let code = why
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    matches!(code.as_deref(), Some("40001" | "40P01"))
}

/// Returns whether the error means a read-only database session: the database was demoted, or
/// closed for writes. A new connection may reach a database that accepts writes.
pub(crate) fn is_read_only(why: &sqlx::Error) -> bool {
    why.as_database_error()
        .and_then(sqlx::error::DatabaseError::code)
        .as_deref()
        == Some("25006")
}

#[cfg(test)]
mod tests {
    use domain::{OrderState, OrderTransition};

    use super::Failure;

    #[test]
    fn refused_transition_is_certainly_not_written() {
        let refused = OrderTransition::Release.refusal(OrderState::Allocated);
        assert_eq!(
            Failure::from(refused),
            Failure::NotWritten("an order that is allocated cannot be released".into())
        );
    }
}
