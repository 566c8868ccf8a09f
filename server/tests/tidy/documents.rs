//! Checks that the files named in the repository's Markdown pages exist.

use std::fs;
use std::path::Path;

use super::source::read_sources;

/// Pages outside `.github` whose paths are checked as well.
const CHECKED_DOCUMENTS: [&str; 3] = ["README.md", "loadtest/EVIDENCE.md", "migrations/README.md"];

/// Returns the files and links that Markdown pages name and that do not exist.
pub fn find_missing_files(root: &Path) -> Vec<String> {
    let mut pages: Vec<String> = CHECKED_DOCUMENTS.map(String::from).to_vec();
    let guides = read_sources(root, &[".github"], &["md"]);
    pages.extend(
        guides
            .into_iter()
            .map(|page| page.path)
            // Leaves out the specification's maps. They shorten paths, and `checklist` checks them.
            .filter(|path| !path.starts_with(".github/specification")),
    );
    let mut findings = Vec::new();
    for page in &pages {
        let text = fs::read_to_string(root.join(page)).expect("a page");
        let folder = root.join(page).parent().expect("a folder").to_path_buf();
        for path in paths_in_page(&text) {
            if !root.join(&path).exists() && !folder.join(&path).exists() {
                findings.push(format!("{page}: {path} does not exist"));
            }
        }
    }
    findings
}

/// Returns the paths in inline code and the targets of links. Skips fenced code blocks.
fn paths_in_page(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let prose = text.split("```").step_by(2).collect::<String>();
    found.extend(
        prose
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|code| is_repository_path(code))
            .map(String::from),
    );
    found.extend(
        prose
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', '#']).next())
            .filter(|target| !target.is_empty() && !target.contains("://"))
            .map(String::from),
    );
    found
}

/// Returns whether a piece of inline code is a path of the repository, and not a URL, command or
/// formula.
fn is_repository_path(code: &str) -> bool {
    code.contains('/')
        && !code.starts_with('/')
        && code
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
}

#[test]
fn paths_and_links_are_found() {
    let text = "`server/src/app.rs` `GET /api/x` `/draw/1`\n```\n`no/file`\n```\n[a](b/c.md#d) [e](https://f/g)";
    assert_eq!(paths_in_page(text), ["server/src/app.rs", "b/c.md"]);
}
