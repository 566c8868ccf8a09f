//! The books in Postgres: who connects, how many at once, and how long anything may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, Row};
use tokio::runtime::{Handle, Runtime};
use tokio::time::timeout;

use crate::MIGRATOR;
use crate::error::Failure;
use crate::seal::Sealer;
use bank::Doors;
use desk::Desk;
use entries::Entries;
use finder::Finder;
use group::Appends;
use nodes::Presence;
use writer::{TRIES_MAX, Writer};

// How a draw comes into being, is claimed and is written to.
mod claims;
pub mod draws;
mod fence;
mod gate;
mod group;
mod ledger;
mod nodes;
mod riders;
mod shape;
mod takeover;
mod tickets;
mod undoing;
pub(crate) mod views;

// What payments remember.
mod anomalies;
mod books;
mod endings;
mod entries;
mod fees;
mod finder;
mod notices;
mod operations;
mod orders;
mod outbox;
mod payments;
mod repairs;

// What they share.
pub mod bank;
mod desk;
pub(crate) mod instant;
mod words;
mod writer;

/// Claims, orders, payment operations: what a purchase waits for.
const ACTORS_CONNECTIONS_MAX: u32 = 8;
/// Pages and lists. A storm of readers cannot take a connection from a purchase.
const READS_CONNECTIONS_MAX: u32 = 16;
/// Workers, reconciler, reports.
const BACKGROUND_CONNECTIONS_MAX: u32 = 4;
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);
/// Longer than any work takes, each of whose statements is bounded below: no answer by then is none.
const WORK_MAX: Duration = Duration::from_secs(20);
/// A connection that has served is fit to be lent again, and says so at once.
const FIT_WITHIN: Duration = Duration::from_secs(1);
const SLOW: Duration = Duration::from_secs(1);
/// A session that may only read is given up when it is this old, and another one asked for: the database may take writes again,
/// or another one in its place. Until then pages are read by it.
const READS_ONLY_MAX: Duration = Duration::from_secs(1);
/// Two at each desk: while one waits for the disk, the other writes.
const WRITERS: usize = 2;
const FINDERS: usize = 2;
const FOUND_TOGETHER_MAX: usize = 128;
/// Threads that do nothing but talk to the database.
const THREADS: usize = 2;

/// The limits of every session, enforced by the server.
const SESSION: [(&str, &str); 6] = [
    // Compiling a statement takes longer than any of ours.
    ("jit", "off"),
    ("statement_timeout", "2s"),
    // Longer than Postgres waits before it looks for a ring of locks (`deadlock_timeout`, 1 s): a ring is told as one, and whoever
    // gave in tries again.
    ("lock_timeout", "1200ms"),
    ("idle_in_transaction_session_timeout", "5s"),
    ("timezone", "UTC"),
    // The healing ROLLBACK below is answered with a warning when there was nothing to heal.
    ("client_min_messages", "error"),
];

/// What a purchase does is to find and change single rows by their keys. A plan made while a table is small would read all of
/// it, be kept, and get slower with every sale until the next ANALYZE; so only plans by index are allowed, and made once.
const BY_KEY: [(&str, &str); 4] = [
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("plan_cache_mode", "force_generic_plan"),
];

/// Ledger, Books and Records in one database. Cheap to clone; the last clone to go ends its threads.
#[derive(Clone)]
pub struct Postgres {
    inner: Arc<Inner>,
}

struct Inner {
    sealer: Sealer,
    doors: Doors,
    bank: Option<PgPool>,
    actors: PgPool,
    reads: PgPool,
    background: PgPool,
    appends: Desk<Writer<Appends>>,
    entries: Desk<Writer<Entries>>,
    finders: Desk<Finder>,
    presence: Presence,
    met_silence: Silence,
    runtime: Threads,
}

