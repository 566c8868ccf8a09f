//! `/metrics` for Prometheus, on an address of its own (decision B-24): names and labels as ux.md section 5 has them. No label
//! holds an id or anything a person wrote: routes are the table's patterns, types and methods are ours.

use std::borrow::Cow;
use std::fmt::{Display, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::http::Method;
use actix_web::{App, HttpMessage, HttpRequest, HttpResponse, HttpServer, web};
use actors::Timings;
use actors::payment::signature::BadSignature;
use actors::tally::BUCKETS_SECONDS;
use dashmap::DashMap;

use crate::state::State;

mod readings;

/// The text format's media type.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// What answers where no route of the table does: a page, a file, or nothing.
pub const NO_ROUTE: &str = "page";

/// Why a notice is refused, as a label says it.
const REFUSALS: [(BadSignature, &str); 3] = [
    (BadSignature::Unreadable, "unreadable"),
    (BadSignature::OutOfTime, "out-of-time"),
    (BadSignature::Forged, "forged"),
];

/// How long calls took, by what they were; and how many of the provider's notices were refused.
#[derive(Default)]
pub struct Metrics {
    calls: DashMap<Call, Arc<Timings>>,
    notices_refused: [AtomicU64; REFUSALS.len()],
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Call {
    route: Cow<'static, str>,
    method: &'static str,
    status: u16,
}

impl Metrics {
    /// `answered_by`: what [`route`] says of the request.
    pub fn note(
        &self,
        asked: &Method,
        answered_by: Cow<'static, str>,
        status: u16,
        took: Duration,
    ) {
        let call = Call {
            route: answered_by,
            method: method(asked),
            status,
        };
        match self.calls.get(&call) {
            Some(timings) => timings.note(took),
            None => self.calls.entry(call).or_default().note(took),
        }
    }

    /// A notice that was not taken (reliability.md, F16, F46).
    pub fn notice_refused(&self, bad: BadSignature) {
        let counts = REFUSALS
            .iter()
            .zip(&self.notices_refused)
            .filter(|((known, _), _)| *known == bad);
        counts.for_each(|(_, count)| _ = count.fetch_add(1, Ordering::Relaxed));
    }

    /// Notices that were the provider's, and not of now by our clock.
    pub fn notices_out_of_time(&self) -> u64 {
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

    /// Where calls of one kind are counted: for who answers nothing else, and does not want to look it up each time.
    pub fn counter(&self, asked: &Method, route: &'static str, status: u16) -> Arc<Timings> {
        let call = Call {
            route: route.into(),
            method: method(asked),
            status,
        };
        self.calls.entry(call).or_default().clone()
    }
}

/// Which row of the table answers a request: noted in the request by whoever does.
#[derive(Clone, Copy)]
pub struct AnsweredBy(pub &'static str);

/// The pattern a request was answered by, never its path: an order's secret may stand in that.
pub fn route(request: &HttpRequest) -> Cow<'static, str> {
    if let Some(AnsweredBy(route)) = request.extensions().get() {
        return Cow::Borrowed(route);
    }
    request
        .match_pattern()
        .map_or(Cow::Borrowed(NO_ROUTE), Cow::Owned)
}

/// Anybody may make up a method; labels are not anybody's to make.
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

/// Everything there is to say now. Without a database, what is in memory.
pub async fn text(state: &State) -> String {
    let mut page = Page::default();
    let tally = state.payments.tally();
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
    // What nobody has asked yet is not there.
    let mut calls: Vec<_> = state
        .metrics
        .calls
        .iter()
        .filter(|call| !call.is_none_yet())
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
    readings::write(&mut page, state).await;
    page.0
}

/// The text format, line by line.
#[derive(Default)]
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (place, (label, value)) in labels.iter().enumerate() {
            let value = value
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n");
            let _ = write!(
                self.0,
                "{}{label}=\"{value}\"",
                if place == 0 { '{' } else { ',' }
            );
        }
        self.0.push_str(if labels.is_empty() { "" } else { "}" });
        let _ = writeln!(self.0, " {value}");
    }

    /// A gauge of one value.
    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "gauge", help);
        self.sample(name, &[], value);
    }

    fn timings(&mut self, name: &str, labels: &[(&str, &str)], timings: &Timings) {
        let counts = timings.up_to();
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
        self.sample(&format!("{name}_sum"), labels, timings.sum_seconds());
        self.sample(&format!("{name}_count"), labels, counts[counts.len() - 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_cannot_break_out_of_its_quotes() {
        let mut page = Page::default();
        page.sample("fd_x", &[("type", "a\"b\\c\nd")], 1);
        assert_eq!(page.0, "fd_x{type=\"a\\\"b\\\\c\\nd\"} 1\n");
    }
}
