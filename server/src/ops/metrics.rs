//! Counters of the HTTP server in memory (decision B-24). `http::metrics` writes them for
//! Prometheus. No label holds an id or text that a person wrote: routes are patterns of the route
//! table, types and methods come from fixed lists.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix_web::http::Method;
use actix_web::{HttpMessage, HttpRequest};
use actors::DurationHistogram;
use actors::payments::signature::BadSignature;
use dashmap::DashMap;

/// Route label of requests that match no route of the table: HTML pages, built files and unknown
/// paths.
pub const NO_ROUTE_LABEL: &str = "page";

/// Reasons for refusing a Stripe webhook, each with the value of its metric label.
const WEBHOOK_REFUSALS: [(BadSignature, &str); 3] = [
    (BadSignature::Unreadable, "unreadable"),
    (BadSignature::OutOfTime, "out-of-time"),
    (BadSignature::Forged, "forged"),
];

/// Request durations by route, method and status, and counts of refused webhooks.
#[derive(Default)]
pub struct Metrics {
    calls: DashMap<CallLabels, Arc<DurationHistogram>>,
    notices_refused: [AtomicU64; WEBHOOK_REFUSALS.len()],
    untrusted_forwards: AtomicU64,
}

/// Metric labels of a request: route, method and status.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallLabels {
    pub route: Cow<'static, str>,
    pub method: &'static str,
    pub status: u16,
}

impl Metrics {
    /// Records the duration of a request. `answered_by` is the label that [`route_label`] returned
    /// for the request.
    pub fn record_duration(
        &self,
        method_used: &Method,
        answered_by: Cow<'static, str>,
        status: u16,
        elapsed: Duration,
    ) {
        let call = CallLabels {
            route: answered_by,
            method: method_label(method_used),
            status,
        };
        match self.calls.get(&call) {
            Some(timings) => timings.record_duration(elapsed),
            None => self.calls.entry(call).or_default().record_duration(elapsed),
        }
    }

    /// Counts a request with `X-Forwarded-For` from a peer that is not in `TRUSTED_PROXIES`, and
    /// logs the first one.
    pub fn add_untrusted_forward(&self) {
        if self.untrusted_forwards.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!(
                variable = "TRUSTED_PROXIES",
                "a peer that is not trusted sent X-Forwarded-For: if it is your proxy, add its address to TRUSTED_PROXIES"
            );
        }
    }

    /// Counts a refused webhook (reliability.md, F16, F46).
    pub fn count_refused_webhook(&self, bad: BadSignature) {
        let counts = WEBHOOK_REFUSALS
            .iter()
            .zip(&self.notices_refused)
            .filter(|((known, _), _)| *known == bad);
        counts.for_each(|(_, count)| _ = count.fetch_add(1, Ordering::Relaxed));
    }

    /// Number of webhooks with a valid signature that were refused because their timestamp differs
    /// too much from this node's clock.
    pub fn webhooks_with_bad_timestamp(&self) -> u64 {
        self.refused_webhooks()
            .find(|(why, _)| *why == "out-of-time")
            .map_or(0, |(_, count)| count)
    }

    /// Numbers of refused webhooks by reason.
    pub fn refused_webhooks(&self) -> impl Iterator<Item = (&'static str, u64)> {
        WEBHOOK_REFUSALS
            .iter()
            .zip(&self.notices_refused)
            .map(|((_, why), count)| (*why, count.load(Ordering::Relaxed)))
    }

    /// The histograms of all label combinations seen so far, sorted by label.
    pub fn used_histograms(&self) -> Vec<(CallLabels, Arc<DurationHistogram>)> {
        let mut calls: Vec<_> = self
            .calls
            .iter()
            .filter(|call| !call.is_empty_histogram())
            .map(|call| (call.key().clone(), call.value().clone()))
            .collect();
        calls.sort_by(|(a, _), (b, _)| a.cmp(b));
        calls
    }

    /// Number of requests with `X-Forwarded-For` from a peer that is not trusted.
    pub fn untrusted_forwards(&self) -> u64 {
        self.untrusted_forwards.load(Ordering::Relaxed)
    }

    /// Returns the histogram of one combination of labels. A caller that always records the same
    /// combination looks it up only once.
    pub fn histogram(
        &self,
        method_used: &Method,
        route: &'static str,
        status: u16,
    ) -> Arc<DurationHistogram> {
        let call = CallLabels {
            route: route.into(),
            method: method_label(method_used),
            status,
        };
        self.calls.entry(call).or_default().clone()
    }
}

/// The pattern of the route that handles a request. It is stored in the request's extensions for
/// metrics and logs.
#[derive(Clone, Copy)]
pub struct MatchedRoute(pub &'static str);

/// Returns the pattern of the route that matched a request, as the metric label. The request's path
/// is never used, because it may contain an order's secret.
pub fn route_label(request: &HttpRequest) -> Cow<'static, str> {
    if let Some(MatchedRoute(route)) = request.extensions().get() {
        return Cow::Borrowed(route);
    }
    request
        .match_pattern()
        .map_or(Cow::Borrowed(NO_ROUTE_LABEL), Cow::Owned)
}

/// Returns the method's label. All unknown methods share one label, because callers can send any
/// text as method.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
