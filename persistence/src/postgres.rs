//! The Postgres stores, with their connection pools, batch queues and time limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, Row};
use tokio::runtime::{Handle, Runtime};
use tokio::time::timeout;

use crate::error::Failure;
use crate::link_secrets::LinkSecrets;
use crate::seal::Sealer;
use bank::DatabaseLogins;
use batch_queue::BatchQueue;
use ledger::GroupCommit;
use nodes::NodeConnection;
use order_store::OrderLookup;
use purchase_writes::PurchaseWrites;
use writer::{BATCH_TRIES_MAX, BatchWriter};

// Modules for draws: creation, claims and commits.
mod attached_writes;
mod claims;
mod commit_statement;
mod draw_mails;
pub mod draws;
mod ledger;
mod migrations;
mod nodes;
mod schema_check;
mod takeover;
mod tickets;
mod undo_result;
pub(crate) mod views;

// Modules for payments: one file for each store, and the statements that the stores use.
mod anomalies;
mod anomaly_store;
mod fees;
mod operations;
mod order_store;
mod order_transitions;
mod orders;
mod outbox;
mod outbox_store;
mod payment_operation_store;
mod purchase_writes;
mod reconciliation_store;
mod refund_status;
mod repairs;
mod webhook_event_store;
mod webhook_events;

// Modules that draws and payments share.
pub mod bank;
mod batch_queue;
pub mod canary;
pub(crate) mod codec;
pub(crate) mod instant;
pub(crate) mod link_conversion;
mod writer;

/// Maximum number of connections for claims, orders and payment operations. A purchase needs one of
/// them.
const ACTORS_CONNECTIONS_MAX: u32 = 8;
/// Maximum number of connections for pages and lists. They form a separate pool, so that many
/// readers cannot take a connection from a purchase.
const READS_CONNECTIONS_MAX: u32 = 16;
/// Maximum number of connections for background workers, the reconciler and reports.
const BACKGROUND_CONNECTIONS_MAX: u32 = 4;
const CONNECTION_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);
/// Time limit of one database call with all its statements. Postgres cancels a single statement
/// earlier, so a call that takes this long has a dead connection.
const DATABASE_CALL_TIMEOUT: Duration = Duration::from_secs(20);
/// Time limit of the ping when a connection returns to its pool.
const PING_TIMEOUT: Duration = Duration::from_secs(1);
const SLOW_STATEMENT_LOG_MIN: Duration = Duration::from_secs(1);
/// Age at which a read-only database session is replaced, because a new session may reach a
/// database that accepts writes. Until then the read-only session serves pages.
const READ_ONLY_SESSION_AGE_MAX: Duration = Duration::from_secs(1);
/// Number of writers for each queue of batched writes. While one writer waits for the disk, the
/// other one writes.
const WRITERS_PER_QUEUE: usize = 2;
const ORDER_LOOKUP_WORKERS: usize = 2;
const ORDER_LOOKUP_BATCH_MAX: usize = 128;
/// Number of threads on which only database calls run.
const DATABASE_THREADS: usize = 2;

/// Time limits and other settings of every database session, which Postgres enforces.
const SESSION_SETTINGS: [(&str, &str); 6] = [
    // With `jit`, Postgres compiles a statement before it runs it. The compilation would take
    // longer than any of our statements.
    ("jit", "off"),
    ("statement_timeout", "2s"),
    // This limit is longer than `deadlock_timeout` (1 s), after which Postgres looks for deadlocks.
    // So Postgres reports a deadlock as such, and the transaction is tried again.
    ("lock_timeout", "1200ms"),
    ("idle_in_transaction_session_timeout", "5s"),
    ("timezone", "UTC"),
    // Postgres sends only errors. Otherwise the ROLLBACK that each connection sends when it leaves
    // the pool would cause a warning if no transaction is open.
    ("client_min_messages", "error"),
];

