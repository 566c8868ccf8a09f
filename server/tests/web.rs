//! Runs the checks of the web project as part of `cargo test`: types, lint and unit tests.

use std::path::{Path, PathBuf};
use std::process::Command;

fn web_folder() -> PathBuf {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    server::render::web_build::install_packages(&web).expect("what the web pages are built with");
    web
}

/// Runs an npm script of the web project. If it fails, panics with its output.
fn run_npm_script(script: &str) {
    let output = Command::new("npm")
        .args(["run", "--silent", script])
        .current_dir(web_folder())
        .env("CI", "1")
        .env("NO_COLOR", "1")
        .output()
        .expect("npm runs");
    let output_text = [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat();
    assert!(output.status.success(), "npm run {script}:\n{output_text}");
    println!("{output_text}");
}

#[test]
fn web_types_match_the_openapi_document() {
    let described = std::env::temp_dir().join(format!("fd-openapi-{}.json", std::process::id()));
    std::fs::write(&described, server::http::openapi::document().to_string()).expect("a file");
    let output = Command::new("node")
        .args(["scripts/types.mjs", "--check"])
        .arg(&described)
        .current_dir(web_folder())
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
fn web_types_and_lint_are_clean() {
    run_npm_script("check");
}

#[test]
fn web_unit_tests_pass() {
    run_npm_script("test");
}
