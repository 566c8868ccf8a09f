//! The command line of the built program, with a database of its own.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use actix_web::{App, HttpServer};
use actors::payments::stripe::{Stripe, StripeSettings};
use actors::{Gateway, NewIntent};
use domain::{AccountId, Cents, OrderId};
use persistence::records::Records;
use persistence::records::audit::AuditFilter;
use persistence::records::clubs::NewClub;
use persistence::testing::{TempFolder, TestDatabase, database, empty_database};
use persistence::{Postgres, Sealer};
use sandbox::{Sandbox, SandboxOptions};

#[path = "cli/audit_anchor.rs"]
mod audit_anchor;
#[path = "cli/bank_database_login.rs"]
mod bank_database_login;
#[path = "cli/doctor.rs"]
mod doctor;
#[path = "cli/moved_clock.rs"]
mod moved_clock;

const SEAL_KEY_HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

struct CliEnvironment {
    database: TestDatabase,
    folder: TempFolder,
    records: Records,
}

impl CliEnvironment {
    async fn open() -> CliEnvironment {
        let database = database().await;
        let sealer = Sealer::from_hex(SEAL_KEY_HEX).expect("a key");
        let postgres = Postgres::connect_with(database.options.clone(), sealer)
            .await
            .expect("connected");
        CliEnvironment {
            database,
            folder: TempFolder::new(),
            records: Records::new(postgres),
        }
    }

    async fn insert_test_club(&self, slug: &str) {
        self.insert_club_with_phone(slug, Some("0400 111 222"))
            .await;
    }

    async fn insert_club_with_phone(&self, slug: &str, phone: Option<&str>) {
        let new = NewClub {
            name: slug.to_string(),
            email: format!("{slug}@demo.test"),
            phone: phone.map(str::to_string),
            slug: slug.to_string(),
            ..NewClub::default()
        };
        self.records.create_club(&new).await.expect("a club");
    }

    fn write_fixture_file(&self, text: &str) -> String {
        let path = self.folder.path().join("fixtures.csv");
        std::fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    }

    fn run_with_database(&self, arguments: &[&str], stdin_text: &str) -> Output {
        let variables = [
            ("DATABASE_URL", self.database.url.as_str()),
            ("SEAL_KEY", SEAL_KEY_HEX),
        ];
        run_server_program(arguments, &variables, self.folder.path(), stdin_text)
    }

    async fn count_stored_draws(&self) -> usize {
        self.records.listings().await.expect("listings").len()
    }
}

fn run_server_program(
    arguments: &[&str],
    variables: &[(&str, &str)],
    data: &Path,
    stdin_text: &str,
) -> Output {
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
        .write_all(stdin_text.as_bytes())
        .expect("typed");
    child.wait_with_output().expect("the binary ends")
}

fn output_text(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat()
}

#[test]
fn serve_without_secrets_names_each_missing_one() {
    let folder = TempFolder::new();
    let output = run_server_program(&["serve"], &[], folder.path(), "");
    let text = output_text(&output);
    assert!(!output.status.success());
    let database = ["DATABASE_URL", "BANK_DATABASE_URL", "SEAL_KEY"];
    for name in database.iter().chain(&[
        "STRIPE_SECRET_KEY",
        "STRIPE_WEBHOOK_SECRETS",
        "SMTP_URL",
        "PUBLIC_URL",
    ]) {
        assert!(
            text.contains(&format!("{name} is missing")),
            "{name}:\n{text}"
        );
    }
}

#[test]
fn serve_refuses_demo_secrets_without_printing_them() {
    let folder = TempFolder::new();
    let variables = [
        ("STRIPE_SECRET_KEY", "sk_test_demo"),
        ("SEAL_KEY", SEAL_KEY_HEX),
    ];
    let text = output_text(&run_server_program(
        &["serve"],
        &variables,
        folder.path(),
        "",
    ));
    assert!(
        text.contains("STRIPE_SECRET_KEY still has a demo value"),
        "{text}"
    );
    assert!(!text.contains("sk_test_demo"), "{text}");
}

