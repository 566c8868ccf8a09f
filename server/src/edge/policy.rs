//! What browsers may do with an answer: content security policy and its kin (reliability 5.9, decision G-14).

use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::config::{Config, Stage};
use crate::routes::machine::shell::address::Page;

/// What kind of address was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Api,
    /// Calls that any site's page may make, and that know nobody: boards and widgets (decision G-5).
    Widget,
    /// A big screen's page or the embeddable widget: any site may frame it.
    Board,
    /// Scripts, styles, pictures.
    Asset,
    /// The demo's stand-in for the payment provider, and its mailbox.
    Sandbox,
    Page,
}

impl Place {
    /// In the order of their names above.
    const ALL: [Place; 6] = [
        Place::Api,
        Place::Widget,
        Place::Board,
        Place::Asset,
        Place::Sandbox,
        Place::Page,
    ];

    pub fn of(path: &str) -> Place {
        if path.starts_with("/api/public/widget/") || path == "/api/qr.svg" {
            Place::Widget
        } else if path.starts_with("/api/") {
            Place::Api
        } else if path.starts_with("/sandbox/") {
            Place::Sandbox
        } else if is_file(path) || path.starts_with("/uploads/") {
            Place::Asset
        } else if Page::of(path).is_some_and(|page| page.is_framed_by_anyone()) {
            Place::Board
        } else {
            Place::Page
        }
    }

    /// Boards and assets set no cookies (decision G-14).
    pub fn knows_browsers(self) -> bool {
        matches!(self, Place::Api | Place::Page)
    }
}

fn is_file(path: &str) -> bool {
    let alone = [
        "/widgets/live.js",
        "/robots.txt",
        "/sitemap.xml",
        "/manifest.webmanifest",
        "/sw.js",
    ];
    path.starts_with("/assets/") || path.starts_with("/og/") || alone.contains(&path)
}

/// What is said of every answer, written once for each kind of address.
pub struct Policies {
    content: [HeaderValue; Place::ALL.len()],
    over_tls: bool,
}

impl Policies {
    pub fn new(config: &Config) -> Policies {
        let content = Place::ALL.map(|place| {
            let content = HeaderValue::try_from(content_security_policy(place, config));
            content.unwrap_or(HeaderValue::from_static("default-src 'none'"))
        });
        Policies {
            content,
            over_tls: config.over_tls(),
        }
    }

