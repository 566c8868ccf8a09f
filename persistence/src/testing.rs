//! A fresh, migrated database for every test that asks.
//!
//! Each test process gets a Postgres of its own, without durability, on a copy of a data directory that was initialised and
//! migrated once per set of migrations; each test gets a database of its own in it. A guardian outlives the process for a
//! moment to stop that Postgres and remove its folder: it is a shell that waits for the end of its standard input, and the
//! system closes that pipe however the process ends, `kill -9` included. So nothing is shared, and nothing is left behind.

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
use crate::embedded::owner;
use crate::postgres::bank::{self, BANK, BANK_MIGRATOR, Doors, SERVES};
use crate::{MIGRATOR, Postgres, Sealer};

/// Prepared data directories of other sets of migrations that are kept.
const OTHER_SETS_KEPT: usize = 3;
/// Migrated, and copied for each test.
const TEMPLATE: &str = "football_doubles_template";

/// One test's own database. A clone is another handle to the same.
#[derive(Clone)]
pub struct Database {
    pub name: String,
    /// Its owner's, past all guards.
    pub options: PgConnectOptions,
    pub url: String,
    /// Of the login that serves, and of the one that alone reads bank details.
    pub ordinary_url: String,
    pub bank_url: String,
}

impl Database {
    /// Every way in, as a server of its own has them.
    pub fn doors(&self) -> Doors {
        Doors::private(self.options.clone())
    }

    /// The books in it, sealed with the tests' key.
    pub async fn postgres(&self) -> Postgres {
        Postgres::connect_by(self.doors(), sealer())
            .await
            .expect("the tests' Postgres answers")
    }

    /// One number from the books, asked past all guards: `$1` is `with`.
    pub async fn count(&self, question: &'static str, with: &str) -> i64 {
        let mut connection = self.connection().await;
        sqlx::query_scalar(question)
            .bind(with)
            .fetch_one(&mut connection)
            .await
            .expect("a number")
    }

    /// One text from the books, asked past all guards: `$1` is `with`.
    pub async fn text(&self, question: &'static str, with: &str) -> String {
        let mut connection = self.connection().await;
        sqlx::query_scalar(question)
            .bind(with)
            .fetch_one(&mut connection)
            .await
            .expect("a text")
    }

    /// Every row of every table as text: for tests that look for what must not be there.
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

    /// Says something to the database past all guards: a fixture, or a guard that is taken away.
    pub async fn run(&self, statement: &'static str) {
        sqlx::raw_sql(statement)
            .execute(&mut self.connection().await)
            .await
            .expect("done");
    }

    /// How many deadlocks were broken in this database, once nobody is connected to it any more: each connection tells what it
    /// saw when it goes.
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

    /// Two transactions, each with a row that the other wants next: the database breaks the ring.
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

    /// A connection past all guards, for tests that look or break in.
    pub async fn connection(&self) -> PgConnection {
        PgConnection::connect_with(&self.options)
            .await
            .expect("the tests' Postgres answers")
    }
}

/// The tests' key is no secret.
pub fn sealer() -> Sealer {
    Sealer::new(&[42; 32])
}

struct Shelter {
    cluster: Cluster,
    /// Never read: its pipe closes when this process ends.
    _guardian: Child,
}

static SHELTER: OnceCell<Shelter> = OnceCell::const_new();
static DATABASES: AtomicU32 = AtomicU32::new(1);

/// A database nobody has written to yet, with every migration applied.
pub async fn database() -> Database {
    copy_of(TEMPLATE).await
}

/// A database without a single table of ours.
pub async fn empty_database() -> Database {
    copy_of("template0").await
}

async fn copy_of(template: &str) -> Database {
    let shelter = SHELTER
        .get_or_init(|| async { open().await.expect("a Postgres for the tests") })
        .await;
    let name = format!("test_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
    let mut connection = PgConnection::connect_with(&shelter.cluster.options("postgres"))
        .await
        .expect("the tests' Postgres answers");
    let create = format!("create database {name} template {template} strategy file_copy");
    sqlx::query(AssertSqlSafe(create))
        .execute(&mut connection)
        .await
        .expect("a copy of the template");
    connection.close().await.expect("closed");
    let url = |login: Option<&str>| shelter.cluster.url_as(login, &name);
    Database {
        options: shelter.cluster.options(&name),
        url: url(None),
        ordinary_url: url(Some(SERVES)),
        bank_url: url(Some(BANK)),
        name,
    }
}

/// A folder for one test's own data, removed when it is dropped.
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

/// Short, because a unix socket's name has at most 107 bytes, and open to the user that Postgres runs as.
fn base() -> PathBuf {
    PathBuf::from(format!(
        "/tmp/football-doubles-tests-{}",
        nix::unistd::geteuid()
    ))
}

/// A folder that nobody had before. The system's process numbers come round again within an hour of tests, so a name made of one
/// may be a killed process's, with all that it left.
fn fresh(kind: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(base())?;
    let path = mkdtemp(&base().join(format!("{kind}-XXXXXX")))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

async fn open() -> Result<Shelter, Box<dyn std::error::Error + Send + Sync>> {
    let dir = owner::folder(&fresh("process")?)?;
    let (prepared, lock) = prepare().await?;
    copy(&prepared.join("data"), &dir.join("data"))?;
    drop(lock);
    let cluster = Cluster::start(&dir, Durability::None).await?;
    let guardian = guard(&dir, cluster.pid())?;
    Ok(Shelter {
        cluster,
        _guardian: guardian,
    })
}

/// The data directory that is copied: made once, by whichever process comes first, for this very set of migrations. While the
/// lock is held, nobody clears it away.
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
    let dir = owner::folder(&making)?;
    let cluster = Cluster::start(&dir, Durability::None).await?;
    let migrated = migrate(&cluster).await;
    cluster.stop().await;
    migrated?;
    fs::rename(&making, &prepared)?;
    Ok((prepared, lock))
}

/// What a crashed machine or other sets of migrations left behind. The newest stay: whoever goes to and fro between a few
/// branches does not make them anew each time.
fn sweep() {
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
    const KEPT: Duration = Duration::from_secs(24 * 3600);
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
    Ok(bank::migrate(&Doors::private(cluster.options(TEMPLATE))).await?)
}

fn migrations_hash() -> u64 {
    let checksums: Vec<u8> = MIGRATOR
        .iter()
        .chain(BANK_MIGRATOR.iter())
        .flat_map(|migration| migration.checksum.to_vec())
        .collect();
    owner::hash(&checksums)
}

/// With its owner and modes, as Postgres insists.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status()?;
    copied
        .success()
        .then_some(())
        .ok_or_else(|| io::Error::other("cp failed"))
}

/// The note is the last thing that Postgres takes away. Its process may stay as a zombie for ever, where nobody inherits orphans
/// (a container whose first process is not made for it).
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
