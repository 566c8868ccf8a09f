//! The command line as a person types it: the real binary, a database of its own.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use actix_web::{App, HttpServer};
use actors::payment::stripe::{Stripe, StripeSettings};
use actors::{Gateway, NewIntent};
use domain::{AccountId, Cents, OrderId};
use persistence::records::Records;
use persistence::records::clubs::NewClub;
use persistence::testing::{Database, Folder, database, empty_database};
use persistence::{Postgres, Sealer};
use server::sandbox::{Options, Sandbox};

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

struct Shell {
    database: Database,
    folder: Folder,
    records: Records,
}

impl Shell {
    async fn open() -> Shell {
        let database = database().await;
        let sealer = Sealer::from_hex(KEY).expect("a key");
        let postgres = Postgres::connect_with(database.options.clone(), sealer)
            .await
            .expect("connected");
        Shell {
            database,
            folder: Folder::new(),
            records: Records::new(postgres),
        }
    }

    async fn club(&self, slug: &str) {
        self.club_reached_at(slug, Some("0400 111 222")).await;
    }

    async fn club_reached_at(&self, slug: &str, phone: Option<&str>) {
        let new = NewClub {
            name: slug.to_string(),
            email: format!("{slug}@demo.test"),
            phone: phone.map(str::to_string),
            slug: slug.to_string(),
            ..NewClub::default()
        };
        self.records.create_club(&new).await.expect("a club");
    }

    fn file(&self, text: &str) -> String {
        let path = self.folder.path().join("fixtures.csv");
        std::fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    }

    fn run(&self, arguments: &[&str], typed: &str) -> Output {
        let variables = [
            ("DATABASE_URL", self.database.url.as_str()),
            ("SEAL_KEY", KEY),
        ];
        run(arguments, &variables, self.folder.path(), typed)
    }

    async fn draws(&self) -> usize {
        self.records.listings().await.expect("listings").len()
    }
}

fn run(arguments: &[&str], variables: &[(&str, &str)], data: &Path, typed: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_server"))
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("FD_DATA_DIR", data)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(typed.as_bytes())
        .expect("typed");
    child.wait_with_output().expect("the binary ends")
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat()
}

#[test]
fn serve_refuses_to_start_without_its_secrets_and_says_which() {
    let folder = Folder::new();
    let output = run(&["serve"], &[], folder.path(), "");
    let said = said(&output);
    assert!(!output.status.success());
    let database = ["DATABASE_URL", "BANK_DATABASE_URL", "SEAL_KEY"];
    for name in database.iter().chain(&[
        "STRIPE_SECRET_KEY",
        "STRIPE_WEBHOOK_SECRETS",
        "SMTP_URL",
        "PUBLIC_URL",
    ]) {
        assert!(
            said.contains(&format!("{name} is missing")),
            "{name}:\n{said}"
        );
    }
}

#[test]
fn serve_refuses_the_demos_secrets_and_does_not_repeat_them() {
    let folder = Folder::new();
    let variables = [("STRIPE_SECRET_KEY", "sk_test_demo"), ("SEAL_KEY", KEY)];
    let said = said(&run(&["serve"], &variables, folder.path(), ""));
    assert!(
        said.contains("STRIPE_SECRET_KEY still has a demo value"),
        "{said}"
    );
    assert!(!said.contains("sk_test_demo"), "{said}");
}

#[actix_web::test]
async fn a_command_on_a_database_without_our_tables_says_what_to_run_first() {
    let (database, folder) = (empty_database().await, Folder::new());
    let variables = [("DATABASE_URL", database.url.as_str()), ("SEAL_KEY", KEY)];
    let asks = |arguments: &[&str]| run(arguments, &variables, folder.path(), "long enough\n");
    let create = ["operator", "create", "--email", "boss@example.com"];
    let output = asks(&create);
    assert!(
        !output.status.success() && said(&output).contains("run `server migrate` first"),
        "{}",
        said(&output)
    );
    assert!(asks(&["migrate"]).status.success());
    assert!(asks(&create).status.success());
}

#[test]
fn a_database_that_does_not_answer_is_told_in_one_line() {
    let folder = Folder::new();
    let variables = [
        (
            "DATABASE_URL",
            "postgres://nobody:pa55word@127.0.0.1:1/nothing",
        ),
        ("SEAL_KEY", KEY),
    ];
    let output = run(&["audit"], &variables, folder.path(), "");
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.starts_with("the database does not answer") && said.trim().lines().count() == 1,
        "{said}"
    );
    assert!(!said.contains("pa55word"), "{said}");
}

