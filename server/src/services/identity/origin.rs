//! Decides whether a request that may change state came from one of this site's pages, by headers
//! that browsers set.

use actix_web::http::uri::Authority;

/// The request headers that tell which site's page sent the request.
#[derive(Clone, Copy, Debug)]
pub struct OriginHeaders<'a> {
    /// Value of the header `Sec-Fetch-Site`.
    pub site: Option<&'a str>,
    /// Value of the header `Origin`.
    pub origin: Option<&'a str>,
    /// Value of the header `Host`.
    pub host: Option<&'a str>,
    pub public_url: &'a str,
    /// Whether the request carries a login cookie, valid or not.
    pub has_login_cookie: bool,
}

/// The result of the origin check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginVerdict {
    SameOrigin,
    CrossOrigin,
}

/// Decides whether a request came from this site. Browsers send an origin with every request that
/// may change state. A client without one is not a browser: it is accepted only without a login
/// cookie.
pub fn check_origin(origin_headers: &OriginHeaders<'_>) -> OriginVerdict {
    let site_is_foreign = origin_headers
        .site
        .is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let origin_is_foreign = origin_headers
        .origin
        .is_some_and(|origin| !is_own_origin(origin, origin_headers));
    let has_no_origin = origin_headers.site.is_none() && origin_headers.origin.is_none();
    if site_is_foreign || origin_is_foreign || (has_no_origin && origin_headers.has_login_cookie) {
        OriginVerdict::CrossOrigin
    } else {
        OriginVerdict::SameOrigin
    }
}

/// Whether scheme, host and port of `origin` are those of the public URL. The demo may be opened as
/// `localhost` or `127.0.0.1`; `origin` must then match the `Host` header, including the port.
fn is_own_origin(origin: &str, origin_headers: &OriginHeaders<'_>) -> bool {
    let (Some(origin), Some(public)) = (
        parse_origin(origin),
        parse_origin(origin_headers.public_url),
    ) else {
        return false;
    };
    let requested = origin_headers
        .host
        .and_then(|host| parse_origin(&format!("{}://{host}", public.scheme)));
    let is_local = is_loopback(&public.host)
        && is_loopback(&origin.host)
        && requested.as_ref() == Some(&origin);
    origin == public || is_local
}

#[derive(PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

/// Parses an origin. `None` if it is not a single origin of a web page.
fn parse_origin(text: &str) -> Option<Origin> {
    let (scheme, authority) = text.split_once("://")?;
    let authority: Authority = authority.parse().ok()?;
    let default = match scheme {
        "https" => 443,
        "http" => 80,
        _ => return None,
    };
    let port = authority.port_u16().unwrap_or(default);
    let is_plain = !authority.as_str().contains('@');
    is_plain.then(|| Origin {
        scheme: scheme.to_string(),
        host: authority.host().to_ascii_lowercase(),
        port,
    })
}

fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_HEADERS: OriginHeaders<'_> = OriginHeaders {
        site: None,
        origin: None,
        host: Some("fd.test"),
        public_url: "https://fd.test",
        has_login_cookie: false,
    };

    #[test]
    fn own_pages_are_accepted() {
        assert_eq!(
            check_origin(&OriginHeaders {
                site: Some("same-origin"),
                has_login_cookie: true,
                ..NO_HEADERS
            }),
            OriginVerdict::SameOrigin
        );
        assert_eq!(
            check_origin(&OriginHeaders {
                origin: Some("https://fd.test"),
                has_login_cookie: true,
                ..NO_HEADERS
            }),
            OriginVerdict::SameOrigin
        );
        assert_eq!(
            check_origin(&OriginHeaders {
                origin: Some("https://fd.test:443"),
                ..NO_HEADERS
            }),
            OriginVerdict::SameOrigin,
            "the same port"
        );
    }

    #[test]
    fn origins_with_another_scheme_host_or_port_are_foreign() {
        for origin in [
            "http://fd.test",
            "https://fd.test:8443",
            "https://www.fd.test",
            "wss://fd.test",
            "fd.test",
        ] {
            assert_eq!(
                check_origin(&OriginHeaders {
                    origin: Some(origin),
                    ..NO_HEADERS
                }),
                OriginVerdict::CrossOrigin,
                "{origin}"
            );
        }
        let proxied = OriginHeaders {
            host: Some("10.0.0.1:8080"),
            origin: Some("https://fd.test"),
            ..NO_HEADERS
        };
        assert_eq!(
            check_origin(&proxied),
            OriginVerdict::SameOrigin,
            "the proxy may ask under another host"
        );
    }

    #[test]
    fn loopback_names_are_the_same_site() {
        let local = OriginHeaders {
            public_url: "http://localhost:8080",
            host: Some("127.0.0.1:8080"),
            ..NO_HEADERS
        };
        assert_eq!(
            check_origin(&OriginHeaders {
                origin: Some("http://127.0.0.1:8080"),
                ..local
            }),
            OriginVerdict::SameOrigin
        );
        for origin in [
            "http://127.0.0.1:9090",
            "https://127.0.0.1:8080",
            "http://evil.test:8080",
        ] {
            assert_eq!(
                check_origin(&OriginHeaders {
                    origin: Some(origin),
                    ..local
                }),
                OriginVerdict::CrossOrigin,
                "{origin}"
            );
        }
        let rebound = OriginHeaders {
            host: Some("evil.test:8080"),
            origin: Some("http://evil.test:8080"),
            ..local
        };
        assert_eq!(
            check_origin(&rebound),
            OriginVerdict::CrossOrigin,
            "another name for this machine"
        );
    }

    #[test]
    fn other_sites_are_foreign() {
        for site in ["cross-site", "same-site", "unreadable"] {
            assert_eq!(
                check_origin(&OriginHeaders {
                    site: Some(site),
                    ..NO_HEADERS
                }),
                OriginVerdict::CrossOrigin
            );
        }
        for origin in ["https://evil.test", "null", "https://fd.test.evil.test", ""] {
            assert_eq!(
                check_origin(&OriginHeaders {
                    origin: Some(origin),
                    ..NO_HEADERS
                }),
                OriginVerdict::CrossOrigin
            );
        }
        let contradiction = OriginHeaders {
            site: Some("same-origin"),
            origin: Some("https://evil.test"),
            ..NO_HEADERS
        };
        assert_eq!(check_origin(&contradiction), OriginVerdict::CrossOrigin);
    }

    #[test]
    fn missing_origin_is_accepted_only_without_login() {
        assert_eq!(check_origin(&NO_HEADERS), OriginVerdict::SameOrigin);
        assert_eq!(
            check_origin(&OriginHeaders {
                has_login_cookie: true,
                ..NO_HEADERS
            }),
            OriginVerdict::CrossOrigin
        );
    }
}
