//! The screens in a real browser: the whole demo on a free port, and the web's own end-to-end tests against it.

use std::path::{Path, PathBuf};
use std::process::Command;

use persistence::testing::Folder;
use server::config::{Config, Environment};
use server::demo;
use server::site::{self, Site};

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../web")
}

/// The machine's own browser, else Playwright's.
fn chromium() -> String {
    let known = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let found = known.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    if let Some(path) = found.into_iter().find(|path| path.exists()) {
        return path.to_string_lossy().into_owned();
    }
    run(Command::new("npx").args(["playwright", "install", "--with-deps", "chromium"]).current_dir(web()));
    let ask = "console.log(require('@playwright/test').chromium.executablePath())";
    let path = Command::new("node").args(["-e", ask]).current_dir(web()).output().expect("node runs");
    String::from_utf8_lossy(&path.stdout).trim().to_string()
}

fn run(command: &mut Command) {
    let output = command.output().expect("the program is there");
    let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    assert!(output.status.success(), "{command:?}:\n{said}");
    println!("{said}");
}

/// What every run drives: the ways a ticket is bought, a page comes first, a result is entered, an operator gets in. The rest
/// of `web/e2e`, a quarter of an hour of states and sizes, is `npm run e2e`.
const SPECS: [&str; 7] = [
    "e2e/buyer/purchase",
    "e2e/buyer/keyboard",
    "e2e/buyer/checkout",
    "e2e/buyer/first-paint",
    "e2e/buyer/contact",
    "e2e/buyer/goals",
    "e2e/club/results",
];

#[actix_web::test]
async fn buyers_boards_and_keyboards_in_a_real_browser() {
    let folder = Folder::new();
    let data = folder.path().join("data");
    let environment = Environment::from_pairs([("PORT", "0"), ("FD_DATA_DIR", data.to_str().expect("text"))]);
    let config = Config::demo(&environment).expect("the demo needs nothing");
    let dist = site::ensure_built(&web()).expect("the web pages are built");
    let demo = demo::start(config, Site::read(&dist).expect("read")).await.expect("the demo starts");
    let url = demo.running.url();
    // On a thread of its own: the server goes on here.
    let tested = tokio::task::spawn_blocking(move || {
        run(Command::new("npx")
            .args(["playwright", "test"])
            .args(SPECS)
            .current_dir(web())
            .env("BASE_URL", url)
            .env("CHROMIUM", chromium())
            .env("CI", "1"));
    });
    let tested = tested.await;
    demo.stop().await.expect("the demo stops");
    tested.expect("the browser's tests pass");
}
