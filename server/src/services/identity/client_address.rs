//! Finds the client's IP address of a request behind proxies.

use std::net::IpAddr;

use actix_web::HttpRequest;
use actix_web::http::header::X_FORWARDED_FOR;

use crate::config::Config;

/// Returns the client's IP address of a request. `X-Forwarded-For` is trusted only from configured
/// proxies (decision G-13). A proxy appends the client's address to the existing header, or in a
/// further header line. Earlier addresses may be forged.
///
/// The whole address is returned, for consents and the audit log. Rate limits count by its
/// [`Network`](crate::services::limits::Network). An IPv6 address that maps an IPv4 address is
/// returned as IPv4.
pub fn client_address(request: &HttpRequest, config: &Config) -> IpAddr {
    let unknown = IpAddr::from([0, 0, 0, 0]);
    let peer = request
        .peer_addr()
        .map_or(unknown, |peer| peer.ip())
        .to_canonical();
    if !config
        .proxies
        .iter()
        .any(|proxy| proxy.to_canonical() == peer)
    {
        return peer;
    }
    let forwarded = request
        .headers()
        .get_all(X_FORWARDED_FOR)
        .last()
        .and_then(|value| value.to_str().ok());
    let nearest = forwarded.and_then(|list| list.rsplit(',').next()?.trim().parse().ok());
    nearest.map_or(peer, |address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;
    use crate::config::Environment;

    /// Returns the client's IP address of a request from `peer` with the `X-Forwarded-For` lines
    /// `lines`, if `proxy` is a trusted proxy.
    fn client_address_of(proxy: &str, peer: &str, lines: &[&'static str]) -> String {
        let mut config = Config::for_demo(&Environment::default()).expect("the demo needs nothing");
        let parse_ip = |text: &str| text.parse::<IpAddr>().expect("an address");
        config.proxies = vec![parse_ip(proxy)];
        let request = TestRequest::default().peer_addr((parse_ip(peer), 40_000).into());
        let request = lines.iter().fold(request, |request, line| {
            request.append_header((X_FORWARDED_FOR, *line))
        });
        client_address(&request.to_http_request(), &config).to_string()
    }

    /// Both kinds of proxies are tested: nginx appends to the client's header line, `HAProxy` adds
    /// a second line.
    #[test]
    fn only_the_proxys_own_forwarded_address_is_trusted() {
        let proxied = |lines: &[&'static str]| client_address_of("127.0.0.1", "127.0.0.1", lines);
        assert_eq!(proxied(&["198.51.100.1", "203.0.113.7"]), "203.0.113.7");
        assert_eq!(proxied(&["198.51.100.1, 203.0.113.7"]), "203.0.113.7");
        assert_eq!(
            proxied(&["198.51.100.1", "198.51.100.2, 203.0.113.7"]),
            "203.0.113.7"
        );
        assert_eq!(
            proxied(&["203.0.113.7", "nonsense"]),
            "127.0.0.1",
            "the proxy said nothing that can be read"
        );
        assert_eq!(proxied(&[]), "127.0.0.1");
        assert_eq!(
            client_address_of("127.0.0.1", "192.0.2.1", &["203.0.113.7"]),
            "192.0.2.1",
            "no proxy of ours"
        );
    }

    #[test]
    fn mapped_ipv4_is_unmapped_and_ipv6_is_kept_whole() {
        for (proxy, peer) in [
            ("127.0.0.1", "::ffff:127.0.0.1"),
            ("::ffff:127.0.0.1", "127.0.0.1"),
        ] {
            assert_eq!(
                client_address_of(proxy, peer, &["203.0.113.7"]),
                "203.0.113.7",
                "{proxy} is {peer}"
            );
        }
        assert_eq!(
            client_address_of("127.0.0.1", "127.0.0.1", &["::ffff:203.0.113.7"]),
            "203.0.113.7"
        );
        assert_eq!(
            client_address_of("127.0.0.1", "::ffff:192.0.2.1", &["203.0.113.7"]),
            "192.0.2.1"
        );
        assert_eq!(
            client_address_of("::1", "::1", &["2001:db8:1:2:3:4:5:6"]),
            "2001:db8:1:2:3:4:5:6",
            "the whole of it"
        );
    }
}
