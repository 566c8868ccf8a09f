//! `cargo run` as a newcomer types it: the real binary on an empty folder, stopped kindly, killed unkindly, started again.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use demo::promised;
use flate2::read::GzDecoder;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use persistence::testing::Folder;
use serde_json::Value;

mod demo {
    pub mod promised;
}

/// A running demo and where it says it is.
struct Demo {
    child: Child,
    url: String,
    greeting: String,
}

fn binary(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("PORT", "0")
        .env("FD_DATA_DIR", folder.join("data"))
        .env("FD_WEB_DIR", folder.join("dist"));
    command
}

impl Demo {
    /// Starts it and waits until it has said everything.
    fn start(folder: &Path) -> Demo {
        let mut child = binary(folder)
            .stdout(Stdio::piped())
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
        let url = url
            .unwrap_or_else(|| panic!("no address:\n{greeting}"))
            .to_string();
        Demo {
            child,
            url,
            greeting,
        }
    }

    async fn get(&self, path: &str) -> Value {
        let answer = reqwest::get(format!("{}{path}", self.url))
            .await
            .expect("an answer");
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.expect("JSON")
    }

    async fn page(&self, path: &str) -> (u16, String) {
        let answer = reqwest::get(format!("{}{path}", self.url))
            .await
            .expect("an answer");
        (answer.status().as_u16(), answer.text().await.expect("text"))
    }

    /// Draw numbers and how many tickets each has sold, over the three lists.
    async fn sold(&self) -> Vec<(i64, i64)> {
        let mut sold = Vec::new();
        for list in ["active", "awaiting-results", "completed"] {
            let draws = self.get(&format!("/api/draws/{list}")).await;
            let draws = draws.as_array().expect("a list").clone();
            let number = |draw: &Value, name: &str| draw[name].as_i64().expect("a number");
            sold.extend(
                draws
                    .iter()
                    .map(|draw| (number(draw, "drawNumber"), number(draw, "ticketsSold"))),
            );
        }
        sold.sort_unstable();
        sold
    }

    fn signal(&mut self, signal: Signal) -> Option<i32> {
        kill(Pid::from_raw(self.child.id() as i32), signal).expect("a signal");
        self.child.wait().expect("it ends").code()
    }
}

/// A test that failed leaves no server behind, whose open pipes whoever reads our output would wait for.
impl Drop for Demo {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM);
            let _ = self.child.wait();
        }
    }
}

/// A front end of one page, so that no test of the server waits for a build of the web.
fn front_end(folder: &Path) {
    let dist = folder.join("dist");
    std::fs::create_dir_all(&dist).expect("a folder");
    let page =
        "<!doctype html><title>x</title><script type=module src=/assets/web.0a1b2c3d.js></script>";
    std::fs::write(dist.join("index.html"), page).expect("a page");
    std::fs::write(dist.join("web.0a1b2c3d.js"), "export {}").expect("a script");
    std::fs::write(dist.join("critical.css"), "h1{color:red}").expect("a style");
}

#[actix_web::test]
async fn the_demo_starts_from_nothing_and_loses_nothing() {
    let folder = Folder::new();
    front_end(folder.path());

    let mut demo = Demo::start(folder.path());
    let helpers = [
        "seller.bayside-barracudas@demo.test",
        "viewer.bayside-barracudas@demo.test",
    ];
    let others = [
        "operator@demo.test",
        "bayside-barracudas@demo.test",
        "demo-password",
        "/sandbox/mailbox",
    ];
    for words in helpers.into_iter().chain(others) {
        assert!(
            demo.greeting.contains(words),
            "{words} is missing in\n{}",
            demo.greeting
        );
    }
    promised::everything_is_there(&demo, folder.path()).await;
    pages_are_drawn_before_any_script(&demo).await;
    clubs_find_something_on_every_screen(&demo).await;
    pages_are_sent_small_unless_they_hold_a_secret(&demo).await;
    let sold = demo.sold().await;

    let file = folder.path().join("monday.backup");
    back_up(&demo, folder.path(), &file).await;

    assert_eq!(demo.signal(Signal::SIGKILL), None, "killed, not ended");
    let mut demo = Demo::start(folder.path());
    assert_eq!(demo.sold().await, sold, "what was sold is sold");
    assert_eq!(
        demo.signal(Signal::SIGTERM),
        Some(0),
        "told to stop, it stops in order"
    );

    let audit = binary(folder.path())
        .arg("audit")
        .output()
        .expect("the audit runs");
    let said = String::from_utf8_lossy(&audit.stdout);
    assert!(
        audit.status.success() && said.contains("Nothing disagrees."),
        "{said}"
    );
    for kind in [
        "missing_ticket",
        "duplicate_payment",
        "failed_allocation",
        "mismatched_amount",
        "orphaned_ticket",
    ] {
        assert!(said.contains(&format!("1 × {kind}")), "{kind}:\n{said}");
    }

    a_lost_database_comes_back(folder.path(), &file, &sold).await;
}