#[test]
fn command_without_database_url_is_refused() {
    let folder = TempFolder::new();
    let file = folder.path().join("x").to_string_lossy().into_owned();
    let commands: [&[&str]; 9] = [
        &["migrate"],
        &["fence"],
        &["audit"],
        &["doctor"],
        &["doctor", "--rehearse"],
        &["backup", &file],
        &["restore", &file],
        &["operator", "create", "--email", "boss@example.com"],
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
    ];
    for command in commands {
        let output = run_server_program(command, &[], folder.path(), "long enough\n");
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {text}");
        assert!(
            text.contains("DATABASE_URL is missing") && text.contains("--demo"),
            "{command:?}: {text}"
        );
        let left = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 0, "{command:?} left something behind");
    }
    let output = run_server_program(&["serve", "--demo"], &[], folder.path(), "");
    assert!(
        !output.status.success() && output_text(&output).contains("serve takes no --demo"),
        "{}",
        output_text(&output)
    );
}

#[actix_web::test]
async fn wrong_sealing_key_is_refused() {
    const OTHER_SEAL_KEY_HEX: &str =
        "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    let cli = CliEnvironment::open().await;
    assert!(cli.run_with_database(&["migrate"], "").status.success());
    assert_eq!(
        cli.database
            .query_number("select count(*) from seal_canary where $1 = ''", "")
            .await,
        1
    );
    let with_key = |arguments: &[&str], key: &str| {
        let variables = [
            ("DATABASE_URL", cli.database.url.as_str()),
            ("SEAL_KEY", key),
        ];
        run_server_program(arguments, &variables, cli.folder.path(), "")
    };
    for command in [["migrate"], ["audit"], ["fence"]] {
        let output = with_key(&command, OTHER_SEAL_KEY_HEX);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{command:?}: {}",
            output_text(&output)
        );
        assert!(
            output_text(&output).contains("SEAL_KEY does not open"),
            "{command:?}: {}",
            output_text(&output)
        );
        assert!(!output_text(&output).contains(OTHER_SEAL_KEY_HEX));
    }
    assert!(with_key(&["migrate"], SEAL_KEY_HEX).status.success());
}

/// An older database may not contain the value that checks the key. Its encrypted seeds then
/// identify the right key.
#[actix_web::test]
async fn database_without_key_check_accepts_only_original_key() {
    let cli = CliEnvironment::open().await;
    cli.insert_test_club("sharks").await;
    let file = cli.write_fixture_file(SEASON_CSV);
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
    assert!(cli.run_with_database(&import, "").status.success());
    cli.database.execute_sql("delete from seal_canary").await;
    let other = "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    let variables = [
        ("DATABASE_URL", cli.database.url.as_str()),
        ("SEAL_KEY", other),
    ];
    let output = run_server_program(&["migrate"], &variables, cli.folder.path(), "");
    assert!(
        !output.status.success() && output_text(&output).contains("SEAL_KEY does not open"),
        "{}",
        output_text(&output)
    );
    assert!(cli.run_with_database(&["migrate"], "").status.success());
}

/// Runs `serve` with all required environment variables, of which `changed` replaces some.
fn run_serve_command(cli: &CliEnvironment, changed: &[(&str, &str)]) -> Output {
    std::fs::write(cli.folder.path().join("index.html"), "<title>x</title>").expect("written");
    let web = cli.folder.path().to_string_lossy().into_owned();
    let complete = [
        ("DATABASE_URL", cli.database.ordinary_url.as_str()),
        ("BANK_DATABASE_URL", &cli.database.bank_url),
        ("SEAL_KEY", SEAL_KEY_HEX),
        ("PUBLIC_URL", "http://127.0.0.1:9"),
        ("BIND_ADDR", "127.0.0.1"),
        ("PORT", "0"),
        ("STRIPE_API_URL", "http://127.0.0.1:9"),
        ("STRIPE_SECRET_KEY", "sk_test_x"),
        ("STRIPE_PUBLISHABLE_KEY", "pk_test_x"),
        ("STRIPE_WEBHOOK_SECRETS", "whsec_of_the_tests"),
        ("SMTP_URL", "smtp://127.0.0.1:9"),
        ("MAIL_FROM", "x@tickets.test"),
        ("SUPPORT_EMAIL", "s@tickets.test"),
        ("SUPPORT_SMS", "0400 000 000"),
        ("FEE_PASSTHROUGH", "forbidden"),
        ("FD_WEB_DIR", &web),
    ];
    let unchanged = complete
        .into_iter()
        .filter(|(name, _)| changed.iter().all(|(other, _)| other != name));
    let variables: Vec<_> = unchanged.chain(changed.iter().copied()).collect();
    run_server_program(&["serve"], &variables, cli.folder.path(), "")
}

