//! Reads environment variables. A variable that cannot be read is reported by its name.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

use actors::AccountsApi;
use persistence::records::erasure::BUYER_DETAILS_KEPT_MONTHS;

use super::{Secret, split_list};

/// Environment variables by name: those of the process, or those of a test.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<String, Secret>);

/// All problems of the environment variables, one sentence each. No sentence contains a variable's
/// value, which may be secret.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ConfigProblems(Vec<String>);

impl fmt::Display for ConfigProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for ConfigProblems {}

impl ConfigProblems {
    /// Returns the value of a variable, or records why it could not be read and returns `None`.
    pub(super) fn ok_or_record<T>(&mut self, read: Result<T, String>) -> Option<T> {
        read.map_err(|problem| self.0.push(problem)).ok()
    }

    pub(super) fn add(&mut self, problem: impl Into<String>) {
        self.0.push(problem.into());
    }

    /// Adds the problem if the condition `holds` is false.
    pub(super) fn require(&mut self, holds: bool, problem: impl FnOnce() -> String) {
        if !holds {
            self.0.push(problem());
        }
    }

    /// Returns the value if no problem was recorded, else all recorded problems.
    pub(super) fn into_result<T>(self, value: T) -> Result<T, ConfigProblems> {
        if self.0.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }
}

impl Environment {
    pub(super) fn variable_names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Reads the environment variables of this process.
    pub fn from_process_variables() -> Environment {
        // Skip a variable that is not valid Unicode: it belongs to the system, not to this program.
        let texts = std::env::vars_os()
            .filter_map(|(name, value)| name.into_string().ok().zip(value.into_string().ok()));
        Environment(
            texts
                .map(|(name, value)| (name, Secret::new(value)))
                .collect(),
        )
    }

    /// Builds an environment from the variables that a test gives.
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Environment {
        Environment(
            pairs
                .into_iter()
                .map(|(name, value)| (name.to_string(), Secret::new(value)))
                .collect(),
        )
    }

    /// Returns the variable's value; `None` if it is not set or blank.
    pub fn get(&self, name: &str) -> Option<String> {
        let value = self.0.get(name)?.expose().trim();
        (!value.is_empty()).then(|| value.to_string())
    }

    pub(super) fn get_secret(&self, name: &str) -> Option<Secret> {
        self.get(name).map(Secret::new)
    }

    pub(super) fn get_path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    /// Returns a variable that production requires. The demo's value is refused.
    pub(super) fn required(&self, name: &str) -> Result<String, String> {
        let value = self.get(name).ok_or_else(|| format!("{name} is missing"))?;
        if value.to_ascii_lowercase().contains("demo") {
            return Err(format!("{name} still has a demo value"));
        }
        Ok(value)
    }

    /// Parses the variable `name`, or returns `default` if it is not set.
    pub(super) fn parse<T: FromStr>(&self, name: &str, default: T) -> Result<T, String> {
        Ok(self.parse_optional(name)?.unwrap_or(default))
    }

    /// Parses the variable `name`. `None` if it is not set.
    pub(super) fn parse_optional<T: FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        self.get(name)
            .map(|value| value.parse().map_err(|_| format!("{name} cannot be read")))
            .transpose()
    }

    /// Parses a comma-separated list of IP addresses.
    pub(super) fn parse_ip_addresses(&self, name: &str) -> Result<Vec<IpAddr>, String> {
        let list = self.get(name).unwrap_or_default();
        split_list(&list)
            .map(|part| {
                part.parse()
                    .map_err(|_| format!("{name} holds something else than addresses"))
            })
            .collect()
    }

    /// Parses a variable that must be one of several fixed words. The first word is the default.
    pub(super) fn parse_choice<T: Copy, const N: usize>(
        &self,
        name: &str,
        words: [(&str, T); N],
    ) -> Result<T, String> {
        let Some(value) = self.get(name) else {
            return Ok(words[0].1);
        };
        let allowed = || words.map(|(word, _)| word).join(" or ");
        words
            .iter()
            .find(|(word, _)| *word == value)
            .map(|(_, t)| *t)
            .ok_or_else(|| format!("{name} must be {}", allowed()))
    }

    /// Returns how many months after the game a buyer's details are erased (decision F-8): 1 to
    /// 120.
    pub(super) fn buyer_details_kept_months(&self, problems: &mut ConfigProblems) -> u8 {
        match problems.ok_or_record(self.parse("BUYER_DETAILS_MONTHS", BUYER_DETAILS_KEPT_MONTHS)) {
            Some(months) if !(1..=120).contains(&months) => {
                problems
                    .0
                    .push("BUYER_DETAILS_MONTHS must be from 1 to 120".to_string());
                BUYER_DETAILS_KEPT_MONTHS
            }
            months => months.unwrap_or(BUYER_DETAILS_KEPT_MONTHS),
        }
    }

    pub(super) fn stripe_calls_per_second(
        &self,
        problems: &mut ConfigProblems,
    ) -> Option<NonZeroU32> {
        problems
            .ok_or_record(self.parse_optional("STRIPE_CALLS_PER_SECOND"))
            .flatten()
    }

    pub(super) fn stripe_accounts_api(&self, problems: &mut ConfigProblems) -> AccountsApi {
        problems
            .ok_or_record(self.parse_choice(
                "STRIPE_ACCOUNTS_API",
                [("v2", AccountsApi::V2), ("v1", AccountsApi::V1)],
            ))
            .unwrap_or_default()
    }
}
