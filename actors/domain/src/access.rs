//! Who may do what: one table. A route that is not in it does not exist (decision G-1).

use crate::ClubId;

/// Who is asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Principal {
    /// Nobody we know; a buyer is one of these with an order's secret.
    Anonymous,
    Club(ClubId),
    Operator,
}

/// For whom a route is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Anyone.
    Public,
    /// Whoever holds the order's secret; checked where the order is read.
    Buyer,
    /// The club that owns the object, and the operator.
    Club,
    Operator,
    /// The payment provider, by signature.
    Machine,
}

/// Whether a principal may call a route of an audience at all. Whose object it is, is `owns`.
pub fn may(who: Principal, audience: Audience) -> bool {
    match audience {
        Audience::Public | Audience::Buyer | Audience::Machine => true,
        Audience::Club => who != Principal::Anonymous,
        Audience::Operator => who == Principal::Operator,
    }
}

/// Whether an object of a club is the principal's to see and change. If not, it does not exist for them: 404.
pub fn owns(who: Principal, club: ClubId) -> bool {
    match who {
        Principal::Operator => true,
        Principal::Club(own) => own == club,
        Principal::Anonymous => false,
    }
}
