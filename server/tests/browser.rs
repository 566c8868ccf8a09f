//! The screens in a real browser: the whole demo on a free port, and the web's own end-to-end tests against it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use persistence::testing::Folder;
use server::config::{Config, Environment};
use server::demo;
use server::site::{self, Site};

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../web")
}

/// A program that is on the machine's path.
fn found(known: &[&str]) -> Option<String> {
    let folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let mut paths = known
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    paths
        .find(|path| path.exists())
        .map(|path| path.to_string_lossy().into_owned())
}

/// The machine's own browser, else Playwright's.
fn chromium() -> String {
    found(&[
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ])
    .unwrap_or_else(|| {
        run(Command::new("npx")
            .args(["playwright", "install", "--with-deps", "chromium"])
            .current_dir(web()));
        let ask = "console.log(require('@playwright/test').chromium.executablePath())";
        let path = Command::new("node")
            .args(["-e", ask])
            .current_dir(web())
            .output()
            .expect("node runs");
        String::from_utf8_lossy(&path.stdout).trim().to_string()
    })
}

/// Chromium without a window's furniture, which nobody sees here and which costs a third of the time; it keeps no pages for the
/// way back, so what is about those wants the whole browser.
fn shell(whole: &str) -> String {
    found(&["chromium-headless-shell"]).unwrap_or_else(|| whole.to_string())
}

fn run(command: &mut Command) {
    let output = command.output().expect("the program is there");
    let said = [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat();
    assert!(output.status.success(), "{command:?}:\n{said}");
    println!("{said}");
}

/// As long as one half may take on two busy cores.
const MINUTES_MAX: u64 = 25;

/// Both halves show the same pages.
static DIST: LazyLock<PathBuf> =
    LazyLock::new(|| site::ensure_built(&web()).expect("the web pages are built"));

/// Looked for, and fetched, once.
static CHROMIUM: LazyLock<String> = LazyLock::new(chromium);

/// Drives some folders of `web/e2e` against a demo of their own.
async fn drive(half: &str, folders: &'static [&'static str]) {
    let folder = Folder::new();
    let data = folder.path().join("data");
    let environment =
        Environment::from_pairs([("PORT", "0"), ("FD_DATA_DIR", data.to_str().expect("text"))]);
    let config = Config::demo(&environment).expect("the demo needs nothing");
    let demo = demo::start(config, Site::read(&DIST).expect("read"))
        .await
        .expect("the demo starts");
    let url = demo.running.url();
    let results = format!("--output=test-results/{half}");
    let limit = format!("--global-timeout={}", MINUTES_MAX * 60_000);
    let whole = CHROMIUM.as_str();
    // On a thread of its own: the server goes on here.
    let tested = tokio::task::spawn_blocking(move || {
        run(Command::new("npx")
            .args(["playwright", "test", &results, &limit])
            .args(folders)
            .current_dir(web())
            .env("BASE_URL", url)
            .env("CHROMIUM", shell(whole))
            .env("CHROMIUM_WHOLE", whole)
            .env("CI", "1"));
    });
    let tested = tested.await;
    demo.stop().await.expect("the demo stops");
    tested.expect("the browser's tests pass");
}

/// Two halves side by side, because there are two cores.
#[actix_web::test]
async fn buyers_in_a_real_browser() {
    drive("buyers", &["e2e/buyer/"]).await;
}

#[actix_web::test]
async fn visitors_boards_clubs_and_the_operator_in_a_real_browser() {
    drive("others", &["e2e/public/", "e2e/club/", "e2e/operator/"]).await;
}