#[test]
fn whoever_stops_it_while_it_seeds_finds_no_postgres_left_behind() {
    let folder = Folder::new();
    front_end(folder.path());
    let mut child = binary(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let seeding = said
        .by_ref()
        .any(|line| line.expect("text").contains("Seeding"));
    assert!(seeding, "it ended before it seeded");
    let note = folder.path().join("data/postgres/data/postmaster.pid");
    assert!(note.exists(), "Postgres runs");
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).expect("a signal");
    let words: Vec<String> = said.map(|line| line.expect("text")).collect();
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    assert!(
        words
            .iter()
            .any(|line| line.contains("stopped before it was ready")),
        "{words:?}"
    );
    assert!(!note.exists(), "and nothing of it goes on");
}

/// Beside the running server. What was secret in the books is as secret in the file.
async fn back_up(demo: &Demo, folder: &Path, file: &Path) {
    let output = binary(folder)
        .arg("backup")
        .arg(file)
        .output()
        .expect("the backup runs");
    assert!(output.status.success(), "{output:?}");
    let again = binary(folder)
        .arg("backup")
        .arg(file)
        .output()
        .expect("the backup runs");
    assert!(!again.status.success(), "a backup never overwrites one");
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(file).expect("a file"))
        .read_to_end(&mut bytes)
        .expect("whole");
    let has = |secret: &[u8]| bytes.windows(secret.len()).any(|window| window == secret);
    assert!(has(b"Bayside Barracudas"), "the books are in it");
    let key = std::fs::read_to_string(folder.join("data/seal.key")).expect("a key");
    assert!(
        !has(key.as_bytes()) && !has(&hex::decode(&key).expect("hexadecimal")),
        "the key is not"
    );
    let completed = demo.get("/api/draws/completed").await;
    let proof = demo
        .get(&format!(
            "/api/public/draws/{}/proof",
            completed[0]["drawNumber"]
        ))
        .await;
    let seed = proof["seed"].as_str().expect("revealed after the game");
    assert!(
        !has(seed.as_bytes()) && !has(&hex::decode(seed).expect("hexadecimal")),
        "and no deal's seed"
    );
}

async fn a_lost_database_comes_back(folder: &Path, file: &Path, sold: &[(i64, i64)]) {
    let said = |mut command: Command| {
        let output = command.output().expect("it runs");
        let said = [&output.stdout, &output.stderr]
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .concat();
        (output.status.success(), said)
    };
    let restore = || {
        let mut command = binary(folder);
        command.arg("restore").arg(file);
        command
    };
    // A power cut while it was copied from somewhere.
    let bytes = std::fs::read(file).expect("a file");
    let cut = folder.join("cut.backup");
    std::fs::write(&cut, &bytes[..bytes.len() - 100]).expect("written");
    let mut command = binary(folder);
    let (done, words) = said({
        command.arg("restore").arg(&cut);
        command
    });
    assert!(
        !done && words.contains("cut short") && folder.join("data/postgres/data").exists(),
        "{words}"
    );

    std::fs::remove_dir_all(folder.join("data/postgres/data")).expect("lost");
    let key = folder.join("data/seal.key");
    std::fs::rename(&key, folder.join("elsewhere.key")).expect("moved");
    let (done, words) = said(restore());
    assert!(!done && words.contains("seal.key"), "{words}");
    std::fs::rename(folder.join("elsewhere.key"), &key).expect("back");

    let (done, words) = said(restore());
    assert!(done && words.contains("before-restore"), "{words}");
    let mut audit = binary(folder);
    let (clean, words) = said({
        audit.arg("audit");
        audit
    });
    assert!(clean && words.contains("Nothing disagrees."), "{words}");
    let mut demo = Demo::start(folder);
    assert_eq!(demo.sold().await, sold, "the books of that moment");
    let (done, words) = said(restore());
    assert!(
        !done && words.contains("another server is running"),
        "{words}"
    );
    assert_eq!(demo.signal(Signal::SIGTERM), Some(0));
}

