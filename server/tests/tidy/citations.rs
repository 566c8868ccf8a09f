//! Checks that every id cited in a comment or in Markdown has an entry.
//!
//! | Cited as | Entry |
//! |---|---|
//! | a letter, a hyphen and a number | a decision in `.github/decisions/` |
//! | a letter and a number | an invariant, rule or scenario in `.github/decisions/` |
//! | A, B or C, a colon and a number | a row or heading of a map in `.github/specification/` |
//! | "rule", "section" or "decision" and a number | an entry in `.github/decisions/`, or a file there |
//!
//! An entry is bold text in a file of `.github/decisions/`. Sections of published standards (RFC, WCAG, a law) need none.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::comments::comment_lines;
use super::source::{Source, read_sources};

/// Letters of decisions about the specification.
const DECISION_ID_LETTERS: &str = "ABCDEFGHIJKM";
/// Letters of invariants (T, M, P, E, W, O, N, R, B, D), architecture rules (A), scenarios (F) and purchase steps (S).
const INVARIANT_AND_RULE_ID_LETTERS: &str = "TMPEWONRBDAFS";
/// Words that name a published standard. A citation of its sections needs no entry.
const CITED_STANDARDS: [&str; 5] = ["RFC", "ASVS", "WCAG", "Law", "ISO"];
/// Folders whose files are searched for citations.
const CITING_FOLDERS: [&str; 6] = [
    "server",
    "actors",
    "persistence",
    "loadtest",
    "migrations",
    "web",
];
const CITING_ENDINGS: [&str; 8] = ["rs", "ts", "tsx", "js", "mjs", "css", "sql", "md"];
/// The letter of each part of the specification, and the file that maps it to code.
const SPECIFICATION_MAP_BY_LETTER: [(char, &str); 3] =
    [('A', "public.md"), ('B', "club.md"), ('C', "operator.md")];

/// Everything that a comment or page may cite.
pub struct CitableEntries {
    /// Ids in bold text, such as `C-9`, `T2`, `rule 5` or `section 7.4`.
    ids: BTreeSet<String>,
    /// Numbers of decision records.
    records: BTreeSet<u32>,
    map_sections: BTreeSet<String>,
    /// Line numbers of the specification that a map lists, such as `A:226`.
    lines: BTreeSet<String>,
}

impl CitableEntries {
    /// Reads the entries of `.github/decisions` and `.github/specification`.
    pub fn read(root: &Path) -> Self {
        let mut entries = Self {
            ids: BTreeSet::new(),
            records: BTreeSet::new(),
            map_sections: BTreeSet::new(),
            lines: BTreeSet::new(),
        };
        for source in read_sources(root, &[".github/decisions"], &["md"]) {
            let name = source.path.rsplit('/').next().unwrap_or_default();
            entries
                .records
                .extend(name.split('-').next().and_then(|n| n.parse::<u32>().ok()));
            entries.ids.extend(bold_ids(&source.text));
            // A decision record may also state a number by which an applied migration cites it.
            entries.records.extend(
                source
                    .text
                    .split("as decision ")
                    .skip(1)
                    .filter_map(leading_number),
            );
        }
        for (letter, map) in SPECIFICATION_MAP_BY_LETTER {
            let path = root.join(".github/specification").join(map);
            let text = fs::read_to_string(path).expect("a map of the specification");
            entries.read_specification_map(letter, &text);
        }
        entries
    }

    fn read_specification_map(&mut self, letter: char, text: &str) {
        for line in text.lines() {
            let mut add = |cell: &str| {
                self.lines
                    .extend(expand_number_ranges(cell).map(|number| format!("{letter}:{number}")));
            };
            if let Some(heading) = line.strip_prefix("## ") {
                heading
                    .split('(')
                    .skip(1)
                    .filter_map(|part| part.split(')').next())
                    .for_each(&mut add);
                self.map_sections.extend(leading_section_numbers(heading));
            } else if let Some(row) = line.strip_prefix("| ") {
                add(row.split('|').next().unwrap_or_default());
            }
        }
    }
}

