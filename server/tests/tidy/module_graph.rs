//! Checks that the top-level modules of each crate import each other without a cycle.
//!
//! A module is a file `src/x.rs` together with its folder `src/x/`. An import is `use crate::x`,
//! `use super::x` or a path `crate::x::y` in code. An item that `lib.rs` re-exports belongs to its
//! original module. Tests inside `src` are skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::source::{Source, read_sources};

/// The crates of the workspace, by folder.
const CRATE_FOLDERS: [&str; 6] = [
    "actors/domain",
    "persistence",
    "actors",
    "server/sandbox",
    "server",
    "loadtest",
];

/// Map from a module to the modules that it imports.
pub type ImportGraph = BTreeMap<String, BTreeSet<String>>;

/// Returns the import cycles among the top-level modules of each crate.
pub fn find_import_cycles(root: &Path) -> Vec<String> {
    let mut findings = Vec::new();
    for member in CRATE_FOLDERS {
        let found = import_cycles(&read_import_graph(root, member));
        findings.extend(
            found
                .into_iter()
                .map(|circle| format!("{member}: {circle}")),
        );
    }
    findings
}

/// Returns each cycle as one line with its modules and imports.
fn import_cycles(graph: &ImportGraph) -> Vec<String> {
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for module in graph.keys() {
        if done.contains(module.as_str()) {
            continue;
        }
        let members: BTreeSet<&str> = graph
            .keys()
            .filter(|other| {
                imports_transitively(graph, module, other)
                    && imports_transitively(graph, other, module)
            })
            .map(String::as_str)
            .collect();
        if members.is_empty() {
            continue;
        }
        let inside = members.iter().flat_map(|from| {
            let to = graph[*from]
                .iter()
                .filter(|to| members.contains(to.as_str()));
            to.map(move |to| format!("{from} -> {to}"))
        });
        let inside: Vec<String> = inside.collect();
        found.push(format!(
            "{}; without {} there is no circle",
            inside.join(", "),
            imports_that_break_cycle(graph, &members).join(", ")
        ));
        done.extend(members);
    }
    found
}

/// Returns a few imports whose removal would break the cycle. The search is greedy, so it may
/// return more than necessary.
fn imports_that_break_cycle(graph: &ImportGraph, members: &BTreeSet<&str>) -> Vec<String> {
    let mut waiting = members.clone();
    let mut order: Vec<&str> = Vec::new();
    // Chooses the module that imports the most of the others and that the fewest of them import.
    while let Some(next) = waiting.iter().copied().max_by_key(|module| {
        let to = graph[*module]
            .iter()
            .filter(|to| waiting.contains(to.as_str()))
            .count();
        let from = waiting
            .iter()
            .filter(|from| graph[**from].contains(*module))
            .count();
        (
            i64::try_from(to).unwrap_or(0) - i64::try_from(from).unwrap_or(0),
            *module,
        )
    }) {
        waiting.remove(next);
        order.push(next);
    }
    let place = |module: &str| order.iter().position(|other| *other == module);
    let mut breaking = Vec::new();
    for from in &order {
        let back = graph[*from]
            .iter()
            .filter(|to| members.contains(to.as_str()) && place(to) < place(from));
        breaking.extend(back.map(|to| format!("{from} -> {to}")));
    }
    breaking
}

/// Returns whether `from` imports `to`, directly or through other modules.
fn imports_transitively(graph: &ImportGraph, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<&str> = vec![from];
    while let Some(module) = waiting.pop() {
        for next in graph.get(module).into_iter().flatten() {
            if next == to {
                return true;
            }
            if seen.insert(next.as_str()) {
                waiting.push(next);
            }
        }
    }
    false
}

