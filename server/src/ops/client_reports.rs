//! Reports that browsers send by themselves: diagnostics, CSP violations and offer events. They are
//! logged without personal data and counted since the start of the process.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

/// Maximum length of a report's text in the log.
const REPORT_TEXT_CHARS_MAX: usize = 500;
/// Parts of a JSON field's name that mark the field as personal or secret (decision B-23).
const PERSONAL_KEY_PARTS: [&str; 9] = [
    "name", "mail", "phone", "secret", "token", "card", "address", "buyer", "cookie",
];

/// The events that a page may report about an offer (specification A, line 107).
pub const OFFER_EVENTS: [&str; 3] = ["offer_view", "offer_share", "offer_add_to_cart"];

/// The calls of Stripe.js whose exceptions a page reports.
pub const STRIPE_JS_STEPS: [&str; 6] = [
    "elements",
    "element",
    "submit",
    "confirm",
    "confirmation_token",
    "next_action",
];

/// Maximum number of CSP violations that are recorded from one request.
const VIOLATIONS_PER_REQUEST_MAX: usize = 10;

/// A counter for each name of a fixed list.
struct NamedCounters<const N: usize> {
    names: [&'static str; N],
    counts: [AtomicU64; N],
}

impl<const N: usize> NamedCounters<N> {
    fn new(names: [&'static str; N]) -> NamedCounters<N> {
        let counts = names.map(|_| AtomicU64::default());
        NamedCounters { names, counts }
    }

    /// Counts a reported name, and returns it. `None`: the list does not have it.
    fn count(&self, reported: &Value) -> Option<&'static str> {
        let index = self.names.iter().position(|name| *reported == **name)?;
        self.counts[index].fetch_add(1, Ordering::Relaxed);
        Some(self.names[index])
    }

    fn counts(&self) -> [(&'static str, u64); N] {
        std::array::from_fn(|index| {
            let count = self.counts[index].load(Ordering::Relaxed);
            (self.names[index], count)
        })
    }
}

/// Counters of reports from browsers.
pub struct ClientReports {
    diagnostics: AtomicU64,
    breaches: AtomicU64,
    offers: NamedCounters<{ OFFER_EVENTS.len() }>,
    stripe_js_exceptions: NamedCounters<{ STRIPE_JS_STEPS.len() }>,
}

impl Default for ClientReports {
    fn default() -> ClientReports {
        ClientReports {
            diagnostics: AtomicU64::default(),
            breaches: AtomicU64::default(),
            offers: NamedCounters::new(OFFER_EVENTS),
            stripe_js_exceptions: NamedCounters::new(STRIPE_JS_STEPS),
        }
    }
}

impl ClientReports {
    /// Number of diagnostics received.
    pub fn diagnostics_received(&self) -> u64 {
        self.diagnostics.load(Ordering::Relaxed)
    }

    /// Number of recorded violations of the content security policy.
    pub fn csp_violations_recorded(&self) -> u64 {
        self.breaches.load(Ordering::Relaxed)
    }

