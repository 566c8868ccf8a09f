//! Checks the source files that Markdown pages name, and the names that they cite with `::`.
//!
//! | Cited as | Must exist |
//! |---|---|
//! | `club/draws.rs::create`, `api/pages::every_page…` | the file, with or without its ending, and the name in it |
//! | `dashboard.test::a club without draws…` | the test file, and a title in it that begins so |
//! | `::a club without draws…` | a title in the last `.test` file before |
//! | `draws.rs`, `stripe/http.rs` | a file whose path ends so |
//! | `Order::decide`, `persistence::records` | both words somewhere in the code |

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::checklist::shorten_path_for_map;
use super::source::{Source, identifiers, read_sources};

/// Endings that a page may leave out.
const OMITTED_ENDINGS: [&str; 5] = ["", ".rs", ".ts", ".tsx", ".spec.ts"];
/// Pages that shorten paths. In these, `draws::create` names a file, and elsewhere a Rust module.
const PAGES_WITH_SHORT_PATHS: &str = ".github/specification/";

/// The code in which a page's names must exist.
struct CitedCode<'a> {
    /// Each file's text with its path in short form.
    files: Vec<(String, &'a str)>,
    words: BTreeSet<&'a str>,
}

impl<'a> CitedCode<'a> {
    /// Leaves out pages and these tests, which would make every name exist.
    fn new(sources: &'a [Source]) -> Self {
        let files: Vec<(String, &str)> = sources
            .iter()
            .filter(|source| !source.path.ends_with(".md"))
            .filter(|source| !source.path.starts_with("server/tests/tidy"))
            .map(|source| (shorten_path_for_map(&source.path), source.text.as_str()))
            .collect();
        let words = files
            .iter()
            .flat_map(|(_, text)| identifiers(text))
            .collect();
        Self { files, words }
    }

    /// Returns the texts of the files that a path may mean.
    fn texts(&self, path: &str) -> Vec<&'a str> {
        // A leading slash remains of braces, as in `{club,operator}/descriptions.rs`.
        let path = shorten_path_for_map(path.trim_start_matches('/'));
        let ends = OMITTED_ENDINGS.map(|ending| path.clone() + ending);
        self.files
            .iter()
            .filter(|(file, _)| ends.iter().any(|end| file.ends_with(end)))
            .map(|(_, text)| *text)
            .collect()
    }
}

/// Returns where a page cites a name that does not exist.
pub fn find_missing_names(root: &Path, sources: &[Source]) -> Vec<String> {
    let code = CitedCode::new(sources);
    let mut pages = read_sources(root, &[".github"], &["md"]);
    pages.extend(["README.md", "web/README.md"].map(|path| Source {
        path: path.into(),
        text: fs::read_to_string(root.join(path)).expect("a README"),
    }));
    let others = sources.iter().filter(|source| source.path.ends_with(".md"));
    let mut findings = Vec::new();
    for page in pages.iter().chain(others) {
        let shortens_paths = page.path.starts_with(PAGES_WITH_SHORT_PATHS);
        let missing = missing_names_in_page(&page.text, shortens_paths, &code);
        let files = missing_files_in_page(&page.text, &code);
        findings.extend(
            missing
                .into_iter()
                .chain(files)
                .map(|(line, name)| format!("{}:{line}: {name}", page.path)),
        );
    }
    findings
}

/// Returns the line and text of each citation that does not resolve.
fn missing_names_in_page(
    text: &str,
    shortens_paths: bool,
    code: &CitedCode<'_>,
) -> Vec<(usize, String)> {
    let mut missing = Vec::new();
    let mut test_file = "";
    for (index, line) in text.lines().enumerate() {
        let pieces: Vec<&str> = line.split("::").collect();
        for pair in pieces.windows(2) {
            let (before, after) = (pair[0], pair[1]);
            test_file = last_test_file(before).unwrap_or(test_file);
            let cited = words_of_paths(before).last().unwrap_or_default();
            let path = if cited.is_empty() { test_file } else { cited };
            // Outside the maps, colons without a path cite nothing: they may be an IPv6 address.
            let is_citation = shortens_paths || !cited.is_empty();
            if is_citation && !name_exists(path, after, shortens_paths, code) {
                missing.push((index + 1, format!("{path}::{}", split_name(after).0)));
            }
        }
        test_file = pieces
            .last()
            .and_then(|end| last_test_file(end))
            .unwrap_or(test_file);
    }
    missing
}