/// Additional settings for the purchase path, which reads and writes single rows by key. They allow
/// only index plans. Otherwise a plan made for a small table would scan the whole table, stay
/// cached, and get slower with every sale until the next ANALYZE.
const INDEX_ONLY_SETTINGS: [(&str, &str); 4] = [
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("plan_cache_mode", "force_generic_plan"),
];

/// The ledger, the payment stores and [`crate::records`] in one database. Clones are cheap and
/// share the connections. Dropping the last clone ends the database threads.
#[derive(Clone)]
pub struct Postgres {
    inner: Arc<SharedConnections>,
}

struct SharedConnections {
    secrets: LinkSecrets,
    logins: DatabaseLogins,
    bank: Option<PgPool>,
    actors: PgPool,
    reads: PgPool,
    background: PgPool,
    group_commit: BatchQueue<BatchWriter<GroupCommit>>,
    purchase_writes: BatchQueue<BatchWriter<PurchaseWrites>>,
    lookups: BatchQueue<OrderLookup>,
    node_connection: NodeConnection,
    saw_dead_connection: DeadConnectionFlag,
    runtime: DatabaseThreads,
}

/// Set once a connection has hung. From then on every released connection is pinged, because a dead
/// connection would otherwise stay in the pool for ever.
type DeadConnectionFlag = Arc<AtomicBool>;

impl Postgres {
    /// Connects by a URL: `postgres://user:password@host/database`, or with `?host=/folder` for a
    /// unix socket.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when the URL is invalid or the database does not answer.
    pub async fn connect(url: &str, sealer: Sealer) -> Result<Postgres, Failure> {
        let options: PgConnectOptions = url
            .parse()
            .map_err(|_| Failure::NotWritten("not a database url".into()))?;
        Postgres::connect_with(options, sealer).await
    }

    /// Connects with a single login, which has no access to bank details.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when the database does not answer.
    pub async fn connect_with(
        options: PgConnectOptions,
        sealer: Sealer,
    ) -> Result<Postgres, Failure> {
        Postgres::connect_with_logins(DatabaseLogins::single_login(options), sealer).await
    }

    /// Connects with separate logins for pages and bank details.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when the database does not answer.
    pub async fn connect_with_logins(
        logins: DatabaseLogins,
        sealer: Sealer,
    ) -> Result<Postgres, Failure> {
        // The log names only the text of slow statements, because bound values may hold personal
        // data.
        let without_values = |options: PgConnectOptions| {
            options
                .log_statements("off".parse().expect("a level"))
                .log_slow_statements("warn".parse().expect("a level"), SLOW_STATEMENT_LOG_MIN)
        };
        let (owner, bank) = (
            without_values(logins.owner),
            logins.bank.map(without_values),
        );
        let logins = DatabaseLogins {
            owner,
            serves: without_values(logins.serves),
            bank,
        };
        let options = logins.serves.clone();
        let session = options.clone().options(SESSION_SETTINGS);
        let threads = DatabaseThreads::start()?;
        let saw_dead_connection = DeadConnectionFlag::default();
        let index_only = session.clone().options(INDEX_ONLY_SETTINGS);
        let pools = (
            build_pool(ACTORS_CONNECTIONS_MAX, &index_only, &saw_dead_connection),
            build_pool(READS_CONNECTIONS_MAX, &session, &saw_dead_connection),
            build_pool(BACKGROUND_CONNECTIONS_MAX, &session, &saw_dead_connection),
        );
        let (for_bank, of_bank) = (logins.clone(), saw_dead_connection.clone());
        let (actors, reads, background, bank) = threads
            .run_on_database_threads(async move {
                // One connection is opened here, so that the program does not start when the
                // database does not answer.
                pools.0.acquire().await.map_err(Failure::from_read_error)?;
                Ok((
                    pools.0,
                    pools.1,
                    pools.2,
                    bank::open_bank_pool(&for_bank, &SESSION_SETTINGS, &of_bank),
                ))
            })
            .await?;
        let secrets = LinkSecrets::new(sealer);
        let (group_commit, purchase_writes, lookups) =
            start_queues(&threads.handle, &index_only, &secrets);
        let node_connection = NodeConnection::new(session);
        let inner = SharedConnections {
            secrets,
            logins,
            bank,
            actors,
            reads,
            background,
            group_commit,
            purchase_writes,
            lookups,
            node_connection,
            saw_dead_connection,
            runtime: threads,
        };
        Ok(Postgres {
            inner: Arc::new(inner),
        })
    }

