//! Rules of the repository that no linter checks: dependencies between crates, imports allowed in
//! one file only, ids and file names in documents, and unfinished code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "tidy/checklist.rs"]
mod checklist;
#[path = "tidy/citations.rs"]
mod citations;
#[path = "tidy/code_names.rs"]
mod code_names;
#[path = "tidy/comments.rs"]
mod comments;
#[path = "tidy/documents.rs"]
mod documents;
#[path = "tidy/module_graph.rs"]
mod module_graph;
#[path = "tidy/source.rs"]
mod source;
use source::{Source, read_sources};

fn repository_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
        .to_path_buf()
}

/// Fails if there are findings, and prints all of them.
fn assert_no_findings(rule: &str, findings: Vec<String>) {
    assert!(findings.is_empty(), "{rule}:\n  {}", findings.join("\n  "));
}

#[test]
fn crate_dependencies_point_one_way() {
    let allowed = [
        ("actors/domain", vec![]),
        ("persistence", vec!["domain"]),
        ("actors", vec!["domain", "persistence"]),
        ("server/sandbox", vec!["domain", "persistence", "actors"]),
        ("server", vec!["domain", "persistence", "actors", "sandbox"]),
        // The load test contains a benchmark, which also measures the engine without the server.
        (
            "loadtest",
            vec!["server", "sandbox", "actors", "persistence", "domain"],
        ),
    ];
    let workspace = [
        "domain",
        "persistence",
        "actors",
        "sandbox",
        "server",
        "loadtest",
    ];
    let mut findings = Vec::new();
    for (member, allowed) in allowed {
        for name in manifest_dependencies(member)
            .iter()
            .filter(|name| workspace.contains(&name.as_str()))
        {
            if !allowed.contains(&name.as_str()) {
                findings.push(format!("{member} imports {name}"));
            }
        }
    }
    assert_no_findings(
        "dependencies that are not allowed (architecture rule A1)",
        findings,
    );
}

#[test]
fn domain_has_no_clock_io_or_randomness() {
    let allowed = ["thiserror", "sha2", "chacha20"].map(String::from);
    let extra: Vec<String> = manifest_dependencies("actors/domain")
        .into_iter()
        .filter(|name| !allowed.contains(name))
        .collect();
    assert_no_findings(
        "dependencies that domain may not have (architecture rule A2)",
        extra,
    );
    let absent = [
        "std::time",
        "std::fs",
        "std::net",
        "std::env",
        "SystemTime",
        "Instant::now",
        "async fn",
        "getrandom",
    ];
    let findings = find_texts_in_code(&absent, |path| path.starts_with("actors/domain/src/"));
    assert_no_findings("forbidden in domain (architecture rule A2)", findings);
}

#[test]
fn restricted_imports_stay_in_their_files() {
    let outside = |home: &'static str| {
        move |path: &str| !path.starts_with(home) && !path.starts_with("server/tests/tidy")
    };
    let stripe = [
        "stripe_core::",
        "stripe_connect::",
        "stripe_shared::",
        "stripe_types::",
        "stripe_client_core::",
    ];
    // The tests of the payment sandbox may use the library that calls the real provider.
    let restricted = |path: &str| {
        outside("actors/src/payments/stripe")(path) && !path.starts_with("server/tests/sandbox")
    };
    assert_no_findings(
        "async-stripe (architecture rule A5)",
        find_texts_in_code(&stripe, restricted),
    );
    // A reference implementation of the benchmark may broadcast over WebSockets directly.
    let socket = |path: &str| {
        outside("server/src/live/session.rs")(path) && path != "loadtest/src/bench/actor_boards.rs"
    };
    assert_no_findings(
        "actix-web-actors (architecture rule A5)",
        find_texts_in_code(&["actix_web_actors"], socket),
    );
    // The load test may use SQL directly. It writes the rows of the benchmark's baseline and ends
    // connections, which the product never does.
    let sql = |path: &str| {
        let load_test = [
            "loadtest/src/bench/baseline",
            "loadtest/src/bench/temporary_database.rs",
            "loadtest/src/crashes/connection_faults.rs",
        ];
        outside("persistence/")(path) && !load_test.iter().any(|home| path.starts_with(home))
    };
    assert_no_findings(
        "SQL (architecture rule A4)",
        find_texts_in_code(&["sqlx::", "use sqlx"], sql),
    );
    assert_no_findings(
        "import actix items by name, not through its prelude",
        find_texts_in_code(&["actix::prelude"], outside("nowhere")),
    );
}

