//! The demo as a process that dies at its fail points, and is started again on the same folder.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use persistence::auditor::Auditor;
use persistence::failpoint::{Side, Step};
use persistence::testing::Folder;
use serde_json::Value;
use server::database::Sign;

use super::buyer::Buyer;

const GET_TRIES_MAX: usize = 20;
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// The reconciler comes every half minute, and leaves orders alone that are younger than twenty seconds.
const PATIENCE: Duration = Duration::from_secs(90);

pub struct House {
    folder: Folder,
    child: Child,
    pub url: String,
    pub key: String,
    pub deaths: usize,
}

impl House {
    pub async fn open() -> House {
        let folder = Folder::new();
        let dist = folder.path().join("dist");
        std::fs::create_dir_all(&dist).expect("a folder");
        let page = "<!doctype html><title>x</title><script type=module src=/assets/web.0a1b2c3d.js></script>";
        std::fs::write(dist.join("index.html"), page).expect("a page");
        std::fs::write(dist.join("web.0a1b2c3d.js"), "export {}").expect("a script");
        let (child, url) = start(&folder);
        let mut house = House {
            folder,
            child,
            url,
            key: String::new(),
            deaths: 0,
        };
        house.key = house.get("/api/config").await["publishableKey"]
            .as_str()
            .expect("a key")
            .to_string();
        house
    }

    fn last_words(&self) -> String {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let state =
            std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        format!(
            "process: {state}\n{}",
            lines[lines.len().saturating_sub(20)..].join("\n")
        )
    }

    fn point(&self) -> PathBuf {
        self.folder.path().join("failpoint")
    }

    /// The next time that the process comes by this point it dies.
    pub fn arm(&self, point: &str) {
        std::fs::write(self.point(), point).expect("written");
    }

    /// Starts it again if it has died; says whether it had.
    pub fn revive(&mut self) -> bool {
        let died = matches!(self.child.try_wait(), Ok(Some(_)));
        if died {
            self.deaths += 1;
            (self.child, self.url) = start(&self.folder);
        }
        died
    }

    /// Waits until the armed point has done its work, and the process is back.
    pub async fn has_died(&mut self, step: Step, side: Side) {
        let began = Instant::now();
        while self.point().exists() {
            assert!(
                began.elapsed() < PATIENCE,
                "nobody came by {step:?} {side:?}"
            );
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        while self.deaths == 0 && !self.revive() {
            assert!(began.elapsed() < PATIENCE, "{step:?} {side:?} did not kill");
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        assert_eq!(self.deaths, 1, "{step:?} {side:?}");
        self.deaths = 0;
    }

    pub async fn get(&self, path: &str) -> Value {
        let mut tries = 0;
        let answer = loop {
            match reqwest::get(format!("{}{path}", self.url)).await {
                Ok(answer) => break answer,
                // A connection may be cut on the way; a process that has died is another matter.
                Err(_) if tries < GET_TRIES_MAX => tries += 1,
                Err(silence) => panic!("{path}: {silence:?}\n{}", self.last_words()),
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        };
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.expect("JSON")
    }

    async fn active(&self) -> Vec<Value> {
        self.get("/api/draws/active")
            .await
            .as_array()
            .expect("a list")
            .clone()
    }

    /// Of all draws that are on sale.
    pub async fn sold(&self) -> i64 {
        self.active()
            .await
            .iter()
            .filter_map(|draw| draw["ticketsSold"].as_i64())
            .sum()
    }

    /// The draw with the most tickets left.
    pub async fn draw(&self) -> i64 {
        let active = self.active().await;
        let draw = active
            .iter()
            .max_by_key(|draw| draw["ticketsAvailable"].as_i64());
        draw.and_then(|draw| draw["drawNumber"].as_i64())
            .expect("a draw")
    }

    /// How many confirmations an address has.
    pub async fn mails(&self, to: &str) -> usize {
        let list = self.get(&format!("/sandbox/mailbox.json?to={to}")).await;
        list["messages"].as_array().expect("a list").len()
    }

    async fn auditor(&self) -> Auditor {
        let sign = Sign::read(&self.folder.path().join("data")).expect("a sign");
        Auditor::open(&sign.database)
            .await
            .expect("the books answer")
    }

    /// Waits until no mail waits, so that whatever one more kill doubles was not doubled before.
    pub async fn has_mailed(&self) {
        let (auditor, began) = (self.auditor().await, Instant::now());
        while auditor.unsent_mails().await.expect("read") > 0 {
            assert!(began.elapsed() < PATIENCE, "mails are still to leave");
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Nothing is undecided, no mail waits for a sender that died, every invariant has no row, and the provider's books are ours.
    pub async fn is_calm(&self) {
        let auditor = self.auditor().await;
        let began = Instant::now();
        loop {
            let undecided = auditor.undecided().await.expect("read");
            let unsent = auditor.unsent_mails().await.expect("read");
            if undecided.is_empty() && unsent == 0 {
                break;
            }
            assert!(
                began.elapsed() < PATIENCE,
                "undecided {undecided:?}, {unsent} mails are still to leave"
            );
            tokio::time::sleep(LOOK_AGAIN * 10).await;
        }
        let broken = self.get("/api/health/integrity").await;
        assert_eq!(broken["healthy"], true, "{broken}");
        let audit = command(&self.folder)
            .arg("audit")
            .output()
            .expect("the audit runs");
        let said = String::from_utf8_lossy(&audit.stdout);
        assert!(
            audit.status.success() && said.contains("Nothing disagrees."),
            "{said}"
        );
    }

    /// How many payment intents the buyers were given, and each of them was captured.
    pub async fn payment_intents(&self, buyers: &[Buyer]) -> usize {
        let ledger = self.get("/sandbox/ledger?detail=1").await;
        let captured: Vec<&str> = ledger["captured"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|row| row["paymentIntent"].as_str())
            .collect();
        let given: Vec<&String> = buyers.iter().flat_map(|buyer| &buyer.intents).collect();
        assert!(
            given
                .iter()
                .all(|intent| captured.contains(&intent.as_str())),
            "given and not captured"
        );
        given.len()
    }

    pub fn close(mut self) {
        let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM);
        let _ = self.child.wait();
    }
}

/// A test that failed leaves no server behind.
impl Drop for House {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM);
            let _ = self.child.wait();
        }
    }
}

fn command(folder: &Folder) -> Command {
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

/// Starts it and waits until it has said where it is.
fn start(folder: &Folder) -> (Child, String) {
    let log = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.path().join("log"))
        .expect("a log");
    let mut child = command(folder)
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