    /// Applies the missing migrations. Several processes may call this function at the same time.
    /// They migrate one after the other.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when a migration fails. Each migration is one transaction, or builds
    /// one index.
    pub async fn migrate(&self) -> Result<(), Failure> {
        // There is no time limit, because building an index may take long.
        let logins = self.inner.logins.clone();
        let owner = logins.owner.clone();
        let failed = |why| Failure::NotWritten(format!("migration: {why}"));
        self.inner
            .runtime
            .run_on_database_threads(async move {
                migrations::apply_migrations(&owner).await.map_err(failed)
            })
            .await?;
        let failed = |why| Failure::NotWritten(format!("migration of the bank's schema: {why}"));
        self.inner
            .runtime
            .run_on_database_threads(async move { bank::migrate(&logins).await.map_err(failed) })
            .await?;
        while self.convert_link_secrets().await? > 0 {}
        Ok(())
    }

    pub fn sealer(&self) -> &Sealer {
        self.inner.secrets.sealer()
    }

    pub(crate) fn secrets(&self) -> &LinkSecrets {
        &self.inner.secrets
    }

    /// Returns the pool for rows that no actor owns: pages, lists, sessions, settings.
    pub(crate) fn reads_pool(&self) -> &PgPool {
        &self.inner.reads
    }

    pub(crate) fn actors_pool(&self) -> &PgPool {
        &self.inner.actors
    }

    pub(crate) fn background_pool(&self) -> &PgPool {
        &self.inner.background
    }

    async fn begin_transaction(
        &self,
    ) -> Result<sqlx::Transaction<'static, sqlx::Postgres>, Failure> {
        self.actors_pool()
            .begin()
            .await
            .map_err(Failure::from_error_before_commit)
    }

    /// Runs database calls on the database threads. They complete even if the caller is cancelled,
    /// because a cancelled `BEGIN` would leave its transaction open and lose the next writer's
    /// rows. After [`DATABASE_CALL_TIMEOUT`] the calls are aborted and their connection is closed.
    pub(crate) async fn run_on_database_threads<T, F>(&self, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        self.run_on_database_threads_within(DATABASE_CALL_TIMEOUT, work)
            .await
    }

    /// Runs a write like [`Postgres::run_on_database_threads`], at most [`BATCH_TRIES_MAX`] times
    /// while it collides with another transaction.
    pub(crate) async fn write_with_retries<T, W, F>(&self, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: FnOnce() -> F + Clone + Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let written = async move {
            for _ in 1..BATCH_TRIES_MAX {
                match work.clone()().await {
                    Err(Failure::Collided(why)) => {
                        tracing::debug!(why, "a collided write is tried again");
                    }
                    done => return done,
                }
            }
            work().await
        };
        self.run_on_database_threads(written).await
    }

    /// Runs database calls like [`Postgres::run_on_database_threads`], but aborts them after
    /// `limit`.
    pub(crate) async fn run_on_database_threads_within<T, F>(
        &self,
        limit: Duration,
        work: F,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let saw_dead_connection = self.inner.saw_dead_connection.clone();
        let bounded = async move {
            let mut work = Box::pin(work);
            let result = timeout(limit, &mut work).await;
            // The dead-connection flag is set before the future is dropped, because dropping the
            // future returns its connection to the pool.
            result.unwrap_or_else(|_| {
                saw_dead_connection.store(true, Ordering::Relaxed);
                Err(Failure::Unknown("the database does not answer".into()))
            })
        };
        self.inner
            .runtime
            .run_on_database_threads(bounded)
            .await
            .map_err(Failure::collision_to_not_written)
    }
}