/// Reads the imports between all modules of a crate.
fn read_import_graph(root: &Path, member: &str) -> ImportGraph {
    let base = format!("{member}/src/");
    let files: Vec<(Vec<String>, String)> =
        read_sources(root, &[&format!("{member}/src")], &["rs"])
            .into_iter()
            .filter(|source| !is_test_file(&source.path))
            .map(|source| {
                (
                    module_path(&source, &base),
                    without_comments_and_strings(&source.text),
                )
            })
            .collect();
    let modules: BTreeSet<&str> = files
        .iter()
        .filter_map(|(path, _)| path.first().map(String::as_str))
        .collect();
    let mut reexports = BTreeMap::new();
    for (_, code) in files.iter().filter(|(path, _)| path.is_empty()) {
        for path in use_paths(code) {
            let path = if path[0] == "crate" || path[0] == "self" {
                &path[1..]
            } else {
                &path[..]
            };
            if let [module, .., name] = path
                && modules.contains(module.as_str())
            {
                reexports.insert(name.clone(), module.clone());
            }
        }
    }
    let mut graph = ImportGraph::new();
    for (path, code) in files.iter().filter(|(path, _)| !path.is_empty()) {
        let from = &path[0];
        let edges = graph.entry(from.clone()).or_default();
        for name in imported_names(path, code) {
            let to = if modules.contains(name.as_str()) {
                Some(name)
            } else {
                reexports.get(&name).cloned()
            };
            edges.extend(to.filter(|to| to != from));
        }
    }
    graph
}

fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/") || path.ends_with("/properties.rs")
}

/// Returns the module path of a file: `draw`, `queue` for `actors/src/draw/queue.rs`. Empty for
/// `lib.rs` and `main.rs`.
fn module_path(source: &Source, base: &str) -> Vec<String> {
    let path = source.path.trim_start_matches(base).trim_end_matches(".rs");
    let mut parts: Vec<String> = path.split('/').map(String::from).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    if matches!(parts.as_slice(), [only] if only == "lib" || only == "main") {
        parts.clear();
    }
    parts
}

/// Returns the first name below the crate's root of each import: a module or an item.
fn imported_names(module: &[String], code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (inner, part) in inline_modules(code) {
        let depth = module.len() + inner;
        for path in use_paths(&part)
            .into_iter()
            .chain(paths_outside_use_declarations(&part))
        {
            names.extend(first_name_below_crate_root(&path, depth));
        }
    }
    names
}

/// Resolves an import path of a module that is `depth` levels below the crate's root. Returns the
/// path's first name below the root, or `None` if the path does not start at the root.
fn first_name_below_crate_root(path: &[String], depth: usize) -> Option<String> {
    if path.first()? == "crate" {
        return path.get(1).cloned();
    }
    let supers = path.iter().take_while(|part| *part == "super").count();
    (supers == depth)
        .then(|| path.get(supers).cloned())
        .flatten()
}

/// Splits code into parts by inline module. Each part has its depth below the file. Leaves out
/// parts under `#[cfg(test)]`.
fn inline_modules(code: &str) -> Vec<(usize, String)> {
    let mut parts: Vec<(usize, String)> = vec![(0, String::new())];
    // For each open inline module: the brace depth at which it ends, and whether it contains tests.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut braces = 0;
    for line in code.split_inclusive('\n') {
        let trimmed = line.trim();
        let is_module = ["mod ", "pub mod ", "pub(crate) mod ", "pub(super) mod "]
            .iter()
            .any(|start| trimmed.starts_with(start))
            && trimmed.ends_with('{');
        if is_module {
            let before = parts.last().map_or("", |(_, text)| text.as_str());
            let mut attributes = before
                .lines()
                .rev()
                .take_while(|line| line.trim().is_empty() || line.trim().starts_with("#["));
            let is_test = attributes.any(|line| line.contains("cfg(test)"))
                || open.iter().any(|(_, is_test)| *is_test);
            open.push((braces, is_test));
            parts.push((open.len(), String::new()));
        }
        if let Some((_, text)) = parts.last_mut()
            && !open.iter().any(|(_, is_test)| *is_test)
            && !is_module
        {
            text.push_str(line);
        }
        for letter in line.chars() {
            match letter {
                '{' => braces += 1,
                '}' => braces -= 1,
                _ => {}
            }
        }
        if open.last().is_some_and(|(end, _)| braces <= *end) {
            open.pop();
            parts.push((open.len(), String::new()));
        }
    }
    parts
}

