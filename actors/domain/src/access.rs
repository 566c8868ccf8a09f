//! The access rules: which principal may call which routes, and which objects it may see. Every
//! route must have an audience (decision G-1).

use crate::ClubId;

/// The role of a club member (decision G-17). Each role also has the rights of the roles listed
/// before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Sees draws, counts and money, but no buyer's name, e-mail or phone number, and no bank
    /// details, not even masked ones.
    Viewer,
    /// Manages draws, results, offers, fixtures and reports. Writes to winners, and therefore sees
    /// the buyers.
    Seller,
    /// Manages the club: its account at the payment provider, its page, its members and its bank
    /// details. The club's own login is an owner.
    Owner,
}

impl Role {
    pub const ALL: [Role; 3] = [Role::Viewer, Role::Seller, Role::Owner];

    /// Returns the name of the role on the wire and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Seller => "seller",
            Role::Owner => "owner",
        }
    }

    /// Parses the name of a role. `None`: no role has this name.
    pub fn from_name(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// Who makes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Principal {
    /// A caller without a session. Buyers are anonymous: they identify themselves by the secret
    /// token of an order.
    Anonymous,
    /// A club member.
    Club(ClubId, Role),
    /// An operator who has entered the password, but not the code of the second factor.
    HalfOperator,
    Operator,
}

/// Who may call a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Anyone, also without a session.
    Public,
    /// Holders of the order's secret token. The handler that reads the order checks the token.
    Buyer,
    /// Everyone who has entered a correct password, also before the second factor.
    SignedIn,
    /// The members of the club that owns the requested object, and the operator.
    Club,
    /// Sellers and owners of the club that owns the requested object, and the operator.
    Seller,
    /// Owners of the club that owns the requested object, and the operator.
    Owner,
    /// Like `Seller`, but a member must have entered the password, and the operator the code of the
    /// second factor, within the last ten minutes.
    ProvenSeller,
    /// Like `Owner`, but a member must have entered the password, and the operator the code of the
    /// second factor, within the last ten minutes.
    ProvenOwner,
    Operator,
    /// The operator, with a second factor entered within the last ten minutes. For irreversible
    /// actions.
    ProvenOperator,
    /// The payment provider, identified by its signature on the request.
    Machine,
    /// Another node of this system, identified by the sealing key that all nodes share. These
    /// routes are served on a separate network address.
    Node,
}

impl Audience {
    /// Returns the lowest club role that may call a route of this audience. `None`: no club member
    /// may.
    pub fn role(self) -> Option<Role> {
        match self {
            Audience::Club => Some(Role::Viewer),
            Audience::Seller | Audience::ProvenSeller => Some(Role::Seller),
            Audience::Owner | Audience::ProvenOwner => Some(Role::Owner),
            _ => None,
        }
    }

    /// Whether the caller must have entered the password, or the operator's code of the second
    /// factor, within the last ten minutes.
    pub fn needs_recent_authentication(self) -> bool {
        match self {
            Audience::ProvenSeller | Audience::ProvenOwner | Audience::ProvenOperator => true,
            Audience::Public
            | Audience::Buyer
            | Audience::SignedIn
            | Audience::Club
            | Audience::Seller
            | Audience::Owner
            | Audience::Operator
            | Audience::Machine
            | Audience::Node => false,
        }
    }

    /// Whether the caller must be signed in.
    pub fn needs_login(self) -> bool {
        match self {
            Audience::SignedIn
            | Audience::Club
            | Audience::Seller
            | Audience::Owner
            | Audience::ProvenSeller
            | Audience::ProvenOwner
            | Audience::Operator
            | Audience::ProvenOperator => true,
            Audience::Public | Audience::Buyer | Audience::Machine | Audience::Node => false,
        }
    }
}

/// Whether a principal may call routes of this audience. [`may_see_club`] decides about the
/// requested object.
pub fn may_call_route(who: Principal, audience: Audience) -> bool {
    match audience {
        Audience::Public | Audience::Buyer | Audience::Machine => true,
        // A node has no session: its request is identified by the sealing key.
        Audience::Node => false,
        Audience::SignedIn => who != Principal::Anonymous,
        // How recently the password or code was entered is checked separately, see
        // `needs_recent_authentication`.
        Audience::Club
        | Audience::Seller
        | Audience::Owner
        | Audience::ProvenSeller
        | Audience::ProvenOwner => match who {
            Principal::Club(_, role) => audience.role().is_some_and(|least| role >= least),
            Principal::Operator => true,
            Principal::Anonymous | Principal::HalfOperator => false,
        },
        Audience::Operator | Audience::ProvenOperator => who == Principal::Operator,
    }
}

/// Whether a principal may see the objects of a club. If not, the response status is 404.
pub fn may_see_club(who: Principal, club: ClubId) -> bool {
    has_club_role(who, club, Role::Viewer)
}

/// Whether a principal may see the buyers of a club's tickets and their contact details.
pub fn may_see_buyers(who: Principal, club: ClubId) -> bool {
    has_club_role(who, club, Role::Seller)
}

/// Whether a principal may see the masked bank details of a club's winners.
pub fn may_see_bank_details(who: Principal, club: ClubId) -> bool {
    has_club_role(who, club, Role::Owner)
}

fn has_club_role(who: Principal, club: ClubId, least: Role) -> bool {
    match who {
        Principal::Operator => true,
        Principal::Club(own, role) => own == club && role >= least,
        Principal::Anonymous | Principal::HalfOperator => false,
    }
}