async fn commit(transaction: sqlx::Transaction<'_, sqlx::Postgres>) -> Result<(), Failure> {
    transaction
        .commit()
        .await
        .map_err(Failure::from_commit_error)
}

/// Starts the queues of batched writes and lookups. Each queue has separate connections.
fn start_queues(
    threads: &Handle,
    index_only: &PgConnectOptions,
    secrets: &LinkSecrets,
) -> (
    BatchQueue<BatchWriter<GroupCommit>>,
    BatchQueue<BatchWriter<PurchaseWrites>>,
    BatchQueue<OrderLookup>,
) {
    let (for_commits, for_writes, for_lookups) = (
        (index_only.clone(), secrets.clone()),
        (index_only.clone(), secrets.clone()),
        (index_only.clone(), secrets.clone()),
    );
    let group_commit = move || BatchWriter::new(for_commits.0.clone(), for_commits.1.clone());
    let purchase_writes = move || BatchWriter::new(for_writes.0.clone(), for_writes.1.clone());
    let order_lookup = move || OrderLookup::new(for_lookups.0.clone(), for_lookups.1.clone());
    (
        BatchQueue::start(
            threads,
            WRITERS_PER_QUEUE,
            ledger::TRANSACTION_COMMITS_MAX,
            group_commit,
        ),
        BatchQueue::start(
            threads,
            WRITERS_PER_QUEUE,
            purchase_writes::TRANSACTION_WRITES_MAX,
            purchase_writes,
        ),
        BatchQueue::start(
            threads,
            ORDER_LOOKUP_WORKERS,
            ORDER_LOOKUP_BATCH_MAX,
            order_lookup,
        ),
    )
}

/// Rolls back an open transaction, if any, and returns whether the database session is read-only.
async fn is_read_only(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let row = sqlx::raw_sql("rollback; show transaction_read_only")
        .fetch_one(connection)
        .await?;
    Ok(row.try_get::<&str, _>(0)? == "on")
}

fn build_pool(
    connections_max: u32,
    options: &PgConnectOptions,
    saw_dead_connection: &DeadConnectionFlag,
) -> PgPool {
    let saw_dead_connection = saw_dead_connection.clone();
    PgPoolOptions::new()
        .max_connections(connections_max)
        .acquire_timeout(CONNECTION_ACQUIRE_TIMEOUT)
        // No additional ping is needed: the ROLLBACK below fails on a dead connection.
        .test_before_acquire(false)
        .before_acquire(|connection, metadata| {
            Box::pin(async move {
                // The task that used this connection before may have been cancelled inside a
                // transaction, so `is_read_only` first rolls it back.
                Ok(!is_read_only(connection).await? || metadata.age < READ_ONLY_SESSION_AGE_MAX)
            })
        })
        .after_release(move |connection, _| {
            let needs_ping = saw_dead_connection.load(Ordering::Relaxed);
            Box::pin(async move {
                if needs_ping {
                    timeout(PING_TIMEOUT, connection.ping())
                        .await
                        .map_err(|_| sqlx::Error::PoolTimedOut)??;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(options.clone())
}

/// The threads on which all database calls run. Web workers use other threads, so a busy or
/// stopping web worker cannot delay or abort a statement.
struct DatabaseThreads {
    runtime: Option<Runtime>,
    handle: Handle,
}

impl DatabaseThreads {
    fn start() -> Result<DatabaseThreads, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(DATABASE_THREADS)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|why| {
                Failure::NotWritten(format!("cannot start the database threads: {why}"))
            })?;
        Ok(DatabaseThreads {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })
    }

    async fn run_on_database_threads<T, F>(&self, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        match self.handle.spawn(work).await {
            Ok(done) => done,
            Err(ended) => Err(Failure::Unknown(format!(
                "the database task ended early: {ended}"
            ))),
        }
    }
}

impl Drop for DatabaseThreads {
    fn drop(&mut self) {
        // `shutdown_background` does not block. The last clone may be dropped inside another
        // runtime, where blocking is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests;