/// Whether work has ever waited in vain: on a line that is dead and does not know it, a connection answers nobody any more, and
/// would keep its place in the pool for ever. From then on every connection is asked before it is taken back.
type Silence = Arc<AtomicBool>;

impl Postgres {
    /// Connects by URL: `postgres://user:password@host/database`, or with `?host=/folder` by unix socket.
    ///
    /// # Errors
    /// `NotWritten` when the URL cannot be read or nobody answers.
    pub async fn connect(url: &str, sealer: Sealer) -> Result<Postgres, Failure> {
        let options: PgConnectOptions = url
            .parse()
            .map_err(|_| Failure::NotWritten("not a database url".into()))?;
        Postgres::connect_with(options, sealer).await
    }

    /// By one login, which reaches no bank details.
    ///
    /// # Errors
    /// `NotWritten` when nobody answers.
    pub async fn connect_with(
        options: PgConnectOptions,
        sealer: Sealer,
    ) -> Result<Postgres, Failure> {
        Postgres::connect_by(Doors::one(options), sealer).await
    }

    /// # Errors
    /// `NotWritten` when nobody answers.
    pub async fn connect_by(doors: Doors, sealer: Sealer) -> Result<Postgres, Failure> {
        // What is said to the database may hold personal data; only the text of slow statements is logged, never values.
        let quiet = |options: PgConnectOptions| {
            options
                .log_statements("off".parse().expect("a level"))
                .log_slow_statements("warn".parse().expect("a level"), SLOW)
        };
        let (owner, bank) = (quiet(doors.owner), doors.bank.map(quiet));
        let doors = Doors {
            owner,
            serves: quiet(doors.serves),
            bank,
        };
        let options = doors.serves.clone();
        let session = options.clone().options(SESSION);
        let threads = Threads::start()?;
        let met_silence = Silence::default();
        let by_key = session.clone().options(BY_KEY);
        let pools = (
            pool(ACTORS_CONNECTIONS_MAX, &by_key, &met_silence),
            pool(READS_CONNECTIONS_MAX, &session, &met_silence),
            pool(BACKGROUND_CONNECTIONS_MAX, &session, &met_silence),
        );
        let (for_bank, of_bank) = (doors.clone(), met_silence.clone());
        let (actors, reads, background, bank) = threads
            .run(async move {
                // Says at once when nobody answers.
                pools.0.acquire().await.map_err(Failure::from_read)?;
                Ok((
                    pools.0,
                    pools.1,
                    pools.2,
                    bank::open(&for_bank, &SESSION, &of_bank),
                ))
            })
            .await?;
        let (for_entries, for_finders) = (by_key.clone(), by_key.clone());
        let appends = Desk::open(&threads.handle, WRITERS, group::TOGETHER_MAX, move || {
            Writer::new(by_key.clone())
        });
        let entries = Desk::open(&threads.handle, WRITERS, entries::TOGETHER_MAX, move || {
            Writer::new(for_entries.clone())
        });
        let finder = move || Finder::new(for_finders.clone());
        let finders = Desk::open(&threads.handle, FINDERS, FOUND_TOGETHER_MAX, finder);
        let presence = Presence::new(session);
        let inner = Inner {
            sealer,
            doors,
            bank,
            actors,
            reads,
            background,
            appends,
            entries,
            finders,
            presence,
            met_silence,
            runtime: threads,
        };
        Ok(Postgres {
            inner: Arc::new(inner),
        })
    }

    /// Brings the schema up to date. Safe to call from several processes at once: the database lets one at a time.
    ///
    /// # Errors
    /// `NotWritten` when a migration fails; each is one transaction.
    pub async fn migrate(&self) -> Result<(), Failure> {
        // No time limit here: building an index takes as long as it takes.
        let doors = self.inner.doors.clone();
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .connect_lazy_with(doors.owner.clone());
        let migrated = self.inner.runtime.run(async move {
            let done = MIGRATOR.run(&pool).await;
            pool.close().await;
            done.map_err(|why| Failure::NotWritten(format!("migration: {why}")))
        });
        migrated.await?;
        let failed = |why| Failure::NotWritten(format!("migration of the bank's schema: {why}"));
        self.inner
            .runtime
            .run(async move { bank::migrate(&doors).await.map_err(failed) })
            .await
    }

