//! The users of a club, as its owners read them.

use domain::Timestamp;
use persistence::records::club_users::ClubUser as ClubUserRecord;
use persistence::records::clubs::Club;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::time_format::rfc3339;

/// A person who may sign in for the club (decision G-17).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClubUser {
    /// Id of the user; 0 for the club's own login.
    pub id: i64,
    pub email: String,
    pub name: String,
    /// `owner`, `seller` or `viewer`.
    pub role: &'static str,
    /// `active`, `invited`, or `expired` when the invitation was not accepted in time.
    pub state: &'static str,
    /// Whether this is the club's own login, an owner that cannot be changed or removed.
    pub is_club_login: bool,
    pub invited_at: Option<String>,
    /// When the user's invitation expires.
    pub invited_until: Option<String>,
    /// Time of the user's last request with a session.
    pub last_seen_at: Option<String>,
}

impl ClubUser {
    pub fn from_record(row: &ClubUserRecord, now: Timestamp) -> ClubUser {
        let state = match (row.joined_at, row.invited_until) {
            (Some(_), _) => "active",
            (None, Some(until)) if until > now => "invited",
            (None, _) => "expired",
        };
        ClubUser {
            id: row.id,
            email: row.email.clone(),
            name: row.name.clone(),
            role: row.role.name(),
            state,
            is_club_login: false,
            invited_at: Some(rfc3339(row.invited_at)),
            invited_until: row.invited_until.map(rfc3339),
            last_seen_at: row.seen_at.map(rfc3339),
        }
    }

    pub fn from_club_login(club: &Club, seen: Option<Timestamp>) -> ClubUser {
        ClubUser {
            id: 0,
            email: club.email.clone(),
            name: club.name.clone(),
            role: domain::access::Role::Owner.name(),
            state: "active",
            is_club_login: true,
            invited_at: None,
            invited_until: None,
            last_seen_at: seen.map(rfc3339),
        }
    }
}

/// The form for inviting or changing a user.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ClubUserForm {
    pub email: Option<String>,
    pub name: Option<String>,
    /// `owner`, `seller` or `viewer`.
    pub role: Option<String>,
}
