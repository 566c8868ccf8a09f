//! Creates a fresh, migrated database for every test.
//!
//! Each test process runs a separate Postgres without durability. Its data directory is copied from
//! a prepared directory, which is migrated once for each set of migrations. Each test gets a
//! separate database in that Postgres.
//!
//! A guardian process stops that Postgres and removes its folder when the test process ends. The
//! guardian is a shell that waits for the end of its standard input. When the test process ends,
//! even by `kill -9`, the operating system closes that pipe. So no Postgres and no folder of a test
//! remains.

use std::collections::{BTreeMap, BTreeSet};
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
use crate::postgres::bank::{
    self, BANK_LOGIN_NAME, BANK_MIGRATOR, DatabaseLogins, SERVING_LOGIN_NAME,
};
use crate::stable_hash::fnv1a;
use crate::{MIGRATOR, Postgres, Sealer};

/// Number of prepared data directories that are kept for other sets of migrations than the current
/// one.
const OTHER_TEMPLATE_FOLDERS_KEPT: usize = 3;
/// Name of the migrated database that is copied for each test.
const TEMPLATE_DATABASE: &str = "football_doubles_template";

/// A database for one test. All clones of this value refer to one database.
#[derive(Clone)]
pub struct TestDatabase {
    pub name: String,
    /// Login of the database's owner. Tests use it to bypass the application.
    pub options: PgConnectOptions,
    pub url: String,
    /// Database URL for the login that serves pages. Unlike the owner, this login has no access to
    /// bank details.
    pub ordinary_url: String,
    pub bank_url: String,
}

impl TestDatabase {
    /// Returns the three logins for this database, as a server with a private Postgres uses them.
    pub fn logins(&self) -> DatabaseLogins {
        DatabaseLogins::for_private_postgres(self.options.clone())
    }

    /// Returns the Postgres stores in this database, with the sealing key of the tests.
    pub async fn postgres(&self) -> Postgres {
        Postgres::connect_with_logins(self.logins(), sealer())
            .await
            .expect("the tests' Postgres answers")
    }

    /// Runs a query with the owner's login, and returns one number. `with` is bound to `$1`.
    pub async fn query_number(&self, question: &'static str, with: &str) -> i64 {
        let mut connection = self.connection().await;
        sqlx::query_scalar(question)
            .bind(with)
            .fetch_one(&mut connection)
            .await
            .expect("a number")
    }

    /// Runs a query with the owner's login, and returns one text. `with` is bound to `$1`.
    pub async fn query_text(&self, question: &'static str, with: &str) -> String {
        let mut connection = self.connection().await;
        sqlx::query_scalar(question)
            .bind(with)
            .fetch_one(&mut connection)
            .await
            .expect("a text")
    }

