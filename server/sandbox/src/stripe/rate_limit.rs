//! Stripe's rate limits: requests in a second to one endpoint, and to all endpoints, of an account.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

const WINDOW: Duration = Duration::from_secs(1);
/// Number of counters from which those of past windows are removed.
const COUNTERS_MAX: usize = 4_096;

/// The limits of an account, in requests per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    pub per_endpoint: NonZeroU32,
    pub overall: NonZeroU32,
}

impl RateLimits {
    /// Stripe's limits in live mode (<https://docs.stripe.com/rate-limits>).
    pub const STRIPE: Self = Self {
        per_endpoint: NonZeroU32::new(25).expect("not zero"),
        overall: NonZeroU32::new(100).expect("not zero"),
    };
}

/// Which limit a request exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExceededLimit {
    Endpoint,
    Overall,
    /// Another request uses the same object.
    Resource,
}

impl ExceededLimit {
    /// The value of the header `Stripe-Rate-Limited-Reason`.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Endpoint => "endpoint-rate",
            Self::Overall => "global-rate",
            Self::Resource => "resource-specific",
        }
    }
}

/// Counts the requests of each account in the current second.
#[derive(Debug, Default)]
pub struct RequestCounters(HashMap<(String, String), (Instant, u32)>);

impl RequestCounters {
    /// Counts a request of an account to an endpoint, such as `GET /v1/payment_intents/{id}`. Returns
    /// the limit that the request exceeds; the request is then not counted.
    pub fn count(
        &mut self,
        limits: RateLimits,
        account: &str,
        endpoint: &str,
        now: Instant,
    ) -> Option<ExceededLimit> {
        if self.0.len() > COUNTERS_MAX {
            self.0
                .retain(|_, (since, _)| now.duration_since(*since) < WINDOW);
        }
        let all = (account.to_owned(), String::new());
        let one = (account.to_owned(), endpoint.to_owned());
        if self.current(&all, now) >= limits.overall.get() {
            return Some(ExceededLimit::Overall);
        }
        if self.current(&one, now) >= limits.per_endpoint.get() {
            return Some(ExceededLimit::Endpoint);
        }
        for key in [all, one] {
            self.0.entry(key).or_insert((now, 0)).1 += 1;
        }
        None
    }

    /// Returns the count of the current second. Begins a new second if the last one is over.
    fn current(&mut self, key: &(String, String), now: Instant) -> u32 {
        match self.0.get(key) {
            Some((since, count)) if now.duration_since(*since) < WINDOW => *count,
            Some(_) => {
                self.0.remove(key);
                0
            }
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_endpoint_and_account_has_its_own_limit() {
        let limit = |count| NonZeroU32::new(count).expect("not zero");
        let limits = RateLimits {
            per_endpoint: limit(2),
            overall: limit(3),
        };
        let mut counters = RequestCounters::default();
        let now = Instant::now();
        let mut count = |account, endpoint, ms| {
            counters.count(limits, account, endpoint, now + Duration::from_millis(ms))
        };
        assert_eq!(count("acct_1", "GET /v1/a", 0), None);
        assert_eq!(count("acct_1", "GET /v1/a", 0), None);
        assert_eq!(
            count("acct_1", "GET /v1/a", 999),
            Some(ExceededLimit::Endpoint)
        );
        assert_eq!(count("acct_1", "GET /v1/b", 999), None);
        assert_eq!(
            count("acct_1", "GET /v1/c", 999),
            Some(ExceededLimit::Overall)
        );
        assert_eq!(count("acct_2", "GET /v1/a", 999), None);
        assert_eq!(count("acct_1", "GET /v1/a", 1000), None);
    }
}