#[actix_web::test]
async fn serve_error_names_unusable_login_and_port() {
    let cli = CliEnvironment::open().await;
    let other = "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let used_address = listener.local_addr().expect("an address").to_string();
    let unknown_login_url =
        cli.database
            .bank_url
            .replacen("football_doubles_bank", "football_doubles_nobody", 1);
    assert_ne!(unknown_login_url, cli.database.bank_url);
    for (name, value, words) in [
        (
            "METRICS_ADDR",
            used_address.as_str(),
            "set METRICS_ADDR to another port",
        ),
        (
            "NODE_ADDRESS",
            &used_address,
            "set NODE_ADDRESS to another port",
        ),
        (
            "BANK_DATABASE_URL",
            &unknown_login_url,
            "does not let BANK_DATABASE_URL's login in",
        ),
    ] {
        let output = run_serve_command(&cli, &[(name, value)]);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{name}: {}",
            output_text(&output)
        );
        assert!(
            output_text(&output).contains(words),
            "{name}: {}",
            output_text(&output)
        );
    }
    assert!(cli.run_with_database(&["migrate"], "").status.success());
    let output = run_serve_command(&cli, &[("SEAL_KEY", other)]);
    assert!(
        !output.status.success() && output_text(&output).contains("SEAL_KEY does not open"),
        "{}",
        output_text(&output)
    );
    let over_tls = ("PUBLIC_URL", "https://fd.test");
    for (trusted, is_warned) in [("", true), ("127.0.0.1", false)] {
        let changed = [
            over_tls,
            ("TRUSTED_PROXIES", trusted),
            ("METRICS_ADDR", used_address.as_str()),
        ];
        let text = output_text(&run_serve_command(&cli, &changed));
        assert_eq!(
            text.contains("TRUSTED_PROXIES is empty"),
            is_warned,
            "{text}"
        );
    }
    drop(listener);
}

#[actix_web::test]
async fn command_on_empty_database_suggests_migrate() {
    let (database, folder) = (empty_database().await, TempFolder::new());
    let variables = [
        ("DATABASE_URL", database.url.as_str()),
        ("SEAL_KEY", SEAL_KEY_HEX),
    ];
    let run_command = |arguments: &[&str]| {
        run_server_program(arguments, &variables, folder.path(), "long enough\n")
    };
    let create = ["operator", "create", "--email", "boss@example.com"];
    let output = run_command(&create);
    assert!(
        !output.status.success() && output_text(&output).contains("run `server migrate` first"),
        "{}",
        output_text(&output)
    );
    assert!(run_command(&["migrate"]).status.success());
    assert!(run_command(&create).status.success());
}

#[test]
fn unreachable_database_is_reported_in_one_line() {
    let folder = TempFolder::new();
    let variables = [
        (
            "DATABASE_URL",
            "postgres://nobody:pa55word@127.0.0.1:1/nothing",
        ),
        ("SEAL_KEY", SEAL_KEY_HEX),
    ];
    let output = run_server_program(&["audit"], &variables, folder.path(), "");
    let text = output_text(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.starts_with("the database does not answer") && text.trim().lines().count() == 1,
        "{text}"
    );
    assert!(!text.contains("pa55word"), "{text}");
}

const SEASON_CSV: &str = "round,date,kick_off,timezone,home_team,away_team\n\
    Round 1,2099-03-07,20:00,Australia/Sydney,Sharks,Tigers\n\
    Round 1,2099-03-08,19:10,Australia/Brisbane,Bears,Jets\n";

