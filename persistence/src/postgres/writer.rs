//! Many asks, one transaction: a writer with a connection of its own, which nobody else ever touches, so that no cancelled
//! caller can poison it.
//!
//! When a statement is refused, everything is rolled back and each ask is tried alone, so that only the guilty one fails. An
//! error before `COMMIT` was sent is certainly not written; a lost answer to `COMMIT` is unknown to everyone it was for.

use std::marker::PhantomData;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection, Executor};
use tokio::time::timeout;

use super::desk::Clerk;
use crate::error::{Failure, is_collision, is_read_only, is_timeout};

/// Deadlocks, serialisation failures and lost connections in a row before it is called a failure.
pub(super) const TRIES_MAX: usize = 3;
/// The server gives up on a statement after 2 s; beyond this it is the server that is gone.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(5);

/// What is written together.
pub(super) trait Transaction: Send + 'static {
    type Ask: Send + Sync + 'static;
    type Answer: Send + 'static;

    /// Asks about the same subject are written one after the other.
    fn subject(ask: &Self::Ask) -> Option<u128>;

    /// How much of a transaction it takes up.
    fn size(_: &Self::Ask) -> usize {
        1
    }

    /// Everything between `BEGIN` and `COMMIT`: one answer for each ask, in the same order. An ask that is answered with a
    /// failure has written nothing.
    fn transact(
        connection: &mut PgConnection,
        asks: &[&Self::Ask],
    ) -> impl Future<Output = Result<Vec<Result<Self::Answer, Failure>>, Trouble>> + Send;
}

/// Why nothing of a transaction was written, as far as anybody knows.
pub(super) enum Trouble {
    /// Nobody's mistake: try the same again.
    Again(Failure),
    /// A statement was refused: somebody among the askers is guilty.
    Refused(Failure),
    /// Nothing was written because a lock or the time ran out.
    Busy(Failure),
    /// The database does not answer: certainly not written, and no use to try again now.
    Silent(Failure),
    /// The database lets nobody write: certainly not written, and perhaps another connection leads to one that does.
    ReadOnly(Failure),
    /// The answer to `COMMIT` was lost.
    Unknown(Failure),
}

impl From<sqlx::Error> for Trouble {
    /// Any error before `COMMIT` was sent.
    fn from(why: sqlx::Error) -> Trouble {
        let lost = !matches!(why, sqlx::Error::Database(_));
        let trouble: fn(Failure) -> Trouble = if lost || is_collision(&why) {
            Trouble::Again
        } else if is_timeout(&why) {
            Trouble::Busy
        } else if is_read_only(&why) {
            Trouble::ReadOnly
        } else {
            Trouble::Refused
        };
        trouble(Failure::before_commit(why))
    }
}

pub(super) struct Writer<T> {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
    writes: PhantomData<fn() -> T>,
}

impl<T: Transaction> Clerk for Writer<T> {
    type Ask = T::Ask;
    type Answer = Result<T::Answer, Failure>;

    fn subject(ask: &T::Ask) -> Option<u128> {
        T::subject(ask)
    }

    fn size(ask: &T::Ask) -> usize {
        T::size(ask)
    }

    async fn work(&mut self, asks: Vec<T::Ask>) -> Vec<Result<T::Answer, Failure>> {
        let asks: Vec<&T::Ask> = asks.iter().collect();
        match self.write(&asks).await {
            Ok(answers) => answers,
            Err(Trouble::Refused(_) | Trouble::Busy(_)) if asks.len() > 1 => {
                self.write_each(&asks).await
            }
            Err(trouble) => {
                let failure = trouble.told();
                asks.iter().map(|_| Err(failure.clone())).collect()
            }
        }
    }
}

impl Trouble {
    fn told(self) -> Failure {
        match self {
            Trouble::Again(why)
            | Trouble::Refused(why)
            | Trouble::Busy(why)
            | Trouble::Silent(why)
            | Trouble::ReadOnly(why)
            | Trouble::Unknown(why) => why.told(),
        }
    }
}

