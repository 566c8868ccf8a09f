//! End-to-end tests of the web pages in a real browser, against a demo on a free port.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use persistence::testing::TempFolder;
use server::cli::demo;
use server::config::{Config, Environment};
use server::render::web_build::{self, WebBuild};

fn web_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../web")
}

/// Returns the first of these programs that is found on the `PATH`.
fn find_program(names: &[&str]) -> Option<String> {
    let folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let mut paths = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    paths
        .find(|path| path.exists())
        .map(|path| path.to_string_lossy().into_owned())
}

/// Returns the path of an installed Chromium, or else of the one that Playwright downloads.
fn find_or_install_chromium() -> String {
    find_program(&[
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ])
    .unwrap_or_else(|| {
        run_and_assert_success(
            Command::new("npx")
                .args(["playwright", "install", "--with-deps", "chromium"])
                .current_dir(web_folder()),
        );
        let ask = "console.log(require('@playwright/test').chromium.executablePath())";
        let path = Command::new("node")
            .args(["-e", ask])
            .current_dir(web_folder())
            .output()
            .expect("node runs");
        String::from_utf8_lossy(&path.stdout).trim().to_string()
    })
}

/// Returns the path of Chromium's headless shell, which is faster, or the full browser `whole`. The
/// shell has no back/forward cache, so tests of that cache use the full browser.
fn find_headless_shell(whole: &str) -> String {
    find_program(&["chromium-headless-shell"]).unwrap_or_else(|| whole.to_string())
}

fn run_and_assert_success(command: &mut Command) {
    let output = command.output().expect("the program is there");
    let output_text = [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat();
    assert!(output.status.success(), "{command:?}:\n{output_text}");
    println!("{output_text}");
}

/// Time limit in minutes for one of the two browser tests, while both share two cores.
const E2E_MINUTES_MAX: u64 = 25;

/// The folder of the built web pages. Both browser tests use it.
static DIST_FOLDER: LazyLock<PathBuf> =
    LazyLock::new(|| web_build::ensure_built(&web_folder()).expect("the web pages are built"));

/// Path of the browser. It is found or downloaded only once.
static CHROMIUM_PATH: LazyLock<String> = LazyLock::new(find_or_install_chromium);

/// Runs the tests in some folders of `web/e2e` against a demo of their own.
async fn run_browser_tests(half: &str, folders: &'static [&'static str]) {
    let folder = TempFolder::new();
    let data = folder.path().join("data");
    let environment =
        Environment::from_pairs([("PORT", "0"), ("FD_DATA_DIR", data.to_str().expect("text"))]);
    let mut config = Config::for_demo(&environment).expect("the demo needs nothing");
    config.picture_program = env!("CARGO_BIN_EXE_server").into();
    let demo = demo::start(config, WebBuild::read(&DIST_FOLDER).expect("read"))
        .await
        .expect("the demo starts");
    let url = demo.running.url();
    let results = format!("--output=test-results/{half}");
    let limit = format!("--global-timeout={}", E2E_MINUTES_MAX * 60_000);
    let whole = CHROMIUM_PATH.as_str();
    // Playwright runs on a separate thread, because this thread runs the server.
    let tested = tokio::task::spawn_blocking(move || {
        run_and_assert_success(
            Command::new("npx")
                .args(["playwright", "test", &results, &limit])
                .args(folders)
                .current_dir(web_folder())
                .env("BASE_URL", url)
                .env("CHROMIUM", find_headless_shell(whole))
                .env("CHROMIUM_WHOLE", whole)
                .env("CI", "1"),
        );
    });
    let tested = tested.await;
    demo.stop().await.expect("the demo stops");
    tested.expect("the browser's tests pass");
}

/// The browser tests are split into two Rust tests that run in parallel, because CI machines
/// usually have two cores. Both halves take about the same time.
#[actix_web::test]
async fn buyer_and_operator_pages_pass_in_a_real_browser() {
    run_browser_tests("buyer-operator", &["e2e/buyer/", "e2e/operator/"]).await;
}

#[actix_web::test]
async fn public_and_club_pages_pass_in_a_real_browser() {
    run_browser_tests("public-club", &["e2e/public/", "e2e/club/"]).await;
}