const SEASON: &str = "round,date,kick_off,timezone,home_team,away_team\n\
    Round 1,2099-03-07,20:00,Australia/Sydney,Sharks,Tigers\n\
    Round 1,2099-03-08,19:10,Australia/Brisbane,Bears,Jets\n";

#[actix_web::test]
async fn a_season_is_imported_once_and_a_dry_run_writes_nothing() {
    let shell = Shell::open().await;
    shell.club("sharks").await;
    let file = shell.file(SEASON);
    let import = [
        "import-fixtures",
        &file,
        "--club",
        "sharks",
        "--price",
        "5",
        "--prize",
        "50",
    ];

    let output = shell.run(&[&import[..], &["--dry-run"]].concat(), "");
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        said(&output).contains("2099, 8:00 pm AEDT  Sharks v Tigers"),
        "{}",
        said(&output)
    );
    assert_eq!(shell.draws().await, 0);

    let output = shell.run(&import, "");
    assert!(
        output.status.success() && said(&output).contains("2 draws are on sale"),
        "{}",
        said(&output)
    );
    assert_eq!(shell.draws().await, 2);

    let output = shell.run(&import, "");
    assert!(
        output.status.success() && said(&output).contains("2 on sale already"),
        "{}",
        said(&output)
    );
    assert_eq!(shell.draws().await, 2, "a repeated import adds nothing");
}

#[actix_web::test]
async fn a_season_says_whom_buyers_ask() {
    let shell = Shell::open().await;
    shell.club("sharks").await;
    shell.club_reached_at("silent", None).await;
    let file = shell.file(SEASON);
    let import = |club: &str, more: &[&str]| {
        let words = [
            "import-fixtures",
            &file,
            "--club",
            club,
            "--price",
            "5",
            "--prize",
            "50",
        ];
        shell.run(&[&words[..], more].concat(), "")
    };
    let output = import("silent", &[]);
    assert!(
        !output.status.success() && said(&output).contains("Contact phone is required"),
        "{}",
        said(&output)
    );
    assert_eq!(shell.draws().await, 0);
    assert!(import("sharks", &[]).status.success());
    let output = import(
        "silent",
        &["--contact-name", "Jo", "--contact-phone", "0400 999 888"],
    );
    assert!(output.status.success(), "{}", said(&output));
    let mut asked: Vec<_> = shell.records.listings().await.expect("listings");
    asked.sort_by_key(|listing| listing.id());
    let asked: Vec<_> = asked
        .into_iter()
        .filter_map(|listing| listing.contact_name.zip(listing.contact_phone))
        .collect();
    let person = |name: &str, phone: &str| (name.to_string(), phone.to_string());
    assert_eq!(
        asked[..2],
        [
            person("sharks", "0400 111 222"),
            person("sharks", "0400 111 222")
        ]
    );
    assert_eq!(
        asked[2..],
        [person("Jo", "0400 999 888"), person("Jo", "0400 999 888")]
    );
}

#[actix_web::test]
async fn one_wrong_line_is_named_and_nothing_is_imported() {
    let shell = Shell::open().await;
    shell.club("sharks").await;
    let file = shell.file(&format!(
        "{SEASON}Round 2,2099-03-14,25:00,Australia/Sydney,Sharks,Jets\n"
    ));
    let output = shell.run(
        &[
            "import-fixtures",
            &file,
            "--club",
            "sharks",
            "--price",
            "5",
            "--prize",
            "50",
        ],
        "",
    );
    assert!(!output.status.success());
    assert!(
        said(&output).contains("fixtures.csv:4: "),
        "{}",
        said(&output)
    );
    assert_eq!(shell.draws().await, 0);
    let output = shell.run(
        &[
            "import-fixtures",
            &file,
            "--club",
            "nobody",
            "--price",
            "5",
            "--prize",
            "50",
        ],
        "",
    );
    assert!(
        said(&output).contains("no club has the slug nobody"),
        "{}",
        said(&output)
    );
}

#[actix_web::test]
async fn an_operator_is_made_once_with_a_password_that_stands_in_no_history() {
    let shell = Shell::open().await;
    let create = ["operator", "create", "--email", "boss@example.com"];
    let output = shell.run(&create, "short\n");
    assert!(
        !output.status.success() && said(&output).contains("at least 8"),
        "{}",
        said(&output)
    );
    let output = shell.run(&create, "long enough\n");
    assert!(output.status.success(), "{}", said(&output));
    let (_, hash) = shell
        .records
        .admin_credentials("boss@example.com")
        .await
        .expect("read")
        .expect("there");
    assert!(hash.starts_with("$argon2id$") && !hash.contains("long enough"));
    let output = shell.run(&create, "long enough\n");
    assert!(
        !output.status.success() && said(&output).contains("has an account already"),
        "{}",
        said(&output)
    );
}

