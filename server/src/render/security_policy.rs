//! Security headers: the content security policy and related headers (decision G-14).

use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::config::{Config, Stage};
use crate::render::page_address::Page;

/// The kind of a response, which decides its security headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseKind {
    Api,
    /// Data of boards and widgets, which pages of any site may request anonymously (decision G-5).
    Widget,
    /// A big-screen page or the embeddable widget. Any site may frame it.
    Board,
    /// Files that pages load: scripts, styles and pictures.
    Asset,
    Page,
    /// The demo's stand-in for Stripe, and its mailbox.
    #[cfg(feature = "demo")]
    Sandbox,
}

impl ResponseKind {
    /// All kinds, in the order of their declaration.
    const ALL_KINDS: &[ResponseKind] = &[
        ResponseKind::Api,
        ResponseKind::Widget,
        ResponseKind::Board,
        ResponseKind::Asset,
        ResponseKind::Page,
        #[cfg(feature = "demo")]
        ResponseKind::Sandbox,
    ];

    /// Returns the kind of the response for a path or route pattern.
    pub fn for_path(path: &str) -> ResponseKind {
        #[cfg(feature = "demo")]
        if path.starts_with("/sandbox/") {
            return ResponseKind::Sandbox;
        }
        if path.starts_with("/api/public/widget/") || path == "/api/qr.svg" {
            ResponseKind::Widget
        } else if path.starts_with("/api/") {
            ResponseKind::Api
        } else if is_static_file(path) || path.starts_with("/uploads/") {
            ResponseKind::Asset
        } else if Page::for_path(path).is_some_and(|page| page.can_be_framed_by_any_site()) {
            ResponseKind::Board
        } else {
            ResponseKind::Page
        }
    }

    /// Whether the sandbox serves responses of this kind.
    fn is_sandbox(self) -> bool {
        match self {
            #[cfg(feature = "demo")]
            ResponseKind::Sandbox => true,
            _ => false,
        }
    }

    /// Whether responses of this kind may set the browser cookie. Boards and assets set no cookies
    /// (decision G-14).
    pub fn sets_browser_cookie(self) -> bool {
        matches!(self, ResponseKind::Api | ResponseKind::Page)
    }
}

fn is_static_file(path: &str) -> bool {
    let exact_paths = [
        "/widgets/live.js",
        "/robots.txt",
        "/sitemap.xml",
        "/manifest.webmanifest",
        "/favicon.ico",
        "/apple-touch-icon.png",
        "/sw.js",
    ];
    path.starts_with("/assets/") || path.starts_with("/og/") || exact_paths.contains(&path)
}

/// The security headers of each kind of response, built once at startup.
pub struct SecurityHeaders {
    content: Vec<HeaderValue>,
    uses_tls: bool,
}

impl SecurityHeaders {
    pub fn new(config: &Config) -> SecurityHeaders {
        let content = ResponseKind::ALL_KINDS.iter().map(|kind| {
            let content = HeaderValue::try_from(content_security_policy(*kind, config));
            content.unwrap_or(HeaderValue::from_static("default-src 'none'"))
        });
        SecurityHeaders {
            content: content.collect(),
            uses_tls: config.uses_tls(),
        }
    }

