//! Where a request comes from.

use std::net::IpAddr;

use actix_web::HttpRequest;
use actix_web::http::header::X_FORWARDED_FOR;

use crate::config::Config;

/// The address a request comes from; `X-Forwarded-For` is believed only from configured proxies (decision G-13). A proxy writes
/// what it saw last, into the client's own line or into one below: whatever stands before it, anybody may have written.
///
/// The whole address, as consents and the audit log keep it; limits count by its [`Network`](crate::limits::Network). An IPv4
/// caller is the same on a socket that takes both.
pub fn address(request: &HttpRequest, config: &Config) -> IpAddr {
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

    /// Where a request is taken to come from that a peer sends with these lines, if the proxy is believed.
    fn from(proxy: &str, peer: &str, lines: &[&'static str]) -> String {
        let mut config = Config::demo(&Environment::default()).expect("the demo needs nothing");
        let read = |text: &str| text.parse::<IpAddr>().expect("an address");
        config.proxies = vec![read(proxy)];
        let request = TestRequest::default().peer_addr((read(peer), 40_000).into());
        let request = lines.iter().fold(request, |request, line| {
            request.append_header((X_FORWARDED_FOR, *line))
        });
        address(&request.to_http_request(), &config).to_string()
    }

    /// Behind nginx the client's words and the proxy's are one line, behind HAProxy two.
    #[test]
    fn of_what_is_forwarded_only_the_proxys_own_word_is_believed() {
        let proxied = |lines: &[&'static str]| from("127.0.0.1", "127.0.0.1", lines);
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
            from("127.0.0.1", "192.0.2.1", &["203.0.113.7"]),
            "192.0.2.1",
            "no proxy of ours"
        );
    }

    #[test]
    fn an_ipv4_caller_is_the_same_on_a_socket_that_takes_both_and_an_ipv6_one_is_known_whole() {
        for (proxy, peer) in [
            ("127.0.0.1", "::ffff:127.0.0.1"),
            ("::ffff:127.0.0.1", "127.0.0.1"),
        ] {
            assert_eq!(
                from(proxy, peer, &["203.0.113.7"]),
                "203.0.113.7",
                "{proxy} is {peer}"
            );
        }
        assert_eq!(
            from("127.0.0.1", "127.0.0.1", &["::ffff:203.0.113.7"]),
            "203.0.113.7"
        );
        assert_eq!(
            from("127.0.0.1", "::ffff:192.0.2.1", &["203.0.113.7"]),
            "192.0.2.1"
        );
        assert_eq!(
            from("::1", "::1", &["2001:db8:1:2:3:4:5:6"]),
            "2001:db8:1:2:3:4:5:6",
            "the whole of it"
        );
    }
}
