//! Source files of the repository, and what the tidy tests read from them: lines of code, functions
//! and names.

use std::fs;
use std::path::Path;

/// A source file of the repository.
pub struct Source {
    /// Path relative to the root of the repository, with forward slashes.
    pub path: String,
    pub text: String,
}

/// Returns every file below the folders with one of the endings, sorted by path. Panics if a folder
/// is missing, because the files of a moved folder would otherwise go unchecked.
pub fn read_sources(root: &Path, folders: &[&str], endings: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    for folder in folders {
        assert!(root.join(folder).is_dir(), "{folder} does not exist");
        gather_files(root, &root.join(folder), endings, &mut found);
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn gather_files(root: &Path, folder: &Path, endings: &[&str], found: &mut Vec<Source>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            if !["target", "node_modules", "dist"].contains(&name.as_str()) {
                gather_files(root, &path, endings, found);
            }
        } else if path
            .extension()
            .is_some_and(|ending| endings.iter().any(|e| ending == *e))
        {
            let text = fs::read_to_string(&path).expect("a readable source");
            let path = path
                .strip_prefix(root)
                .expect("below the root")
                .to_string_lossy()
                .replace('\\', "/");
            found.push(Source { path, text });
        }
    }
}

impl Source {
    /// Returns each line with its number, without line comments and without the content of double
    /// quotes.
    pub fn code_lines(&self) -> impl Iterator<Item = (usize, String)> {
        self.text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line_without_comment_and_strings(line)))
            .filter(|(_, line)| !line.is_empty())
    }

    /// Returns name, first line and last line of each function. Relies on rustfmt, which indents
    /// the closing brace like the first line.
    pub fn function_spans(&self) -> Vec<(String, usize, usize)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let mut found = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let Some(name) = function_name(line) else {
                continue;
            };
            let indent = line.len() - line.trim_start().len();
            let end = format!("{}}}", " ".repeat(indent));
            let body = lines[index..].iter().position(|line| {
                *line == end
                    || (line.ends_with(';')
                        && line.starts_with(&" ".repeat(indent))
                        && !line[indent..].starts_with(' '))
            });
            found.push((name, index + 1, index + 1 + body.unwrap_or(0)));
        }
        found
    }
}

fn function_name(line: &str) -> Option<String> {
    let mut words = line.split_whitespace().skip_while(|word| {
        [
            "pub",
            "pub(crate)",
            "pub(super)",
            "async",
            "const",
            "unsafe",
        ]
        .contains(word)
            || word.starts_with("pub(in")
    });
    if words.next() != Some("fn") {
        return None;
    }
    words
        .next()
        .map(|rest| rest.split(['(', '<']).next().unwrap_or(rest).to_string())
}

/// Returns a line of code without its comment and without the content of double quotes.
fn line_without_comment_and_strings(line: &str) -> String {
    let mut code = String::new();
    let mut quoted = false;
    let mut previous = ' ';
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if !quoted && letter == '/' && letters.peek() == Some(&'/') {
            break;
        }
        if letter == '"' && previous != '\\' {
            quoted = !quoted;
        } else if !quoted {
            code.push(letter);
        }
        previous = letter;
    }
    let code = code.trim();
    if code.starts_with('*') || code.starts_with("/*") {
        String::new()
    } else {
        code.to_string()
    }
}

/// Returns the identifiers in a line of code.
pub fn identifiers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|name| name.chars().next().is_some_and(|c| !c.is_ascii_digit()))
}
