//! Tests of a private Postgres: it is created, stopped, started again, and adopted after the server
//! process that started it was killed.

use persistence::MIGRATOR;
use persistence::embedded::{EmbeddedError, EmbeddedPostgres, backup, restore};
use persistence::testing::{TempFolder, database};
use sqlx::Connection;
use sqlx::postgres::PgConnection;

async fn connect(embedded: &EmbeddedPostgres) -> PgConnection {
    PgConnection::connect_with(&embedded.options())
        .await
        .expect("the private Postgres answers")
}

/// Returns the process id of the main Postgres process.
fn postgres_pid(embedded: &EmbeddedPostgres) -> String {
    let note =
        std::fs::read_to_string(embedded.dir().join("data/postmaster.pid")).unwrap_or_default();
    note.lines().next().unwrap_or_default().to_string()
}

#[tokio::test]
async fn data_survives_a_stop_and_a_killed_server() {
    let folder = TempFolder::new();
    let first = EmbeddedPostgres::start(folder.path())
        .await
        .expect("started");
    assert!(!first.adopted_running_postgres());
    let mut connection = connect(&first).await;
    MIGRATOR.run(&mut connection).await.expect("migrated");
    sqlx::query(
        "insert into clubs (name, email, password, home_page_slug) values ('A', 'a@a', 'x', 'a')",
    )
    .execute(&mut connection)
    .await
    .expect("written");
    first.stop().await;

    // A killed server process does not stop its Postgres. Dropping the value without `stop` has the
    // same effect.
    drop(
        EmbeddedPostgres::start(folder.path())
            .await
            .expect("started again"),
    );
    let second = EmbeddedPostgres::start(folder.path())
        .await
        .expect("adopted");
    assert!(second.adopted_running_postgres());
    let clubs: i64 = sqlx::query_scalar("select count(*) from clubs")
        .fetch_one(&mut connect(&second).await)
        .await
        .expect("read");
    assert_eq!(clubs, 1);

    assert!(matches!(
        EmbeddedPostgres::start(folder.path()).await,
        Err(EmbeddedError::InUse(_))
    ));
    second.stop().await;
}

#[tokio::test]
async fn killed_postgres_restarts_with_committed_data() {
    let folder = TempFolder::new();
    let embedded = EmbeddedPostgres::start(folder.path())
        .await
        .expect("started");
    let mut connection = connect(&embedded).await;
    sqlx::query("create table kept as select 7 as seven")
        .execute(&mut connection)
        .await
        .expect("written");
    // Settings that make recovery fast must not make commits less durable.
    for (setting, expected) in [
        ("fsync", "on"),
        ("synchronous_commit", "on"),
        ("full_page_writes", "on"),
    ] {
        let shown = sqlx::query_scalar::<_, String>("select current_setting($1)").bind(setting);
        assert_eq!(
            shown.fetch_one(&mut connection).await.expect("shown"),
            expected,
            "{setting}"
        );
    }
    let note = embedded.dir().join("data/postmaster.pid");
    for _ in 0..2 {
        let pid = std::fs::read_to_string(&note)
            .expect("a note")
            .lines()
            .next()
            .expect("a number")
            .to_string();
        let killed = std::process::Command::new("kill")
            .args(["-9", &pid])
            .status()
            .expect("kill");
        assert!(killed.success());
        let seven = loop {
            let Ok(mut connection) = PgConnection::connect_with(&embedded.options()).await else {
                tokio::task::yield_now().await;
                continue;
            };
            // The pool may still hand out a connection to the dead Postgres. A query on it fails,
            // so the test tries again.
            if let Ok(seven) = sqlx::query_scalar::<_, i32>("select seven from kept")
                .fetch_one(&mut connection)
                .await
                && std::fs::read_to_string(&note).is_ok_and(|text| !text.starts_with(&pid))
            {
                break seven;
            }
        };
        assert_eq!(seven, 7);
    }
    embedded.stop().await;
    assert!(!note.exists(), "stopped in order");
}

#[tokio::test]
async fn url_and_options_lead_to_the_same_database() {
    let folder = TempFolder::new();
    let embedded = EmbeddedPostgres::start(folder.path())
        .await
        .expect("started");
    let mut connection = PgConnection::connect(&embedded.url())
        .await
        .expect("connected by url");
    let name: String = sqlx::query_scalar("select current_database()::text")
        .fetch_one(&mut connection)
        .await
        .expect("read");
    assert_eq!(name, "football_doubles");
    connection.close().await.expect("closed");
    embedded.stop().await;
}

