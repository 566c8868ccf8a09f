//! `server doctor` and its rehearsal against the stand-in for Stripe: a healthy world, and one fault at
//! a time.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::process::Output;
use std::sync::Arc;

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer};
use domain::AccountId;

use sandbox::faults::Fault;
use sandbox::{AccountChange, Sandbox, SandboxOptions};
use serde_json::{Value, json};
use server::cli::doctor::{self, DoctorOptions, DoctorReport, Finding, FindingState};
use server::config::{Config, Environment};
use server::http::routes::machine::webhooks::SUBSCRIBED_EVENT_TYPES;

use super::{CliEnvironment, SEAL_KEY_HEX, output_text, run_server_program};

const HOST: &str = "doubles.example.com";
const WEBHOOK_URL: &str = "https://doubles.example.com/api/webhooks/stripe";
const ACCOUNT: &str = "acct_sharks";
const SECRET_KEY: &str = "sk_test_doctor1234567890";
const WEBHOOK_SECRETS: &str = "whsec_platform1234567890,whsec_connect1234567890";
/// The permissions of `server/deploy/stripe.md`, and the one that doctor itself needs.
const PERMISSIONS: [&str; 9] = [
    "payment_intent_write",
    "payment_method_write",
    "charge_write",
    "balance_transaction_source_read",
    "payment_method_domain_write",
    "application_fee_write",
    "connected_account_write",
    "account_link_write",
    "webhook_read",
];

/// A club that can sell, a stand-in for Stripe that is set up as `server/deploy/stripe.md` says, and a
/// DNS server with the records of its mails.
struct HealthyWorld {
    cli: CliEnvironment,
    sandbox: Arc<Sandbox>,
    stripe_url: String,
    dns: SocketAddr,
    http: reqwest::Client,
    handle: ServerHandle,
}

impl HealthyWorld {
    async fn open() -> HealthyWorld {
        HealthyWorld::with_options(SandboxOptions::default()).await
    }

    async fn with_options(options: SandboxOptions) -> HealthyWorld {
        let cli = CliEnvironment::open().await;
        cli.insert_test_club("sharks").await;
        let club = cli.records.clubs().await.expect("clubs").remove(0).id;
        let account = AccountId(ACCOUNT.into());
        cli.records
            .connect_account(club, &account)
            .await
            .expect("connected");
        cli.records
            .update_connected_account_state(&account, true, true, true)
            .await
            .expect("ready");
        let sandbox = Sandbox::open(None, options).expect("a sandbox");
        sandbox
            .ensure_account(ACCOUNT, "Sharks")
            .expect("no journal");
        let served = sandbox.clone();
        let server = HttpServer::new(move || {
            App::new().configure(|cfg| sandbox::configure(cfg, served.clone()))
        })
        .workers(1)
        .disable_signals()
        .bind(("127.0.0.1", 0))
        .expect("a port");
        let stripe_url = format!("http://{}/sandbox/stripe", server.addrs()[0]);
        let server = server.run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        let world = HealthyWorld {
            cli,
            sandbox,
            stripe_url,
            dns: serve_dns(),
            http: reqwest::Client::new(),
            handle,
        };
        for connect in ["false", "true"] {
            world
                .create_endpoint(WEBHOOK_URL, connect, &SUBSCRIBED_EVENT_TYPES)
                .await;
        }
        let domain = format!("domain_name={HOST}");
        world
            .post("payment_method_domains", Some(ACCOUNT), domain)
            .await;
        world
    }

    async fn create_endpoint(&self, url: &str, connect: &str, kinds: &[&str]) -> Value {
        let mut form = format!("url={url}&connect={connect}&api_version=2026-09-30.endive");
        for kind in kinds {
            form.push_str("&enabled_events[]=");
            form.push_str(kind);
        }
        self.post("webhook_endpoints", None, form).await
    }

