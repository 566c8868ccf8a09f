//! Who may do what: one table. A route that is not in it does not exist (decision G-1).

use crate::ClubId;

/// What one of a club's people may do there (decision G-17). Each may do what those before may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Looks on: draws, counts, money. No buyer's name, e-mail or phone; no bank details, not even masked.
    Viewer,
    /// Sells: draws, results, offers, fixtures, and the reports. Writes to winners, and so sees who bought.
    Seller,
    /// Runs the club: its account at the provider, its page, its people, and where prizes are sent. The club's own login is one.
    Owner,
}

impl Role {
    pub const ALL: [Role; 3] = [Role::Viewer, Role::Seller, Role::Owner];

    pub fn word(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Seller => "seller",
            Role::Owner => "owner",
        }
    }

    pub fn read(word: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.word() == word)
    }
}

/// Who is asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Principal {
    /// Nobody we know; a buyer is one of these with an order's secret.
    Anonymous,
    /// One of a club's people.
    Club(ClubId, Role),
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
    /// The people of the club that owns the object, and the operator.
    Club,
    /// Of those people, who may sell.
    Seller,
    /// Of those people, who run the club.
    Owner,
    Operator,
    /// The operator, who showed the second factor within the last ten minutes: for what cannot be taken back.
    ProvenOperator,
    /// The payment provider, by signature.
    Machine,
    /// Another node of ours, by what it can seal; on an address of its own.
    Node,
}

impl Audience {
    /// The least that one of a club's people must be; `None`: it is not a club's people's.
    pub fn role(self) -> Option<Role> {
        match self {
            Audience::Club => Some(Role::Viewer),
            Audience::Seller => Some(Role::Seller),
            Audience::Owner => Some(Role::Owner),
            _ => None,
        }
    }

    /// Whether somebody must have signed in to call it.
    pub fn needs_login(self) -> bool {
        match self {
            Audience::SignedIn
            | Audience::Club
            | Audience::Seller
            | Audience::Owner
            | Audience::Operator
            | Audience::ProvenOperator => true,
            Audience::Public | Audience::Buyer | Audience::Machine | Audience::Node => false,
        }
    }
}

/// Whether a principal may call a route of an audience at all. Whose object it is, is `owns`.
pub fn may(who: Principal, audience: Audience) -> bool {
    match audience {
        Audience::Public | Audience::Buyer | Audience::Machine => true,
        // Nobody who comes with a cookie.
        Audience::Node => false,
        Audience::SignedIn => who != Principal::Anonymous,
        Audience::Club | Audience::Seller | Audience::Owner => match who {
            Principal::Club(_, role) => audience.role().is_some_and(|least| role >= least),
            Principal::Operator => true,
            Principal::Anonymous | Principal::HalfOperator => false,
        },
        // How fresh the proof is, the session knows.
        Audience::Operator | Audience::ProvenOperator => who == Principal::Operator,
    }
}

/// Whether an object of a club is the principal's to see and change. If not, it does not exist for them: 404.
pub fn owns(who: Principal, club: ClubId) -> bool {
    acts_as(who, club, Role::Viewer)
}

/// Whether a principal may know who bought a club's tickets, and how to reach them.
pub fn knows_buyers(who: Principal, club: ClubId) -> bool {
    acts_as(who, club, Role::Seller)
}

/// Whether a principal may know where a club's winners are paid, masked.
pub fn knows_bank_details(who: Principal, club: ClubId) -> bool {
    acts_as(who, club, Role::Owner)
}

fn acts_as(who: Principal, club: ClubId, least: Role) -> bool {
    match who {
        Principal::Operator => true,
        Principal::Club(own, role) => own == club && role >= least,
        Principal::Anonymous | Principal::HalfOperator => false,
    }
}