#[tokio::test]
async fn first_start_after_interruption_succeeds() {
    let folder = TempFolder::new();
    std::fs::create_dir(folder.path().join("data.unfinished")).expect("made");
    std::fs::write(folder.path().join("data.unfinished/PG_VERSION"), "15").expect("made");
    EmbeddedPostgres::start(folder.path())
        .await
        .expect("started")
        .stop()
        .await;
}

#[tokio::test]
async fn data_of_an_uninstalled_version_prevents_start() {
    let folder = TempFolder::new();
    std::fs::create_dir(folder.path().join("data")).expect("made");
    std::fs::write(folder.path().join("data/PG_VERSION"), "7\n").expect("made");
    match EmbeddedPostgres::start(folder.path()).await {
        Err(EmbeddedError::WrongVersion { wrote, .. }) => assert_eq!(wrote, "7"),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("started on data of another version"),
    }
}

#[tokio::test]
async fn tests_have_separate_databases() {
    let (one, other) = (database().await, database().await);
    let mut connection = PgConnection::connect_with(&one.options)
        .await
        .expect("connected");
    sqlx::query(
        "insert into clubs (name, email, password, home_page_slug) values ('A', 'a@a', 'x', 'a')",
    )
    .execute(&mut connection)
    .await
    .expect("written");
    let mut connection = PgConnection::connect(&other.url).await.expect("connected");
    let clubs: i64 = sqlx::query_scalar("select count(*) from clubs")
        .fetch_one(&mut connection)
        .await
        .expect("read");
    assert_eq!(clubs, 0);
}

const FOLDER_ENV_VARIABLE: &str = "FD_TEST_KILLED_SERVER";

/// Leaves the Postgres of a killed server running, and returns its folder. For this, the calling
/// test runs again in a child process, which gets the folder in an environment variable. The child
/// starts Postgres there and is killed.
async fn folder_with_postgres_of_killed_server(test: &str) -> TempFolder {
    if let Some(folder) = std::env::var_os(FOLDER_ENV_VARIABLE) {
        let embedded = EmbeddedPostgres::start(folder.as_ref())
            .await
            .expect("started");
        let mut connection = connect(&embedded).await;
        sqlx::query("create table stored_words (word text)")
            .execute(&mut connection)
            .await
            .expect("made");
        sqlx::query("insert into stored_words values ('yes')")
            .execute(&mut connection)
            .await
            .expect("written");
        println!("word stored");
        std::future::pending::<()>().await;
    }
    let folder = TempFolder::new();
    let mut server = std::process::Command::new(std::env::current_exe().expect("a path"))
        .args(["--exact", test, "--nocapture"])
        .env(FOLDER_ENV_VARIABLE, folder.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("spawned");
    let outcome = std::io::BufReader::new(server.stdout.take().expect("piped"));
    assert!(
        std::io::BufRead::lines(outcome)
            .any(|line| line.expect("readable").contains("word stored"))
    );
    server.kill().expect("killed");
    server.wait().expect("gone");
    folder
}

async fn read_stored_word(embedded: &EmbeddedPostgres) -> Result<String, sqlx::Error> {
    let mut connection = PgConnection::connect_with(&embedded.options()).await?;
    sqlx::query_scalar("select word from stored_words")
        .fetch_one(&mut connection)
        .await
}

#[tokio::test]
async fn restarted_server_adopts_its_running_postgres() {
    let folder =
        folder_with_postgres_of_killed_server("restarted_server_adopts_its_running_postgres").await;
    let embedded = EmbeddedPostgres::start(folder.path())
        .await
        .expect("adopted");
    assert!(embedded.adopted_running_postgres());
    assert_eq!(read_stored_word(&embedded).await.expect("read"), "yes");
    embedded.stop().await;
}

/// Simulates a container whose first process does not reap ended children: this test never waits
/// for its children.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn zombie_of_killed_postgres_does_not_prevent_a_restart() {
    nix::sys::prctl::set_child_subreaper(true).expect("allowed");
    let folder = folder_with_postgres_of_killed_server(
        "zombie_of_killed_postgres_does_not_prevent_a_restart",
    )
    .await;
    let embedded = EmbeddedPostgres::start(folder.path())
        .await
        .expect("adopted");
    let pid = postgres_pid(&embedded);
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid])
        .status()
        .expect("kill");
    assert!(killed.success());
    while postgres_pid(&embedded) == pid || read_stored_word(&embedded).await.is_err() {
        tokio::task::yield_now().await;
    }
    let left =
        std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the zombie is still there");
    assert!(left.contains(") Z "), "{left}");
    assert_eq!(read_stored_word(&embedded).await.expect("read"), "yes");
    embedded.stop().await;
}

