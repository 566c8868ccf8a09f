//! A fresh, migrated database for every test.
//!
//! Each test process has its own Postgres without durability, on a copy of a data directory that is
//! migrated once per set of migrations. Each test has its own database in it.
//!
//! A guardian process stops that Postgres and removes its folder when the test process ends. The
//! guardian is a shell that waits for the end of its standard input. The operating system closes
//! that pipe in any case, even after `kill -9`. Tests share nothing and leave nothing behind.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use nix::unistd::mkdtemp;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection};
use tokio::sync::OnceCell;

use crate::embedded::cluster::{Cluster, Durability};
use crate::embedded::os_user;
use crate::postgres::bank::{self, BANK, BANK_MIGRATOR, DatabaseLogins, SERVES};
use crate::stable_hash::fnv1a;
use crate::{MIGRATOR, Postgres, Sealer};

/// How many prepared data directories of other sets of migrations are kept.
const OTHER_SETS_KEPT: usize = 3;
/// The migrated database that is copied for each test.
const TEMPLATE: &str = "football_doubles_template";

/// The database of one test. Clones refer to the same database.
#[derive(Clone)]
pub struct Database {
    pub name: String,
    /// The owner's login, which the tests use to bypass the application.
    pub options: PgConnectOptions,
    pub url: String,
    /// The URLs of the login that serves pages, and of the one that reads bank details.
    pub ordinary_url: String,
    pub bank_url: String,
}

impl Database {
    /// Returns all logins, as a private server has them.
    pub fn doors(&self) -> DatabaseLogins {
        DatabaseLogins::private(self.options.clone())
    }

    /// Returns the stores in it, with the tests' sealing key.
    pub async fn postgres(&self) -> Postgres {
        Postgres::connect_by(self.doors(), sealer())
            .await
            .expect("the tests' Postgres answers")
    }

    /// Runs a query as the owner, and returns one number. `$1` is `with`.
    pub async fn count(&self, question: &'static str, with: &str) -> i64 {
        let mut connection = self.connection().await;
        sqlx::query_scalar(question)
            .bind(with)
            .fetch_one(&mut connection)
            .await
            .expect("a number")
    }

    /// Runs a query as the owner, and returns one text. `$1` is `with`.
    pub async fn text(&self, question: &'static str, with: &str) -> String {
        let mut connection = self.connection().await;
        sqlx::query_scalar(question)
            .bind(with)
            .fetch_one(&mut connection)
            .await
            .expect("a text")
    }

    /// Returns every row of every table as text, for tests that look for data that must not be
    /// stored.
    pub async fn everything(&self) -> String {
        let mut connection = self.connection().await;
        let tables = "select format('%I.%I', table_schema, table_name) from information_schema.tables where table_schema in ('public', 'bank') order by 1";
        let tables: Vec<String> = sqlx::query_scalar(tables)
            .fetch_all(&mut connection)
            .await
            .expect("tables");
        let mut text = String::new();
        for table in tables {
            let read = format!("select coalesce(string_agg(t::text, chr(10)), '') from {table} t");
            let rows: String = sqlx::query_scalar(AssertSqlSafe(read))
                .fetch_one(&mut connection)
                .await
                .expect("rows");
            text.push_str(&rows);
        }
        text
    }

    /// Runs a statement as the owner: a fixture, or the removal of a constraint.
    pub async fn run(&self, statement: &'static str) {
        sqlx::raw_sql(statement)
            .execute(&mut self.connection().await)
            .await
            .expect("done");
    }

    /// Returns how many deadlocks occurred in this database. Waits until all connections have
    /// ended, because each reports its deadlocks when it ends.
    pub async fn deadlocks(&self) -> i64 {
        let alone =
            "select count(*) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()";
        while self.count(alone, &self.name).await > 0 {
            tokio::task::yield_now().await;
        }
        self.count(
            "select deadlocks from pg_stat_database where datname = $1",
            &self.name,
        )
        .await
    }

    /// Causes a deadlock: two transactions each lock a row that the other needs next.
    pub async fn lock_each_other_out(&self) {
        self.run("create table ring as select 1 as one union select 2")
            .await;
        let (mut here, mut there) = (self.connection().await, self.connection().await);
        let lock = async |connection: &mut PgConnection, row: i32| {
            sqlx::query("select from ring where one = $1 for update")
                .bind(row)
                .execute(connection)
                .await
        };
        for connection in [&mut here, &mut there] {
            sqlx::raw_sql("begin; set deadlock_timeout = '10ms'")
                .execute(connection)
                .await
                .expect("begun");
        }
        lock(&mut here, 1).await.expect("free");
        lock(&mut there, 2).await.expect("free");
        let (one, other) = tokio::join!(lock(&mut here, 2), lock(&mut there, 1));
        assert!(
            one.is_err() != other.is_err(),
            "one of them is told to try again"
        );
        let _ = (here.close().await, there.close().await);
    }

    /// Returns the owner's connection, for tests that inspect or damage the database.
    pub async fn connection(&self) -> PgConnection {
        PgConnection::connect_with(&self.options)
            .await
            .expect("the tests' Postgres answers")
    }
}

/// Returns the tests' sealer. Its key is not secret.
pub fn sealer() -> Sealer {
    Sealer::new(&[42; 32])
}

struct TestCluster {
    cluster: Cluster,
    /// Never read: its pipe closes when this process ends.
    _guardian: Child,
}

static TEST_CLUSTER: OnceCell<TestCluster> = OnceCell::const_new();
static DATABASES: AtomicU32 = AtomicU32::new(1);

/// Returns an unused database with every migration applied.
pub async fn database() -> Database {
    copy_of(TEMPLATE).await
}

