//! Faults on order: what goes wrong between a caller and the provider, by header, by script or by seed.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const SCRIPT_LINES_MAX: usize = 1_000;

/// What may happen to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The connection breaks before anything happened.
    #[serde(alias = "timeout_before")]
    TimeoutBefore,
    /// It happened, and the connection breaks before the answer.
    #[serde(alias = "timeout_after")]
    TimeoutAfter,
    /// Nothing happened, and the 500 is remembered under the idempotency key.
    #[serde(rename = "error-500", alias = "error_500")]
    Error500,
    /// It happened, and a 500 is answered and remembered all the same.
    #[serde(rename = "error-500-after", alias = "error_500_after")]
    Error500After,
    /// 429, before the idempotency layer: nothing happened, nothing is remembered.
    #[serde(alias = "rate_limit")]
    RateLimit,
    /// The answer takes `hang_ms` longer.
    Slow,
    /// 409: somebody else's request under this key is under way. This one does nothing, and nothing is remembered.
    #[serde(alias = "key_in_use")]
    KeyInUse,
    /// 429 of another kind: the object is locked by another request. Nothing happened, nothing is remembered.
    #[serde(alias = "lock_timeout")]
    LockTimeout,
}

impl Fault {
    /// Reads the word of the `x-sandbox-fault` header.
    pub fn parse(word: &str) -> Option<Self> {
        serde_json::from_value(serde_json::Value::from(word)).ok()
    }
}

/// The next `times` requests whose `METHOD path` contains `on` meet `fault`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scripted {
    pub on: String,
    pub fault: Fault,
    #[serde(default = "once")]
    pub times: u32,
}

fn once() -> u32 {
    1
}

/// What happens to webhooks; rates are probabilities from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WebhookFaults {
    /// Never delivered at all.
    pub lost: f64,
    /// Delivered twice.
    pub doubled: f64,
    /// Kept back long enough for others to overtake it.
    pub reordered: f64,
    /// Every event waits up to this long.
    pub late_ms: u64,
}

/// `POST /sandbox/faults`: everything that goes wrong until it is posted again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Faults {
    pub seed: u64,
    pub rates: BTreeMap<Fault, f64>,
    pub next: Vec<Scripted>,
    #[serde(alias = "webhooks")]
    pub webhook: WebhookFaults,
    /// How long a broken connection hangs before it breaks.
    pub hang_ms: u64,
    /// Requests seen since the faults were set: the seed's position.
    #[serde(skip_deserializing)]
    pub requests: u64,
}

impl Faults {
    /// What happens to this request: the script first, then the seed.
    pub fn strike(&mut self, method: &str, path: &str) -> Option<Fault> {
        self.requests += 1;
        let request = format!("{method} {path}");
        if let Some(line) = self
            .next
            .iter_mut()
            .find(|line| line.times > 0 && request.contains(&line.on))
        {
            line.times -= 1;
            return Some(line.fault);
        }
        if self.rates.is_empty() {
            return None;
        }
        let mut chance = roll(self.seed, "request", &self.requests.to_string());
        for (fault, rate) in &self.rates {
            if chance < *rate {
                return Some(*fault);
            }
            chance -= rate;
        }
        None
    }

    pub fn script(&mut self, line: Scripted) {
        self.next.retain(|line| line.times > 0);
        assert!(
            self.next.len() < SCRIPT_LINES_MAX,
            "at most {SCRIPT_LINES_MAX} scripted faults wait at a time"
        );
        self.next.push(line);
    }

    pub fn hang(&self) -> Duration {
        Duration::from_millis(self.hang_ms)
    }

    /// The fate of an event, always the same for the same seed and event.
    pub fn fate(&self, event: &str) -> Fate {
        let webhook = &self.webhook;
        let share = |purpose: &str| roll(self.seed, purpose, event);
        let mut delay_ms = (share("late") * webhook.late_ms as f64) as u64;
        if share("reordered") < webhook.reordered {
            delay_ms += webhook.late_ms.max(REORDER_MS);
        }
        Fate {
            lost: share("lost") < webhook.lost,
            copies: if share("doubled") < webhook.doubled {
                2
            } else {
                1
            },
            delay: Duration::from_millis(delay_ms),
        }
    }
}

/// Long enough for the events of the same second to overtake.
const REORDER_MS: u64 = 400;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    pub lost: bool,
    pub copies: u32,
    pub delay: Duration,
}

/// A number from 0 to below 1 that the seed, the purpose and the subject decide.
fn roll(seed: u64, purpose: &str, subject: &str) -> f64 {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(purpose);
    hash.update(subject);
    let digest = hash.finalize();
    let high = u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]);
    f64::from(high) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::{Fault, Faults, Scripted};

    #[test]
    fn a_seed_strikes_the_same_requests_again() {
        let strikes = |seed| {
            let mut faults = Faults {
                seed,
                rates: [(Fault::RateLimit, 0.3)].into(),
                ..Faults::default()
            };
            (0..200)
                .map(|_| faults.strike("POST", "/v1/x").is_some())
                .collect::<Vec<_>>()
        };
        assert_eq!(strikes(7), strikes(7));
        assert_ne!(strikes(7), strikes(8));
        let struck = strikes(7).into_iter().filter(|struck| *struck).count();
        assert!(
            (40..80).contains(&struck),
            "{struck} of 200 at a rate of 0.3"
        );
    }

    #[test]
    fn a_script_is_used_up() {
        let mut faults = Faults::default();
        faults.script(Scripted {
            on: "/capture".to_owned(),
            fault: Fault::Error500,
            times: 1,
        });
        assert_eq!(faults.strike("POST", "/v1/payment_intents"), None);
        assert_eq!(
            faults.strike("POST", "/v1/payment_intents/pi_1/capture"),
            Some(Fault::Error500)
        );
        assert_eq!(
            faults.strike("POST", "/v1/payment_intents/pi_1/capture"),
            None
        );
    }

    #[test]
    fn the_words_of_the_contract_are_understood() {
        for word in [
            "timeout-before",
            "timeout-after",
            "error-500",
            "rate-limit",
            "key-in-use",
            "lock-timeout",
        ] {
            assert!(Fault::parse(word).is_some(), "{word}");
        }
        let posted =
            r#"{"seed":1,"rates":{"timeout-after":0.1},"webhook":{"lost":0.2,"late_ms":5}}"#;
        assert_eq!(
            serde_json::from_str::<Faults>(posted)
                .unwrap()
                .webhook
                .late_ms,
            5
        );
    }
}