    async fn post(&self, path: &str, account: Option<&str>, form: String) -> Value {
        let mut request = self
            .http
            .post(format!("{}/v1/{path}", self.stripe_url))
            .bearer_auth(SECRET_KEY)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form);
        if let Some(account) = account {
            request = request.header("stripe-account", account);
        }
        let answer = request.send().await.expect("an answer");
        assert!(answer.status().is_success(), "{path}: {answer:?}");
        answer.json().await.expect("JSON")
    }

    /// Deletes the webhook endpoint at this index, newest first: the connected accounts', then the
    /// platform's.
    async fn delete_endpoint(&self, index: usize) {
        let url = format!("{}/v1/webhook_endpoints", self.stripe_url);
        let listed = self
            .http
            .get(&url)
            .bearer_auth(SECRET_KEY)
            .send()
            .await
            .expect("an answer");
        let listed: Value = listed.json().await.expect("JSON");
        let id = listed["data"][index]["id"].as_str().expect("an endpoint");
        let delete = self
            .http
            .delete(format!("{url}/{id}"))
            .bearer_auth(SECRET_KEY);
        assert!(
            delete
                .send()
                .await
                .expect("an answer")
                .status()
                .is_success()
        );
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let text = |text: &str| text.to_owned();
        vec![
            ("DATABASE_URL", self.cli.database.ordinary_url.clone()),
            ("BANK_DATABASE_URL", self.cli.database.bank_url.clone()),
            ("SEAL_KEY", text(SEAL_KEY_HEX)),
            ("PUBLIC_URL", format!("https://{HOST}")),
            ("STRIPE_API_URL", self.stripe_url.clone()),
            ("STRIPE_SECRET_KEY", text(SECRET_KEY)),
            ("STRIPE_PUBLISHABLE_KEY", text("pk_test_doctor1234567890")),
            ("STRIPE_WEBHOOK_SECRETS", text(WEBHOOK_SECRETS)),
            ("SMTP_URL", text("smtps://user:passw0rd@mail.example.com")),
            ("MAIL_FROM", format!("Football Doubles <tickets@{HOST}>")),
            ("SUPPORT_EMAIL", format!("help@{HOST}")),
            ("SUPPORT_SMS", text("0400 111 222")),
            ("FEE_PASSTHROUGH", text("forbidden")),
        ]
    }

    fn config(&self) -> Config {
        let variables = self.variables();
        let pairs = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        Config::for_production(&Environment::from_pairs(pairs)).expect("all variables are set")
    }

    async fn examine(&self) -> DoctorReport {
        self.examine_with(&self.config()).await
    }

    async fn examine_with(&self, config: &Config) -> DoctorReport {
        let options = DoctorOptions {
            dns_server: Some(self.dns),
            dkim_selector: Some("mail".into()),
        };
        let report = doctor::examine(config, &options).await.expect("a report");
        let text = format!("{report}{}", report.to_json());
        for secret in [SECRET_KEY, "whsec_", "passw0rd", SEAL_KEY_HEX] {
            assert!(!text.contains(secret), "{secret} was printed:\n{text}");
        }
        report
    }

    fn run_program(&self, arguments: &[&str]) -> Output {
        let variables = self.variables();
        let pairs: Vec<_> = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        run_server_program(arguments, &pairs, self.cli.folder.path(), "")
    }

    /// Changes the club's account, and returns the red findings.
    async fn reds_after(&self, change: AccountChange) -> Vec<Finding> {
        assert!(self.sandbox.change_account(ACCOUNT, &change));
        reds(self.examine().await)
    }

    async fn close(self) {
        self.handle.stop(false).await;
    }
}

/// Returns the red findings, without those about the tests' Postgres, which has no `fsync`.
fn reds(report: DoctorReport) -> Vec<Finding> {
    let is_about_tests = |finding: &Finding| {
        finding.subject == "database"
            && ["fsync", "full_page_writes", "synchronous_commit"]
                .iter()
                .any(|setting| finding.what.starts_with(setting))
    };
    report
        .0
        .into_iter()
        .filter(|finding| finding.state == FindingState::Red && !is_about_tests(finding))
        .collect()
}

#[track_caller]
fn assert_one_red(reds: &[Finding], subject: &str, what: &str) {
    let [red] = reds else {
        panic!("one red finding was expected: {reds:#?}");
    };
    assert_eq!(red.subject, subject, "{red:?}");
    assert!(red.what.contains(what), "{red:?}");
    assert!(red.remedy.is_some(), "{red:?}");
}

/// Serves the mail records of the host over UDP, until the test's process ends.
fn serve_dns() -> SocketAddr {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = socket.local_addr().expect("an address");
    std::thread::spawn(move || {
        let mut question = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut question) {
            let _ = socket.send_to(&dns_answer(&question[..length]), from);
        }
    });
    address
}

