//! The page `/metrics`. The Grafana dashboard and the alert rules use only metrics that the page
//! has.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::support::TestServer;

const GRAFANA_DASHBOARD: &str = include_str!("../../../operations/grafana.json");
const ALERT_RULES: &str = include_str!("../../../operations/alerts.yml");

/// Returns the metrics page of a server that has answered a purchase, a 404 and a wrong method.
async fn scrape_metrics() -> String {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.alice().buy(draw, 2).await;
    server
        .alice()
        .get("/api/orders/c0ffee00c0ffee00c0ffee00c0ffee00")
        .await;
    server.alice().get(&format!("/draw/{draw}")).await;
    let unknown_labels = reqwest::Method::from_bytes(b"FETCH").expect("a method");
    let _ = server
        .alice()
        .bare_request(unknown_labels, "/api/config")
        .send()
        .await;
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let url = format!(
        "http://{}/metrics",
        listener.local_addr().expect("a local address")
    );
    let handle = server::http::metrics::serve(listener, server.state.clone()).expect("served");
    let answer = reqwest::get(&url).await.expect("the server answers");
    assert_eq!(
        answer.headers()["content-type"],
        "text/plain; version=0.0.4; charset=utf-8"
    );
    let text = answer.text().await.expect("the text is UTF-8");
    handle.stop(false).await;
    assert_eq!(
        server.alice().get("/metrics").await.status,
        404,
        "the public address serves no metrics"
    );
    server.finish().await;
    text
}

/// Returns the declared type of each metric family.
fn metric_types(text: &str) -> BTreeMap<&str, &str> {
    let typed = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    typed.filter_map(|line| line.split_once(' ')).collect()
}

fn sample_value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
}

#[actix_web::test]
async fn metrics_have_specified_names_and_no_personal_data() {
    let text = scrape_metrics().await;
    let families = metric_types(&text);
    for (name, kind) in [
        ("fd_tickets_sold_total", "counter"),
        ("fd_allocation_duration_seconds", "histogram"),
        ("fd_reservations_active", "gauge"),
        ("fd_ws_sessions", "gauge"),
        ("fd_payment_anomalies_open", "gauge"),
        ("fd_http_request_duration_seconds", "histogram"),
    ] {
        assert_eq!(families.get(name), Some(&kind), "{name}");
    }
    assert_eq!(sample_value(&text, "fd_tickets_sold_total"), Some("2"));
    assert_eq!(
        sample_value(&text, "fd_allocation_duration_seconds_count"),
        Some("1")
    );
    assert_eq!(sample_value(&text, "fd_reservations_active"), Some("0"));
    assert_eq!(
        sample_value(&text, "fd_payment_anomalies_open{type=\"missing_ticket\"}"),
        Some("0")
    );
    let bought = "fd_http_request_duration_seconds_count{route=\"/api/purchase-tickets\",method=\"POST\",status=\"200\"}";
    assert_eq!(sample_value(&text, bought), Some("1"));
    let lost = "fd_http_request_duration_seconds_count{route=\"/api/orders/{token}\",method=\"GET\",status=\"404\"}";
    assert_eq!(sample_value(&text, lost), Some("1"));
    assert!(
        text.contains("route=\"page\",method=\"GET\""),
        "all pages share one route label"
    );
    assert!(
        text.contains("method=\"other\"") && !text.contains("FETCH"),
        "unknown methods share one label"
    );
    for person in ["@", "pi_", "acct_", "Alice", "c0ffee"] {
        assert!(!text.contains(person), "the metrics contain {person}");
    }
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (series, value) = line.rsplit_once(' ').expect("a value");
        assert!(
            value.parse::<f64>().is_ok() && families.keys().any(|name| series.starts_with(name)),
            "{line}"
        );
    }
}

/// Returns the names of metrics in a text, without the suffixes of histograms.
fn metric_names(text: &str) -> BTreeSet<String> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c == '_';
    let candidates = text
        .split(|c: char| !is_letter(c))
        .filter(|word| word.starts_with("fd_"));
    let without_suffix = |word: &str| {
        ["_bucket", "_sum", "_count"]
            .iter()
            .find_map(|end| word.strip_suffix(end))
            .unwrap_or(word)
            .to_string()
    };
    candidates.map(without_suffix).collect()
}

#[actix_web::test]
async fn dashboard_and_alerts_use_only_existing_metrics() {
    let text = scrape_metrics().await;
    let families = metric_types(&text);
    let dashboard: Value = serde_json::from_str(GRAFANA_DASHBOARD).expect("valid JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    assert!(
        panels
            .iter()
            .all(|panel| panel["targets"][0]["expr"].is_string() || panel["type"] == "row"),
        "each asks"
    );
    let mut used = metric_names(ALERT_RULES);
    used.extend(
        panels
            .iter()
            .flat_map(|panel| panel["targets"].as_array().into_iter().flatten())
            .flat_map(|target| metric_names(target["expr"].as_str().unwrap_or_default())),
    );
    for name in [
        "fd_payment_anomalies_open",
        "fd_database_up",
        "fd_http_request_duration_seconds",
    ] {
        assert!(used.contains(name), "{name}");
    }
    let unknown: Vec<&String> = used
        .iter()
        .filter(|name| !families.contains_key(name.as_str()))
        .collect();
    assert!(unknown.is_empty(), "metrics that do not exist: {unknown:?}");
    let labels = ["type", "route", "method", "status", "le"];
    for target in panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array().into_iter().flatten())
    {
        let expression = target["expr"].as_str().unwrap_or_default();
        let by = expression
            .split("by (")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        let unknown_labels: Vec<&str> = by
            .flat_map(|list| list.split(", "))
            .filter(|label| !labels.contains(label))
            .collect();
        assert_eq!(unknown_labels, Vec::<&str>::new(), "{expression}");
    }
    // Each alert rule has an expression, a severity and a summary.
    let count = |word: &str| ALERT_RULES.matches(word).count();
    let alerts = count("- alert: ");
    assert!(
        alerts >= 6 && [count("expr: "), count("severity: "), count("summary: ")] == [alerts; 3],
        "{alerts}"
    );
    assert_eq!(dashboard["schemaVersion"], json!(39));
}
