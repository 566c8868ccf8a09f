//! Writes a batch of requests in one transaction, on a connection that only this writer uses. So a
//! cancelled caller cannot leave a transaction open on the connection.
//!
//! When Postgres refuses a statement, the transaction is rolled back and each request is tried
//! alone, so that only the faulty request fails. After an error before `COMMIT` was sent, nothing
//! of the batch is written. When the response to `COMMIT` is lost, the outcome is unknown for every
//! request of the batch.

use std::marker::PhantomData;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection, Executor};
use tokio::time::timeout;

use super::batch_queue::BatchWorker;
use crate::error::{Failure, is_deadlock_or_serialization_failure, is_read_only, is_timeout};
use crate::link_secrets::LinkSecrets;

/// Maximum number of attempts at a batch. After the last, a deadlock, serialization failure or lost
/// connection is returned as a failure.
pub(super) const BATCH_TRIES_MAX: usize = 3;
/// Time limit for an answer from Postgres. Postgres cancels a statement after 2 s, so a longer
/// silence means that Postgres is unreachable.
pub(super) const STATEMENT_ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The statements that write a batch of requests.
pub(super) trait BatchTransaction: Send + 'static {
    type Request: Send + Sync + 'static;
    type Response: Send + 'static;

    /// Returns the conflict key of a request, if it has one. Requests with equal keys are written
    /// one after the other.
    fn conflict_key(request: &Self::Request) -> Option<u128>;

    /// Returns how much of a transaction's capacity a request uses.
    fn request_size(_: &Self::Request) -> usize {
        1
    }

    /// Runs everything between `BEGIN` and `COMMIT`, and returns one response for each request, in
    /// the same order. A request whose response is a failure has written nothing.
    fn write_in_transaction(
        connection: &mut PgConnection,
        secrets: &LinkSecrets,
        batch: &[&Self::Request],
    ) -> impl Future<Output = Result<Vec<Result<Self::Response, Failure>>, TransactionError>> + Send;
}

/// Why a transaction failed. Only after [`TransactionError::Unknown`] may the transaction have been
/// committed.
pub(super) enum TransactionError {
    /// A deadlock, serialization failure or lost connection. The same batch may succeed when it is
    /// tried again.
    Retry(Failure),
    /// Postgres refused a statement, so one of the requests is faulty.
    Refused(Failure),
    /// A lock timeout or a statement timeout ended the transaction.
    Busy(Failure),
    /// Postgres does not respond. An immediate retry would fail as well.
    NoAnswer(Failure),
    /// The database session is read-only. A new connection may reach a Postgres that accepts
    /// writes.
    ReadOnly(Failure),
    /// The response to `COMMIT` was lost.
    Unknown(Failure),
}

impl From<sqlx::Error> for TransactionError {
    /// Classifies an error that happened before `COMMIT` was sent.
    fn from(error: sqlx::Error) -> TransactionError {
        let is_connection_lost = !matches!(error, sqlx::Error::Database(_));
        let kind: fn(Failure) -> TransactionError =
            if is_connection_lost || is_deadlock_or_serialization_failure(&error) {
                TransactionError::Retry
            } else if is_timeout(&error) {
                TransactionError::Busy
            } else if is_read_only(&error) {
                TransactionError::ReadOnly
            } else {
                TransactionError::Refused
            };
        kind(Failure::from_error_before_commit(error))
    }
}

impl TransactionError {
    fn into_failure(self) -> Failure {
        match self {
            TransactionError::Retry(failure)
            | TransactionError::Refused(failure)
            | TransactionError::Busy(failure)
            | TransactionError::NoAnswer(failure)
            | TransactionError::ReadOnly(failure)
            | TransactionError::Unknown(failure) => failure.collision_to_not_written(),
        }
    }
}

/// The response to each request of a batch, or the error with which the whole batch failed.
type BatchResult<R> = Result<Vec<Result<R, Failure>>, TransactionError>;

/// A worker that writes batches on its own connection.
pub(super) struct BatchWriter<T> {
    options: PgConnectOptions,
    secrets: LinkSecrets,
    connection: Option<PgConnection>,
    transaction: PhantomData<fn() -> T>,
}

impl<T: BatchTransaction> BatchWorker for BatchWriter<T> {
    type Request = T::Request;
    type Response = Result<T::Response, Failure>;

    fn conflict_key(request: &T::Request) -> Option<u128> {
        T::conflict_key(request)
    }

    fn request_size(request: &T::Request) -> usize {
        T::request_size(request)
    }