/// Returns the line and path of each source file that does not exist.
fn missing_files_in_page(text: &str, code: &CitedCode<'_>) -> Vec<(usize, String)> {
    let is_missing = |word: &&str| {
        [".rs", ".ts", ".tsx"].iter().any(|ending| {
            word.strip_suffix(ending)
                .is_some_and(|stem| stem.ends_with(|c: char| c.is_ascii_alphanumeric()))
        }) && !word.starts_with("server/tests/tidy")
            && code.texts(word).is_empty()
    };
    let mut missing = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let files = words_of_paths(line).filter(is_missing);
        missing.extend(files.map(|file| (index + 1, file.to_string())));
    }
    missing
}

/// Returns the last unit test file of the web that the text names, such as `dashboard.test`.
fn last_test_file(text: &str) -> Option<&str> {
    words_of_paths(text)
        .filter(|word| word.ends_with(".test"))
        .last()
}

/// Splits text at the characters that no path contains.
fn words_of_paths(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "_./-".contains(c)))
}

/// Returns the name or title at the start of the text, and whether the file need only contain it:
/// a title, or a name cut short by `…` or `*`.
fn split_name(text: &str) -> (&str, bool) {
    let end = text
        .find(|c| "…*,;:|·→(`".contains(c))
        .unwrap_or(text.len());
    let name = text[..end].trim();
    (
        name,
        name.contains(' ') || text[end..].starts_with(['…', '*']),
    )
}

/// Returns whether the name at the start of `text` exists in the file or module before it.
fn name_exists(path: &str, text: &str, shortens_paths: bool, code: &CitedCode<'_>) -> bool {
    let (name, is_part) = split_name(text);
    let is_rust_path = !path.contains(['.', '/', '-'])
        && (!shortens_paths || path.starts_with(|c: char| c.is_ascii_uppercase()));
    if is_rust_path {
        let word = identifiers(name).next().unwrap_or_default();
        return code.words.contains(path) && code.words.contains(word);
    }
    code.texts(path).iter().any(|text| {
        if is_part {
            text.contains(name)
        } else {
            identifiers(text).any(|word| word == name)
        }
    })
}

#[test]
fn missing_names_are_reported() {
    let source = |path: &str, text: &str| Source {
        path: path.into(),
        text: text.into(),
    };
    let sources = [
        source(
            "server/src/http/routes/club/draws.rs",
            "impl Order { fn create() {} }",
        ),
        source(
            "web/src/features/club/login.test.tsx",
            "test('a wrong password, twice')",
        ),
    ];
    let code = CitedCode::new(&sources);
    let missing = |text| -> Vec<String> {
        let found = missing_names_in_page(text, true, &code);
        found.into_iter().map(|(_, name)| name).collect()
    };
    assert!(
        missing("S/club/draws.rs::create, rs:draws::cre…, draws::*, `Order::create`").is_empty()
    );
    assert!(missing("login.test\n| ::a wrong password, twice | ::a wrong pass… |").is_empty());
    assert_eq!(missing("club/draws.rs::creat"), ["club/draws.rs::creat"]);
    assert_eq!(missing("draw.rs::create"), ["draw.rs::create"]);
    assert_eq!(missing("Order::open"), ["Order::open"]);
    assert_eq!(
        missing_files_in_page("draws.rs\nlogin.ts, fees.rs", &code),
        [(2, "login.ts".into()), (2, "fees.rs".into())]
    );
    assert_eq!(
        missing("login.test::a right password"),
        ["login.test::a right password"]
    );
}
