//! Compares the SQL statements in the source with their descriptions in `persistence/.sqlx` and with
//! the list of statements that are not checked, and the descriptions with the migrated schema.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use persistence::testing;
use persistence::unchecked_statements::UNCHECKED_STATEMENTS;
use sqlx::{AssertSqlSafe, Executor, SqlSafeStr};

const CHECKED_MACROS: [&str; 3] = ["query", "query_as", "query_scalar"];
const CHECKED_FILE_MACROS: [&str; 3] = ["query_file", "query_file_as", "query_file_scalar"];

fn crate_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A token of Rust source. Comments are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// The value of a string literal.
    Text(String),
    Mark(char),
}

impl Token {
    fn word(&self) -> &str {
        match self {
            Token::Word(word) => word,
            _ => "",
        }
    }
}

/// Splits Rust source into tokens.
fn tokens(source: &str) -> Vec<Token> {
    let letters: Vec<char> = source.chars().collect();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let starts_with = |at: usize, text: &str| {
        text.chars()
            .enumerate()
            .all(|(offset, letter)| letters.get(at + offset) == Some(&letter))
    };
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < letters.len() {
        let letter = letters[at];
        if starts_with(at, "//") {
            while at < letters.len() && letters[at] != '\n' {
                at += 1;
            }
        } else if starts_with(at, "r\"") || starts_with(at, "r#\"") || starts_with(at, "r##\"") {
            let hashes = letters[at + 1..].iter().take_while(|c| **c == '#').count();
            let end: String = format!("\"{}", "#".repeat(hashes));
            let begin = at + hashes + 2;
            at = begin;
            while !starts_with(at, &end) {
                at += 1;
            }
            tokens.push(Token::Text(letters[begin..at].iter().collect()));
            at += end.len();
        } else if letter == '"' {
            let mut text = String::new();
            at += 1;
            while letters[at] != '"' {
                if letters[at] == '\\' {
                    at += 1;
                    match letters[at] {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        // An escaped end of line leaves out the indentation of the next line.
                        '\n' => {
                            while letters[at + 1].is_whitespace() {
                                at += 1;
                            }
                        }
                        other => text.push(other),
                    }
                } else {
                    text.push(letters[at]);
                }
                at += 1;
            }
            at += 1;
            tokens.push(Token::Text(text));
        } else if letter == '\'' && letters.get(at + 1) == Some(&'\\') {
            // A character such as '\n' or '\u{1}'.
            at += 3;
            while letters[at] != '\'' {
                at += 1;
            }
            at += 1;
        } else if letter == '\'' && letters.get(at + 2) == Some(&'\'') {
            at += 3;
        } else if is_word(letter) {
            let begin = at;
            while at < letters.len() && is_word(letters[at]) {
                at += 1;
            }
            tokens.push(Token::Word(letters[begin..at].iter().collect()));
        } else {
            if !letter.is_whitespace() {
                tokens.push(Token::Mark(letter));
            }
            at += 1;
        }
    }
    tokens
}

/// The tokens of each file of `persistence/src`, by its path in that folder.
fn source_files() -> BTreeMap<String, Vec<Token>> {
    fn read(folder: &Path, root: &Path, files: &mut BTreeMap<String, Vec<Token>>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                read(&path, root, files);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(root).expect("inside the folder");
                let text = fs::read_to_string(&path).expect("a source file");
                files.insert(name.to_string_lossy().into_owned(), tokens(&text));
            }
        }
    }
    let (mut files, root) = (BTreeMap::new(), crate_folder().join("src"));
    read(&root, &root, &mut files);
    files
}

