//! Reading the environment: named values in, values or named problems out.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

use persistence::records::erasure::KEPT_MONTHS;

use super::{Secret, split};

/// The variables of the process, or a test's.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<String, Secret>);

/// Everything that is wrong with the environment, one sentence each; no sentence contains a value.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Problems(Vec<String>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for Problems {}

impl Problems {
    pub(super) fn keep<T>(&mut self, read: Result<T, String>) -> Option<T> {
        read.map_err(|problem| self.0.push(problem)).ok()
    }

    pub(super) fn or<T>(self, value: T) -> Result<T, Problems> {
        if self.0.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }
}

impl Environment {
    pub fn of_the_process() -> Environment {
        Environment(
            std::env::vars()
                .map(|(name, value)| (name, Secret::new(value)))
                .collect(),
        )
    }

    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Environment {
        Environment(
            pairs
                .into_iter()
                .map(|(name, value)| (name.to_string(), Secret::new(value)))
                .collect(),
        )
    }

    /// A variable that is set and not blank.
    pub fn get(&self, name: &str) -> Option<String> {
        let value = self.0.get(name)?.expose().trim();
        (!value.is_empty()).then(|| value.to_string())
    }

    pub(super) fn secret(&self, name: &str) -> Option<Secret> {
        self.get(name).map(Secret::new)
    }

    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    /// A value production cannot do without, and that must not be the demo's.
    pub(super) fn required(&self, name: &str) -> Result<String, String> {
        let value = self.get(name).ok_or_else(|| format!("{name} is missing"))?;
        if value.to_ascii_lowercase().contains("demo") {
            return Err(format!("{name} still has a demo value"));
        }
        Ok(value)
    }

    pub(super) fn parse<T: FromStr>(&self, name: &str, default: T) -> Result<T, String> {
        Ok(self.parse_optional(name)?.unwrap_or(default))
    }

    pub(super) fn parse_optional<T: FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        self.get(name)
            .map(|value| value.parse().map_err(|_| format!("{name} cannot be read")))
            .transpose()
    }

    pub(super) fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, String> {
        let list = self.get(name).unwrap_or_default();
        split(&list)
            .map(|part| {
                part.parse()
                    .map_err(|_| format!("{name} holds something else than addresses"))
            })
            .collect()
    }

    /// One of a few words; the first is the default.
    pub(super) fn choice<T: Copy, const N: usize>(
        &self,
        name: &str,
        words: [(&str, T); N],
    ) -> Result<T, String> {
        let Some(value) = self.get(name) else {
            return Ok(words[0].1);
        };
        let known = || words.map(|(word, _)| word).join(" or ");
        words
            .iter()
            .find(|(word, _)| *word == value)
            .map(|(_, t)| *t)
            .ok_or_else(|| format!("{name} must be {}", known()))
    }

    /// How many months after the game a buyer's details are erased (decision F-8): one to ten years' worth.
    pub(super) fn buyers_kept(&self, problems: &mut Problems) -> u8 {
        match problems.keep(self.parse("BUYER_DETAILS_MONTHS", KEPT_MONTHS)) {
            Some(months) if !(1..=120).contains(&months) => {
                problems
                    .0
                    .push("BUYER_DETAILS_MONTHS must be from 1 to 120".to_string());
                KEPT_MONTHS
            }
            months => months.unwrap_or(KEPT_MONTHS),
        }
    }

    pub(super) fn calls_per_second(&self, problems: &mut Problems) -> Option<NonZeroU32> {
        problems
            .keep(self.parse_optional("STRIPE_CALLS_PER_SECOND"))
            .flatten()
    }

    /// 32 bytes as 64 hexadecimal digits, and not one byte repeated.
    pub(super) fn check_seal_key(&self, problems: &mut Problems) {
        let Some(key) = self.get("SEAL_KEY") else {
            return;
        };
        match hex::decode(&key) {
            Ok(bytes) if bytes.len() == 32 && bytes.iter().any(|byte| *byte != bytes[0]) => {}
            _ => problems
                .0
                .push("SEAL_KEY must be 64 hexadecimal digits from a random generator".to_string()),
        }
    }

    /// Browsers reach us over TLS, or on this machine alone; anything else would send session cookies in the open.
    pub(super) fn check_public_url(&self, problems: &mut Problems) {
        let Some(url) = self.get("PUBLIC_URL") else {
            return;
        };
        let host = url
            .strip_prefix("http://")
            .map(|rest| rest.split([':', '/']).next().unwrap_or_default());
        if !url.starts_with("https://") && !matches!(host, Some("localhost" | "127.0.0.1")) {
            problems
                .0
                .push("PUBLIC_URL must begin with https://".to_string());
        }
    }
}