/// Answers a question for text records (RFC 1035, section 4).
fn dns_answer(question: &[u8]) -> Vec<u8> {
    let mut labels = Vec::new();
    let mut at = 12;
    while question[at] != 0 {
        let end = at + 1 + usize::from(question[at]);
        labels.push(String::from_utf8_lossy(&question[at + 1..end]).to_lowercase());
        at = end;
    }
    let end_of_question = at + 5;
    let text = match labels.join(".").as_str() {
        "doubles.example.com" => Some("v=spf1 include:mail.example.com -all"),
        "_dmarc.doubles.example.com" => Some("v=DMARC1; p=quarantine"),
        "mail._domainkey.doubles.example.com" => Some("v=DKIM1; k=rsa; p=MIGfMA0"),
        _ => None,
    };
    let mut answer = question[..2].to_vec();
    // A response with recursion, and the code 3 for a name that does not exist.
    let code = if text.is_some() { 0 } else { 3 };
    answer.extend([
        0x81,
        0x80 | code,
        0,
        1,
        0,
        u8::from(text.is_some()),
        0,
        0,
        0,
        0,
    ]);
    answer.extend(&question[12..end_of_question]);
    if let Some(text) = text {
        let length = u8::try_from(text.len()).expect("a short text");
        // A pointer to the name, type TXT, class IN, one minute.
        answer.extend([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, length + 1, length]);
        answer.extend(text.as_bytes());
    }
    answer
}

#[actix_web::test]
async fn healthy_world_has_no_red_finding() {
    let world = HealthyWorld::open().await;
    let report = world.examine().await;
    let state = |subject: &str, what: &str| {
        let found = report
            .0
            .iter()
            .find(|row| row.subject == subject && row.what.contains(what));
        found
            .unwrap_or_else(|| panic!("no finding {subject}: {what}\n{report}"))
            .state
    };
    for (subject, what) in [
        ("keys", "test mode"),
        ("platform", "complete"),
        ("accounts", "version 2"),
        ("permissions", "not restricted"),
        ("webhooks", "events of your account"),
        ("webhooks", "events of connected accounts"),
        ("webhooks", "2 signing secrets"),
        ("club sharks", "takes card payments"),
        ("club sharks", "Apple Pay and Google Pay"),
        ("clock", "Stripe's"),
        ("clock", "the database's"),
        ("database", "version"),
        ("database", "bank details"),
        ("pages", "the server's policy"),
        ("mail", "SPF"),
        ("mail", "DMARC"),
        ("mail", "DKIM"),
    ] {
        assert_eq!(
            state(subject, what),
            FindingState::Green,
            "{subject}: {what}\n{report}"
        );
    }
    assert_eq!(reds(report), []);
    assert_eq!(
        world
            .sandbox
            .call_log()
            .platform
            .get("POST payment_intents"),
        None
    );
    world.close().await;
}

#[actix_web::test]
async fn keys_of_two_modes_are_red() {
    let world = HealthyWorld::open().await;
    let mut config = world.config();
    config.stripe.publishable_key = "pk_live_doctor1234567890".into();
    assert_one_red(
        &reds(world.examine_with(&config).await),
        "keys",
        "test mode, the publishable key of live mode",
    );
    config.stripe.publishable_key = world.config().stripe.publishable_key;
    config.stripe.secret_key = server::config::Secret::new("rk_test_deleted1234567890");
    let reds = reds(world.examine_with(&config).await);
    assert!(
        reds.iter()
            .any(|red| red.what.contains("Stripe refuses the secret key")),
        "{reds:#?}"
    );
    world.close().await;
}

#[actix_web::test]
async fn missing_permission_of_restricted_key_is_red() {
    let options = SandboxOptions {
        creates_accounts_v1: true,
        ..SandboxOptions::default()
    };
    let world = HealthyWorld::with_options(options).await;
    let mut config = world.config();
    config.stripe.accounts_api = actors::AccountsApi::V1;
    let with_permissions = |left_out: &str| {
        let granted: Vec<&str> = PERMISSIONS
            .into_iter()
            .filter(|name| *name != left_out)
            .collect();
        server::config::Secret::new(world.sandbox.create_restricted_key(&granted))
    };
    config.stripe.secret_key = with_permissions("");
    assert_eq!(reds(world.examine_with(&config).await), []);
    for (left_out, named) in [
        ("payment_intent_write", "payment intents: write"),
        ("payment_method_write", "payment methods: write"),
        (
            "balance_transaction_source_read",
            "balance transactions: read",
        ),
        (
            "payment_method_domain_write",
            "payment method domains: write",
        ),
        ("application_fee_write", "application fees: write"),
        ("account_link_write", "account links: write"),
    ] {
        config.stripe.secret_key = with_permissions(left_out);
        let report = world.examine_with(&config).await;
        assert_one_red(&reds(report), "permissions", named);
    }
    config.stripe.secret_key = with_permissions("webhook_read");
    let report = world.examine_with(&config).await;
    let webhooks = report
        .0
        .iter()
        .find(|row| row.subject == "webhooks")
        .expect("a finding");
    assert_eq!(webhooks.state, FindingState::Unknown, "{webhooks:?}");
    config.stripe.accounts_api = actors::AccountsApi::V2;
    config.stripe.secret_key = with_permissions("");
    let report = world.examine_with(&config).await;
    assert_one_red(&reds(report), "accounts", "no restricted keys");
    world.close().await;
}

