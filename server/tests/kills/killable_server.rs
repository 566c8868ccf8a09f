//! A demo process that kills itself at a fail point, and is started again with the same folder.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use persistence::auditor::Auditor;
use persistence::failpoint::{FailpointSide, PurchaseStep};
use persistence::testing::TempFolder;
use serde_json::Value;
use server::ops::database::RunningInstance;

use super::buyer::Buyer;

const GET_TRIES_MAX: usize = 20;
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum time to wait for a result. The reconciler runs every 30 seconds and skips orders younger
/// than 20 seconds, so it may take two runs.
const WAIT_TIME_MAX: Duration = Duration::from_secs(90);

pub struct KillableServer {
    folder: TempFolder,
    child: Child,
    pub url: String,
    pub key: String,
    pub deaths: usize,
}

impl KillableServer {
    pub async fn open() -> KillableServer {
        let folder = TempFolder::new();
        let dist = folder.path().join("dist");
        std::fs::create_dir_all(&dist).expect("a folder");
        let page = "<!doctype html><title>x</title><script type=module src=/assets/web.0a1b2c3d.js></script>";
        std::fs::write(dist.join("index.html"), page).expect("a page");
        std::fs::write(dist.join("web.0a1b2c3d.js"), "export {}").expect("a script");
        let (child, url) = start_process(&folder);
        let mut server = KillableServer {
            folder,
            child,
            url,
            key: String::new(),
            deaths: 0,
        };
        server.key = server.get("/api/config").await["publishableKey"]
            .as_str()
            .expect("a key")
            .to_string();
        server
    }

    fn log_tail(&self) -> String {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let state =
            std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        format!(
            "process: {state}\n{}",
            lines[lines.len().saturating_sub(20)..].join("\n")
        )
    }

    fn failpoint_file(&self) -> PathBuf {
        self.folder.path().join("failpoint")
    }

    /// Arms a fail point: the process kills itself when it reaches that point.
    pub fn arm_fail_point(&self, point: &str) {
        std::fs::write(self.failpoint_file(), point).expect("written");
    }

    /// Starts the process again if it has died. Returns whether it had died.
    pub fn restart_if_dead(&mut self) -> bool {
        let died = matches!(self.child.try_wait(), Ok(Some(_)));
        if died {
            self.deaths += 1;
            (self.child, self.url) = start_process(&self.folder);
        }
        died
    }

