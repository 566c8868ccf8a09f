//! The house rules a machine can check (README.md, "Architecture invariants"): arrows between crates, imports that belong
//! to one file, lengths, words we do not say, and nothing left unfinished.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "tidy/checklist.rs"]
mod checklist;
#[path = "tidy/source.rs"]
mod source;
use source::{Source, identifiers, sources, words};

const FILE_LINES_MAX: usize = 400;
const FUNCTION_LINES_MAX: usize = 70;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
        .to_path_buf()
}

/// Fails with every finding at once.
fn assert_none(rule: &str, findings: Vec<String>) {
    assert!(findings.is_empty(), "{rule}:\n  {}", findings.join("\n  "));
}

#[test]
fn arrows_between_crates_point_one_way() {
    let allowed = [
        ("actors/domain", vec![]),
        ("persistence", vec!["domain"]),
        ("actors", vec!["domain", "persistence"]),
        ("server", vec!["domain", "persistence", "actors"]),
        // The bench runs the engine by itself, within its own walls.
        (
            "loadtest",
            vec!["server", "actors", "persistence", "domain"],
        ),
    ];
    let ours = ["domain", "persistence", "actors", "server", "loadtest"];
    let mut findings = Vec::new();
    for (member, may) in allowed {
        for name in dependencies(member)
            .iter()
            .filter(|name| ours.contains(&name.as_str()))
        {
            if !may.contains(&name.as_str()) {
                findings.push(format!("{member} imports {name}"));
            }
        }
    }
    assert_none("a new edge is a decision, written down (A1)", findings);
}

#[test]
fn the_domain_knows_no_clock_no_io_and_no_chance() {
    let may = ["thiserror", "sha2", "chacha20"].map(String::from);
    let extra: Vec<String> = dependencies("actors/domain")
        .into_iter()
        .filter(|name| !may.contains(name))
        .collect();
    assert_none("dependencies of domain (A2)", extra);
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
    let findings = mentions(&absent, |path| path.starts_with("actors/domain/src/"));
    assert_none("not in domain (A2)", findings);
}

#[test]
fn what_belongs_to_one_file_stays_there() {
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
    // The sandbox is tested with the very library that will speak to the real provider.
    let ours = |path: &str| {
        outside("actors/src/payment/stripe")(path) && !path.starts_with("server/tests/sandbox")
    };
    assert_none("async-stripe (A5)", mentions(&stripe, ours));
    // The bench has a rival that broadcasts as one would with it.
    let socket = |path: &str| {
        outside("server/src/live/session.rs")(path) && path != "loadtest/src/bench/actor_boards.rs"
    };
    assert_none(
        "actix-web-actors (A5)",
        mentions(&["actix_web_actors"], socket),
    );
    assert_none(
        "SQL (A4)",
        mentions(&["sqlx::", "use sqlx"], outside("persistence/")),
    );
    assert_none(
        "actix names come one by one",
        mentions(&["actix::prelude"], outside("nowhere")),
    );
}

/// Lines of a crate's manifest between `[dependencies]` and the next heading; tests may use more.
fn dependencies(member: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join(member).join("Cargo.toml")).expect("a manifest");
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

/// Where code (not comments) of the chosen files says one of these.
fn mentions(what: &[&str], chosen: impl Fn(&str) -> bool) -> Vec<String> {
    let mut findings = Vec::new();
    for source in rust().iter().filter(|source| chosen(&source.path)) {
        for (number, line) in source.code_lines() {
            findings.extend(
                what.iter()
                    .filter(|w| line.contains(**w))
                    .map(|w| format!("{}:{number}: {w}", source.path)),
            );
        }
    }
    findings
}

fn rust() -> Vec<Source> {
    sources(
        &root(),
        &["server", "actors", "persistence", "loadtest"],
        &["rs"],
    )
}

fn screens() -> Vec<Source> {
    sources(
        &root(),
        &["web/src", "web/e2e"],
        &["ts", "tsx", "js", "css"],
    )
}

#[test]
fn a_file_is_one_noun() {
    let all = rust()
        .into_iter()
        .chain(screens())
        .filter(|source| !source.path.contains("/generated/"));
    let long = all.filter(|source| source.text.lines().count() > FILE_LINES_MAX);
    let findings =
        long.map(|source| format!("{}: {} lines", source.path, source.text.lines().count()));
    assert_none("no file over 400 lines", findings.collect());
}