    /// Adds the security headers of a response kind. A header that the response already has stays.
    pub fn add_headers(&self, headers: &mut HeaderMap, kind: ResponseKind) {
        let mut insert_if_missing = |name: HeaderName, value: HeaderValue| {
            if !headers.contains_key(&name) {
                headers.insert(name, value);
            }
        };
        insert_if_missing(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        );
        // Do not send the page's query to other sites, because it may contain a client secret
        // (decision C-21).
        insert_if_missing(
            header::REFERRER_POLICY,
            HeaderValue::from_static("no-referrer"),
        );
        insert_if_missing(
            header::CONTENT_SECURITY_POLICY,
            self.content[kind as usize].clone(),
        );
        if matches!(kind, ResponseKind::Page | ResponseKind::Board) {
            // Define the reporting group that the policy's `report-to` names. Older browsers use
            // the policy's `report-uri` instead.
            let endpoints = HeaderName::from_static("reporting-endpoints");
            insert_if_missing(
                endpoints,
                HeaderValue::from_static("breaches=\"/api/policy-report\""),
            );
        }
        // A page that isolates itself from its pop-ups cannot hear from a wallet that opened one.
        let opener_policy = match kind {
            ResponseKind::Board => None,
            ResponseKind::Page => Some("same-origin-allow-popups"),
            _ => Some("same-origin"),
        };
        if let Some(policy) = opener_policy {
            insert_if_missing(
                HeaderName::from_static("cross-origin-opener-policy"),
                HeaderValue::from_static(policy),
            );
        }
        if matches!(kind, ResponseKind::Api | ResponseKind::Page) || kind.is_sandbox() {
            // Do not let pages of other sites load the response as a script, a picture or a style.
            let policy = HeaderName::from_static("cross-origin-resource-policy");
            insert_if_missing(policy, HeaderValue::from_static("same-origin"));
        }
        if self.uses_tls {
            let year = HeaderValue::from_static("max-age=31536000; includeSubDomains");
            insert_if_missing(header::STRICT_TRANSPORT_SECURITY, year);
        }
        if matches!(kind, ResponseKind::Asset | ResponseKind::Widget) {
            // Allow requests of any origin, because a board in a sandboxed frame has no origin, so
            // the requests for its scripts and fonts are cross-origin.
            insert_if_missing(
                header::ACCESS_CONTROL_ALLOW_ORIGIN,
                HeaderValue::from_static("*"),
            );
        }
        if matches!(kind, ResponseKind::Api | ResponseKind::Widget) {
            insert_if_missing(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            insert_if_missing(header::VARY, HeaderValue::from_static("Cookie"));
        }
    }
}

/// Returns the content security policy of the pages.
pub fn page_policy(config: &Config) -> String {
    content_security_policy(ResponseKind::Page, config)
}

fn content_security_policy(kind: ResponseKind, config: &Config) -> String {
    if matches!(kind, ResponseKind::Api | ResponseKind::Widget) {
        return "default-src 'none'; frame-ancestors 'none'".to_string();
    }
    let sockets = config.public_url.replacen("http", "ws", 1);
    let (stripe_script, stripe_frame, stripe_call) = match config.stage {
        Stage::Demo => ("", "", ""),
        // Stripe.js loads parts of itself, and shows its fields, from hosts below js.stripe.com.
        Stage::Production => (
            " https://js.stripe.com https://*.js.stripe.com",
            " https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
            " https://api.stripe.com",
        ),
    };
    let inline_script = if kind.is_sandbox() {
        " 'unsafe-inline'"
    } else {
        ""
    };
    let ancestors = match kind {
        ResponseKind::Board => "*",
        #[cfg(feature = "demo")]
        ResponseKind::Sandbox => "'self'",
        ResponseKind::Api | ResponseKind::Widget | ResponseKind::Asset | ResponseKind::Page => {
            "'none'"
        }
    };
    // Only documents report violations of the policy. A board in a frame without an origin cannot
    // report, because the endpoint accepts reports only from this site's pages.
    let reports = match kind {
        ResponseKind::Board | ResponseKind::Page => {
            "; report-uri /api/policy-report; report-to breaches"
        }
        _ => "",
    };
    // Pictures may come from any HTTPS host, because a club's logo may be on another host
    // (specification B, line 165). This also allows a tracking pixel; the page's consent bar
    // prevents it from loading before the visitor agrees (decision J-12).
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
    fn only_boards_may_be_framed_by_any_site() {
        let config = Config::for_demo(&Environment::default()).expect("the demo needs nothing");
        let framed = |path| {
            content_security_policy(ResponseKind::for_path(path), &config)
                .ends_with("frame-ancestors *")
        };
        assert!(framed("/draw/1042/display"));
        assert!(framed("/w/draw:1042"));
        let unframed = [
            "/",
            "/draw/1042",
            "/checkout/1042",
            "/admin",
            "/api/config",
            "/sandbox/mailbox",
            "/club/display",
            "/x/display",
        ];
        for path in unframed {
            assert!(!framed(path), "{path}");
        }
    }

    /// Returns the hosts that a content security policy contains.
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

    /// Tests the policy of a production configuration, over TLS and with Stripe.
    #[test]
    fn production_policy_allows_only_stripe_hosts_over_tls() {
        let mut config = Config::for_demo(&Environment::default()).expect("the demo needs nothing");
        (config.stage, config.public_url) =
            (Stage::Production, "https://doubles.example.com".to_string());
        let policies = SecurityHeaders::new(&config);
        let headers = |kind| {
            let mut headers = HeaderMap::new();
            policies.add_headers(&mut headers, kind);
            headers
        };
        for kind in [
            ResponseKind::Api,
            ResponseKind::Widget,
            ResponseKind::Board,
            ResponseKind::Asset,
            ResponseKind::Page,
        ] {
            let headers = headers(kind);
            let header = |name: &'static str| {
                headers
                    .get(HeaderName::from_static(name))
                    .map(|value| value.to_str().expect("text"))
            };
            assert_eq!(
                header("strict-transport-security"),
                Some("max-age=31536000; includeSubDomains"),
                "{kind:?}"
            );
            let policy = header("content-security-policy").expect("a policy");
            let allowed = [
                "https://js.stripe.com",
                "https://*.js.stripe.com",
                "https://hooks.stripe.com",
                "https://api.stripe.com",
                "wss://doubles.example.com",
            ];
            for host in hosts(policy) {
                assert!(allowed.contains(&host), "{kind:?}: {host}");
            }
            if kind == ResponseKind::Page {
                for name in ["script-src", "frame-src"] {
                    let hosts = directive(policy, name);
                    assert!(hosts.contains("https://*.js.stripe.com"), "{name}: {hosts}");
                }
            }
            let opener_policy = match kind {
                ResponseKind::Board => None,
                ResponseKind::Page => Some("same-origin-allow-popups"),
                _ => Some("same-origin"),
            };
            assert_eq!(
                header("cross-origin-opener-policy"),
                opener_policy,
                "{kind:?}"
            );
            assert!(
                !policy.contains("http:")
                    && !directive(policy, "script-src").contains("unsafe-inline"),
                "{kind:?}: {policy}"
            );
            let reported = matches!(kind, ResponseKind::Page | ResponseKind::Board);
            assert_eq!(
                directive(policy, "report-uri") == "/api/policy-report",
                reported,
                "{kind:?}: {policy}"
            );
            let group = header("reporting-endpoints") == Some("breaches=\"/api/policy-report\"");
            assert_eq!(
                group && directive(policy, "report-to") == "breaches",
                reported,
                "{kind:?}: {policy}"
            );
            for (name, value) in [
                ("object-src", "'none'"),
                ("base-uri", "'none'"),
                ("form-action", "'self'"),
                ("worker-src", "'self'"),
                ("manifest-src", "'self'"),
            ] {
                let is_present =
                    directive(policy, name) == value || policy.starts_with("default-src 'none'");
                assert!(is_present, "{kind:?}: {name} in {policy}");
            }
        }
    }
}
