//! What browsers report by themselves, as far as it is kept: diagnostics, and what happens to offers. Counted since the start.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

/// Longest text of a report in the log.
const CHARS_MAX: usize = 500;
/// Parts of a key's name that speak of a person or open something (decision B-23).
const PERSONAL: [&str; 9] = [
    "name", "mail", "phone", "secret", "token", "card", "address", "buyer", "cookie",
];

/// What may happen to an offer (A:107).
pub const OFFER_EVENTS: [&str; 3] = ["offer_view", "offer_share", "offer_add_to_cart"];

/// Breaches that one call may report.
const BREACHES_MAX: usize = 10;

#[derive(Default)]
pub struct Heard {
    diagnostics: AtomicU64,
    breaches: AtomicU64,
    offers: [AtomicU64; OFFER_EVENTS.len()],
}

impl Heard {
    pub fn diagnostics(&self) -> u64 {
        self.diagnostics.load(Ordering::Relaxed)
    }

    /// Breaches of our content security policy that were kept.
    pub fn breaches_kept(&self) -> u64 {
        self.breaches.load(Ordering::Relaxed)
    }

    /// How often each of [`OFFER_EVENTS`] happened.
    pub fn offer_events(&self) -> [(&'static str, u64); OFFER_EVENTS.len()] {
        std::array::from_fn(|place| {
            (
                OFFER_EVENTS[place],
                self.offers[place].load(Ordering::Relaxed),
            )
        })
    }

    /// A line of the log, and one more.
    pub fn diagnostic(&self, level: &Value, message: &Value, data: &Value) {
        self.diagnostics.fetch_add(1, Ordering::Relaxed);
        let (level, message, data) = (
            plain(text(level)),
            plain(text(message)),
            plain(&impersonal(data).to_string()),
        );
        tracing::info!(target: "browser", level, message, data, "a browser reports");
    }

    /// What pages were kept from doing: one report as older browsers send it, or a list of the newer kind. A page's address may
    /// open an order, so of every address only where it is remains: our pages' first word, others' hosts.
    pub fn breaches(&self, said: &Value) {
        let newer = said
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
            .iter();
        let newer = newer
            .filter(|report| report["type"] == "csp-violation")
            .map(|report| &report["body"]);
        for report in newer
            .chain(said.get("csp-report"))
            .filter(|report| report.is_object())
            .take(BREACHES_MAX)
        {
            let word = |names: [&str; 2]| {
                names
                    .iter()
                    .map(|name| text(&report[*name]))
                    .find(|word| !word.is_empty())
            };
            let directive = word(["effectiveDirective", "effective-directive"])
                .or(word(["violatedDirective", "violated-directive"]));
            let (directive, page) = (
                plain(directive.unwrap_or_default()),
                word(["documentURL", "document-uri"]),
            );
            let blocked = host(word(["blockedURL", "blocked-uri"]).unwrap_or_default());
            let source = host(word(["sourceFile", "source-file"]).unwrap_or_default());
            let page = first_word(page.unwrap_or_default());
            self.breaches.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(target: "browser", directive, blocked, source, page, "a page was kept from something");
        }
    }

    /// What happened to which offer; anything else is nothing.
    pub fn offer_event(&self, event: &Value, club: &Value, offer: &Value) {
        let known = OFFER_EVENTS.iter().position(|known| *event == **known);
        let (Some(place), Some(club), Some(offer)) = (known, slug(club), slug(offer)) else {
            return;
        };
        self.offers[place].fetch_add(1, Ordering::Relaxed);
        tracing::info!(target: "browser", event = OFFER_EVENTS[place], club, offer, "something happened to an offer");
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn slug(value: &Value) -> Option<&str> {
    const SLUG_MAX: usize = 80;
    let is_slug = |text: &&str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !text.is_empty() && text.len() <= SLUG_MAX && text.bytes().all(plain)
    };
    value.as_str().filter(is_slug)
}

/// Scheme and host of an address; of a word (`inline`, `eval`, `data`) the word.
fn host(address: &str) -> String {
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
    plain(&host)
}

/// `my` of `https://doubles.example.com/my/…`: the kind of page, never which.
fn first_word(address: &str) -> String {
    let path = address
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('/'))
        .map_or("", |(_, path)| path);
    let word = path.split(['/', '?', '#']).next().unwrap_or_default();
    word.chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .take(40)
        .collect()
}

/// One line without anything that looks like an e-mail address.
fn plain(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| !word.contains('@'));
    words
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .filter(|c| !c.is_control())
        .take(CHARS_MAX)
        .collect()
}

/// Without what speaks of a person.
fn impersonal(data: &Value) -> Value {
    match data {
        Value::Object(fields) => {
            let speaks = |key: &str| {
                PERSONAL
                    .iter()
                    .any(|part| key.to_lowercase().contains(part))
            };
            let kept = fields.iter().filter(|(key, _)| !speaks(key));
            Value::Object(
                kept.map(|(key, value)| (key.clone(), impersonal(value)))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(impersonal).collect()),
        Value::String(text) => Value::String(plain(text)),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_speaks_of_a_person_is_left_out() {
        let data = json!({ "step": "confirm", "buyerName": "Jo", "nested": [{ "email": "a@b.au", "ms": 7 }],
            "said": "mail jo@example.com\nnow", "clientSecret": "x", "Phone": "0400" });
        assert_eq!(
            impersonal(&data),
            json!({ "step": "confirm", "nested": [{ "ms": 7 }], "said": "mail now" })
        );
        assert_eq!(plain("a\u{7}b\r\nc jo@example.com"), "ab c");
        assert_eq!(plain(&"x".repeat(2000)).len(), CHARS_MAX);
    }

    #[test]
    fn of_a_report_only_the_kind_of_page_and_the_hosts_remain() {
        assert_eq!(
            first_word("https://fd.test/my/0123456789abcdef?x=1#y"),
            "my"
        );
        assert_eq!(
            first_word("https://fd.test/reset-password?token=00ff"),
            "reset-password"
        );
        assert_eq!(
            (first_word("https://fd.test/"), first_word("about:blank")),
            (String::new(), String::new())
        );
        assert_eq!(
            host("https://evil.test/steal?mail=jo@example.com"),
            "https://evil.test"
        );
        assert_eq!(
            (
                host("inline"),
                host("data:text/html,x"),
                host("https://jo@evil.test/")
            ),
            ("inline".into(), "data".into(), String::new())
        );
        let heard = Heard::default();
        let (old, new) = (
            json!({ "csp-report": { "violated-directive": "img-src" } }),
            json!({ "type": "csp-violation", "body": {} }),
        );
        for said in [
            &old,
            &json!([new, { "type": "deprecation", "body": {} }, 7]),
            &json!(vec![new.clone(); 100]),
        ] {
            heard.breaches(said);
        }
        assert_eq!(heard.breaches_kept(), 1 + 1 + 10);
        for said in [
            json!(null),
            json!({}),
            json!([]),
            json!("x"),
            json!({ "csp-report": [] }),
        ] {
            heard.breaches(&said);
        }
        assert_eq!(heard.breaches_kept(), 12, "no report");
    }

    #[test]
    fn only_what_may_happen_to_an_offer_is_counted() {
        let heard = Heard::default();
        heard.offer_event(
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
            heard.offer_event(&event, &club, &offer);
        }
        assert_eq!(
            heard.offer_events(),
            [
                ("offer_view", 0),
                ("offer_share", 1),
                ("offer_add_to_cart", 0)
            ]
        );
    }
}