#[actix_web::test]
async fn wrong_webhook_endpoints_are_red() {
    let world = HealthyWorld::open().await;
    world.delete_endpoint(0).await;
    let report = world.examine().await;
    assert_one_red(
        &reds(report),
        "webhooks",
        "no endpoint receives the events of connected accounts",
    );
    world
        .create_endpoint(
            "https://old.example.com/hook",
            "true",
            &SUBSCRIBED_EVENT_TYPES,
        )
        .await;
    let report = world.examine().await;
    assert_one_red(
        &reds(report),
        "webhooks",
        "go to https://old.example.com/hook",
    );
    world
        .create_endpoint(WEBHOOK_URL, "true", &SUBSCRIBED_EVENT_TYPES[1..])
        .await;
    let report = world.examine().await;
    assert_one_red(&reds(report), "webhooks", SUBSCRIBED_EVENT_TYPES[0]);
    let mut config = world.config();
    config.stripe.webhook_secrets.truncate(1);
    let report = world.examine_with(&config).await;
    assert!(
        reds(report)
            .iter()
            .any(|red| red.what.contains("1 signing secret"))
    );
    world.close().await;
}

#[actix_web::test]
async fn club_that_cannot_sell_well_is_red() {
    let world = HealthyWorld::open().await;
    let inactive = AccountChange {
        card_payments: Some(false),
        ..AccountChange::default()
    };
    assert_one_red(
        &world.reds_after(inactive).await,
        "club sharks",
        "card_payments is inactive",
    );
    let nameless = AccountChange {
        card_payments: Some(true),
        statement_descriptor: Some(String::new()),
        ..AccountChange::default()
    };
    assert_one_red(
        &world.reds_after(nameless).await,
        "club sharks",
        "statement descriptor is missing",
    );
    let overdue = AccountChange {
        statement_descriptor: Some("SHARKS".into()),
        currently_due: Some(vec!["company.tax_id".into()]),
        ..AccountChange::default()
    };
    assert_one_red(
        &world.reds_after(overdue).await,
        "club sharks",
        "company.tax_id",
    );
    let without_payouts = AccountChange {
        currently_due: Some(Vec::new()),
        payouts_enabled: Some(false),
        ..AccountChange::default()
    };
    assert_one_red(
        &world.reds_after(without_payouts).await,
        "club sharks",
        "pays nothing out",
    );
    let mut config = world.config();
    config.public_url = "https://other.example.com".into();
    let reds_elsewhere = reds(world.examine_with(&config).await);
    let unregistered = |red: &Finding| red.what.contains("other.example.com is not registered");
    assert!(
        reds_elsewhere.iter().any(unregistered),
        "{reds_elsewhere:#?}"
    );
    assert!(world.sandbox.disconnect_account(ACCOUNT));
    assert_one_red(
        &reds(world.examine().await),
        "club sharks",
        "no access to its account",
    );
    world.close().await;
}

#[actix_web::test]
async fn wrong_clock_of_the_database_is_red() {
    let world = HealthyWorld::open().await;
    world
        .cli
        .records
        .move_clock_ahead(120_000)
        .await
        .expect("moved");
    assert_one_red(
        &reds(world.examine().await),
        "clock",
        "behind the database's",
    );
    world.close().await;
}

#[actix_web::test]
async fn missing_mail_record_is_red_and_silent_dns_is_unknown() {
    let world = HealthyWorld::open().await;
    let mut config = world.config();
    config.mail.from = "tickets@unlisted.example.com".into();
    let found = reds(world.examine_with(&config).await);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found.iter().all(|red| red.subject == "mail"), "{found:#?}");
    // Nothing answers there, because the socket is never read.
    let silent = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let options = DoctorOptions {
        dns_server: silent.local_addr().ok(),
        dkim_selector: None,
    };
    let report = doctor::examine(&world.config(), &options)
        .await
        .expect("a report");
    let states: Vec<FindingState> = report
        .0
        .iter()
        .filter(|row| row.subject == "mail")
        .map(|row| row.state)
        .collect();
    assert!(!states.is_empty(), "{report}");
    assert!(
        states.iter().all(|state| *state == FindingState::Unknown),
        "{report}"
    );
    world.close().await;
}

