//! The web's own checks, so that `cargo test` is everything: types and lint, then its unit tests.

use std::path::{Path, PathBuf};
use std::process::Command;

fn web() -> PathBuf {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    server::site::install(&web).expect("what the web pages are built with");
    web
}

/// Runs an npm script; its words are the failure's words.
fn run(script: &str) {
    let output = Command::new("npm")
        .args(["run", "--silent", script])
        .current_dir(web())
        .env("CI", "1")
        .env("NO_COLOR", "1")
        .output()
        .expect("npm runs");
    let said = [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat();
    assert!(output.status.success(), "npm run {script}:\n{said}");
    println!("{said}");
}

#[test]
fn the_types_are_what_the_server_describes() {
    let described = std::env::temp_dir().join(format!("fd-openapi-{}.json", std::process::id()));
    std::fs::write(&described, server::openapi::document().to_string()).expect("a file");
    let output = Command::new("node")
        .args(["scripts/types.mjs", "--check"])
        .arg(&described)
        .current_dir(web())
        .output()
        .expect("node runs");
    std::fs::remove_file(&described).expect("removed");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn types_and_lint_are_clean() {
    run("check");
}

#[test]
fn the_unit_tests_of_the_web_pass() {
    run("test");
}
