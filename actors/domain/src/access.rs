//! Who may do what: one table. A route that is not in it does not exist (decision G-1).

use crate::ClubId;

/// Who is asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Principal {
    /// Nobody we know; a buyer is one of these with an order's secret.
    Anonymous,
    Club(ClubId),
    /// An operator who has given the password but not the second factor's code.
    HalfOperator,
    Operator,
}

/// For whom a route is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Anyone.
    Public,
    /// Whoever holds the order's secret; checked where the order is read.
    Buyer,
    /// Whoever has given a right password: to learn who one is, and to show the second factor.
    SignedIn,
    /// The club that owns the object, and the operator.
    Club,
    Operator,
    /// The operator, who showed the second factor within the last ten minutes: for what cannot be taken back.
    ProvenOperator,
    /// The payment provider, by signature.
    Machine,
}

/// Whether a principal may call a route of an audience at all. Whose object it is, is `owns`.
pub fn may(who: Principal, audience: Audience) -> bool {
    match audience {
        Audience::Public | Audience::Buyer | Audience::Machine => true,
        Audience::SignedIn => who != Principal::Anonymous,
        Audience::Club => matches!(who, Principal::Club(_) | Principal::Operator),
        // How fresh the proof is, the session knows.
        Audience::Operator | Audience::ProvenOperator => who == Principal::Operator,
    }
}

/// Whether an object of a club is the principal's to see and change. If not, it does not exist for them: 404.
pub fn owns(who: Principal, club: ClubId) -> bool {
    match who {
        Principal::Operator => true,
        Principal::Club(own) => own == club,
        Principal::Anonymous | Principal::HalfOperator => false,
    }
}