/// Returns every path that the `use` declarations import, with braces expanded.
fn use_paths(code: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let before = code[..at].chars().next_back().unwrap_or('\n');
        if before.is_alphanumeric() || before == '_' {
            continue;
        }
        let tree = code[at + 4..].split(';').next().unwrap_or_default();
        let tree: String = tree
            .split(" as ")
            .enumerate()
            .map(|(index, part)| {
                // Cuts off the new name after `as`, because it is not part of the path.
                let cut = part.find([',', '}']).unwrap_or(part.len());
                if index == 0 { part } else { &part[cut..] }
            })
            .collect();
        let tree: String = tree.chars().filter(|c| !c.is_whitespace()).collect();
        expand_use_tree(&tree, &[], &mut paths);
    }
    paths
}

/// Expands `a::{b, c::d}` into `a::b` and `a::c::d`, after a prefix. Appends the result to `paths`.
fn expand_use_tree(tree: &str, prefix: &[String], paths: &mut Vec<Vec<String>>) {
    if let Some((head, rest)) = tree.split_once('{') {
        let mut prefix = prefix.to_vec();
        prefix.extend(
            head.split("::")
                .filter(|part| !part.is_empty())
                .map(String::from),
        );
        let inside = rest.rsplit_once('}').map_or(rest, |(inside, _)| inside);
        let (mut depth, mut start) = (0, 0);
        for (at, letter) in inside.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    expand_use_tree(&inside[start..at], &prefix, paths);
                    start = at + 1;
                }
                _ => {}
            }
        }
        expand_use_tree(&inside[start..], &prefix, paths);
    } else if !tree.is_empty() {
        let mut path = prefix.to_vec();
        path.extend(tree.split("::").map(String::from));
        paths.push(path);
    }
}

/// Returns the paths that begin with `crate` or `super` in code outside `use` declarations.
fn paths_outside_use_declarations(code: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back().unwrap_or('\n');
            if before.is_alphanumeric() || "_$:".contains(before) {
                continue;
            }
            let path: String = code[at..]
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_' || *c == ':')
                .collect();
            paths.push(
                path.split("::")
                    .filter(|part| !part.is_empty())
                    .map(String::from)
                    .collect(),
            );
        }
    }
    paths
}

/// Returns the code without comments and without the content of string literals. Line breaks stay.
fn without_comments_and_strings(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < letters.len() {
        let rest = &letters[at..];
        let skipped = if rest.starts_with(&['/', '/']) {
            rest.iter().take_while(|c| **c != '\n').count()
        } else if rest.starts_with(&['/', '*']) {
            let end = rest.windows(2).position(|two| two == ['*', '/']);
            end.map_or(rest.len(), |end| end + 2)
        } else {
            super::comments::string_or_char_literal_length(rest, super::comments::Language::Rust)
        };
        if skipped > 1 {
            code.extend(rest[..skipped].iter().filter(|c| **c == '\n'));
            at += skipped;
        } else {
            code.push(letters[at]);
            at += 1;
        }
    }
    code
}

#[test]
fn imports_are_read_from_use_trees_and_paths() {
    let code = without_comments_and_strings(
        "use crate::{draw::{Draw, View as Seen}, clock};\n\
         // use crate::comment;\n\
         use super::timer;\n\
         fn f() { super::super::supervisor::g(\"crate::string\"); crate::mailer::h(); }\n\
         #[cfg(test)]\nmod tests {\n    use crate::testing;\n}\n\
         mod inner {\n    use super::super::super::notices;\n}\n",
    );
    let module = ["payment".to_string(), "room".to_string()];
    let names: Vec<String> = imported_names(&module, &code).into_iter().collect();
    assert_eq!(names, ["clock", "draw", "mailer", "notices", "supervisor"]);
}

#[test]
fn import_cycle_is_reported_with_its_imports() {
    let graph: ImportGraph = [
        ("draw", "supervisor"),
        ("supervisor", "draw"),
        ("mailer", "draw"),
    ]
    .into_iter()
    .map(|(from, to)| (from.to_string(), BTreeSet::from([to.to_string()])))
    .collect();
    assert_eq!(
        import_cycles(&graph),
        ["draw -> supervisor, supervisor -> draw; without draw -> supervisor there is no circle"]
    );
}