/// A prize at every step, an offer in several states, a payment that failed, a share that was paid out.
async fn clubs_find_something_on_every_screen(demo: &Demo) {
    let mut seen = std::collections::BTreeSet::new();
    let words = |value: &Value| value.as_str().unwrap_or("none").to_string();
    for club in [
        "bayside-barracudas",
        "western-ringtails",
        "northern-cassowaries",
    ] {
        let browser = reqwest::Client::builder()
            .cookie_store(true)
            .build()
            .expect("a browser");
        let login = serde_json::json!({ "email": format!("{club}@demo.test"), "password": "demo-password" });
        let login = browser
            .post(format!("{}/api/clubs/login", demo.url))
            .header("origin", &demo.url)
            .json(&login);
        let user: Value = login
            .send()
            .await
            .expect("an answer")
            .json()
            .await
            .expect("a user");
        seen.insert(format!("verified {}", user["emailVerified"]));
        let get = async |path: String| {
            let answer = browser
                .get(format!("{}{path}", demo.url))
                .send()
                .await
                .expect("an answer");
            assert_eq!(answer.status().as_u16(), 200, "{path}");
            answer
                .json::<Value>()
                .await
                .expect("JSON")
                .as_array()
                .cloned()
                .unwrap_or_default()
        };
        for draw in get(format!("/api/clubs/{}/draws?status=completed", user["id"])).await {
            let winners = browser
                .get(format!("{}/api/draws/{}/winners", demo.url, draw["id"]))
                .send()
                .await;
            let winners: Value = winners.expect("an answer").json().await.expect("JSON");
            seen.insert(format!(
                "prize {}",
                words(&winners["winningTickets"][0]["winnerPayoutStatus"])
            ));
            for payout in get(format!("/api/draws/{}/payouts", draw["id"])).await {
                seen.insert(format!(
                    "{} {}",
                    words(&payout["type"]),
                    words(&payout["status"])
                ));
            }
        }
        for offer in get(format!("/api/admin/clubs/{club}/bundles")).await {
            seen.insert(format!("offer {}", words(&offer["status"])));
        }
        let audit = browser
            .get(format!("{}/api/admin/payment-recovery-report", demo.url))
            .send()
            .await;
        let report = audit.expect("an answer").text().await.expect("a text");
        assert!(
            report.contains("Failed payments: 1") && report.contains("insufficient_funds"),
            "{club}: {report}"
        );
    }
    for wanted in [
        "verified true",
        "verified false",
        "prize pending",
        "prize details_received",
        "prize completed",
        "club_share completed",
        "winner pending",
        "winner completed",
        "offer active",
        "offer draft",
        "offer archived",
    ] {
        assert!(seen.contains(wanted), "{wanted} is shown nowhere: {seen:?}");
    }
}

async fn pages_are_drawn_before_any_script(demo: &Demo) {
    let (status, draw) = demo.page("/draw/1001").await;
    assert_eq!(status, 200);
    for words in [
        "<h1 class=\"teams\">Bayside Barracudas",
        "113/169",
        "<style>h1{color:red}</style>",
        "id=\"boot\"",
    ] {
        assert!(draw.contains(words), "{words} is missing in\n{draw}");
    }
    assert!(draw.contains("<script type=module src=/assets/web.0a1b2c3d.js></script>"));
    assert!(demo.page("/").await.1.contains("href=\"/draw/1001\""));
    assert!(
        demo.page("/club/western-ringtails")
            .await
            .1
            .contains("Western Ringtails RLFC")
    );
    for path in [
        "/draw/9999",
        "/club/nobody",
        "/nothing",
        "/my/00000000000000000000000000000000",
    ] {
        assert_eq!(demo.page(path).await.0, 404, "{path}");
    }
    assert_eq!(
        demo.page("/assets/web.0a1b2c3d.js").await,
        (200, "export {}".to_string())
    );
}

async fn pages_are_sent_small_unless_they_hold_a_secret(demo: &Demo) {
    let asked = async |path: &str| {
        let asked = reqwest::Client::new()
            .get(format!("{}{path}", demo.url))
            .header("accept-encoding", "br, gzip;q=0.8");
        let answer = asked.send().await.expect("an answer");
        let coding = answer
            .headers()
            .get("content-encoding")
            .map(|coding| coding.to_str().expect("text").to_string());
        assert_eq!(answer.headers()["vary"], "Accept-Encoding", "{path}");
        (coding, answer.bytes().await.expect("a page"))
    };
    let (coding, small) = asked("/draw/1001").await;
    assert_eq!(coding.as_deref(), Some("gzip"));
    let mut page = String::new();
    GzDecoder::new(&small[..])
        .read_to_string(&mut page)
        .expect("gzip");
    assert!(page.contains("<h1 class=\"teams\">Bayside Barracudas"));
    assert!(
        small.len() * 3 < page.len() * 2,
        "{} bytes of {}",
        small.len(),
        page.len()
    );
    assert_eq!(asked("/my/00000000000000000000000000000000").await.0, None);
}