/// Returns the ids that are set in bold: `**C-9**`, `**rule 5: …**`, `**Rule 5**`.
fn bold_ids(text: &str) -> Vec<String> {
    let bold = text.split("**").skip(1).step_by(2);
    bold.filter(|id| id.len() < 80)
        .map(|id| {
            let id = id.split([':', '.']).next().unwrap_or(id).trim();
            id.to_lowercase()
        })
        // Section numbers contain full stops, at which the ids above are cut off.
        .chain(
            text.split("**section ")
                .skip(1)
                .filter_map(|rest| rest.split("**").next())
                .map(|number| format!("section {number}")),
        )
        .collect()
}

/// Returns the numbers of a map's cell or heading: `18, 262`, `33-35, A-3`, `B:14-30`.
fn expand_number_ranges(cell: &str) -> impl Iterator<Item = u32> {
    let parts = cell.split([',', ' ']);
    parts.flat_map(|part| {
        let part = part.split_once(':').map_or(part, |(_, numbers)| numbers);
        let (from, to) = part.split_once(['-', '–']).unwrap_or((part, part));
        let range = from.parse::<u32>().ok().zip(to.parse::<u32>().ok());
        range.into_iter().flat_map(|(from, to)| from..=to)
    })
}

fn leading_number(text: &str) -> Option<u32> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Returns the section numbers at the start of a map's heading: `§2 Routes`, `Section 3, …`, `1-2 Getting in`.
fn leading_section_numbers(heading: &str) -> Vec<String> {
    let heading = heading
        .trim_start_matches('§')
        .trim_start_matches("Section ");
    let first = heading.split([' ', ',']).next().unwrap_or_default();
    expand_number_ranges(first)
        .map(|number| number.to_string())
        .collect()
}

/// Returns where a comment or a page cites an id that has no entry.
pub fn find_unresolved_citations(root: &Path) -> Vec<String> {
    let entries = CitableEntries::read(root);
    let mut cited = read_sources(root, &CITING_FOLDERS, &CITING_ENDINGS);
    cited.extend(read_sources(root, &[".github"], &["md"]));
    cited.push(Source {
        path: "README.md".into(),
        text: fs::read_to_string(root.join("README.md")).expect("the README"),
    });
    let mut findings = Vec::new();
    for source in &cited {
        for line in comment_lines(source) {
            findings.extend(
                unresolved_ids(&line.text, &entries)
                    .into_iter()
                    .map(|id| format!("{}:{}: {id} has no entry", source.path, line.number)),
            );
        }
    }
    findings
}

/// Returns the ids in a line of prose that have no entry.
fn unresolved_ids(line: &str, entries: &CitableEntries) -> Vec<String> {
    let mut missing = Vec::new();
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || "()[]{}<>\"'“”‘’|;!?*".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    for (index, word) in words.iter().enumerate() {
        for token in ids_in_word(word) {
            let known = match token {
                CitedId::Decision(ref id) | CitedId::Invariant(ref id) => {
                    entries.ids.contains(&id.to_lowercase())
                }
                CitedId::Line(ref id) => entries.lines.contains(id),
            };
            if !known {
                missing.push(token.text().to_string());
            }
        }
        let next = words.get(index + 1).copied().unwrap_or_default();
        missing.extend(unresolved_numbered_citation(line, word, next, entries));
    }
    missing
}

/// Checks "rule 5", "section 7.4", "§4" and "decision 7"; `word` is the noun and `next` the number.
fn unresolved_numbered_citation(
    line: &str,
    word: &str,
    next: &str,
    entries: &CitableEntries,
) -> Option<String> {
    let noun = word.to_lowercase();
    let is_standard = CITED_STANDARDS
        .iter()
        .any(|standard| line.contains(standard));
    let number: String = match word.strip_prefix('§') {
        Some(rest) if !rest.is_empty() => rest.into(),
        _ => next.into(),
    };
    let number: String = number
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    let number = number.trim_end_matches('.');
    if number.is_empty() || is_standard {
        return None;
    }
    let known = match noun.as_str() {
        "rule" | "rules" => entries.ids.contains(&format!("rule {number}")),
        "section" | "sections" => entries.has_map_section(number),
        "decision" | "decisions" => entries
            .records
            .contains(&number.parse::<u32>().unwrap_or(0)),
        _ if word.starts_with('§') => entries.has_map_section(number),
        _ => true,
    };
    (!known).then(|| format!("{word} {next}"))
}

impl CitableEntries {
    fn has_map_section(&self, number: &str) -> bool {
        self.map_sections.contains(number) || self.ids.contains(&format!("section {number}"))
    }
}