    /// Adds what is not said already.
    pub fn write(&self, headers: &mut HeaderMap, place: Place) {
        let mut say = |name: HeaderName, value: HeaderValue| {
            if !headers.contains_key(&name) {
                headers.insert(name, value);
            }
        };
        say(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        );
        // A client secret in a query must not leave with a link (decision C-21).
        say(
            header::REFERRER_POLICY,
            HeaderValue::from_static("no-referrer"),
        );
        say(
            header::CONTENT_SECURITY_POLICY,
            self.content[place as usize].clone(),
        );
        if matches!(place, Place::Page | Place::Board) {
            // Where the policy's group of that name is; the other way to say it, for older browsers, stands in the policy.
            let endpoints = HeaderName::from_static("reporting-endpoints");
            say(
                endpoints,
                HeaderValue::from_static("breaches=\"/api/policy-report\""),
            );
        }
        if place != Place::Board {
            say(
                HeaderName::from_static("cross-origin-opener-policy"),
                HeaderValue::from_static("same-origin"),
            );
        }
        if matches!(place, Place::Api | Place::Page | Place::Sandbox) {
            // No other site's page gets it as a script, a picture or a style.
            let policy = HeaderName::from_static("cross-origin-resource-policy");
            say(policy, HeaderValue::from_static("same-origin"));
        }
        if self.over_tls {
            let year = HeaderValue::from_static("max-age=31536000; includeSubDomains");
            say(header::STRICT_TRANSPORT_SECURITY, year);
        }
        if matches!(place, Place::Asset | Place::Widget) {
            // A board in a sandboxed frame has no origin, and its scripts and fonts are fetched across origins.
            say(
                header::ACCESS_CONTROL_ALLOW_ORIGIN,
                HeaderValue::from_static("*"),
            );
        }
        if matches!(place, Place::Api | Place::Widget) {
            say(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            say(header::VARY, HeaderValue::from_static("Cookie"));
        }
    }
}

fn content_security_policy(place: Place, config: &Config) -> String {
    if matches!(place, Place::Api | Place::Widget) {
        return "default-src 'none'; frame-ancestors 'none'".to_string();
    }
    let sockets = config.public_url.replacen("http", "ws", 1);
    let (stripe_script, stripe_frame, stripe_call) = match config.stage {
        Stage::Demo => ("", "", ""),
        Stage::Production => (
            " https://js.stripe.com",
            " https://js.stripe.com https://hooks.stripe.com",
            " https://api.stripe.com",
        ),
    };
    let inline_script = if place == Place::Sandbox {
        " 'unsafe-inline'"
    } else {
        ""
    };
    let ancestors = match place {
        Place::Board => "*",
        Place::Sandbox => "'self'",
        Place::Api | Place::Widget | Place::Asset | Place::Page => "'none'",
    };
    // Only documents have breaches to report. A frame without an origin cannot: the call takes our own pages' alone.
    let reports = match place {
        Place::Board | Place::Page => "; report-uri /api/policy-report; report-to breaches",
        _ => "",
    };
    // Pictures may come from any secure host, because a club's logo may stand at an address of its own (B:165). A pixel is a
    // picture too: it is the page's consent bar, not this line, that lets nothing be asked for before Allow (decision J-12).
    format!(
        "default-src 'self'; script-src 'self'{inline_script}{stripe_script}; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: https:; connect-src 'self' {sockets}{stripe_call}; frame-src 'self'{stripe_frame}; \
         worker-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'{reports}; frame-ancestors {ancestors}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Environment;

    #[test]
    fn only_boards_may_be_framed_by_anyone() {
        let config = Config::demo(&Environment::default()).expect("the demo needs nothing");
        let framed =
            |path| content_security_policy(Place::of(path), &config).ends_with("frame-ancestors *");
        assert!(framed("/draw/1042/display"));
        assert!(framed("/w/draw:1042"));
        let bare = [
            "/",
            "/draw/1042",
            "/checkout/1042",
            "/admin",
            "/api/config",
            "/sandbox/mailbox",
            "/club/display",
            "/x/display",
        ];
        for path in bare {
            assert!(!framed(path), "{path}");
        }
    }

    /// The hosts that a policy names.
    fn hosts(policy: &str) -> Vec<&str> {
        policy
            .split([' ', ';'])
            .filter(|word| word.contains("://"))
            .collect()
    }

    fn directive<'a>(policy: &'a str, name: &str) -> &'a str {
        let all = policy.split(';').map(str::trim);
        all.filter_map(|part| part.strip_prefix(name))
            .map(str::trim)
            .next()
            .unwrap_or("missing")
    }

    /// As in production: over TLS, with the real provider.
    #[test]
    fn in_production_only_the_providers_hosts_may_be_reached_and_only_over_tls() {
        let mut config = Config::demo(&Environment::default()).expect("the demo needs nothing");
        (config.stage, config.public_url) =
            (Stage::Production, "https://doubles.example.com".to_string());
        let policies = Policies::new(&config);
        let headers = |place| {
            let mut headers = HeaderMap::new();
            policies.write(&mut headers, place);
            headers
        };
        for place in [
            Place::Api,
            Place::Widget,
            Place::Board,
            Place::Asset,
            Place::Page,
        ] {
            let headers = headers(place);
            let header = |name: &'static str| {
                headers
                    .get(HeaderName::from_static(name))
                    .map(|value| value.to_str().expect("text"))
            };
            assert_eq!(
                header("strict-transport-security"),
                Some("max-age=31536000; includeSubDomains"),
                "{place:?}"
            );
            let policy = header("content-security-policy").expect("a policy");
            let allowed = [
                "https://js.stripe.com",
                "https://hooks.stripe.com",
                "https://api.stripe.com",
                "wss://doubles.example.com",
            ];
            for host in hosts(policy) {
                assert!(allowed.contains(&host), "{place:?}: {host}");
            }
            assert!(
                !policy.contains("http:")
                    && !directive(policy, "script-src").contains("unsafe-inline"),
                "{place:?}: {policy}"
            );
            let reported = matches!(place, Place::Page | Place::Board);
            assert_eq!(
                directive(policy, "report-uri") == "/api/policy-report",
                reported,
                "{place:?}: {policy}"
            );
            let group = header("reporting-endpoints") == Some("breaches=\"/api/policy-report\"");
            assert_eq!(
                group && directive(policy, "report-to") == "breaches",
                reported,
                "{place:?}: {policy}"
            );
            for (name, value) in [
                ("object-src", "'none'"),
                ("base-uri", "'none'"),
                ("form-action", "'self'"),
                ("worker-src", "'self'"),
                ("manifest-src", "'self'"),
            ] {
                let is_said =
                    directive(policy, name) == value || policy.starts_with("default-src 'none'");
                assert!(is_said, "{place:?}: {name} in {policy}");
            }
        }
    }
}
