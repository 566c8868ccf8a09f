//! `/metrics` for Prometheus, on a listener of its own (decision B-24). Metric names and labels
//! follow ux.md section 5.

use std::fmt::{Display, Write};
use std::net::TcpListener;

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpResponse, HttpServer, web};
use actors::DurationHistogram;
use actors::metrics::HISTOGRAM_BOUNDS_SECONDS;

use crate::state::State;

mod gauges;

/// Media type of the Prometheus text format.
const METRICS_MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Starts an HTTP server that has only the path `/metrics`. The returned handle stops it.
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
        .content_type(METRICS_MEDIA_TYPE)
        .body(current_metrics_text(&state).await)
}

/// Returns the current metrics as text. While the database cannot be read, only the metrics in
/// memory are included.
pub async fn current_metrics_text(state: &State) -> String {
    let mut page = MetricsText::default();
    let engine_metrics = state.payments.metrics();
    page.write_family(
        "fd_tickets_sold_total",
        "counter",
        "Tickets sold since the process began.",
    );
    page.write_sample("fd_tickets_sold_total", &[], engine_metrics.tickets_sold());
    page.write_family(
        "fd_allocation_duration_seconds",
        "histogram",
        "From asking a draw to the commit that gave the tickets.",
    );
    page.write_histogram(
        "fd_allocation_duration_seconds",
        &[],
        &engine_metrics.allocations,
    );
    page.write_family("fd_ws_sessions", "gauge", "Sockets that are open.");
    page.write_sample("fd_ws_sessions", &[], state.live.open_socket_count());
    page.write_family(
        "fd_http_request_duration_seconds",
        "histogram",
        "How long calls took.",
    );
    for (key, timings) in state.metrics.used_histograms() {
        let status = key.status.to_string();
        let labels = [
            ("route", key.route.as_ref()),
            ("method", key.method),
            ("status", status.as_str()),
        ];
        page.write_histogram("fd_http_request_duration_seconds", &labels, &timings);
    }
    page.write_family(
        "fd_offer_events_total",
        "counter",
        "What browsers told of offers.",
    );
    for (event, count) in state.client_reports.offer_event_counts() {
        page.write_sample("fd_offer_events_total", &[("event", event)], count);
    }
    page.write_family(
        "fd_stripe_js_exceptions_total",
        "counter",
        "Exceptions of Stripe.js that browsers reported, by the call that threw.",
    );
    for (step, count) in state.client_reports.stripe_js_exception_counts() {
        page.write_sample("fd_stripe_js_exceptions_total", &[("step", step)], count);
    }
    page.write_family(
        "fd_notices_refused_total",
        "counter",
        "Notices whose signature or time was not right.",
    );
    for (why, count) in state.metrics.refused_webhooks() {
        page.write_sample("fd_notices_refused_total", &[("why", why)], count);
    }
    page.write_family(
        "fd_foreign_payments_total",
        "counter",
        "Payments of others that were seen in clubs' accounts and left alone.",
    );
    for (kind, count) in engine_metrics.foreign_payments() {
        let labels = [("kind", kind.name())];
        page.write_sample("fd_foreign_payments_total", &labels, count);
    }
    page.write_family(
        "fd_webhooks_of_unknown_accounts_total",
        "counter",
        "Webhook events of Stripe accounts that no club has.",
    );
    page.write_sample(
        "fd_webhooks_of_unknown_accounts_total",
        &[],
        engine_metrics.unknown_account_events(),
    );
    page.write_family(
        "fd_forwarded_untrusted_total",
        "counter",
        "X-Forwarded-For from peers that are not trusted.",
    );
    let forwards = state.metrics.untrusted_forwards();
    page.write_sample("fd_forwarded_untrusted_total", &[], forwards);
    gauges::write_gauges(&mut page, state).await;
    page.0
}

/// Builds the Prometheus text format line by line.
#[derive(Default)]
struct MetricsText(String);

impl MetricsText {
    fn write_family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn write_sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
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

    /// Writes a gauge metric that has no labels.
    fn write_gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.write_family(name, "gauge", help);
        self.write_sample(name, &[], value);
    }

    fn write_histogram(
        &mut self,
        name: &str,
        labels: &[(&str, &str)],
        timings: &DurationHistogram,
    ) {
        let counts = timings.cumulative_counts();
        let ends = HISTOGRAM_BOUNDS_SECONDS
            .iter()
            .map(f64::to_string)
            .chain(["+Inf".to_string()]);
        for (end, count) in ends.zip(counts) {
            let labels: Vec<_> = labels
                .iter()
                .copied()
                .chain([("le", end.as_str())])
                .collect();
            self.write_sample(&format!("{name}_bucket"), &labels, count);
        }
        self.write_sample(
            &format!("{name}_sum"),
            labels,
            timings.sum_of_durations_seconds(),
        );
        self.write_sample(&format!("{name}_count"), labels, counts[counts.len() - 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_values_are_escaped() {
        let mut page = MetricsText::default();
        page.write_sample("fd_x", &[("type", "a\"b\\c\nd")], 1);
        assert_eq!(page.0, "fd_x{type=\"a\\\"b\\\\c\\nd\"} 1\n");
    }
}