/// After a power cut, the process id in `postmaster.pid` may belong to another program.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn pid_of_another_program_does_not_prevent_a_start() {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    let folder = TempFolder::new();
    let first = EmbeddedPostgres::start(folder.path())
        .await
        .expect("started");
    let path = first.dir().join("data/postmaster.pid");
    let note = std::fs::read_to_string(&path).expect("a note");
    first.stop().await;
    let owner = std::fs::metadata(folder.path()).expect("a folder").uid();
    let mut other = std::process::Command::new("sleep")
        .arg("60")
        .uid(owner)
        .spawn()
        .expect("another program");
    let (_, rest) = note.split_once('\n').expect("lines");
    std::fs::write(&path, format!("{}\n{rest}", other.id())).expect("written");

    let second = EmbeddedPostgres::start(folder.path())
        .await
        .expect("started");
    assert!(!second.adopted_running_postgres());
    assert_ne!(postgres_pid(&second), other.id().to_string());
    second.stop().await;
    assert!(
        other.try_wait().expect("known").is_none(),
        "the other program was left alone"
    );
    other.kill().expect("killed");
    other.wait().expect("gone");
}

/// Postgres refuses to run as root, and the user that runs it instead cannot reach root's folders.
#[tokio::test]
async fn folder_unreachable_for_postgres_is_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let closed = TempFolder::new();
    std::fs::set_permissions(closed.path(), std::fs::Permissions::from_mode(0o700))
        .expect("closed");
    let wanted = closed.path().join("data");
    let embedded = EmbeddedPostgres::start(&wanted).await.expect("started");
    let is_stand_in = embedded.dir() != wanted;
    assert_eq!(is_stand_in, nix::unistd::geteuid().is_root());
    let dir = embedded.dir().to_path_buf();
    embedded.stop().await;
    if is_stand_in {
        assert!(dir.starts_with("/var/tmp"));
        std::fs::remove_dir_all(dir).expect("removed");
    }
}

#[tokio::test]
async fn backup_under_load_is_complete() {
    let (folder, elsewhere) = (TempFolder::new(), TempFolder::new());
    let embedded = EmbeddedPostgres::start(folder.path())
        .await
        .expect("started");
    let mut connection = connect(&embedded).await;
    sqlx::query("create table done (number int8 primary key, filler text)")
        .execute(&mut connection)
        .await
        .expect("made");
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let work = tokio::spawn(async move {
        let mut number = 0_i64;
        while !*stopped.borrow() {
            number += 1;
            let insert =
                sqlx::query("insert into done values ($1, repeat('x', 2000))").bind(number);
            insert.execute(&mut connection).await.expect("written");
        }
        number
    });
    let known = async |embedded: &EmbeddedPostgres| -> (i64, i64) {
        let counted = sqlx::query_as("select count(*), coalesce(max(number), 0) from done");
        counted
            .fetch_one(&mut connect(embedded).await)
            .await
            .expect("counted")
    };
    while known(&embedded).await.0 < 20 {}
    let (before, _) = known(&embedded).await;
    let file = elsewhere.path().join("one.backup");
    backup::back_up(&embedded.url(), &[], &file)
        .await
        .expect("written");
    stop.send_replace(true);
    let last = work.await.expect("worked");
    embedded.stop().await;

    let again = elsewhere.path().join("postgres");
    assert!(
        restore::restore(&again, &[], &file)
            .await
            .expect("restored")
            .is_empty()
    );
    let restored = EmbeddedPostgres::start(&again).await.expect("started");
    let (count, most) = known(&restored).await;
    assert!(
        before <= count && count == most && most <= last,
        "{before} <= {count} = {most} <= {last}"
    );
    restored.stop().await;
}