/// Returns a database without any of our tables.
pub async fn empty_database() -> Database {
    copy_of("template0").await
}

async fn copy_of(template: &str) -> Database {
    let test_cluster = TEST_CLUSTER
        .get_or_init(|| async { open().await.expect("a Postgres for the tests") })
        .await;
    let name = format!("test_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
    let mut connection = PgConnection::connect_with(&test_cluster.cluster.options("postgres"))
        .await
        .expect("the tests' Postgres answers");
    let create = format!("create database {name} template {template} strategy file_copy");
    sqlx::query(AssertSqlSafe(create))
        .execute(&mut connection)
        .await
        .expect("a copy of the template");
    connection.close().await.expect("closed");
    let url = |login: Option<&str>| test_cluster.cluster.url_as(login, &name);
    Database {
        options: test_cluster.cluster.options(&name),
        url: url(None),
        ordinary_url: url(Some(SERVES)),
        bank_url: url(Some(BANK)),
        name,
    }
}

/// A folder for one test's data, removed when it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        Folder(fresh("folder").expect("a folder for the test"))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Default for Folder {
    fn default() -> Self {
        Folder::new()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Short, because the path of a unix socket has at most 107 bytes, and accessible to the user that
/// runs Postgres.
fn base() -> PathBuf {
    PathBuf::from(format!(
        "/tmp/football-doubles-tests-{}",
        nix::unistd::geteuid()
    ))
}

/// Creates a folder with a new name. Process ids repeat within an hour of tests, so a name made of
/// one may be that of a killed process, with its files.
fn fresh(kind: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(base())?;
    let path = mkdtemp(&base().join(format!("{kind}-XXXXXX")))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

async fn open() -> Result<TestCluster, Box<dyn std::error::Error + Send + Sync>> {
    let dir = os_user::folder(&fresh("process")?)?;
    let (prepared, lock) = prepare().await?;
    copy(&prepared.join("data"), &dir.join("data"))?;
    drop(lock);
    let cluster = Cluster::start(&dir, Durability::None).await?;
    let guardian = guard(&dir, cluster.pid())?;
    Ok(TestCluster {
        cluster,
        _guardian: guardian,
    })
}

/// Returns the data directory to copy, created once for this set of migrations by the first
/// process. The returned lock keeps other processes from removing it.
async fn prepare() -> Result<(PathBuf, File), Box<dyn std::error::Error + Send + Sync>> {
    let prepared = base().join(format!("prepared-{:016x}", migrations_hash()));
    let lock = File::create(base().join("prepare.lock"))?;
    lock.lock()?;
    if prepared.join("data").exists() {
        return Ok((prepared, lock));
    }
    sweep();
    let making = base().join("making");
    if making.exists() {
        fs::remove_dir_all(&making)?;
    }
    let dir = os_user::folder(&making)?;
    let cluster = Cluster::start(&dir, Durability::None).await?;
    let migrated = migrate(&cluster).await;
    cluster.stop().await;
    migrated?;
    fs::rename(&making, &prepared)?;
    Ok((prepared, lock))
}

/// Removes folders of a crashed machine or of other sets of migrations. The newest stay, so that
/// switching between branches does not create them again each time.
fn sweep() {
    const KEPT: Duration = Duration::from_secs(24 * 3600);

    let mut sets: Vec<_> = fs::read_dir(base())
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("prepared-"))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    sets.sort();
    for (_, older) in sets.into_iter().rev().skip(OTHER_SETS_KEPT) {
        let _ = fs::remove_dir_all(older);
    }
    for entry in fs::read_dir(base()).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let age = entry
            .metadata()
            .and_then(|found| found.modified())
            .map(|at| at.elapsed().unwrap_or_default());
        let old = age.is_ok_and(|age| age > KEPT);
        if old && (name.starts_with("process-") || name.starts_with("folder-")) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

async fn migrate(cluster: &Cluster) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut connection = PgConnection::connect_with(&cluster.options("postgres")).await?;
    let create = format!("create database {TEMPLATE}");
    sqlx::query(AssertSqlSafe(create))
        .execute(&mut connection)
        .await?;
    bank::make_logins(&mut connection).await?;
    connection.close().await?;
    let mut connection = PgConnection::connect_with(&cluster.options(TEMPLATE)).await?;
    MIGRATOR.run(&mut connection).await?;
    connection.close().await?;
    Ok(bank::migrate(&DatabaseLogins::private(cluster.options(TEMPLATE))).await?)
}

fn migrations_hash() -> u64 {
    let checksums: Vec<u8> = MIGRATOR
        .iter()
        .chain(BANK_MIGRATOR.iter())
        .flat_map(|migration| migration.checksum.to_vec())
        .collect();
    fnv1a(&checksums)
}

/// Copies with owner and modes, which Postgres requires.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status()?;
    copied
        .success()
        .then_some(())
        .ok_or_else(|| io::Error::other("cp failed"))
}

/// Starts the guardian. It waits for `postmaster.pid`, the last file Postgres removes. The process
/// itself may remain as a zombie in a container whose first process does not reap orphans.
fn guard(dir: &Path, pid: i32) -> io::Result<Child> {
    use std::os::unix::process::CommandExt;
    const WAIT_THEN_CLEAN: &str = "cat >/dev/null; kill -QUIT $1; \
        while kill -0 $1 && [ -e \"$2/data/postmaster.pid\" ]; do sleep 0.1; done; rm -rf \"$2\"";
    Command::new("sh")
        .args(["-c", WAIT_THEN_CLEAN, "guardian", &pid.to_string()])
        .arg(dir)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}