    async fn process_batch(&mut self, batch: Vec<T::Request>) -> Vec<Result<T::Response, Failure>> {
        let batch: Vec<&T::Request> = batch.iter().collect();
        match self.write_batch(&batch).await {
            Ok(responses) => responses,
            Err(TransactionError::Refused(_) | TransactionError::Busy(_)) if batch.len() > 1 => {
                self.write_one_by_one(&batch).await
            }
            Err(error) => {
                let failure = error.into_failure();
                batch.iter().map(|_| Err(failure.clone())).collect()
            }
        }
    }
}

impl<T: BatchTransaction> BatchWriter<T> {
    pub fn new(options: PgConnectOptions, secrets: LinkSecrets) -> BatchWriter<T> {
        BatchWriter {
            options,
            secrets,
            connection: None,
            transaction: PhantomData,
        }
    }

    /// Writes each request in a separate transaction. After two requests that failed because the
    /// database was busy, silent or read-only, the remaining requests fail without an attempt.
    async fn write_one_by_one(
        &mut self,
        batch: &[&T::Request],
    ) -> Vec<Result<T::Response, Failure>> {
        const BUSY_FAILURES_MAX: usize = 2;
        let mut busy = 0;
        let mut responses = Vec::with_capacity(batch.len());
        for request in batch {
            if busy == BUSY_FAILURES_MAX {
                responses.push(Err(Failure::NotWritten("the database is busy".into())));
                continue;
            }
            let result = self.write_batch(&[*request]).await;
            busy += usize::from(matches!(
                result,
                Err(TransactionError::Busy(_)
                    | TransactionError::NoAnswer(_)
                    | TransactionError::ReadOnly(_))
            ));
            responses.push(
                result
                    .map_err(TransactionError::into_failure)
                    .and_then(|mut responses| responses.remove(0)),
            );
        }
        responses
    }

    /// Writes a batch in one transaction. After a deadlock, serialization failure or lost
    /// connection, tries again, at most [`BATCH_TRIES_MAX`] times in all.
    async fn write_batch(&mut self, batch: &[&T::Request]) -> BatchResult<T::Response> {
        for _ in 1..BATCH_TRIES_MAX {
            match self.try_batch(batch).await {
                Err(TransactionError::Retry(_)) => {}
                result => return result,
            }
        }
        self.try_batch(batch).await
    }

    async fn try_batch(&mut self, batch: &[&T::Request]) -> BatchResult<T::Response> {
        // The connection is taken out of `self`. When its state is unknown after the attempt, it is
        // dropped and not used again.
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => within_timeout(PgConnection::connect_with(&self.options)).await?,
        };
        within_timeout(connection.execute("begin")).await?;
        let result = timeout(
            STATEMENT_ANSWER_TIMEOUT,
            T::write_in_transaction(&mut connection, &self.secrets, batch),
        )
        .await;
        match result.unwrap_or_else(|_| no_answer_error()) {
            Ok(responses) if responses.iter().any(Result::is_ok) => {
                commit(&mut connection).await?;
                self.connection = Some(connection);
                Ok(responses)
            }
            Ok(responses) => {
                self.roll_back(connection).await;
                Ok(responses)
            }
            // The connection is not put back, because the session is read-only: see
            // `TransactionError::ReadOnly`.
            Err(TransactionError::ReadOnly(failure)) => Err(TransactionError::ReadOnly(failure)),
            Err(error) => {
                self.roll_back(connection).await;
                Err(error)
            }
        }
    }

    /// Rolls back the transaction. If that fails, drops the connection, so that Postgres rolls
    /// back.
    async fn roll_back(&mut self, mut connection: PgConnection) {
        if matches!(
            timeout(STATEMENT_ANSWER_TIMEOUT, connection.execute("rollback")).await,
            Ok(Ok(_))
        ) {
            self.connection = Some(connection);
        }
    }
}

async fn commit(connection: &mut PgConnection) -> Result<(), TransactionError> {
    match timeout(STATEMENT_ANSWER_TIMEOUT, connection.execute("commit")).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => match Failure::from_commit_error(error) {
            unknown @ Failure::Unknown(_) => Err(TransactionError::Unknown(unknown)),
            collided @ Failure::Collided(_) => Err(TransactionError::Retry(collided)),
            refused => Err(TransactionError::Refused(refused)),
        },
        Err(_) => Err(TransactionError::Unknown(Failure::Unknown(
            "no answer to commit".into(),
        ))),
    }
}

async fn within_timeout<A>(
    work: impl Future<Output = Result<A, sqlx::Error>>,
) -> Result<A, TransactionError> {
    match timeout(STATEMENT_ANSWER_TIMEOUT, work).await {
        Ok(result) => Ok(result?),
        Err(_) => no_answer_error(),
    }
}

fn no_answer_error<A>() -> Result<A, TransactionError> {
    Err(TransactionError::NoAnswer(Failure::NotWritten(
        "the database does not answer".into(),
    )))
}