#[actix_web::test]
async fn season_import_is_idempotent_and_dry_run_writes_nothing() {
    let cli = CliEnvironment::open().await;
    cli.insert_test_club("sharks").await;
    let file = cli.write_fixture_file(SEASON_CSV);
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

    let output = cli.run_with_database(&[&import[..], &["--dry-run"]].concat(), "");
    assert!(output.status.success(), "{}", output_text(&output));
    assert!(
        output_text(&output).contains("2099, 8:00 pm AEDT  Sharks v Tigers"),
        "{}",
        output_text(&output)
    );
    assert_eq!(cli.count_stored_draws().await, 0);

    let output = cli.run_with_database(&import, "");
    assert!(
        output.status.success() && output_text(&output).contains("2 draws are on sale"),
        "{}",
        output_text(&output)
    );
    assert_eq!(cli.count_stored_draws().await, 2);

    let output = cli.run_with_database(&import, "");
    assert!(
        output.status.success() && output_text(&output).contains("2 on sale already"),
        "{}",
        output_text(&output)
    );
    assert_eq!(
        cli.count_stored_draws().await,
        2,
        "a repeated import adds nothing"
    );
}

#[actix_web::test]
async fn season_import_sets_contact_of_its_draws() {
    let cli = CliEnvironment::open().await;
    cli.insert_test_club("sharks").await;
    cli.insert_club_with_phone("silent", None).await;
    let file = cli.write_fixture_file(SEASON_CSV);
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
        cli.run_with_database(&[&words[..], more].concat(), "")
    };
    let output = import("silent", &[]);
    assert!(
        !output.status.success() && output_text(&output).contains("Contact phone is required"),
        "{}",
        output_text(&output)
    );
    assert_eq!(cli.count_stored_draws().await, 0);
    assert!(import("sharks", &[]).status.success());
    let output = import(
        "silent",
        &["--contact-name", "Jo", "--contact-phone", "0400 999 888"],
    );
    assert!(output.status.success(), "{}", output_text(&output));
    let mut listings: Vec<_> = cli.records.listings().await.expect("listings");
    listings.sort_by_key(persistence::records::listings::Listing::id);
    let listings: Vec<_> = listings
        .into_iter()
        .filter_map(|listing| listing.contact_name.zip(listing.contact_phone))
        .collect();
    let person = |name: &str, phone: &str| (name.to_string(), phone.to_string());
    assert_eq!(
        listings[..2],
        [
            person("sharks", "0400 111 222"),
            person("sharks", "0400 111 222")
        ]
    );
    assert_eq!(
        listings[2..],
        [person("Jo", "0400 999 888"), person("Jo", "0400 999 888")]
    );
}

#[actix_web::test]
async fn invalid_fixture_line_is_named_and_nothing_is_imported() {
    let cli = CliEnvironment::open().await;
    cli.insert_test_club("sharks").await;
    let file = cli.write_fixture_file(&format!(
        "{SEASON_CSV}Round 2,2099-03-14,25:00,Australia/Sydney,Sharks,Jets\n"
    ));
    let output = cli.run_with_database(
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
        output_text(&output).contains("fixtures.csv:4: "),
        "{}",
        output_text(&output)
    );
    assert_eq!(cli.count_stored_draws().await, 0);
    let output = cli.run_with_database(
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
        output_text(&output).contains("no club has the slug nobody"),
        "{}",
        output_text(&output)
    );
}

#[actix_web::test]
async fn operator_is_created_once_with_password_from_stdin() {
    let cli = CliEnvironment::open().await;
    let create = ["operator", "create", "--email", "boss@example.com"];
    let output = cli.run_with_database(&create, "short\n");
    assert!(
        !output.status.success() && output_text(&output).contains("at least 8"),
        "{}",
        output_text(&output)
    );
    let output = cli.run_with_database(&create, "long enough\n");
    assert!(output.status.success(), "{}", output_text(&output));
    let (_, hash) = cli
        .records
        .admin_credentials("boss@example.com")
        .await
        .expect("read")
        .expect("there");
    assert!(hash.starts_with("$argon2id$") && !hash.contains("long enough"));
    let output = cli.run_with_database(&create, "long enough\n");
    assert!(
        !output.status.success() && output_text(&output).contains("has an account already"),
        "{}",
        output_text(&output)
    );
}