    /// Returns every row of every table as text, for tests that look for data that must not be
    /// stored.
    pub async fn all_rows_as_text(&self) -> String {
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

    /// Returns a hash of the rows of each table, by its name such as `public.clubs`. Equal hashes mean
    /// that no row was added, deleted or updated. Columns in `left_out` are not hashed, for example
    /// `public.sessions.seen_at`.
    ///
    /// One statement reads all tables, so all hashes are of the same snapshot.
    pub async fn table_hashes(&self, left_out: &[&str]) -> BTreeMap<String, String> {
        let mut connection = self.connection().await;
        let columns =
            "select format('%I.%I', table_schema, table_name), format('%I', column_name)
             from information_schema.columns join information_schema.tables using (table_schema, table_name)
             where table_schema in ('public', 'bank') and table_type = 'BASE TABLE'
             order by 1, ordinal_position";
        let columns: Vec<(String, String)> = sqlx::query_as(columns)
            .fetch_all(&mut connection)
            .await
            .expect("columns");
        let mut unknown: BTreeSet<&str> = left_out.iter().copied().collect();
        let mut hashed: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (table, column) in columns {
            let hashed = hashed.entry(table.clone()).or_default();
            if !unknown.remove(format!("{table}.{column}").as_str()) {
                hashed.push(column);
            }
        }
        assert!(unknown.is_empty(), "no such columns: {unknown:?}");
        let hash = |(table, columns): (&String, &Vec<String>)| {
            format!(
                "select '{table}', md5(coalesce(string_agg(t::text, chr(10) order by t::text), ''))
                 from (select {} from {table}) t",
                columns.join(", ")
            )
        };
        let hashes: Vec<String> = hashed.iter().map(hash).collect();
        let hashes: Vec<(String, String)> =
            sqlx::query_as(AssertSqlSafe(hashes.join(" union all ")))
                .fetch_all(&mut connection)
                .await
                .expect("hashes");
        hashes.into_iter().collect()
    }

    /// Runs a statement with the owner's login, for example to insert rows or to remove a
    /// constraint.
    pub async fn execute_sql(&self, statement: &'static str) {
        sqlx::raw_sql(statement)
            .execute(&mut self.connection().await)
            .await
            .expect("done");
    }

    /// Returns how many deadlocks occurred in this database. Waits until all connections have
    /// ended, because Postgres counts a connection's deadlocks when the connection ends.
    pub async fn count_deadlocks(&self) -> i64 {
        let alone =
            "select count(*) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()";
        while self.query_number(alone, &self.name).await > 0 {
            tokio::task::yield_now().await;
        }
        self.query_number(
            "select deadlocks from pg_stat_database where datname = $1",
            &self.name,
        )
        .await
    }

    /// Causes a deadlock on purpose: two transactions each lock one row, and then wait for the row
    /// that the other one has locked.
    pub async fn cause_deadlock(&self) {
        self.execute_sql("create table ring as select 1 as one union select 2")
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

    /// Returns a connection with the owner's login, for tests that inspect or damage the database.
    pub async fn connection(&self) -> PgConnection {
        PgConnection::connect_with(&self.options)
            .await
            .expect("the tests' Postgres answers")
    }
}

/// Returns the sealer of the tests. Its key is not secret.
pub fn sealer() -> Sealer {
    Sealer::new(&[42; 32])
}

struct TestCluster {
    cluster: Cluster,
    /// The guardian process. The field only keeps the guardian's standard input open until this
    /// process ends.
    _guardian: Child,
}

static TEST_CLUSTER: OnceCell<TestCluster> = OnceCell::const_new();
static NEXT_DATABASE_NUMBER: AtomicU32 = AtomicU32::new(1);

/// Returns a new database with all migrations applied. No other test uses it.
pub async fn database() -> TestDatabase {
    copy_database(TEMPLATE_DATABASE).await
}

/// Returns a new database to which no migration was applied.
pub async fn empty_database() -> TestDatabase {
    copy_database("template0").await
}

async fn copy_database(template: &str) -> TestDatabase {
    let test_cluster = TEST_CLUSTER
        .get_or_init(|| async {
            start_test_cluster()
                .await
                .expect("a Postgres for the tests")
        })
        .await;
    let name = format!(
        "test_{}",
        NEXT_DATABASE_NUMBER.fetch_add(1, Ordering::Relaxed)
    );
    let mut connection = PgConnection::connect_with(&test_cluster.cluster.options("postgres"))
        .await
        .expect("the tests' Postgres answers");
    let create = format!("create database {name} template {template} strategy file_copy");
    sqlx::query(AssertSqlSafe(create))
        .execute(&mut connection)
        .await
        .expect("a copy of the template");
    connection.close().await.expect("closed");
    let url = |login: Option<&str>| test_cluster.cluster.url_with_login(login, &name);
    TestDatabase {
        options: test_cluster.cluster.options(&name),
        url: url(None),
        ordinary_url: url(Some(SERVING_LOGIN_NAME)),
        bank_url: url(Some(BANK_LOGIN_NAME)),
        name,
    }
}

/// A folder for the data of one test. It is removed when this value is dropped.
pub struct TempFolder(PathBuf);

impl TempFolder {
    pub fn new() -> TempFolder {
        TempFolder(create_fresh_folder("folder").expect("a folder for the test"))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Default for TempFolder {
    fn default() -> Self {
        TempFolder::new()
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the folder that contains all test folders. Its path is short, because the path of a unix
/// socket has at most 107 bytes. The user that runs Postgres can access it.
fn base_folder() -> PathBuf {
    PathBuf::from(format!(
        "/tmp/football-doubles-tests-{}",
        nix::unistd::geteuid()
    ))
}

/// Creates a folder with a new name. The process id alone is no safe name. Process ids repeat
/// within an hour of tests, and a killed process may have left a folder of that name.
fn create_fresh_folder(kind: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(base_folder())?;
    let path = mkdtemp(&base_folder().join(format!("{kind}-XXXXXX")))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

async fn start_test_cluster() -> Result<TestCluster, Box<dyn std::error::Error + Send + Sync>> {
    let dir = os_user::create_postgres_folder(&create_fresh_folder("process")?)?;
    let (prepared, lock) = prepare_data_dir().await?;
    copy_folder(&prepared.join("data"), &dir.join("data"))?;
    drop(lock);
    let cluster = Cluster::start(&dir, Durability::None).await?;
    let guardian = start_guardian(&dir, cluster.pid())?;
    Ok(TestCluster {
        cluster,
        _guardian: guardian,
    })
}

/// Returns the prepared, migrated data directory, from which each test process copies its own. The
/// first process creates it, once for each set of migrations. The returned lock keeps other
/// processes from removing it.
async fn prepare_data_dir() -> Result<(PathBuf, File), Box<dyn std::error::Error + Send + Sync>> {
    let prepared = base_folder().join(format!("prepared-{:016x}", migrations_hash()));
    let lock = File::create(base_folder().join("prepare.lock"))?;
    lock.lock()?;
    if prepared.join("data").exists() {
        return Ok((prepared, lock));
    }
    remove_old_folders();
    let making = base_folder().join("making");
    if making.exists() {
        fs::remove_dir_all(&making)?;
    }
    let dir = os_user::create_postgres_folder(&making)?;
    let cluster = Cluster::start(&dir, Durability::None).await?;
    let migrated = migrate_template(&cluster).await;
    cluster.stop().await;
    migrated?;
    fs::rename(&making, &prepared)?;
    Ok((prepared, lock))
}

/// Removes test folders that are older than a day, and old prepared directories. The newest
/// prepared directories stay, so that switching between branches does not create them again each
/// time.
fn remove_old_folders() {
    const UNUSED_FOLDER_KEPT_FOR: Duration = Duration::from_secs(24 * 3600);

    let mut sets: Vec<_> = fs::read_dir(base_folder())
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("prepared-"))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    sets.sort();
    for (_, older) in sets.into_iter().rev().skip(OTHER_TEMPLATE_FOLDERS_KEPT) {
        let _ = fs::remove_dir_all(older);
    }
    for entry in fs::read_dir(base_folder()).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let age = entry
            .metadata()
            .and_then(|found| found.modified())
            .map(|at| at.elapsed().unwrap_or_default());
        let old = age.is_ok_and(|age| age > UNUSED_FOLDER_KEPT_FOR);
        if old && (name.starts_with("process-") || name.starts_with("folder-")) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

async fn migrate_template(
    cluster: &Cluster,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut connection = PgConnection::connect_with(&cluster.options("postgres")).await?;
    let create = format!("create database {TEMPLATE_DATABASE}");
    sqlx::query(AssertSqlSafe(create))
        .execute(&mut connection)
        .await?;
    bank::create_missing_logins(&mut connection).await?;
    connection.close().await?;
    let mut connection = PgConnection::connect_with(&cluster.options(TEMPLATE_DATABASE)).await?;
    MIGRATOR.run(&mut connection).await?;
    connection.close().await?;
    Ok(bank::migrate(&DatabaseLogins::for_private_postgres(
        cluster.options(TEMPLATE_DATABASE),
    ))
    .await?)
}

fn migrations_hash() -> u64 {
    let checksums: Vec<u8> = MIGRATOR
        .iter()
        .chain(BANK_MIGRATOR.iter())
        .flat_map(|migration| migration.checksum.to_vec())
        .collect();
    fnv1a(&checksums)
}

/// Copies a folder with the owner and access modes of its files, because Postgres checks these.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status()?;
    copied
        .success()
        .then_some(())
        .ok_or_else(|| io::Error::other("cp failed"))
}

/// Starts the guardian process. After stopping Postgres, it waits until the file `postmaster.pid`
/// is gone, which Postgres removes last. It does not wait for the Postgres process itself. That
/// process may remain as a zombie in a container whose first process does not reap ended children.
fn start_guardian(dir: &Path, pid: i32) -> io::Result<Child> {
    use std::os::unix::process::CommandExt;
    const GUARDIAN_SCRIPT: &str = "cat >/dev/null; kill -QUIT $1; \
        while kill -0 $1 && [ -e \"$2/data/postmaster.pid\" ]; do sleep 0.1; done; rm -rf \"$2\"";
    Command::new("sh")
        .args(["-c", GUARDIAN_SCRIPT, "guardian", &pid.to_string()])
        .arg(dir)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}
