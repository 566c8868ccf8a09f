//! Detects misspelt environment variables, which would otherwise be ignored silently.

use super::environment::{ConfigProblems, Environment};

/// The environment variables that the program reads, except [`SURCHARGE_MODE_VARIABLE`].
const KNOWN_VARIABLES: [&str; 31] = [
    "BANK_DATABASE_URL",
    "BIND_ADDR",
    "BUILD_VERSION",
    "BUYER_DETAILS_MONTHS",
    "DATABASE_URL",
    "FD_DATA_DIR",
    "FD_DEMO_DATABASE_URL",
    "FD_FAILPOINT",
    "FD_WEB_DIR",
    "FEE_CAP_CENTS",
    "FEE_NOTE",
    "FEE_PASSTHROUGH",
    "FEE_RATE_BPS",
    "MAIL_FROM",
    "METRICS_ADDR",
    "NODE_ADDRESS",
    "PORT",
    "PUBLIC_URL",
    "RUST_LOG",
    "SEAL_KEY",
    "SMTP_URL",
    "SOURCE_URL",
    "STRIPE_ACCOUNTS_API",
    "STRIPE_API_URL",
    "STRIPE_CALLS_PER_SECOND",
    "STRIPE_PUBLISHABLE_KEY",
    "STRIPE_SECRET_KEY",
    "STRIPE_WEBHOOK_SECRETS",
    "SUPPORT_EMAIL",
    "SUPPORT_SMS",
    "TRUSTED_PROXIES",
];
const SURCHARGE_MODE_VARIABLE: &str = "SURCHARGE_MODE";

/// Name prefixes that only this program uses. In production every unknown variable with one of
/// these prefixes is refused.
const OWN_VARIABLE_PREFIXES: [&str; 9] = [
    "FD_",
    "FEE_",
    "MAIL_",
    "SEAL_",
    "SMTP_",
    "STRIPE_",
    "SUPPORT_",
    "SURCHARGE_",
    "TRUSTED_",
];

/// Maximum edit distance between a misspelt variable name and the intended name.
const TYPO_EDIT_DISTANCE_MAX: usize = 2;
/// Maximum number of letters that a misspelt variable name may add to the intended name, or lack
/// at its end: `METRICS_ADDRESS` adds three to `METRICS_ADDR`.
const TYPO_SUFFIX_LETTERS_MAX: usize = 4;

/// How strictly unknown names of environment variables are refused.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UnknownVariableCheck {
    /// Refuse unknown names that are similar to known names.
    Similar,
    /// Also refuse unknown names that start with one of [`OWN_VARIABLE_PREFIXES`].
    SimilarOrOwnPrefix,
}

impl Environment {
    /// Reports unknown variable names as problems.
    pub(super) fn check_variable_names(
        &self,
        strictness: UnknownVariableCheck,
        problems: &mut ConfigProblems,
    ) {
        for name in self.variable_names() {
            if known_variables().any(|known| known == name) {
                continue;
            }
            let is_ours = OWN_VARIABLE_PREFIXES
                .iter()
                .any(|prefix| name.starts_with(prefix));
            match closest_known_variable(name) {
                Some(closest) => problems.add(format!(
                    "{name} is not a variable of this program: did you mean {closest}?"
                )),
                None if is_ours && strictness == UnknownVariableCheck::SimilarOrOwnPrefix => {
                    problems
                        .add(format!("{name} is not a variable of this program: remove it (.env.example lists all)"));
                }
                None => {}
            }
        }
    }
}

fn known_variables() -> impl Iterator<Item = &'static str> {
    KNOWN_VARIABLES.into_iter().chain([SURCHARGE_MODE_VARIABLE])
}

/// Returns the known name most similar to `name`. Only names with the same first word are compared,
/// so that a variable of the system is never taken for a misspelt one.
fn closest_known_variable(name: &str) -> Option<&'static str> {
    let first_word = |name: &str| name.split_once('_').map(|(word, _)| word.to_string());
    let near = known_variables()
        .filter(|known| first_word(known).is_some() && first_word(known) == first_word(name));
    let is_near = |known: &&str| {
        let longer = |long: &str, short: &str| {
            long.strip_prefix(short)
                .is_some_and(|rest| rest.len() <= TYPO_SUFFIX_LETTERS_MAX && !rest.contains('_'))
        };
        edit_distance(known, name) <= TYPO_EDIT_DISTANCE_MAX
            || longer(name, known)
            || longer(known, name)
    };
    near.filter(is_near)
        .min_by_key(|known| edit_distance(known, name))
}

/// Levenshtein distance: letters to insert, remove or replace to turn one word into the other.
fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (place, found) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *found);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(row[place] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_single_letters() {
        for (one, other, edits) in [
            ("", "ab", 2),
            ("ab", "ab", 0),
            ("kitten", "sitting", 3),
            ("FORM", "FROM", 2),
        ] {
            assert_eq!(edit_distance(one, other), edits, "{one} {other}");
        }
    }

    #[test]
    fn system_variables_are_not_taken_for_known_names() {
        for name in [
            "PATH",
            "HOME",
            "MAIL",
            "PORTS",
            "NODE_ENV",
            "NODE_PATH",
            "NODE_OPTIONS",
            "METRICS_PORT",
        ] {
            assert_eq!(closest_known_variable(name), None, "{name}");
        }
        for (name, ours) in [
            ("STRIPE_SECRET_KEYS", "STRIPE_SECRET_KEY"),
            ("METRICS_ADDRESS", "METRICS_ADDR"),
            ("NODE_ADDR", "NODE_ADDRESS"),
            ("DATABASE_URI", "DATABASE_URL"),
            ("TRUSTED_PROXY", "TRUSTED_PROXIES"),
        ] {
            assert_eq!(
                closest_known_variable(name).is_some(),
                name != "TRUSTED_PROXY",
                "{name}"
            );
            assert!(
                closest_known_variable(name)
                    .is_none_or(|closest_known_variable| closest_known_variable == ours),
                "{name}"
            );
        }
    }
}
