//! The demo of `cargo run`: the built program starts with an empty folder, is stopped, killed and
//! started again.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use demo::demo_content;
use flate2::read::GzDecoder;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use persistence::testing::TempFolder;
use serde_json::Value;

mod demo {
    pub mod demo_content;
}

/// A running demo and its address.
struct DemoProcess {
    child: Child,
    url: String,
    greeting: String,
}

fn demo_command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("PORT", "0")
        .env("FD_DATA_DIR", folder.join("data"))
        .env("FD_WEB_DIR", folder.join("dist"));
    command
}

impl DemoProcess {
    /// Starts the demo and waits until it has printed all its addresses.
    fn start(folder: &Path) -> DemoProcess {
        let mut child = demo_command(folder)
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
        DemoProcess {
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

    async fn fetch_page(&self, path: &str) -> (u16, String) {
        let answer = reqwest::get(format!("{}{path}", self.url))
            .await
            .expect("an answer");
        (answer.status().as_u16(), answer.text().await.expect("text"))
    }

    /// Returns draw number and number of sold tickets for each draw of the three public lists.
    async fn sold_tickets_by_draw(&self) -> Vec<(i64, i64)> {
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

    fn send_signal_and_wait(&mut self, signal: Signal) -> Option<i32> {
        kill(Pid::from_raw(self.child.id() as i32), signal).expect("a signal");
        self.child.wait().expect("it ends").code()
    }
}

/// Stops the demo when a test fails. A running process would keep its pipes open, and readers of
/// the test output would wait forever.
impl Drop for DemoProcess {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM);
            let _ = self.child.wait();
        }
    }
}

/// Writes a web build of a single page, so that these tests do not need the real one.
fn write_stub_front_end(folder: &Path) {
    let dist = folder.join("dist");
    std::fs::create_dir_all(&dist).expect("a folder");
    let page =
        "<!doctype html><title>x</title><script type=module src=/assets/web.0a1b2c3d.js></script>";
    std::fs::write(dist.join("index.html"), page).expect("a page");
    std::fs::write(dist.join("web.0a1b2c3d.js"), "export {}").expect("a script");
    std::fs::write(dist.join("critical.css"), "h1{color:red}").expect("a style");
}

#[actix_web::test]
async fn demo_starts_on_empty_folder_and_loses_nothing() {
    let folder = TempFolder::new();
    write_stub_front_end(folder.path());

    let mut demo = DemoProcess::start(folder.path());
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
    for text in helpers.into_iter().chain(others) {
        assert!(
            demo.greeting.contains(text),
            "{text} is missing in\n{}",
            demo.greeting
        );
    }
    check_file_modes(&folder.path().join("data"));
    demo_content::check_content(&demo, folder.path()).await;
    check_server_rendering(&demo).await;
    check_club_screens(&demo).await;
    check_compression(&demo).await;
    let sold = demo.sold_tickets_by_draw().await;

    let file = folder.path().join("monday.backup");
    check_backup(&demo, folder.path(), &file).await;

    assert_eq!(
        demo.send_signal_and_wait(Signal::SIGKILL),
        None,
        "killed, not ended"
    );
    let mut demo = DemoProcess::start(folder.path());
    assert_eq!(
        demo.sold_tickets_by_draw().await,
        sold,
        "what was sold is sold"
    );
    assert_eq!(
        demo.send_signal_and_wait(Signal::SIGTERM),
        Some(0),
        "SIGTERM ends it successfully"
    );

    let audit = demo_command(folder.path())
        .args(["audit", "--demo"])
        .output()
        .expect("the audit runs");
    let output_text = String::from_utf8_lossy(&audit.stdout);
    assert!(
        audit.status.success() && output_text.contains("Nothing disagrees."),
        "{output_text}"
    );
    for kind in [
        "missing_ticket",
        "duplicate_payment",
        "failed_allocation",
        "mismatched_amount",
        "orphaned_ticket",
        "dispute",
    ] {
        assert!(
            output_text.contains(&format!("1 × {kind}")),
            "{kind}:\n{output_text}"
        );
    }

    check_restore(folder.path(), &file, &sold).await;
}

#[test]
fn demo_stopped_during_seeding_leaves_no_postgres() {
    let folder = TempFolder::new();
    write_stub_front_end(folder.path());
    let mut child = demo_command(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut output_text = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let seeding = output_text
        .by_ref()
        .any(|line| line.expect("text").contains("Seeding"));
    assert!(seeding, "it ended before it seeded");
    let note = folder.path().join("data/postgres/data/postmaster.pid");
    assert!(note.exists(), "Postgres runs");
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).expect("a signal");
    let text: Vec<String> = output_text.map(|line| line.expect("text")).collect();
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    assert!(
        text.iter()
            .any(|line| line.contains("stopped before it was ready")),
        "{text:?}"
    );
    assert!(!note.exists(), "Postgres was stopped");
}

/// Checks that only the owner can read the demo's files. If the demo runs as root, Postgres runs as
/// another user. That user may enter the data folder but not list it.
fn check_file_modes(data: &Path) {
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(data) & 0o066, 0);
    let mut folders = vec![data.join("sandbox")];
    let mut files = vec![data.join("seal.key"), data.join("running.json")];
    while let Some(folder) = folders.pop() {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 2, "the sandbox keeps a journal");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

