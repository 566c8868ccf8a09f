//! `server/ASVS.md` names files and tests that exist, and every requirement once; so do the maps of the specification, as far as
//! they name them by file or in snake case.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::source::{Source, identifiers};

/// What bites here, by chapter: `2.3.1-4` is four. Those of level 3 stand last.
const REQUIRED: [&str; 13] = [
    "1.2.1-5 1.2.9 1.3.3 1.3.4 1.3.6 1.3.7 1.3.11 1.4.2 1.5.1 1.5.2",
    "2.1.2 2.1.3 2.2.1-3 2.3.1-4 2.4.1",
    "3.2.1 3.2.2 3.3.1-4 3.4.1-6 3.5.1-5 3.7.2",
    "4.1.1-3 4.2.1 4.4.1-4 5.1.1 5.2.1 5.2.2 5.3.1 5.3.2 5.4.1-3",
    "6.1.1-3 6.2.1-12 6.3.1-4 6.4.1-4 6.5.1-5",
    "7.1.1 7.1.2 7.2.1-4 7.3.1 7.3.2 7.4.1-5 7.5.1 7.5.2",
    "8.1.1 8.1.2 8.2.1-3 8.3.1 8.4.1 11.2.1 11.3.1-3 11.4.1-3 11.5.1",
    "12.1.1 12.2.1 12.3.1-4 13.2.1-5 13.3.1 13.4.1-5",
    "14.1.1 14.2.1-4 14.3.1-3 15.1.2 15.1.3 15.2.1-3 15.3.1-7",
    "16.1.1 16.2.1-5 16.3.1-4 16.4.1-3 16.5.1-3",
    "1.2.10 2.4.2 3.1.1 3.4.7 3.4.8 3.5.7 3.5.8 4.1.4",
    "5.2.4 5.2.6 6.3.7 6.3.8 7.5.3 8.3.2 11.2.4 13.1.2",
    "13.1.3 13.2.6 14.2.6 14.2.7 15.4.1 15.4.2 15.4.3 16.5.4",
];

fn required() -> BTreeSet<String> {
    let words = REQUIRED.iter().flat_map(|line| line.split(' '));
    let each = words.flat_map(|word| {
        let (chapter, last) = word.rsplit_once('.').expect("a number");
        let (from, to) = last.split_once('-').unwrap_or((last, last));
        let (from, to): (u32, u32) = (
            from.parse().expect("a number"),
            to.parse().expect("a number"),
        );
        (from..=to).map(move |number| format!("{chapter}.{number}"))
    });
    each.collect()
}

/// What is wrong with the list.
pub fn findings(root: &Path, tests: &[Source]) -> Vec<String> {
    let text = fs::read_to_string(root.join("server/ASVS.md")).expect("the checklist");
    let known: BTreeSet<String> = tests
        .iter()
        .flat_map(|source| source.functions().into_iter().map(|(name, ..)| name))
        .collect();
    let mut wrong = Vec::new();
    for named in text.split('`').skip(1).step_by(2) {
        let is_file = named.contains('/') && !named.contains(' ') && !named.starts_with('/');
        let is_test = named.matches('_').count() >= 3
            && named.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if is_file && !root.join(named).exists() || is_test && !known.contains(named) {
            wrong.push(format!("{named} is not there"));
        }
    }
    let rows = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(' '));
    let rows: Vec<String> = rows
        .map(|(number, _)| number.to_string())
        .filter(|number| number.contains('.'))
        .collect();
    let (required, listed) = (required(), rows.iter().cloned().collect::<BTreeSet<_>>());
    wrong.extend(
        required
            .symmetric_difference(&listed)
            .map(|number| format!("{number} is missing, or nobody's")),
    );
    if rows.len() != listed.len() {
        wrong.push("a number stands there twice".to_string());
    }
    wrong
}

/// Maps of the specification: each row says where a point lives, and what tests it.
const MAPS: [&str; 3] = ["club.md", "operator.md", "public.md"];