    pub fn sealer(&self) -> &Sealer {
        &self.inner.sealer
    }

    /// For what no actor owns: pages, lists, sessions, settings.
    pub(crate) fn reads(&self) -> &PgPool {
        &self.inner.reads
    }

    pub(crate) fn actors(&self) -> &PgPool {
        &self.inner.actors
    }

    pub(crate) fn background(&self) -> &PgPool {
        &self.inner.background
    }

    /// Runs to its end on the database threads, whatever happens to the caller: a cancelled `BEGIN` would poison its
    /// connection and lose the next writer's work. Only a line that has fallen silent ends it early, and its connection with it.
    pub(crate) async fn run<T, F>(&self, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        self.run_within(WORK_MAX, work).await
    }

    /// A write: the same, and once more from its beginning while it is in another's way, as often as a desk's.
    pub(crate) async fn write<T, W, F>(&self, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: FnOnce() -> F + Clone + Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let written = async move {
            for _ in 1..TRIES_MAX {
                match work.clone()().await {
                    Err(Failure::Collided(why)) => tracing::debug!(why, "a write is tried again"),
                    done => return done,
                }
            }
            work().await
        };
        self.run(written).await
    }

    /// The same for work that takes longer than any other, or is to end sooner.
    pub(crate) async fn run_within<T, F>(&self, limit: Duration, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let met_silence = self.inner.met_silence.clone();
        let bounded = async move {
            let mut work = Box::pin(work);
            let done = timeout(limit, &mut work).await;
            // Noted before the work is dropped, which gives its connection back.
            done.unwrap_or_else(|_| {
                met_silence.store(true, Ordering::Relaxed);
                Err(Failure::Unknown("the database does not answer".into()))
            })
        };
        self.inner.runtime.run(bounded).await.map_err(Failure::told)
    }
}

/// Ends whatever transaction is open, and says whether this session may only read.
async fn reads_only(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let asked = sqlx::raw_sql("rollback; show transaction_read_only")
        .fetch_one(connection)
        .await?;
    Ok(asked.try_get::<&str, _>(0)? == "on")
}

fn pool(connections_max: u32, options: &PgConnectOptions, met_silence: &Silence) -> PgPool {
    let met_silence = met_silence.clone();
    PgPoolOptions::new()
        .max_connections(connections_max)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // The ROLLBACK is the test.
        .test_before_acquire(false)
        .before_acquire(|connection, found| {
            Box::pin(async move {
                // Whoever had it before may have been cancelled in the middle of a transaction.
                Ok(!reads_only(connection).await? || found.age < READS_ONLY_MAX)
            })
        })
        .after_release(move |connection, _| {
            let is_doubted = met_silence.load(Ordering::Relaxed);
            Box::pin(async move {
                if is_doubted {
                    timeout(FIT_WITHIN, connection.ping())
                        .await
                        .map_err(|_| sqlx::Error::PoolTimedOut)??;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(options.clone())
}

/// The database's own threads: connections live here, so that neither a busy web worker nor one that shuts down holds up
/// or breaks somebody else's statement.
struct Threads {
    runtime: Option<Runtime>,
    handle: Handle,
}

impl Threads {
    fn start() -> Result<Threads, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|why| Failure::NotWritten(format!("no threads for the database: {why}")))?;
        Ok(Threads {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })
    }

    async fn run<T, F>(&self, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        match self.handle.spawn(work).await {
            Ok(done) => done,
            Err(ended) => Err(Failure::Unknown(format!("the work ended early: {ended}"))),
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // The last clone may go inside another runtime, where waiting is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests;