/// An id that a text cites.
#[derive(Debug, PartialEq, Eq)]
enum CitedId {
    Decision(String),
    Invariant(String),
    Line(String),
}

impl CitedId {
    fn text(&self) -> &str {
        match self {
            Self::Decision(id) | Self::Invariant(id) | Self::Line(id) => id,
        }
    }
}

/// Returns the ids in a word: `C-9`, `(A:258-286)`, `T2/T3`, `F16-F22`.
fn ids_in_word(word: &str) -> Vec<CitedId> {
    let letters: Vec<char> = word.chars().collect();
    let mut found = Vec::new();
    for at in 0..letters.len() {
        let letter = letters[at];
        let is_start = letter.is_ascii_uppercase()
            && match at.checked_sub(1).map(|before| letters[before]) {
                None => true,
                // After a digit and a separator, the second id of a range or list starts.
                Some('-' | '–' | '/' | ',') => at >= 2 && letters[at - 2].is_ascii_digit(),
                Some(before) => !(before.is_alphanumeric() || "_.#$=:%&+@\\".contains(before)),
            };
        if !is_start {
            continue;
        }
        let separator = letters.get(at + 1).copied().unwrap_or(' ');
        let skip = usize::from(matches!(separator, '-' | ':'));
        let digits: String = letters[at + 1 + skip..]
            .iter()
            .take_while(|c| c.is_ascii_digit())
            .collect();
        let after = letters.get(at + 1 + skip + digits.len()).copied();
        let ends = !after.is_some_and(|c| c.is_alphanumeric() || "_%×=".contains(c));
        if digits.is_empty() || digits.len() > 3 || !ends {
            continue;
        }
        match separator {
            '-' if DECISION_ID_LETTERS.contains(letter) => {
                found.push(CitedId::Decision(format!("{letter}-{digits}")));
            }
            ':' if SPECIFICATION_MAP_BY_LETTER
                .iter()
                .any(|(part, _)| *part == letter) =>
            {
                found.push(CitedId::Line(format!("{letter}:{digits}")));
            }
            separator
                if separator.is_ascii_digit()
                    && INVARIANT_AND_RULE_ID_LETTERS.contains(letter)
                    && digits.len() <= 2 =>
            {
                found.push(CitedId::Invariant(format!("{letter}{digits}")));
            }
            _ => {}
        }
    }
    found
}

#[test]
fn citation_forms_are_recognised() {
    let found = |word: &str| {
        let tokens = ids_in_word(word);
        tokens
            .iter()
            .map(|token| token.text().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(found("C-9,"), ["C-9"]);
    assert_eq!(found("C-9/I-2"), ["C-9", "I-2"]);
    assert_eq!(found("A:258-286"), ["A:258"]);
    assert_eq!(found("F16-F22"), ["F16", "F22"]);
    assert_eq!(found("T2."), ["T2"]);
    for other in [
        "SHA-256",
        "UTF-8",
        "AES-256-GCM",
        "X-Request",
        "M12",
        "3D-Secure",
        "B2B",
        "/A4/x=C1",
    ] {
        let found = found(other);
        assert!(
            found.is_empty() || found == ["M12"],
            "{other} is taken for {found:?}"
        );
    }
}

#[test]
fn id_without_entry_is_reported() {
    let entries = CitableEntries {
        ids: ["C-9", "T2", "rule 5", "section 7.4"]
            .map(str::to_lowercase)
            .into(),
        records: BTreeSet::from([7]),
        map_sections: BTreeSet::from(["2".to_string()]),
        lines: BTreeSet::from(["A:7".to_string()]),
    };
    let missing = |line: &str| unresolved_ids(line, &entries);
    assert!(
        missing("decision C-9, rule 5, invariant T2, line A:7, section 7.4, §2, decision 7")
            .is_empty()
    );
    assert!(missing("RFC 9110, section 12.5.3").is_empty());
    assert_eq!(missing("(C-99)"), ["C-99"]);
    assert_eq!(missing("rule 9 of the decisions"), ["rule 9"]);
    assert_eq!(missing("section 8.1 of the brief"), ["section 8.1"]);
    assert_eq!(missing("decision 42"), ["decision 42"]);
    assert_eq!(missing("A:8 and T77"), ["A:8", "T77"]);
}
