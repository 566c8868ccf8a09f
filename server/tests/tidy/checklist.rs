//! Checks the security checklist `server/ASVS.md` and the pages of `.github/specification`, called
//! maps. The files and tests that these name must exist. The checklist must list every applicable
//! requirement once.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::source::{Source, identifiers};

/// The ASVS requirements that apply, by chapter. `2.3.1-4` means 2.3.1 to 2.3.4. The last three
/// lines are of level 3.
const APPLICABLE_ASVS_REQUIREMENTS: [&str; 13] = [
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

/// Returns the numbers of the applicable requirements. Ranges are expanded.
fn applicable_asvs_requirements() -> BTreeSet<String> {
    let words = APPLICABLE_ASVS_REQUIREMENTS
        .iter()
        .flat_map(|line| line.split(' '));
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

/// Returns the files and tests in the checklist that do not exist, and requirements that are
/// missing, not applicable or repeated.
pub fn find_checklist_problems(root: &Path, tests: &[Source]) -> Vec<String> {
    let text = fs::read_to_string(root.join("server/ASVS.md")).expect("the checklist");
    let known: BTreeSet<String> = tests
        .iter()
        .flat_map(|source| source.function_spans().into_iter().map(|(name, ..)| name))
        .collect();
    let mut findings = Vec::new();
    for named in text.split('`').skip(1).step_by(2) {
        let is_file = named.contains('/') && !named.contains(' ') && !named.starts_with('/');
        let is_test = named.matches('_').count() >= 3
            && named.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if is_file && !root.join(named).exists() || is_test && !known.contains(named) {
            findings.push(format!("{named} does not exist"));
        }
    }
    let rows = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(' '));
    let rows: Vec<String> = rows
        .map(|(number, _)| number.to_string())
        .filter(|number| number.contains('.'))
        .collect();
    let (applicable, listed) = (
        applicable_asvs_requirements(),
        rows.iter().cloned().collect::<BTreeSet<_>>(),
    );
    findings.extend(
        applicable
            .symmetric_difference(&listed)
            .map(|number| format!("{number} is missing or not applicable")),
    );
    if rows.len() != listed.len() {
        findings.push("a number is listed twice".to_string());
    }
    findings
}

/// The maps of the specification. Each row says where the code implements and tests a point of the
/// specification.
const SPECIFICATION_MAPS: [&str; 3] = ["club.md", "operator.md", "public.md"];

/// File name endings by which a word in a map is recognised as a file.
pub const NAMED_FILE_ENDINGS: [&str; 11] = [
    "rs", "ts", "tsx", "js", "mjs", "css", "sql", "html", "md", "txt", "json",
];

/// Returns the files and names in a map that do not exist in the sources.
pub fn stale_specification_map_entries(root: &Path, all_sources: &[Source]) -> Vec<String> {
    let files: Vec<String> = all_sources
        .iter()
        .map(|source| shorten_path_for_map(&source.path))
        .collect();
    // A name counts as existing only if it occurs in code other than these tests.
    let is_code = |source: &&Source| {
        !source.path.ends_with(".md") && !source.path.starts_with("server/tests/tidy")
    };
    let code = all_sources.iter().filter(is_code);
    let known: BTreeSet<&str> = code
        .flat_map(|source| identifiers(&source.text))
        .filter(|name| is_code_name(name))
        .collect();
    let mut findings = Vec::new();
    for map in SPECIFICATION_MAPS {
        let text = fs::read_to_string(root.join(".github/specification").join(map)).expect("a map");
        for (number, line) in text.lines().enumerate() {
            let missing = missing_names_in_map_row(line, &files, &known);
            findings.extend(
                missing
                    .into_iter()
                    .map(|word| format!("{map}:{}: {word} does not exist", number + 1)),
            );
        }
    }
    findings
}

/// Returns the files and names in a map's row that do not exist. `a_name_that_begins…` stands for
/// any longer name.
fn missing_names_in_map_row(line: &str, files: &[String], known: &BTreeSet<&str>) -> Vec<String> {
    let line = line.replace('…', "… ").replace('*', "* ");
    let words =
        line.split(|letter: char| !(letter.is_ascii_alphanumeric() || "_./-…*".contains(letter)));
    let mut missing = Vec::new();
    for word in words {
        let is_cut = word.ends_with(['…', '*']);
        let word = word.trim_matches(['…', '*', '.']);
        if word.starts_with('/') {
            continue;
        }
        if word
            .rsplit_once('.')
            .is_some_and(|(_, ending)| NAMED_FILE_ENDINGS.contains(&ending))
        {
            let path = shorten_path_for_map(word);
            missing.extend(
                (!files.iter().any(|file| file.ends_with(&path))).then(|| word.to_string()),
            );
            continue;
        }
        let last = word.rsplit(['/', '.', '-']).next().unwrap_or(word);
        for name in word
            .split(['/', '.', '-'])
            .filter(|name| is_code_name(name))
        {
            let has_longer = || known.iter().any(|longer| longer.starts_with(name));
            let exists = known.contains(name) || is_cut && name == last && has_longer();
            missing.extend((!exists).then(|| name.to_string()));
        }
    }
    missing
}

/// Returns whether a word has the form of a name in code, `snake_case` or `camelCase`. A name of one
/// part may be an ordinary English word.
fn is_code_name(name: &str) -> bool {
    let has_hump = name
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    (name.contains('_') || has_hump) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns a path in the short form of the maps: with a leading slash, without `src`, without the
/// map's letter as in `W/fees/fees.tsx`, and without a migration's number.
pub fn shorten_path_for_map(path: &str) -> String {
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
fn stale_names_in_a_map_row_are_reported() {
    let files = [
        "server/src/wire/draw.rs",
        "migrations/20261120000001_core.sql",
    ]
    .map(shorten_path_for_map);
    let known = BTreeSet::from(["a_draw_is_listed_while_it_is_on_sale"]);
    let found = |line| missing_names_in_map_row(line, &files, &known);
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