/// Makes a backup while the server runs. The file must contain the database's secrets only
/// encrypted.
async fn check_backup(demo: &DemoProcess, folder: &Path, file: &Path) {
    let output = demo_command(folder)
        .args(["--demo", "backup"])
        .arg(file)
        .output()
        .expect("the backup runs");
    assert!(output.status.success(), "{output:?}");
    let again = demo_command(folder)
        .args(["--demo", "backup"])
        .arg(file)
        .output()
        .expect("the backup runs");
    assert!(!again.status.success(), "a backup never overwrites one");
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(file).expect("a file"))
        .read_to_end(&mut bytes)
        .expect("whole");
    let has = |secret: &[u8]| bytes.windows(secret.len()).any(|window| window == secret);
    assert!(
        has(b"Bayside Barracudas"),
        "the backup contains the database"
    );
    let key = std::fs::read_to_string(folder.join("data/seal.key")).expect("a key");
    assert!(
        !has(key.as_bytes()) && !has(&hex::decode(&key).expect("hexadecimal")),
        "the backup does not contain the key"
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
        "the backup contains no seed"
    );
}

async fn check_restore(folder: &Path, file: &Path, sold: &[(i64, i64)]) {
    let output_text = |mut command: Command| {
        let output = command.output().expect("it runs");
        let output_text = [&output.stdout, &output.stderr]
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .concat();
        (output.status.success(), output_text)
    };
    let restore = || {
        let mut command = demo_command(folder);
        command.args(["restore", "--demo"]).arg(file);
        command
    };
    // Truncates the file, as a power cut during a copy could.
    let bytes = std::fs::read(file).expect("a file");
    let cut = folder.join("cut.backup");
    std::fs::write(&cut, &bytes[..bytes.len() - 100]).expect("written");
    let mut command = demo_command(folder);
    let (done, text) = output_text({
        command.args(["restore", "--demo"]).arg(&cut);
        command
    });
    assert!(
        !done && text.contains("cut short") && folder.join("data/postgres/data").exists(),
        "{text}"
    );

    std::fs::remove_dir_all(folder.join("data/postgres/data")).expect("lost");
    let key = folder.join("data/seal.key");
    std::fs::rename(&key, folder.join("elsewhere.key")).expect("moved");
    let (done, text) = output_text(restore());
    assert!(!done && text.contains("seal.key"), "{text}");
    std::fs::rename(folder.join("elsewhere.key"), &key).expect("back");

    let (done, text) = output_text(restore());
    assert!(done && text.contains("before-restore"), "{text}");
    let mut audit = demo_command(folder);
    let (clean, text) = output_text({
        audit.args(["audit", "--demo"]);
        audit
    });
    assert!(clean && text.contains("Nothing disagrees."), "{text}");
    let mut demo = DemoProcess::start(folder);
    assert_eq!(
        demo.sold_tickets_by_draw().await,
        sold,
        "the database of the backup"
    );
    let (done, text) = output_text(restore());
    assert!(
        !done && text.contains("another server is running"),
        "{text}"
    );
    assert_eq!(demo.send_signal_and_wait(Signal::SIGTERM), Some(0));
}

/// Checks the clubs' screens: prizes and offers in three states each, a failed payment, and a
/// completed payout of a club's share.
async fn check_club_screens(demo: &DemoProcess) {
    let mut states_shown = std::collections::BTreeSet::new();
    let text = |value: &Value| value.as_str().unwrap_or("none").to_string();
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
        states_shown.insert(format!("verified {}", user["emailVerified"]));
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
            states_shown.insert(format!(
                "prize {}",
                text(&winners["winningTickets"][0]["winnerPayoutStatus"])
            ));
            for payout in get(format!("/api/draws/{}/payouts", draw["id"])).await {
                states_shown.insert(format!(
                    "{} {}",
                    text(&payout["type"]),
                    text(&payout["status"])
                ));
            }
        }
        for offer in get(format!("/api/admin/clubs/{club}/bundles")).await {
            states_shown.insert(format!("offer {}", text(&offer["status"])));
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
    for expected in [
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
        assert!(
            states_shown.contains(expected),
            "{expected} is shown nowhere: {states_shown:?}"
        );
    }
}

async fn check_server_rendering(demo: &DemoProcess) {
    let (status, draw) = demo.fetch_page("/draw/1001").await;
    assert_eq!(status, 200);
    for text in [
        "<h1 class=\"teams\">Bayside Barracudas",
        "113/169",
        "<style>h1{color:red}</style>",
        "id=\"boot\"",
    ] {
        assert!(draw.contains(text), "{text} is missing in\n{draw}");
    }
    assert!(draw.contains("<script type=module src=/assets/web.0a1b2c3d.js></script>"));
    assert!(demo.fetch_page("/").await.1.contains("href=\"/draw/1001\""));
    assert!(
        demo.fetch_page("/club/western-ringtails")
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
        assert_eq!(demo.fetch_page(path).await.0, 404, "{path}");
    }
    assert_eq!(
        demo.fetch_page("/assets/web.0a1b2c3d.js").await,
        (200, "export {}".to_string())
    );
}

async fn check_compression(demo: &DemoProcess) {
    let fetch = async |path: &str| {
        let request = reqwest::Client::new()
            .get(format!("{}{path}", demo.url))
            .header("accept-encoding", "br, gzip;q=0.8");
        let answer = request.send().await.expect("an answer");
        let coding = answer
            .headers()
            .get("content-encoding")
            .map(|coding| coding.to_str().expect("text").to_string());
        assert_eq!(answer.headers()["vary"], "Accept-Encoding", "{path}");
        (coding, answer.bytes().await.expect("a page"))
    };
    let (coding, small) = fetch("/draw/1001").await;
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
    assert_eq!(fetch("/my/00000000000000000000000000000000").await.0, None);
}
