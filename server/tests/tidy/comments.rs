//! Extracts the comments of a source file line by line. Other checks then look for ids in them.

use super::source::Source;

/// One line of comment text, or of prose in Markdown.
pub struct CommentLine {
    pub number: usize,
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Rust,
    TypeScript,
    Css,
    Sql,
    Markdown,
}

impl Language {
    fn of_path(path: &str) -> Option<Self> {
        let (_, ending) = path.rsplit_once('.')?;
        match ending {
            "rs" => Some(Self::Rust),
            "ts" | "tsx" | "js" | "mjs" => Some(Self::TypeScript),
            "css" => Some(Self::Css),
            "sql" => Some(Self::Sql),
            "md" => Some(Self::Markdown),
            _ => None,
        }
    }

    fn starts_line_comment(self, rest: &[char]) -> bool {
        match self {
            Self::Rust | Self::TypeScript => rest.starts_with(&['/', '/']),
            Self::Sql => rest.starts_with(&['-', '-']),
            Self::Css | Self::Markdown => false,
        }
    }

    fn starts_block_comment(self, rest: &[char]) -> bool {
        rest.starts_with(&['/', '*'])
    }

    fn quote_characters(self) -> &'static [char] {
        match self {
            Self::Rust => &['"'],
            Self::TypeScript => &['"', '\'', '`'],
            Self::Css => &['"', '\''],
            Self::Sql => &['\''],
            Self::Markdown => &[],
        }
    }
}

/// Returns the lines of a file's comments, with inline code removed. Empty for an unknown language.
pub fn comment_lines(source: &Source) -> Vec<CommentLine> {
    let lines = match Language::of_path(&source.path) {
        None => Vec::new(),
        Some(Language::Markdown) => markdown_lines(&source.text),
        Some(language) => code_comment_lines(&source.text, language),
    };
    lines
        .into_iter()
        .map(|line| CommentLine {
            text: without_inline_code(&line.text),
            ..line
        })
        .collect()
}

/// Returns the lines of a Markdown file outside its fenced code blocks.
fn markdown_lines(text: &str) -> Vec<CommentLine> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push(CommentLine {
                number: index + 1,
                text: line.to_string(),
            });
        }
    }
    lines
}

/// Returns the text of line and block comments, one entry for each line that has any.
fn code_comment_lines(text: &str, language: Language) -> Vec<CommentLine> {
    let letters: Vec<char> = text.chars().collect();
    let mut lines: Vec<CommentLine> = Vec::new();
    let (mut at, mut number) = (0, 1);
    let mut push = |number: usize, letter: char| match lines.last_mut() {
        Some(line) if line.number == number => line.text.push(letter),
        _ => lines.push(CommentLine {
            number,
            text: letter.to_string(),
        }),
    };
    while at < letters.len() {
        let rest = &letters[at..];
        if language.starts_line_comment(rest) {
            while at < letters.len() && letters[at] != '\n' {
                push(number, letters[at]);
                at += 1;
            }
        } else if language.starts_block_comment(rest) {
            while at < letters.len() && !letters[at..].starts_with(&['*', '/']) {
                if letters[at] == '\n' {
                    number += 1;
                } else {
                    push(number, letters[at]);
                }
                at += 1;
            }
            at += 2;
        } else {
            let length = string_or_char_literal_length(rest, language).max(1);
            let end = (at + length).min(letters.len());
            number += letters[at..end].iter().filter(|c| **c == '\n').count();
            at = end;
        }
    }
    lines
}

/// Returns the length in characters of the string or character literal at the start of `rest`; 0 if
/// there is none.
pub fn string_or_char_literal_length(rest: &[char], language: Language) -> usize {
    let first = rest[0];
    if language == Language::Rust {
        if first == '\'' {
            return char_literal_length(rest);
        }
        if first == 'r' && matches!(rest.get(1), Some('"' | '#')) {
            return raw_string_length(rest);
        }
    }
    if !language.quote_characters().contains(&first) {
        return 0;
    }
    // Other strings than template literals and those of Rust and SQL end on their line. An
    // apostrophe in the text of JSX therefore hides at most the rest of its line.
    let is_multi_line = first == '`' || matches!(language, Language::Rust | Language::Sql);
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            '\\' if language != Language::Sql => at += 1,
            '\n' if !is_multi_line => return at,
            letter if letter == first => return at + 1,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// Returns the length of a Rust character literal; 1 if the quote belongs to a lifetime.
fn char_literal_length(rest: &[char]) -> usize {
    if rest.get(1) == Some(&'\\') {
        let end = rest.iter().skip(3).position(|c| *c == '\'');
        return end.map_or(1, |end| end + 4);
    }
    if rest.get(2) == Some(&'\'') { 3 } else { 1 }
}

/// Returns the length of a raw Rust string; 0 for a raw identifier such as `r#type`.
fn raw_string_length(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let mut at = hashes + 2;
    while at < rest.len() {
        let closes =
            rest[at] == '"' && rest[at + 1..].iter().take_while(|c| **c == '#').count() >= hashes;
        if closes {
            return at + 1 + hashes;
        }
        at += 1;
    }
    rest.len()
}

fn without_inline_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let is_paired = parts.len() % 2 == 1;
    let prose = parts
        .iter()
        .enumerate()
        .filter(|(index, _)| index % 2 == 0 || (!is_paired && *index + 1 == parts.len()));
    prose.map(|(_, part)| *part).collect::<Vec<_>>().join(" ")
}

#[test]
fn comments_are_found_outside_literals_only() {
    let found = |path: &str, text: &str| {
        let source = Source {
            path: path.into(),
            text: text.into(),
        };
        let lines = comment_lines(&source);
        lines
            .iter()
            .map(|line| format!("{}:{}", line.number, line.text.trim()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(
            "a.rs",
            "let a = \"// no\";\n// yes `C-99`\nlet b: &'static str = r#\"\n// no\"#; // D-1"
        ),
        ["2:// yes", "4:// D-1"]
    );
    assert_eq!(
        found(
            "a.tsx",
            "const a = 'https://x'; /* one\n two */ <p>don't</p>\n// three"
        ),
        ["1:/* one", "2:two", "3:// three"]
    );
    assert_eq!(found("a.sql", "select '-- no'; -- yes"), ["1:-- yes"]);
    assert_eq!(
        found("a.md", "one\n```\ntwo\n```\nthree"),
        ["1:one", "5:three"]
    );
}