/// What a word that is a file ends with, in what the maps name.
pub const FILES: [&str; 11] = [
    "rs", "ts", "tsx", "js", "mjs", "css", "sql", "html", "md", "txt", "json",
];

/// Files and names that a map has and nobody else; `there` is everything it may speak of.
pub fn drifts(root: &Path, there: &[Source]) -> Vec<String> {
    let files: Vec<String> = there.iter().map(|source| shortened(&source.path)).collect();
    // What only these tests or another page say is nowhere.
    let is_code = |source: &&Source| {
        !source.path.ends_with(".md") && !source.path.starts_with("server/tests/tidy")
    };
    let code = there.iter().filter(is_code);
    let known: BTreeSet<&str> = code
        .flat_map(|source| identifiers(&source.text))
        .filter(|name| is_said(name))
        .collect();
    let mut wrong = Vec::new();
    for map in MAPS {
        let text = fs::read_to_string(root.join(".github/specification").join(map)).expect("a map");
        for (number, line) in text.lines().enumerate() {
            let missing = missing(line, &files, &known);
            wrong.extend(
                missing
                    .into_iter()
                    .map(|word| format!("{map}:{}: {word} is not there", number + 1)),
            );
        }
    }
    wrong
}

/// What a row names and is not there. `a_name_that_begins_so…` stands for a longer one.
fn missing(line: &str, files: &[String], known: &BTreeSet<&str>) -> Vec<String> {
    let line = line.replace('…', "… ").replace('*', "* ");
    let words =
        line.split(|letter: char| !(letter.is_ascii_alphanumeric() || "_./-…*".contains(letter)));
    let mut wrong = Vec::new();
    for word in words {
        let is_cut = word.ends_with(['…', '*']);
        let word = word.trim_matches(['…', '*', '.']);
        if word.starts_with('/') {
            continue;
        }
        if word
            .rsplit_once('.')
            .is_some_and(|(_, ending)| FILES.contains(&ending))
        {
            let wanted = shortened(word);
            wrong.extend(
                (!files.iter().any(|file| file.ends_with(&wanted))).then(|| word.to_string()),
            );
            continue;
        }
        let last = word.rsplit(['/', '.', '-']).next().unwrap_or(word);
        for name in word.split(['/', '.', '-']).filter(|name| is_said(name)) {
            let begins = || known.iter().any(|longer| longer.starts_with(name));
            let is_there = known.contains(name) || is_cut && name == last && begins();
            wrong.extend((!is_there).then(|| name.to_string()));
        }
    }
    wrong
}

/// A name of three words or more in snake case: a test, a function, a column; too long to stand there by chance.
fn is_said(name: &str) -> bool {
    name.matches('_').count() >= 2
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// A path as the maps write it: after a slash, without `src` and a map's own letter (`W/fees/fees.tsx`), a migration without its
/// number.
fn shortened(path: &str) -> String {
    let path = match path.split_once('/') {
        Some((letter, rest)) if letter.len() == 1 => rest,
        _ => path,
    };
    let mut parts: Vec<&str> = path.split('/').filter(|part| *part != "src").collect();
    if let Some(name) = parts.last_mut() {
        let digits = name.trim_start_matches(|c: char| c.is_ascii_digit());
        *name = digits.strip_prefix('_').unwrap_or(name);
    }
    format!("/{}", parts.join("/"))
}

#[test]
fn what_a_map_names_and_nobody_has_is_found() {
    let files = [
        "server/src/wire/draw.rs",
        "migrations/20261120000001_core.sql",
    ]
    .map(shortened);
    let known = BTreeSet::from(["a_draw_is_listed_while_it_is_on_sale"]);
    let found = |line| missing(line, &files, &known);
    assert!(
        found("| 7 | S/wire/draw.rs, core.sql | api/reads::a_draw_is_listed…, /widgets/live.js |")
            .is_empty()
    );
    assert_eq!(
        found("| wire/draws.rs | a_draw_is_listed |"),
        ["wire/draws.rs", "a_draw_is_listed"]
    );
    assert_eq!(found("a_draw_is_lost…"), ["a_draw_is_lost"]);
}