    /// Waits until the process has died at the armed fail point and was started again.
    pub async fn wait_until_killed(&mut self, step: PurchaseStep, side: FailpointSide) {
        let started = Instant::now();
        while self.failpoint_file().exists() {
            assert!(
                started.elapsed() < WAIT_TIME_MAX,
                "the server did not reach {step:?} {side:?}"
            );
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        while self.deaths == 0 && !self.restart_if_dead() {
            assert!(
                started.elapsed() < WAIT_TIME_MAX,
                "{step:?} {side:?} did not kill"
            );
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        assert_eq!(self.deaths, 1, "{step:?} {side:?}");
        self.deaths = 0;
    }

    pub async fn get(&self, path: &str) -> Value {
        let mut attempts = 0;
        let answer = loop {
            match reqwest::get(format!("{}{path}", self.url)).await {
                Ok(answer) => break answer,
                // A kill may have cut this connection. Only repeated failures mean a dead process.
                Err(_) if attempts < GET_TRIES_MAX => attempts += 1,
                Err(silence) => panic!("{path}: {silence:?}\n{}", self.log_tail()),
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        };
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.expect("JSON")
    }

    async fn draws_on_sale(&self) -> Vec<Value> {
        self.get("/api/draws/active")
            .await
            .as_array()
            .expect("a list")
            .clone()
    }

    /// Returns the number of sold tickets over all draws on sale.
    pub async fn total_sold_tickets(&self) -> i64 {
        self.draws_on_sale()
            .await
            .iter()
            .filter_map(|draw| draw["ticketsSold"].as_i64())
            .sum()
    }

    /// Returns the number of the draw with the most tickets left.
    pub async fn draw_with_most_tickets(&self) -> i64 {
        let active = self.draws_on_sale().await;
        let draw = active
            .iter()
            .max_by_key(|draw| draw["ticketsAvailable"].as_i64());
        draw.and_then(|draw| draw["drawNumber"].as_i64())
            .expect("a draw")
    }

    /// Returns the number of mails in the sandbox's mailbox to an e-mail address.
    pub async fn count_mails_to(&self, to: &str) -> usize {
        let list = self.get(&format!("/sandbox/mailbox.json?to={to}")).await;
        list["messages"].as_array().expect("a list").len()
    }

    async fn open_auditor(&self) -> Auditor {
        let sign = RunningInstance::read(&self.folder.path().join("data")).expect("a sign");
        Auditor::open(&sign.database)
            .await
            .expect("the database answers")
    }

    /// Waits until all queued mails are sent. Only the next kill can then cause a duplicate mail.
    pub async fn wait_until_mails_are_sent(&self) {
        let (auditor, started) = (self.open_auditor().await, Instant::now());
        while auditor.count_unsent_mails().await.expect("read") > 0 {
            assert!(
                started.elapsed() < WAIT_TIME_MAX,
                "mails are still to leave"
            );
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Waits until every order is final and every mail is sent. Then checks the database's
    /// invariants and the provider's totals.
    pub async fn wait_until_idle(&self) {
        let auditor = self.open_auditor().await;
        let started = Instant::now();
        loop {
            let undecided = auditor.paid_orders_in_progress().await.expect("read");
            let unsent = auditor.count_unsent_mails().await.expect("read");
            if undecided.is_empty() && unsent == 0 {
                break;
            }
            assert!(
                started.elapsed() < WAIT_TIME_MAX,
                "undecided {undecided:?}, {unsent} mails are still to leave"
            );
            tokio::time::sleep(POLL_INTERVAL * 10).await;
        }
        let broken = self.get("/api/health/integrity").await;
        assert_eq!(broken["healthy"], true, "{broken}");
        let audit = demo_command(&self.folder)
            .args(["audit", "--demo"])
            .output()
            .expect("the audit runs");
        let output_text = String::from_utf8_lossy(&audit.stdout);
        assert!(
            audit.status.success() && output_text.contains("Nothing disagrees."),
            "{output_text}"
        );
    }

    /// Returns the number of payment intents of these buyers. Asserts that each is captured.
    pub async fn count_captured_intents(&self, buyers: &[Buyer]) -> usize {
        let ledger = self.get("/sandbox/ledger?detail=1").await;
        let captured: Vec<&str> = ledger["captured"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|row| row["paymentIntent"].as_str())
            .collect();
        let intents_given: Vec<&String> = buyers.iter().flat_map(|buyer| &buyer.intents).collect();
        assert!(
            intents_given
                .iter()
                .all(|intent| captured.contains(&intent.as_str())),
            "an intent was given but not captured"
        );
        intents_given.len()
    }

    pub fn close(mut self) {
        let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM);
        let _ = self.child.wait();
    }
}

/// Stops the server when a test fails.
impl Drop for KillableServer {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM);
            let _ = self.child.wait();
        }
    }
}

fn demo_command(folder: &TempFolder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("PORT", "0")
        .env("FD_DATA_DIR", folder.path().join("data"))
        .env("FD_WEB_DIR", folder.path().join("dist"))
        .env("FD_FAILPOINT", folder.path().join("failpoint"));
    command
}

/// Starts the server and waits until it has printed its address. Returns the process and the
/// address.
fn start_process(folder: &TempFolder) -> (Child, String) {
    let log = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.path().join("log"))
        .expect("a log");
    let mut child = demo_command(folder)
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .expect("the binary starts");
    let mut greeting = String::new();
    for line in BufReader::new(child.stdout.take().expect("a pipe")).lines() {
        greeting.push_str(&line.expect("text"));
        greeting.push('\n');
        if greeting.contains("Ctrl-C stops") {
            break;
        }
    }
    let url = greeting
        .split_whitespace()
        .find(|word| word.starts_with("http://"));
    (
        child,
        url.unwrap_or_else(|| panic!("no address:\n{greeting}"))
            .to_string(),
    )
}