/// Returns the arguments of a call or macro call, given the tokens from its opening bracket on.
fn arguments(tokens: &[Token]) -> Vec<&[Token]> {
    let (mut depth, mut begin, mut found) = (0, 1, Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => {
                depth -= 1;
                if depth == 0 {
                    found.push(&tokens[begin..at]);
                    return found;
                }
            }
            Token::Mark(',') if depth == 1 => {
                found.push(&tokens[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    panic!("a call does not end: {:?}", &tokens[..tokens.len().min(20)]);
}

/// A macro of this crate that adds SQL to its first argument, such as `query_orders!`.
struct WrapperMacro {
    name: String,
    /// The SQL before and after the argument.
    around: (String, String),
}

/// The statements of the checked macros, and the number of unchecked calls in each file.
#[derive(Default)]
struct Statements {
    checked: BTreeSet<String>,
    unchecked: BTreeMap<String, usize>,
    problems: Vec<String>,
}

/// Returns each name in a path `sqlx::NAME`, with the position after it.
fn sqlx_names(tokens: &[Token]) -> impl Iterator<Item = (usize, &str)> {
    tokens.windows(4).enumerate().filter_map(|(at, window)| {
        let is_path =
            window[0].word() == "sqlx" && window[1..3] == [Token::Mark(':'), Token::Mark(':')];
        is_path.then(|| (at + 4, window[3].word()))
    })
}

/// Returns the parts of a sum of literals. `None` in the result stands for the parameter of a macro.
fn literal_sum(argument: &[Token]) -> Option<Vec<Option<&str>>> {
    argument
        .split(|token| *token == Token::Mark('+'))
        .map(|part| match part {
            [Token::Text(text)] => Some(Some(text.as_str())),
            [Token::Mark('$'), Token::Word(_)] => Some(None),
            _ => None,
        })
        .collect()
}

/// Returns the name of the macro whose definition begins last in these tokens.
fn last_macro_name(tokens: &[Token]) -> String {
    let definition = tokens
        .windows(3)
        .rfind(|window| window[0].word() == "macro_rules");
    definition.expect("a macro's parameter")[2]
        .word()
        .to_string()
}

fn find_statements(files: &BTreeMap<String, Vec<Token>>) -> Statements {
    let (mut found, mut wrappers) = (Statements::default(), Vec::new());
    for (file, tokens) in files {
        for (at, name) in sqlx_names(tokens) {
            if !name.starts_with("query") && !["raw_sql", "QueryBuilder"].contains(&name) {
                continue;
            }
            let rest = &tokens[at..];
            if rest[0] != Token::Mark('!') {
                // `sqlx::query::Query` is a type, and `sqlx::query_as::<…>(…)` a call.
                let is_call = rest[0] == Token::Mark('(')
                    || rest[..3] == [Token::Mark(':'), Token::Mark(':'), Token::Mark('<')];
                if is_call {
                    *found.unchecked.entry(file.clone()).or_default() += 1;
                }
                continue;
            }
            let arguments = arguments(&rest[1..]);
            let sql = arguments[usize::from(name.ends_with("_as"))];
            match (literal_sum(sql).as_deref(), sql) {
                (_, [Token::Text(path)]) if CHECKED_FILE_MACROS.contains(&name) => {
                    let text = fs::read_to_string(crate_folder().join(path));
                    found.checked.insert(text.expect("an SQL file"));
                }
                (Some(parts), _) if CHECKED_MACROS.contains(&name) => {
                    let texts = |parts: &[Option<&str>]| {
                        parts.iter().flatten().copied().collect::<String>()
                    };
                    if let Some(parameter) = parts.iter().position(Option::is_none) {
                        wrappers.push(WrapperMacro {
                            name: last_macro_name(&tokens[..at]),
                            around: (texts(&parts[..parameter]), texts(&parts[parameter + 1..])),
                        });
                    } else {
                        found.checked.insert(texts(parts));
                    }
                }
                _ => found.problems.push(format!("{file}: {name}! of {sql:?}")),
            }
        }
        for (at, window) in tokens.windows(2).enumerate() {
            if window[0].word() == "use" && window[1].word() == "sqlx" {
                let import = tokens[at..]
                    .split(|token| *token == Token::Mark(';'))
                    .next();
                let names = import.unwrap_or_default().iter().skip(2).map(Token::word);
                if names
                    .clone()
                    .any(|name| name.starts_with("query") || name == "raw_sql")
                {
                    found
                        .problems
                        .push(format!("{file}: write sqlx::query in full"));
                }
            }
        }
    }
    for wrapper in &wrappers {
        for (file, tokens) in files {
            for (at, window) in tokens.windows(3).enumerate() {
                if window[0].word() != wrapper.name
                    || window[1..] != [Token::Mark('!'), Token::Mark('(')]
                {
                    continue;
                }
                match arguments(&tokens[at + 2..])[0] {
                    [Token::Text(text)] => {
                        let (before, after) = &wrapper.around;
                        found.checked.insert(format!("{before}{text}{after}"));
                    }
                    other => found
                        .problems
                        .push(format!("{file}: {}! of {other:?}", wrapper.name)),
                }
            }
        }
    }
    found
}

/// A file of `persistence/.sqlx`: a statement, and what Postgres says about it.
struct Description {
    file: String,
    json: serde_json::Value,
}

/// The descriptions, by their statements.
fn described_statements() -> BTreeMap<String, Description> {
    let folder = fs::read_dir(crate_folder().join(".sqlx")).expect("the descriptions");
    let statement = |entry: fs::DirEntry| {
        let text = fs::read_to_string(entry.path()).expect("a description");
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let sql = json["query"].as_str().expect("a statement").to_string();
        let file = entry.file_name().to_string_lossy().into_owned();
        (sql, Description { file, json })
    };
    folder
        .map(|entry| statement(entry.expect("an entry")))
        .collect()
}

/// A migration may change what a statement takes or returns. The build does not notice it, because
/// it only reads the descriptions.
#[tokio::test]
async fn each_description_is_what_postgres_says() {
    let database = testing::database().await;
    let mut connection = database.connection().await;
    // As sqlx's macros do. Otherwise Postgres plans with the value null for each parameter, and the
    // plan then has no outer joins, from which sqlx reads what may be null.
    sqlx::query("set plan_cache_mode = 'force_generic_plan'")
        .execute(&mut connection)
        .await
        .expect("a setting");
    let mut outdated = Vec::new();
    for (sql, Description { file, json }) in described_statements() {
        let current = (&mut connection).describe(AssertSqlSafe(sql).into_sql_str());
        match current.await {
            Ok(current) if serde_json::json!(current) == json["describe"] => {}
            Ok(_) => outdated.push(file),
            Err(why) => outdated.push(format!("{file}: {why}")),
        }
    }
    assert!(
        outdated.is_empty(),
        "run .ci/prepare-queries: {outdated:#?}"
    );
}

#[test]
fn each_checked_statement_has_one_description() {
    let (found, described) = (find_statements(&source_files()), described_statements());
    assert_eq!(found.problems, Vec::<String>::new());
    let missing: Vec<&String> = found
        .checked
        .iter()
        .filter(|sql| !described.contains_key(*sql))
        .collect();
    assert!(missing.is_empty(), "run .ci/prepare-queries: {missing:#?}");
    let unused: Vec<&String> = described
        .iter()
        .filter(|(sql, _)| !found.checked.contains(*sql))
        .map(|(_, description)| &description.file)
        .collect();
    assert!(unused.is_empty(), "run .ci/prepare-queries: {unused:#?}");
}

#[test]
fn each_unchecked_statement_is_listed_with_a_reason() {
    let found = find_statements(&source_files()).unchecked;
    let listed: BTreeMap<String, usize> = UNCHECKED_STATEMENTS
        .iter()
        .map(|listed| (listed.file.to_string(), listed.count))
        .collect();
    assert_eq!(
        found, listed,
        "the calls of unchecked SQL in each file, and src/unchecked_statements.rs"
    );
    assert_eq!(listed.len(), UNCHECKED_STATEMENTS.len(), "a file twice");
    assert!(
        UNCHECKED_STATEMENTS
            .iter()
            .all(|listed| !listed.reason.is_empty())
    );
}

#[test]
fn statements_are_found_in_source() {
    let source = r##"
        // sqlx::query("in a comment")
        macro_rules! query_rows { ($rest:literal, $id:expr) => { sqlx::query!("select a " + $rest, $id) }; }
        fn read(c: char) -> bool { c == '"' || c == '\'' }
        fn f<'a>() {
            query_rows!("from b where c = $1", ids[0]);
            sqlx::query_as!(Row, r#"select "d!" \
        e"#, f(1, 2));
            sqlx::query_scalar!("select 1 \
                as \"one!\"");
            sqlx::query::<Postgres>("x");
            sqlx::raw_sql(y);
            let z: sqlx::query::Query<'a> = sqlx::query_as!(Row, sql);
        }
    "##;
    let found = find_statements(&BTreeMap::from([("a.rs".to_string(), tokens(source))]));
    let expected = [
        "select \"d!\" \\\n        e",
        "select 1 as \"one!\"",
        "select a from b where c = $1",
    ];
    assert_eq!(Vec::from_iter(found.checked), expected);
    assert_eq!(found.unchecked, BTreeMap::from([("a.rs".to_string(), 2)]));
    assert_eq!(found.problems.len(), 1, "{:?}", found.problems);
}
