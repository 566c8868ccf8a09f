//! Identifiers: one type for each kind, so that the compiler rejects a mix-up.

use std::fmt;

use sha2::{Digest, Sha256};

/// A draw's public number, from one global sequence starting at 1001 (decision A-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DrawId(pub i64);

/// A club's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClubId(pub i64);

/// Identifies an order and its reservations: the 128 bits of a random UUID.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderId(pub u128);

/// The provider's id of a payment intent, `pi_…`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaymentIntentId(pub String);

/// The provider's id of the application that created a payment intent, `ca_…`. A platform has one,
/// and the provider sets it on everything that the platform creates on a connected account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApplicationId(pub String);

impl OrderId {
    /// Returns the id of the order that an operator opens for a payment without an order (decision
    /// M-9). The id is the first half of a hash of the payment's id, so a repeated request finds
    /// the same order.
    pub fn for_payment_without_order(payment: &PaymentIntentId) -> OrderId {
        let digest = Sha256::digest(format!("football-doubles-order-of-payment:{payment}"));
        OrderId(
            digest
                .iter()
                .take(size_of::<u128>())
                .fold(0, |number, byte| (number << 8) | u128::from(*byte)),
        )
    }
}

/// A club's connected account at the provider, `acct_…`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(pub String);

impl fmt::Display for DrawId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ClubId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Formats the id as a UUID: 8-4-4-4-12 hexadecimal digits.
impl fmt::Display for OrderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = format!("{:032x}", self.0);
        write!(
            f,
            "{}-{}-{}-{}-{}",
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..]
        )
    }
}

impl fmt::Debug for OrderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for PaymentIntentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