#[actix_web::test]
async fn a_lost_phone_is_forgotten_with_every_session_and_it_is_written_down() {
    let shell = Shell::open().await;
    let output = shell.run(
        &["operator", "forget-second-factor", "nobody@example.com"],
        "",
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("no operator has the e-mail nobody@example.com"),
        "{}",
        said(&output)
    );
    let admin = shell
        .records
        .create_admin("boss@example.com", "Boss", "$argon2id$x")
        .await
        .expect("created");
    shell
        .records
        .begin_second_factor(admin, b"lost with the phone!")
        .await
        .expect("begun");
    let output = shell.run(
        &["operator", "forget-second-factor", "Boss@example.com"],
        "",
    );
    assert!(
        output.status.success() && said(&output).contains("sets up a new authenticator"),
        "{}",
        said(&output)
    );
    assert!(
        shell
            .records
            .second_factor(admin)
            .await
            .expect("read")
            .is_none()
    );
    let trail = shell
        .records
        .audit_trail(&[format!("admin:{admin}")], None, 10)
        .await
        .expect("read");
    assert_eq!(
        (trail[0].action.as_str(), trail[0].actor.as_str()),
        ("forget-second-factor", "command line")
    );
}

#[actix_web::test]
async fn the_fence_after_a_fail_over_is_one_command_that_says_what_comes_next() {
    let shell = Shell::open().await;
    shell.club("sharks").await;
    let file = shell.file(SEASON);
    let import = [
        "import-fixtures",
        &file,
        "--club",
        "sharks",
        "--price",
        "5",
        "--prize",
        "50",
    ];
    assert!(shell.run(&import, "").status.success());
    let output = shell.run(&["fence"], "");
    assert!(
        output.status.success() && said(&output).starts_with("2 draws are fenced"),
        "{}",
        said(&output)
    );
    assert!(
        said(&output).contains("Sales are closed") && said(&output).contains("`server audit`"),
        "{}",
        said(&output)
    );
    let fenced = "select count(*) from draws where owner_epoch >= 1000000 and owner_boot is null and $1 = ''";
    assert_eq!(shell.database.count(fenced, "").await, 2);
    assert_eq!(
        shell.records.settings().await.expect("read")["maintenance_mode"],
        "true"
    );
}

#[actix_web::test]
async fn an_audit_of_sound_books_is_clean_and_money_nobody_knows_of_fails_it() {
    let shell = Shell::open().await;
    shell.club("sharks").await;
    let club = shell.records.clubs().await.expect("clubs").remove(0).id;
    let account = AccountId("acct_sharks".to_string());
    shell
        .records
        .connect_account(club, &account)
        .await
        .expect("connected");
    let output = shell.run(&["audit"], "");
    assert!(
        output.status.success() && said(&output).contains("Nothing disagrees."),
        "{}",
        said(&output)
    );
    let intent = take_money(&shell.folder.path().join("sandbox"), &account).await;
    let output = shell.run(&["audit"], "");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let row = said(&output)
        .lines()
        .any(|line| line.starts_with(&intent) && line.contains("no order knows"));
    assert!(
        row && said(&output).contains("DIFFERENT"),
        "{}",
        said(&output)
    );
}

/// A payment made past our books, as on the provider's own dashboard.
async fn take_money(sandbox: &Path, account: &AccountId) -> String {
    let sandbox =
        Sandbox::open(Some(sandbox.to_path_buf()), Options::default()).expect("a sandbox");
    let serving = sandbox.clone();
    let server = HttpServer::new(move || {
        let sandbox = serving.clone();
        App::new().configure(|cfg| server::sandbox::configure(cfg, sandbox))
    });
    let server = server
        .workers(1)
        .disable_signals()
        .bind(("127.0.0.1", 0))
        .expect("a port");
    let url = format!("http://{}/sandbox/stripe", server.addrs()[0]);
    let server = server.run();
    let handle = server.handle();
    let serving = tokio::spawn(server);
    let stripe = Stripe::new(&StripeSettings::new("sk_test_demo", url)).expect("a gateway");
    let new = NewIntent {
        order: OrderId(7),
        account: account.clone(),
        amount: Cents(1047),
        draws: "1042x2".to_string(),
    };
    let id = stripe.create("create", &new).await.expect("created").id;
    stripe
        .confirm("confirm", account, &id, "pm_card_visa")
        .await
        .expect("confirmed");
    stripe
        .capture("capture", account, &id, Cents(35))
        .await
        .expect("captured");
    handle.stop(false).await;
    serving.await.expect("joined").expect("stopped");
    id.0
}