/// Returns the names under `[dependencies]` in a crate's manifest, without its dev-dependencies.
fn manifest_dependencies(member: &str) -> BTreeSet<String> {
    let manifest =
        fs::read_to_string(repository_root().join(member).join("Cargo.toml")).expect("a manifest");
    let lines = manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .skip(1);
    let lines = lines
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split(['.', '=', ' ']).next())
        .filter(|name| !name.is_empty())
        .map(String::from)
        .collect()
}

/// Returns each place where the code of the selected files contains one of the texts. Skips
/// comments and string literals.
fn find_texts_in_code(texts: &[&str], is_selected: impl Fn(&str) -> bool) -> Vec<String> {
    let mut findings = Vec::new();
    for source in rust_sources()
        .iter()
        .filter(|source| is_selected(&source.path))
    {
        for (number, line) in source.code_lines() {
            findings.extend(
                texts
                    .iter()
                    .filter(|text| line.contains(**text))
                    .map(|text| format!("{}:{number}: {text}", source.path)),
            );
        }
    }
    findings
}

fn rust_sources() -> Vec<Source> {
    read_sources(
        &repository_root(),
        &["server", "actors", "persistence", "loadtest"],
        &["rs"],
    )
}

fn web_sources() -> Vec<Source> {
    read_sources(
        &repository_root(),
        &["web/src", "web/e2e"],
        &["ts", "tsx", "js", "css"],
    )
}

#[test]
fn code_has_no_unfinished_or_disabled_parts() {
    let marks = [
        "todo!(",
        "unimplemented!(",
        "dbg!(",
        "#[ignore",
        "FIXME",
        "TODO",
        ".only(",
        "it.skip(",
        "test.skip(true",
    ];
    let mut findings = Vec::new();
    for source in rust_sources()
        .into_iter()
        .chain(web_sources())
        .filter(|source| !source.path.starts_with("server/tests/tidy"))
    {
        for (number, line) in source.text.lines().enumerate() {
            let found = marks.iter().filter(|mark| line.contains(**mark));
            findings.extend(found.map(|mark| format!("{}:{}: {mark}", source.path, number + 1)));
        }
    }
    assert_no_findings("unfinished", findings);
}

/// Folders of the crates whose manifests could enable a test-only feature for production code.
const CRATES_WITH_TEST_FEATURES: [&str; 5] = [
    "persistence",
    "actors",
    "server/sandbox",
    "server",
    "loadtest",
];

/// Returns the text of a crate's manifest up to its development dependencies.
fn manifest_before_dev_dependencies(member: &str) -> String {
    let manifest =
        fs::read_to_string(repository_root().join(member).join("Cargo.toml")).expect("a manifest");
    manifest
        .split("[dev-dependencies]")
        .next()
        .unwrap_or_default()
        .to_string()
}

/// A fail point kills the process on purpose. Only tests enable the feature, and in a release build
/// it has no effect.
#[test]
fn fail_points_exist_in_test_builds_only() {
    let mut findings = Vec::new();
    for member in CRATES_WITH_TEST_FEATURES {
        findings.extend(
            manifest_before_dev_dependencies(member)
                .contains("\"failpoints\"")
                .then(|| format!("{member} enables them outside its tests")),
        );
    }
    let code = fs::read_to_string(repository_root().join("persistence/src/failpoint.rs"))
        .expect("the fail points");
    let debug_only = code
        .split("#[cfg(all(feature = \"failpoints\", debug_assertions))]")
        .count()
        - 1;
    findings.extend(
        (debug_only != 2)
            .then(|| format!("{debug_only} places compiled in debug builds only, instead of 2")),
    );
    assert_no_findings("fail points", findings);
}

/// A production build contains no in-memory store, no fault injection and no test database.
#[test]
fn test_doubles_exist_in_test_builds_only() {
    let mut findings = Vec::new();
    for member in CRATES_WITH_TEST_FEATURES {
        let manifest = manifest_before_dev_dependencies(member);
        let dependencies = manifest
            .split_once("[dependencies]")
            .map_or("", |(_, dependencies)| dependencies);
        findings.extend(
            dependencies
                .contains("testing")
                .then(|| format!("{member} enables them outside its tests")),
        );
    }
    let code =
        fs::read_to_string(repository_root().join("persistence/src/lib.rs")).expect("the crate");
    for module in ["memory", "testing"] {
        let gated = format!("#[cfg(feature = \"testing\")]\npub mod {module};");
        findings.extend((!code.contains(&gated)).then(|| format!("{module} is always compiled")));
    }
    assert_no_findings("test doubles", findings);
}