#[actix_web::test]
async fn unreachable_database_leaves_the_other_checks() {
    let world = HealthyWorld::open().await;
    let mut config = world.config();
    config.database_url = Some(server::config::Secret::new(
        "postgres://nobody:passw0rd@127.0.0.1:1/none",
    ));
    let report = world.examine_with(&config).await;
    let subjects: Vec<String> = reds_subjects(&report);
    assert_eq!(subjects, ["database"], "{report}");
    assert!(
        report
            .0
            .iter()
            .any(|row| row.subject == "clubs" && row.state == FindingState::Unknown)
    );
    world.close().await;
}

fn reds_subjects(report: &DoctorReport) -> Vec<String> {
    let red = report.0.iter().filter(|row| row.state == FindingState::Red);
    red.map(|row| row.subject.clone()).collect()
}

#[actix_web::test]
async fn program_prints_json_and_exits_1_on_red() {
    let world = HealthyWorld::open().await;
    assert!(world.sandbox.disconnect_account(ACCOUNT));
    let output = world.run_program(&["doctor", "--json", "--dns-server", &world.dns.to_string()]);
    assert_eq!(output.status.code(), Some(1), "{}", output_text(&output));
    let findings: Value = serde_json::from_slice(&output.stdout).expect("JSON alone on the output");
    let club = findings
        .as_array()
        .expect("an array")
        .iter()
        .find(|row| row["subject"] == "club sharks");
    let club = club.expect("the club's finding");
    assert_eq!(club["state"], "red");
    let mut keys: Vec<&String> = club.as_object().expect("an object").keys().collect();
    keys.sort();
    assert_eq!(keys, ["remedy", "state", "subject", "what"]);
    let table =
        output_text(&world.run_program(&["doctor", "--dns-server", &world.dns.to_string()]));
    assert!(
        table.contains("WRONG  club sharks") && table.contains("red,"),
        "{table}"
    );
    world.close().await;
}

#[actix_web::test]
async fn rehearsal_passes_and_leaves_nothing_open() {
    let world = HealthyWorld::open().await;
    let output = world.run_program(&["doctor", "--rehearse"]);
    let text = output_text(&output);
    assert!(output.status.success(), "{text}");
    for step in [
        "create: ",
        "confirm: ",
        "capture: ",
        "fee refund: ",
        "refund: ",
        "cancel: ",
        "declined card: ",
        "3-D Secure: ",
        "dispute: ",
        "none is left open",
    ] {
        assert!(text.contains(step), "{step}\n{text}");
    }
    let total = world.sandbox.ledger()["total"].clone();
    assert_eq!(total["authorised_count"], 0);
    assert_eq!(
        (&total["refunded"], &total["fees_refunded"]),
        (&json!(1047), &json!(35))
    );
    let statuses = total["intents"].as_object().expect("statuses");
    let mut open = statuses
        .keys()
        .filter(|status| !["succeeded", "canceled"].contains(&status.as_str()));
    assert_eq!(open.next(), None, "{statuses:?}");
    world.close().await;
}

#[actix_web::test]
async fn rehearsal_stops_at_broken_contract_and_releases_its_authorisation() {
    let world = HealthyWorld::open().await;
    world.sandbox.fail_next("/capture", Fault::Error500);
    let output = world.run_program(&["doctor", "--rehearse", "--account", ACCOUNT, "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", output_text(&output));
    let findings: Vec<Value> =
        serde_json::from_slice(&output.stdout).expect("JSON alone on the output");
    let reds: Vec<&Value> = findings
        .iter()
        .filter(|row| row["state"] == "red")
        .collect();
    assert_eq!(reds.len(), 1, "{findings:#?}");
    let what = reds[0]["what"].as_str().expect("a text");
    assert!(what.starts_with("capture: expected an answer"), "{what}");
    let refunded = findings.iter().any(|row| {
        row["what"]
            .as_str()
            .is_some_and(|what| what.starts_with("refund"))
    });
    assert!(!refunded, "it went on: {findings:#?}");
    assert_eq!(world.sandbox.ledger()["total"]["authorised_count"], 0);
    world.close().await;
}

#[actix_web::test]
async fn rehearsal_refuses_live_key_before_any_call() {
    let world = HealthyWorld::open().await;
    let mut config = world.config();
    config.stripe.secret_key = server::config::Secret::new("sk_live_doctor1234567890");
    let before = world.sandbox.call_log().platform;
    let refused = doctor::rehearse(&config, Some(AccountId(ACCOUNT.into())), |_| {}).await;
    let why = refused.expect_err("a live key is refused").to_string();
    assert!(why.contains("test key only"), "{why}");
    assert_eq!(world.sandbox.call_log().platform, before);
    world.close().await;
}
