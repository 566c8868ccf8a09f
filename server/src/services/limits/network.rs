//! The network of a caller, which is the key of the rate limits by IP address.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// An IPv4 address, or the first 64 bits of an IPv6 address. An internet customer gets at least a
/// /64 and can use a new address for every request. Consents and the audit log store the whole
/// address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network(IpAddr);

const IPV6_NETWORK_BITS: u32 = 64;

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Network {
        Network(match address.to_canonical() {
            IpAddr::V6(whole) => IpAddr::V6(Ipv6Addr::from_bits(
                whole.to_bits() & (u128::MAX << (128 - IPV6_NETWORK_BITS)),
            )),
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
