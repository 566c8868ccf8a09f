//! `/metrics` for Prometheus, on an address of its own (decision B-24). Names and labels follow
//! ux.md section 5. No label holds an id or text that a person wrote: routes are patterns of the
//! route table, types and methods come from fixed lists.

use std::borrow::Cow;
use std::fmt::{Display, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::http::Method;
use actix_web::{App, HttpMessage, HttpRequest, HttpResponse, HttpServer, web};
use actors::DurationHistogram;
use actors::metrics::BUCKETS_SECONDS;
use actors::payments::signature::BadSignature;
use dashmap::DashMap;

use crate::state::State;

mod readings;

/// Media type of the Prometheus text format.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Route label of requests that no route of the table answers: a page, a file, or nothing.
pub const NO_ROUTE: &str = "page";

/// Reasons for refusing a Stripe webhook, with their label values.
const REFUSALS: [(BadSignature, &str); 3] = [
    (BadSignature::Unreadable, "unreadable"),
    (BadSignature::OutOfTime, "out-of-time"),
    (BadSignature::Forged, "forged"),
];

/// Request durations by route, method and status, and counts of refused webhooks.
#[derive(Default)]
pub struct Metrics {
    calls: DashMap<CallLabels, Arc<DurationHistogram>>,
    notices_refused: [AtomicU64; REFUSALS.len()],
    untrusted_forwards: AtomicU64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct CallLabels {
    route: Cow<'static, str>,
    method: &'static str,
    status: u16,
}

impl Metrics {
    /// Records a request. `answered_by` is the result of [`route`].
    pub fn note(
        &self,
        method_used: &Method,
        answered_by: Cow<'static, str>,
        status: u16,
        elapsed: Duration,
    ) {
        let call = CallLabels {
            route: answered_by,
            method: method(method_used),
            status,
        };
        match self.calls.get(&call) {
            Some(timings) => timings.record(elapsed),
            None => self.calls.entry(call).or_default().record(elapsed),
        }
    }

    /// Counts a request with `X-Forwarded-For` from a peer that is not in `TRUSTED_PROXIES`, and
    /// logs the first one.
    pub fn untrusted_forward(&self) {
        if self.untrusted_forwards.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!(
                variable = "TRUSTED_PROXIES",
                "a peer that is not trusted sent X-Forwarded-For: if it is your proxy, add its address to TRUSTED_PROXIES"
            );
        }
    }

    /// Counts a refused webhook (reliability.md, F16, F46).
    pub fn count_refused_webhook(&self, bad: BadSignature) {
        let counts = REFUSALS
            .iter()
            .zip(&self.notices_refused)
            .filter(|((known, _), _)| *known == bad);
        counts.for_each(|(_, count)| _ = count.fetch_add(1, Ordering::Relaxed));
    }

    /// Number of webhooks with a valid signature and a time that this node's clock rejected.
    pub fn webhooks_out_of_time(&self) -> u64 {
        self.refusals()
            .find(|(why, _)| *why == "out-of-time")
            .map_or(0, |(_, count)| count)
    }

    fn refusals(&self) -> impl Iterator<Item = (&'static str, u64)> {
        REFUSALS
            .iter()
            .zip(&self.notices_refused)
            .map(|((_, why), count)| (*why, count.load(Ordering::Relaxed)))
    }

    /// The histogram of one kind of request, for callers that always record the same kind.
    pub fn counter(
        &self,
        method_used: &Method,
        route: &'static str,
        status: u16,
    ) -> Arc<DurationHistogram> {
        let call = CallLabels {
            route: route.into(),
            method: method(method_used),
            status,
        };
        self.calls.entry(call).or_default().clone()
    }
}

/// The route of the table that answered a request. The handler stores it in the request's
/// extensions.
#[derive(Clone, Copy)]
pub struct AnsweredBy(pub &'static str);

/// The pattern that matched a request. The path itself is never used, because it may contain an
/// order's secret.
pub fn route(request: &HttpRequest) -> Cow<'static, str> {
    if let Some(AnsweredBy(route)) = request.extensions().get() {
        return Cow::Borrowed(route);
    }
    request
        .match_pattern()
        .map_or(Cow::Borrowed(NO_ROUTE), Cow::Owned)
}

/// The method as a label. Callers can invent methods, so unknown ones share one label.
fn method(method: &Method) -> &'static str {
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

/// Serves `/metrics` and nothing else, until the handle stops it.
///
/// # Errors
///
/// The listener cannot be used.
pub fn serve(listener: TcpListener, state: web::Data<State>) -> std::io::Result<ServerHandle> {
    let server = HttpServer::new(move || {
        App::new()
            .app_data(state.clone())
            .route("/metrics", web::get().to(show))
    })
    .workers(1)
    .disable_signals()
    .listen(listener)?
    .run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    Ok(handle)
}

async fn show(state: web::Data<State>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(TEXT)
        .body(text(&state).await)
}

/// The current metrics as text. Without a database, only those in memory.
pub async fn text(state: &State) -> String {
    let mut page = MetricsText::default();
    let tally = state.payments.metrics();
    page.family(
        "fd_tickets_sold_total",
        "counter",
        "Tickets sold since the process began.",
    );
    page.sample("fd_tickets_sold_total", &[], tally.tickets_sold());
    page.family(
        "fd_allocation_duration_seconds",
        "histogram",
        "From asking a draw to the commit that gave the tickets.",
    );
    page.timings("fd_allocation_duration_seconds", &[], &tally.allocations);
    page.family("fd_ws_sessions", "gauge", "Sockets that are open.");
    page.sample("fd_ws_sessions", &[], state.live.sessions());
    page.family(
        "fd_http_request_duration_seconds",
        "histogram",
        "How long calls took.",
    );
    // Leave out counters that no request has used.
    let mut calls: Vec<_> = state
        .metrics
        .calls
        .iter()
        .filter(|call| !call.is_empty_histogram())
        .collect();
    calls.sort_by(|a, b| a.key().cmp(b.key()));
    for call in calls {
        let (key, status) = (call.key(), call.key().status.to_string());
        let labels = [
            ("route", key.route.as_ref()),
            ("method", key.method),
            ("status", status.as_str()),
        ];
        page.timings("fd_http_request_duration_seconds", &labels, call.value());
    }
    page.family(
        "fd_offer_events_total",
        "counter",
        "What browsers told of offers.",
    );
    for (event, count) in state.heard.offer_events() {
        page.sample("fd_offer_events_total", &[("event", event)], count);
    }
    page.family(
        "fd_notices_refused_total",
        "counter",
        "Notices whose signature or time was not right.",
    );
    for (why, count) in state.metrics.refusals() {
        page.sample("fd_notices_refused_total", &[("why", why)], count);
    }
    page.family(
        "fd_forwarded_untrusted_total",
        "counter",
        "X-Forwarded-For from peers that are not trusted.",
    );
    let forwards = state.metrics.untrusted_forwards.load(Ordering::Relaxed);
    page.sample("fd_forwarded_untrusted_total", &[], forwards);
    readings::write(&mut page, state).await;
    page.0
}

/// The text format, line by line.
#[derive(Default)]
struct MetricsText(String);

impl MetricsText {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (index, (label, value)) in labels.iter().enumerate() {
            let value = value
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n");
            let _ = write!(
                self.0,
                "{}{label}=\"{value}\"",
                if index == 0 { '{' } else { ',' }
            );
        }
        self.0.push_str(if labels.is_empty() { "" } else { "}" });
        let _ = writeln!(self.0, " {value}");
    }

    /// Writes a gauge with a single value.
    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "gauge", help);
        self.sample(name, &[], value);
    }

    fn timings(&mut self, name: &str, labels: &[(&str, &str)], timings: &DurationHistogram) {
        let counts = timings.cumulative_counts();
        let ends = BUCKETS_SECONDS
            .iter()
            .map(f64::to_string)
            .chain(["+Inf".to_string()]);
        for (end, count) in ends.zip(counts) {
            let labels: Vec<_> = labels
                .iter()
                .copied()
                .chain([("le", end.as_str())])
                .collect();
            self.sample(&format!("{name}_bucket"), &labels, count);
        }
        self.sample(&format!("{name}_sum"), labels, timings.total_seconds());
        self.sample(&format!("{name}_count"), labels, counts[counts.len() - 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_values_are_escaped() {
        let mut page = MetricsText::default();
        page.sample("fd_x", &[("type", "a\"b\\c\nd")], 1);
        assert_eq!(page.0, "fd_x{type=\"a\\\"b\\\\c\\nd\"} 1\n");
    }
}
