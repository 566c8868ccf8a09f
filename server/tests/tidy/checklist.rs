//! `server/ASVS.md` names files and tests that exist, and every requirement once.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::source::Source;

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
    "14.1.1 14.2.1-4 14.3.1-3 15.1.2 15.1.3 15.2.2 15.2.3 15.3.1-7",
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
        let (from, to): (u32, u32) = (from.parse().expect("a number"), to.parse().expect("a number"));
        (from..=to).map(move |number| format!("{chapter}.{number}"))
    });
    each.collect()
}

/// What is wrong with the list.
pub fn findings(root: &Path, tests: &[Source]) -> Vec<String> {
    let text = fs::read_to_string(root.join("server/ASVS.md")).expect("the checklist");
    let known: BTreeSet<String> =
        tests.iter().flat_map(|source| source.functions().into_iter().map(|(name, ..)| name)).collect();
    let mut wrong = Vec::new();
    for named in text.split('`').skip(1).step_by(2) {
        let is_file = named.contains('/') && !named.contains(' ') && !named.starts_with('/');
        let is_test = named.matches('_').count() >= 3 && named.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if is_file && !root.join(named).exists() || is_test && !known.contains(named) {
            wrong.push(format!("{named} is not there"));
        }
    }
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(' '));
    let rows: Vec<String> = rows.map(|(number, _)| number.to_string()).filter(|number| number.contains('.')).collect();
    let (required, listed) = (required(), rows.iter().cloned().collect::<BTreeSet<_>>());
    wrong.extend(required.symmetric_difference(&listed).map(|number| format!("{number} is missing, or nobody's")));
    if rows.len() != listed.len() {
        wrong.push("a number stands there twice".to_string());
    }
    wrong
}