    /// Counts of each of [`OFFER_EVENTS`].
    pub fn offer_event_counts(&self) -> [(&'static str, u64); OFFER_EVENTS.len()] {
        self.offers.counts()
    }

    /// Counts of exceptions of Stripe.js for each of [`STRIPE_JS_STEPS`].
    pub fn stripe_js_exception_counts(&self) -> [(&'static str, u64); STRIPE_JS_STEPS.len()] {
        self.stripe_js_exceptions.counts()
    }

    /// Counts an exception of Stripe.js by the call that threw it. Unknown steps are ignored.
    pub fn count_stripe_js_exception(&self, step: &Value) {
        self.stripe_js_exceptions.count(step);
    }

    /// Logs and counts one diagnostic.
    pub fn record_diagnostic(&self, level: &Value, message: &Value, data: &Value) {
        self.diagnostics.fetch_add(1, Ordering::Relaxed);
        let (level, message, data) = (
            single_line_without_emails(text_or_empty(level)),
            single_line_without_emails(text_or_empty(message)),
            single_line_without_emails(&without_personal_data(data).to_string()),
        );
        tracing::info!(target: "browser", level, message, data, "diagnostic reported by a browser");
    }

    /// Records CSP violations, in the old format with a single report or in the newer list format.
    ///
    /// A page's URL may contain the secret of an order. So only the first path segment of the
    /// page's URL and the hosts of other URLs are logged.
    pub fn record_csp_violations(&self, reports: &Value) {
        let report_list = reports
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
            .iter();
        let report_list = report_list
            .filter(|report| report["type"] == "csp-violation")
            .map(|report| &report["body"]);
        for report in report_list
            .chain(reports.get("csp-report"))
            .filter(|report| report.is_object())
            .take(VIOLATIONS_PER_REQUEST_MAX)
        {
            let field = |names: [&str; 2]| {
                names
                    .iter()
                    .map(|name| text_or_empty(&report[*name]))
                    .find(|field| !field.is_empty())
            };
            let directive = field(["effectiveDirective", "effective-directive"])
                .or(field(["violatedDirective", "violated-directive"]));
            let (directive, page) = (
                single_line_without_emails(directive.unwrap_or_default()),
                field(["documentURL", "document-uri"]),
            );
            let blocked = scheme_and_host(field(["blockedURL", "blocked-uri"]).unwrap_or_default());
            let source = scheme_and_host(field(["sourceFile", "source-file"]).unwrap_or_default());
            let page = first_path_segment(page.unwrap_or_default());
            self.breaches.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(target: "browser", directive, blocked, source, page, "CSP violation reported by a browser");
        }
    }

    /// Counts and logs an event that a page reports about an offer. Unknown events are ignored.
    pub fn record_offer_event(&self, event: &Value, club: &Value, offer: &Value) {
        let (Some(club), Some(offer)) = (slug_if_valid(club), slug_if_valid(offer)) else {
            return;
        };
        if let Some(event) = self.offers.count(event) {
            tracing::info!(target: "browser", event, club, offer, "offer event reported by a browser");
        }
    }
}

fn text_or_empty(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn slug_if_valid(value: &Value) -> Option<&str> {
    const SLUG_CHARS_MAX: usize = 80;
    let is_slug = |text: &&str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !text.is_empty() && text.len() <= SLUG_CHARS_MAX && text.bytes().all(plain)
    };
    value.as_str().filter(is_slug)
}

/// Returns the scheme and host of a URL. A keyword (`inline`, `eval`, `data`) is returned
/// unchanged.
fn scheme_and_host(address: &str) -> String {
    let host = match address.split_once("://") {
        Some((scheme, rest)) => format!(
            "{scheme}://{}",
            rest.split(['/', '?', '#']).next().unwrap_or_default()
        ),
        None => address
            .split([':', '?', '#', '/'])
            .next()
            .unwrap_or_default()
            .to_string(),
    };
    single_line_without_emails(&host)
}

/// Returns the first path segment of a URL, such as `my` for `https://doubles.example.com/my/…`. It
/// is the kind of page and contains no order's secret.
fn first_path_segment(address: &str) -> String {
    let path = address
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('/'))
        .map_or("", |(_, path)| path);
    let field = path.split(['/', '?', '#']).next().unwrap_or_default();
    field
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .take(40)
        .collect()
}

/// Reduces a text to one line without control characters and without words that contain an `@`.
fn single_line_without_emails(text: &str) -> String {
    let words = text.split_whitespace().filter(|field| !field.contains('@'));
    words
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .filter(|c| !c.is_control())
        .take(REPORT_TEXT_CHARS_MAX)
        .collect()
}

/// Removes fields whose names indicate personal data.
fn without_personal_data(data: &Value) -> Value {
    match data {
        Value::Object(fields) => {
            let is_personal = |key: &str| {
                PERSONAL_KEY_PARTS
                    .iter()
                    .any(|part| key.to_lowercase().contains(part))
            };
            let remaining = fields.iter().filter(|(key, _)| !is_personal(key));
            Value::Object(
                remaining
                    .map(|(key, value)| (key.clone(), without_personal_data(value)))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(without_personal_data).collect()),
        Value::String(text) => Value::String(single_line_without_emails(text)),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn diagnostic_leaves_out_personal_data() {
        let data = json!({ "step": "confirm", "buyerName": "Jo", "nested": [{ "email": "a@b.au", "ms": 7 }],
            "said": "mail jo@example.com\nnow", "clientSecret": "x", "Phone": "0400" });
        assert_eq!(
            without_personal_data(&data),
            json!({ "step": "confirm", "nested": [{ "ms": 7 }], "said": "mail now" })
        );
        assert_eq!(
            single_line_without_emails("a\u{7}b\r\nc jo@example.com"),
            "ab c"
        );
        assert_eq!(
            single_line_without_emails(&"x".repeat(2000)).len(),
            REPORT_TEXT_CHARS_MAX
        );
    }

    #[test]
    fn csp_report_keeps_only_page_kind_and_hosts() {
        assert_eq!(
            first_path_segment("https://fd.test/my/0123456789abcdef?x=1#y"),
            "my"
        );
        assert_eq!(
            first_path_segment("https://fd.test/reset-password?token=00ff"),
            "reset-password"
        );
        assert_eq!(
            (
                first_path_segment("https://fd.test/"),
                first_path_segment("about:blank")
            ),
            (String::new(), String::new())
        );
        assert_eq!(
            scheme_and_host("https://evil.test/steal?mail=jo@example.com"),
            "https://evil.test"
        );
        assert_eq!(
            (
                scheme_and_host("inline"),
                scheme_and_host("data:text/html,x"),
                scheme_and_host("https://jo@evil.test/")
            ),
            ("inline".into(), "data".into(), String::new())
        );
        let client_reports = ClientReports::default();
        let (old, new) = (
            json!({ "csp-report": { "violated-directive": "img-src" } }),
            json!({ "type": "csp-violation", "body": {} }),
        );
        for reports in [
            &old,
            &json!([new, { "type": "deprecation", "body": {} }, 7]),
            &json!(vec![new.clone(); 100]),
        ] {
            client_reports.record_csp_violations(reports);
        }
        assert_eq!(client_reports.csp_violations_recorded(), 1 + 1 + 10);
        for reports in [
            json!(null),
            json!({}),
            json!([]),
            json!("x"),
            json!({ "csp-report": [] }),
        ] {
            client_reports.record_csp_violations(&reports);
        }
        assert_eq!(
            client_reports.csp_violations_recorded(),
            12,
            "invalid reports are ignored"
        );
    }

    #[test]
    fn only_known_steps_of_stripe_js_are_counted() {
        let client_reports = ClientReports::default();
        for step in [
            json!("elements"),
            json!("x"),
            json!(null),
            json!(["elements"]),
        ] {
            client_reports.count_stripe_js_exception(&step);
        }
        let counts = client_reports.stripe_js_exception_counts();
        assert_eq!(counts[0], ("elements", 1));
        assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 1);
    }

    #[test]
    fn only_known_offer_events_are_counted() {
        let client_reports = ClientReports::default();
        client_reports.record_offer_event(
            &json!("offer_share"),
            &json!("sharks"),
            &json!("finals-2026"),
        );
        for (event, club, offer) in [
            (json!("offer_steal"), json!("sharks"), json!("finals")),
            (json!("offer_view"), json!("a b"), json!("finals")),
            (json!("offer_view"), json!("sharks"), json!("x".repeat(81))),
            (json!(7), json!(null), json!([])),
        ] {
            client_reports.record_offer_event(&event, &club, &offer);
        }
        assert_eq!(
            client_reports.offer_event_counts(),
            [
                ("offer_view", 0),
                ("offer_share", 1),
                ("offer_add_to_cart", 0)
            ]
        );
    }
}