#[test]
fn a_function_fits_a_screen() {
    let mut findings = Vec::new();
    for source in rust() {
        for (name, first, last) in source.functions() {
            let lines = last - first + 1;
            if lines > FUNCTION_LINES_MAX {
                findings.push(format!("{}:{first}: {name}: {lines} lines", source.path));
            }
        }
    }
    assert_none("no function over 70 lines", findings);
}

/// The right-hand column of the glossary, as far as a word cannot be meant innocently (`map`, `entry`, `state` can).
const NEVER_SAID: [&str; 19] = [
    "raffle",
    "lottery",
    "jackpot",
    "square",
    "combination",
    "shuffle",
    "permutation",
    "seat",
    "booking",
    "basket",
    "merchant",
    "vendor",
    "commission",
    "reversal",
    "packet",
    "reward",
    "incident",
    "organiser",
    "assignment",
];

/// Names other people gave.
const NOT_OURS: [&str; 1] = ["prop_shuffle"];

#[test]
fn one_word_for_each_thing() {
    let exempt = ["server/src/wire", "server/src/sandbox", "server/tests/tidy"];
    let mut findings = Vec::new();
    for source in rust().into_iter().chain(screens()) {
        if exempt.iter().any(|start| source.path.starts_with(start))
            || source.path.ends_with(".css")
        {
            continue;
        }
        for (number, line) in source.code_lines() {
            for identifier in identifiers(&line).filter(|name| !NOT_OURS.contains(name)) {
                if words(identifier)
                    .iter()
                    .any(|word| NEVER_SAID.contains(&word.as_str()))
                {
                    findings.push(format!("{}:{number}: {identifier}", source.path));
                }
            }
        }
    }
    assert_none("the glossary of README.md has another word", findings);
}

#[test]
fn modules_are_nouns_of_the_house() {
    let empty = [
        "utils", "util", "helpers", "helper", "common", "types", "manager", "service", "handler",
        "handlers",
    ];
    let named = rust().into_iter().chain(screens()).filter(|source| {
        let stems = source
            .path
            .split('/')
            .map(|part| part.split('.').next().unwrap_or(part));
        stems.into_iter().any(|stem| empty.contains(&stem))
    });
    assert_none(
        "a name that says nothing",
        named.map(|source| source.path).collect(),
    );
}

#[test]
fn nothing_is_left_unfinished_or_switched_off() {
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
    for source in rust()
        .into_iter()
        .chain(screens())
        .filter(|source| !source.path.starts_with("server/tests/tidy"))
    {
        for (number, line) in source.text.lines().enumerate() {
            let found = marks.iter().filter(|mark| line.contains(**mark));
            findings.extend(found.map(|mark| format!("{}:{}: {mark}", source.path, number + 1)));
        }
    }
    assert_none("unfinished", findings);
}

/// Places where a test may end the process are asked for by tests alone; a release build has none even then, which is the first
/// condition of the code itself.
#[test]
fn fail_points_are_for_tests_alone() {
    let mut findings = Vec::new();
    for member in ["persistence", "actors", "server", "loadtest"] {
        let manifest =
            fs::read_to_string(root().join(member).join("Cargo.toml")).expect("a manifest");
        let for_all = manifest
            .split("[dev-dependencies]")
            .next()
            .unwrap_or_default();
        findings.extend(
            for_all
                .contains("\"failpoints\"")
                .then(|| format!("{member} asks for them outside its tests")),
        );
    }
    let code = fs::read_to_string(root().join("persistence/src/failpoint.rs")).expect("the points");
    let armed = code
        .split("#[cfg(all(feature = \"failpoints\", debug_assertions))]")
        .count()
        - 1;
    findings.extend(
        (armed != 2)
            .then(|| format!("{armed} places instead of two that only a debug build compiles")),
    );
    assert_none("fail points", findings);
}

#[test]
fn the_top_level_is_the_one_the_user_drew() {
    let rooms = [
        "Cargo.toml",
        "server",
        "actors",
        "persistence",
        "web",
        "migrations",
        "loadtest",
        "README.md",
    ];
    let missing = rooms.iter().filter(|room| !root().join(room).exists());
    assert_none(
        "missing at the top level",
        missing.map(|room| room.to_string()).collect(),
    );
}

#[test]
fn the_security_checklist_names_what_there_is() {
    assert_none("server/ASVS.md", checklist::findings(&root(), &rust()));
}

#[test]
fn the_maps_of_the_specification_name_what_there_is() {
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
    let there = sources(&root(), &folders, &checklist::FILES);
    assert_none(".github/specification", checklist::drifts(&root(), &there));
}