impl<T: Transaction> Writer<T> {
    pub fn new(options: PgConnectOptions) -> Writer<T> {
        Writer {
            options,
            connection: None,
            writes: PhantomData,
        }
    }

    /// Each alone, so that only the guilty one fails. When the database is too busy for two of them, it is for the rest.
    async fn write_each(&mut self, asks: &[&T::Ask]) -> Vec<Result<T::Answer, Failure>> {
        const TOO_BUSY: usize = 2;
        let mut busy = 0;
        let mut answers = Vec::with_capacity(asks.len());
        for ask in asks {
            if busy == TOO_BUSY {
                answers.push(Err(Failure::NotWritten("the database is busy".into())));
                continue;
            }
            let alone = self.write(&[*ask]).await;
            busy += usize::from(matches!(
                alone,
                Err(Trouble::Busy(_) | Trouble::Silent(_) | Trouble::ReadOnly(_))
            ));
            answers.push(
                alone
                    .map_err(Trouble::told)
                    .and_then(|mut answers| answers.remove(0)),
            );
        }
        answers
    }

    /// One transaction, tried again as long as nobody is guilty.
    async fn write(
        &mut self,
        asks: &[&T::Ask],
    ) -> Result<Vec<Result<T::Answer, Failure>>, Trouble> {
        for _ in 1..TRIES_MAX {
            match self.attempt(asks).await {
                Err(Trouble::Again(_)) => {}
                done => return done,
            }
        }
        self.attempt(asks).await
    }

    async fn attempt(
        &mut self,
        asks: &[&T::Ask],
    ) -> Result<Vec<Result<T::Answer, Failure>>, Trouble> {
        // Taken out, so that a connection in an unknown state is dropped, not used again.
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => prompt(PgConnection::connect_with(&self.options)).await?,
        };
        prompt(connection.execute("begin")).await?;
        let transacted = timeout(SILENCE_MAX, T::transact(&mut connection, asks))
            .await
            .unwrap_or_else(|_| silent());
        match transacted {
            Ok(answers) if answers.iter().any(Result::is_ok) => {
                commit(&mut connection).await?;
                self.connection = Some(connection);
                Ok(answers)
            }
            Ok(answers) => {
                self.roll_back(connection).await;
                Ok(answers)
            }
            // Not for the next one: see `Trouble::ReadOnly`.
            Err(Trouble::ReadOnly(why)) => Err(Trouble::ReadOnly(why)),
            Err(trouble) => {
                self.roll_back(connection).await;
                Err(trouble)
            }
        }
    }

    /// A connection that cannot roll back is let go; the server rolls back by itself.
    async fn roll_back(&mut self, mut connection: PgConnection) {
        if matches!(
            timeout(SILENCE_MAX, connection.execute("rollback")).await,
            Ok(Ok(_))
        ) {
            self.connection = Some(connection);
        }
    }
}

async fn commit(connection: &mut PgConnection) -> Result<(), Trouble> {
    match timeout(SILENCE_MAX, connection.execute("commit")).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(why)) => match Failure::at_commit(why) {
            unknown @ Failure::Unknown(_) => Err(Trouble::Unknown(unknown)),
            collided @ Failure::Collided(_) => Err(Trouble::Again(collided)),
            refused => Err(Trouble::Refused(refused)),
        },
        Err(_) => Err(Trouble::Unknown(Failure::Unknown(
            "no answer to commit".into(),
        ))),
    }
}

async fn prompt<A>(said: impl Future<Output = Result<A, sqlx::Error>>) -> Result<A, Trouble> {
    match timeout(SILENCE_MAX, said).await {
        Ok(said) => Ok(said?),
        Err(_) => silent(),
    }
}

fn silent<A>() -> Result<A, Trouble> {
    Err(Trouble::Silent(Failure::NotWritten(
        "the database is silent".into(),
    )))
}