/// A build without the feature `demo` contains no sandbox. `.ci/run` checks that such a build
/// compiles.
#[test]
fn sandbox_is_an_optional_dependency_of_the_server() {
    let manifest =
        fs::read_to_string(repository_root().join("server/Cargo.toml")).expect("a manifest");
    for line in [
        "demo = [\"dep:sandbox\"]",
        "sandbox = { workspace = true, optional = true }",
    ] {
        assert!(
            manifest.lines().any(|found| found == line),
            "server/Cargo.toml has no line {line}"
        );
    }
}

/// A line of `server/src` that names an address of the sandbox must be directly below the feature
/// attribute of `demo`, or in a file that only this feature compiles.
#[test]
fn sandbox_addresses_are_compiled_only_with_the_demo() {
    let demo_only = [
        "server/src/cli/demo",
        "server/src/http/sandbox_clock.rs",
        "server/src/app/provider.rs",
        "server/src/cli/audit/provider.rs",
    ];
    let mut findings = Vec::new();
    for source in read_sources(&repository_root(), &["server/src"], &["rs"]) {
        let is_test = source.path.ends_with("/tests.rs");
        if is_test || demo_only.iter().any(|path| source.path.starts_with(path)) {
            continue;
        }
        let code = source.text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines: Vec<&str> = code.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            let is_gated = lines[index.saturating_sub(2)..index]
                .iter()
                .any(|before| before.contains("cfg(feature = \"demo\")"));
            if line.contains("/sandbox") && !is_comment && !is_gated {
                findings.push(format!("{}:{}", source.path, index + 1));
            }
        }
    }
    assert_no_findings("addresses of the sandbox outside the feature", findings);
}

#[test]
fn repository_root_has_the_prescribed_entries() {
    let prescribed = [
        "Cargo.toml",
        "server",
        "actors",
        "persistence",
        "web",
        "migrations",
        "loadtest",
        "README.md",
    ];
    let missing = prescribed
        .iter()
        .filter(|entry| !repository_root().join(entry).exists());
    assert_no_findings(
        "missing at the top level",
        missing.map(ToString::to_string).collect(),
    );
}

#[test]
fn security_checklist_names_existing_files_and_tests() {
    assert_no_findings(
        "server/ASVS.md",
        checklist::find_checklist_problems(&repository_root(), &rust_sources()),
    );
}

/// Returns every file that a page may name, and the pages themselves.
fn files_named_in_pages() -> Vec<Source> {
    let folders = [
        "server",
        "actors",
        "persistence",
        "loadtest",
        "migrations",
        "web/src",
        "web/e2e",
        "web/scripts",
    ];
    read_sources(&repository_root(), &folders, &checklist::NAMED_FILE_ENDINGS)
}

#[test]
fn specification_maps_name_existing_files_and_tests() {
    assert_no_findings(
        ".github/specification",
        checklist::stale_specification_map_entries(&repository_root(), &files_named_in_pages()),
    );
}

#[test]
fn code_names_in_pages_exist() {
    assert_no_findings(
        "named in a page, but not in the file",
        code_names::find_missing_names(&repository_root(), &files_named_in_pages()),
    );
}

#[test]
fn cited_specification_ids_have_entries() {
    assert_no_findings(
        "cited, but not in .github/decisions or .github/specification",
        citations::find_unresolved_citations(&repository_root()),
    );
}

#[test]
fn guides_name_existing_files() {
    assert_no_findings(
        "named, but missing",
        documents::find_missing_files(&repository_root()),
    );
}

#[test]
fn top_level_modules_have_no_import_cycle() {
    assert_no_findings(
        "import cycles",
        module_graph::find_import_cycles(&repository_root()),
    );
}

/// Maximum number of files and folders directly in `server/src`, which a reader sees first. A new
/// file belongs in one of the folders that `server/src/lib.rs` describes.
const SERVER_SOURCE_ENTRIES_MAX: usize = 20;

#[test]
fn server_source_folder_has_few_entries() {
    let entries = fs::read_dir(repository_root().join("server/src")).expect("a folder");
    let count = entries.count();
    assert!(
        count <= SERVER_SOURCE_ENTRIES_MAX,
        "server/src has {count} entries"
    );
}
