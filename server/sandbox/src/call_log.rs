//! Counts the requests to the Stripe API by endpoint, and remembers the writes. Tests and load tests
//! read which calls the platform made.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use crate::stripe::api_call::ApiKeyKind;

/// Largest number of writes that are remembered. Beyond it, the oldest is dropped.
const WRITES_MAX: usize = 20_000;

/// The requests since the process began.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CallLog {
    /// Requests with the platform's secret key by endpoint, for example
    /// `POST payment_intents/{id}/capture`.
    pub platform: BTreeMap<String, u64>,
    /// Requests of browsers, with a publishable key.
    pub browsers: BTreeMap<String, u64>,
    /// The newest writes of the platform as `METHOD path`, oldest first.
    pub platform_writes: VecDeque<String>,
}

impl CallLog {
    pub(crate) fn record_call(&mut self, method: &str, path: &str, key: ApiKeyKind) {
        let counts = match key {
            ApiKeyKind::Secret => &mut self.platform,
            ApiKeyKind::Publishable => &mut self.browsers,
        };
        *counts.entry(endpoint(method, path)).or_default() += 1;
        if key == ApiKeyKind::Secret && method != "GET" {
            if self.platform_writes.len() == WRITES_MAX {
                self.platform_writes.pop_front();
            }
            self.platform_writes.push_back(format!("{method} {path}"));
        }
    }
}

/// Returns the endpoint of a request: its method, and its path with `{id}` in place of ids. Every
/// second part of a path of Stripe's API is an id.
fn endpoint(method: &str, path: &str) -> String {
    let parts: Vec<&str> = path
        .trim_end_matches('/')
        .split('/')
        .enumerate()
        .map(|(position, part)| if position % 2 == 1 { "{id}" } else { part })
        .collect();
    format!("{method} {}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_endpoint_and_key() {
        let mut log = CallLog::default();
        for id in ["pi_1", "pi_2"] {
            let path = format!("payment_intents/{id}/capture");
            log.record_call("POST", &path, ApiKeyKind::Secret);
        }
        log.record_call("GET", "payment_intents", ApiKeyKind::Secret);
        log.record_call("GET", "payment_intents/pi_1", ApiKeyKind::Publishable);
        let platform = [
            ("GET payment_intents".to_owned(), 1),
            ("POST payment_intents/{id}/capture".to_owned(), 2),
        ];
        assert_eq!(log.platform, platform.into());
        assert_eq!(
            log.browsers,
            [("GET payment_intents/{id}".to_owned(), 1)].into()
        );
        assert_eq!(
            log.platform_writes,
            [
                "POST payment_intents/pi_1/capture",
                "POST payment_intents/pi_2/capture"
            ]
        );
    }
}
