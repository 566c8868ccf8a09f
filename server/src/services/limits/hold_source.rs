//! The browser or network whose quota of unpaid tickets a reservation counts against
//! (`domain::draw::hold_limit`).

use std::net::{IpAddr, Ipv6Addr};

use domain::{ReservationSource, ReservationSourceId};
use sha2::{Digest, Sha256};

use super::Limits;
use crate::services::identity::Browser;

/// Number of leading bits by which IPv6 addresses share a quota of unpaid tickets. One customer
/// easily gets a /48. With 64 bits such a customer would have a quota for each of 65,536 subnets.
const IPV6_SITE_PREFIX_BITS: u32 = 48;

impl Limits {
    /// Returns whose quota of unpaid tickets a reservation counts against: the browser's if it has
    /// paid before, otherwise its network's. `None` for the demo's own machine, which is not
    /// limited.
    pub fn hold_source(
        &self,
        browser: &Browser,
        has_paid: bool,
        address: IpAddr,
    ) -> Option<ReservationSource> {
        if self.is_exempt(address) {
            return None;
        }
        let id = if has_paid {
            digest(b"browser", &browser.0)
        } else {
            digest(b"network", &site_network(address).octets())
        };
        Some(ReservationSource { id, has_paid })
    }
}

/// Returns the network of a site: an IPv4 address, or the first 48 bits of an IPv6 address.
fn site_network(address: IpAddr) -> Ipv6Addr {
    match address.to_canonical() {
        IpAddr::V4(whole) => whole.to_ipv6_mapped(),
        IpAddr::V6(whole) => {
            Ipv6Addr::from_bits(whole.to_bits() & (u128::MAX << (128 - IPV6_SITE_PREFIX_BITS)))
        }
    }
}

fn digest(kind: &[u8], bytes: &[u8; 16]) -> ReservationSourceId {
    let digest = Sha256::new_with_prefix(kind).chain_update(bytes).finalize();
    ReservationSourceId(
        digest[..16]
            .iter()
            .fold(0, |id, byte| id << 8 | u128::from(*byte)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Stage;

    fn source(browser: u8, has_paid: bool, address: &str) -> Option<ReservationSource> {
        let limits = Limits::new(Stage::Production);
        limits.hold_source(
            &Browser([browser; 16]),
            has_paid,
            address.parse().expect("an address"),
        )
    }

    #[test]
    fn unpaid_browsers_of_one_site_share_a_quota() {
        let same = [
            ("203.0.113.7", "203.0.113.7"),
            ("203.0.113.7", "::ffff:203.0.113.7"),
        ];
        for (one, other) in same
            .into_iter()
            .chain([("2001:db8:1:2::3", "2001:db8:1:ffff::9")])
        {
            assert_eq!(
                source(1, false, one),
                source(2, false, other),
                "{one} {other}"
            );
        }
        for (one, other) in [
            ("203.0.113.7", "203.0.113.8"),
            ("2001:db8:1::3", "2001:db8:2::3"),
        ] {
            assert_ne!(
                source(1, false, one),
                source(1, false, other),
                "{one} {other}"
            );
        }
    }

    #[test]
    fn browser_that_paid_has_its_own_quota() {
        assert_eq!(
            source(1, true, "203.0.113.7"),
            source(1, true, "198.51.100.1")
        );
        assert_ne!(
            source(1, true, "203.0.113.7"),
            source(2, true, "203.0.113.7")
        );
        assert_ne!(
            source(1, true, "203.0.113.7"),
            source(1, false, "203.0.113.7")
        );
    }

    #[test]
    fn only_the_demo_exempts_its_own_machine() {
        let here = "127.0.0.1".parse().expect("an address");
        assert_eq!(
            Limits::new(Stage::Demo).hold_source(&Browser([1; 16]), false, here),
            None
        );
        assert!(source(1, false, "127.0.0.1").is_some());
    }
}
