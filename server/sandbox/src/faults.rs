//! Faults that tests and demos inject into requests and webhooks. A request header, a list of
//! scripted faults or a seeded random sequence selects them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const SCRIPTED_FAULTS_MAX: usize = 1_000;

/// A fault that is injected into one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The connection breaks before the request takes effect.
    #[serde(alias = "timeout_before")]
    TimeoutBefore,
    /// The request takes effect, and the connection breaks before the response.
    #[serde(alias = "timeout_after")]
    TimeoutAfter,
    /// 500 without any effect. The response is saved under the idempotency key.
    #[serde(rename = "error-500", alias = "error_500")]
    Error500,
    /// 500 after the request has taken effect. The response is saved under the idempotency key.
    #[serde(rename = "error-500-after", alias = "error_500_after")]
    Error500After,
    /// 429 before the idempotency key is looked at. The request has no effect and nothing is saved.
    #[serde(alias = "rate_limit")]
    RateLimit,
    /// The response is delayed by `hang_ms` milliseconds.
    Slow,
    /// 409: another request with this idempotency key is in progress. The request has no effect and
    /// nothing is saved.
    #[serde(alias = "key_in_use")]
    KeyInUse,
    /// 429: another request holds a lock on the object. The request has no effect and nothing is
    /// saved.
    #[serde(alias = "lock_timeout")]
    LockTimeout,
    /// 400: Stripe refuses a request that this stand-in would accept. The request has no effect and
    /// nothing is saved.
    #[serde(alias = "invalid_request")]
    InvalidRequest,
}

impl Fault {
    /// Parses the value of the `x-sandbox-fault` header.
    pub fn parse(word: &str) -> Option<Self> {
        serde_json::from_value(serde_json::Value::from(word)).ok()
    }
}

/// Injects `fault` into the next `times` requests whose text `METHOD path` contains `on`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScriptedFault {
    pub on: String,
    pub fault: Fault,
    #[serde(default = "default_times")]
    pub times: u32,
}

fn default_times() -> u32 {
    1
}

/// Faults of webhook deliveries. Each probability is from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WebhookFaults {
    /// Probability that an event is never delivered.
    pub lost: f64,
    /// Probability that an event is delivered twice.
    pub doubled: f64,
    /// Probability that an event is delayed long enough for later events to overtake it.
    pub reordered: f64,
    /// Maximum of the random delay of each event, in milliseconds.
    pub late_ms: u64,
}

/// The configured faults, and the body of `POST /sandbox/faults`. They apply until the next such
/// call replaces them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Faults {
    pub seed: u64,
    pub rates: BTreeMap<Fault, f64>,
    pub next: Vec<ScriptedFault>,
    #[serde(alias = "webhooks")]
    pub webhook: WebhookFaults,
    /// Time in milliseconds for which a connection hangs before it breaks. A response with
    /// [`Fault::Slow`] is delayed by the same time.
    pub hang_ms: u64,
    /// Number of requests since the faults were set. It is the position in the seeded random
    /// sequence.
    #[serde(skip_deserializing)]
    pub requests: u64,
}

impl Faults {
    /// Returns the fault for this request, if any. A scripted fault takes precedence over a random
    /// one.
    pub fn next_fault(&mut self, method: &str, path: &str) -> Option<Fault> {
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
        let mut chance = pseudo_random_fraction(self.seed, "request", &self.requests.to_string());
        for (fault, rate) in &self.rates {
            if chance < *rate {
                return Some(*fault);
            }
            chance -= rate;
        }
        None
    }

    /// Adds a scripted fault, and removes those that were injected as often as requested.
    pub fn add_scripted_fault(&mut self, line: ScriptedFault) {
        self.next.retain(|line| line.times > 0);
        assert!(
            self.next.len() < SCRIPTED_FAULTS_MAX,
            "at most {SCRIPTED_FAULTS_MAX} scripted faults wait at a time"
        );
        self.next.push(line);
    }

    /// Returns `hang_ms` as a duration.
    pub fn hang_duration(&self) -> Duration {
        Duration::from_millis(self.hang_ms)
    }

    /// Decides how an event is delivered. The same seed and event always give the same plan.
    pub fn plan_webhook_delivery(&self, event: &str) -> WebhookDeliveryPlan {
        let webhook = &self.webhook;
        let share = |purpose: &str| pseudo_random_fraction(self.seed, purpose, event);
        let mut delay_ms = (share("late") * webhook.late_ms as f64) as u64;
        if share("reordered") < webhook.reordered {
            delay_ms += webhook.late_ms.max(WEBHOOK_REORDER_DELAY_MS);
        }
        WebhookDeliveryPlan {
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

/// Delay of a reordered event in milliseconds. Later events of the same second overtake it.
const WEBHOOK_REORDER_DELAY_MS: u64 = 400;

/// How one event is delivered: not at all if `lost`, otherwise `copies` times after `delay`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebhookDeliveryPlan {
    pub lost: bool,
    pub copies: u32,
    pub delay: Duration,
}

/// Returns a pseudo-random number in [0, 1) that depends only on the seed, the purpose and the
/// subject.
fn pseudo_random_fraction(seed: u64, purpose: &str, subject: &str) -> f64 {
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
    use super::{Fault, Faults, ScriptedFault};

    #[test]
    fn same_seed_injects_faults_into_the_same_requests() {
        let faulted_requests = |seed| {
            let mut faults = Faults {
                seed,
                rates: [(Fault::RateLimit, 0.3)].into(),
                ..Faults::default()
            };
            (0..200)
                .map(|_| faults.next_fault("POST", "/v1/x").is_some())
                .collect::<Vec<_>>()
        };
        assert_eq!(faulted_requests(7), faulted_requests(7));
        assert_ne!(faulted_requests(7), faulted_requests(8));
        let fault_count = faulted_requests(7)
            .into_iter()
            .filter(|fault_count| *fault_count)
            .count();
        assert!(
            (40..80).contains(&fault_count),
            "{fault_count} of 200 at a rate of 0.3"
        );
    }

    #[test]
    fn scripted_fault_applies_only_once() {
        let mut faults = Faults::default();
        faults.add_scripted_fault(ScriptedFault {
            on: "/capture".to_owned(),
            fault: Fault::Error500,
            times: 1,
        });
        assert_eq!(faults.next_fault("POST", "/v1/payment_intents"), None);
        assert_eq!(
            faults.next_fault("POST", "/v1/payment_intents/pi_1/capture"),
            Some(Fault::Error500)
        );
        assert_eq!(
            faults.next_fault("POST", "/v1/payment_intents/pi_1/capture"),
            None
        );
    }

    #[test]
    fn documented_fault_names_are_parsed() {
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