#[actix_web::test]
async fn forgotten_second_factor_is_removed_and_audited() {
    let cli = CliEnvironment::open().await;
    let output = cli.run_with_database(
        &["operator", "forget-second-factor", "nobody@example.com"],
        "",
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        output_text(&output).contains("no operator has the e-mail nobody@example.com"),
        "{}",
        output_text(&output)
    );
    let admin = cli
        .records
        .create_admin("boss@example.com", "Boss", "$argon2id$x")
        .await
        .expect("created");
    cli.records
        .begin_second_factor(admin, b"lost with the phone!")
        .await
        .expect("begun");
    let output = cli.run_with_database(
        &["operator", "forget-second-factor", "Boss@example.com"],
        "",
    );
    assert!(
        output.status.success() && output_text(&output).contains("sets up a new authenticator"),
        "{}",
        output_text(&output)
    );
    assert!(
        cli.records
            .second_factor(admin)
            .await
            .expect("read")
            .is_none()
    );
    let trail = cli
        .records
        .audit_trail(&AuditFilter::about(format!("admin:{admin}")), None, 10)
        .await
        .expect("read");
    assert_eq!(
        (trail[0].action.as_str(), trail[0].actor.as_str()),
        ("forget-second-factor", "command line")
    );
}

#[actix_web::test]
async fn fence_command_fences_all_draws_and_names_next_step() {
    let cli = CliEnvironment::open().await;
    cli.insert_test_club("sharks").await;
    let file = cli.write_fixture_file(SEASON_CSV);
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
    assert!(cli.run_with_database(&import, "").status.success());
    let output = cli.run_with_database(&["fence"], "");
    assert!(
        output.status.success() && output_text(&output).starts_with("2 draws are fenced"),
        "{}",
        output_text(&output)
    );
    assert!(
        output_text(&output).contains("Sales are closed")
            && output_text(&output).contains("`server audit`"),
        "{}",
        output_text(&output)
    );
    let fenced = "select count(*) from draws where owner_epoch >= 1000000 and owner_boot is null and $1 = ''";
    assert_eq!(cli.database.query_number(fenced, "").await, 2);
    assert_eq!(
        cli.records.settings().await.expect("read")["maintenance_mode"],
        "true"
    );
}

#[actix_web::test]
async fn audit_passes_until_an_unknown_payment_exists() {
    let cli = CliEnvironment::open().await;
    cli.insert_test_club("sharks").await;
    let club = cli.records.clubs().await.expect("clubs").remove(0).id;
    let account = AccountId("acct_sharks".to_string());
    cli.records
        .connect_account(club, &account)
        .await
        .expect("connected");
    let output = cli.run_with_database(&["audit"], "");
    assert!(
        output.status.success() && output_text(&output).contains("Nothing disagrees."),
        "{}",
        output_text(&output)
    );
    let intent = capture_payment(&cli.folder.path().join("sandbox"), &account).await;
    let output = cli.run_with_database(&["audit"], "");
    assert_eq!(output.status.code(), Some(1), "{}", output_text(&output));
    let row = output_text(&output)
        .lines()
        .any(|line| line.starts_with(&intent) && line.contains("no order knows"));
    assert!(
        row && output_text(&output).contains("DIFFERENT"),
        "{}",
        output_text(&output)
    );
}

/// Captures a payment directly at the provider, as a person could with its dashboard.
async fn capture_payment(sandbox: &Path, account: &AccountId) -> String {
    let sandbox =
        Sandbox::open(Some(sandbox.to_path_buf()), SandboxOptions::default()).expect("a sandbox");
    sandbox
        .ensure_account(&account.0, "Sharks")
        .expect("the journal is writable");
    let serving = sandbox.clone();
    let server = HttpServer::new(move || {
        let sandbox = serving.clone();
        App::new().configure(|cfg| sandbox::configure(cfg, sandbox))
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
