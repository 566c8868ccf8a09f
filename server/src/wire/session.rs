//! Signing in, registering, and getting back in.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub struct Login {
    #[serde(default)]
    pub email: String,
    #[serde(default)]
    pub password: String,
}

/// Who signed in; a display hint for the browser, never an authority (decision G-4).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// The club's id; for the operator its own.
    pub id: i64,
    pub email: String,
    pub name: String,
    pub is_admin: bool,
    pub club_slug: Option<String>,
    /// What one of a club's people may do: `owner`, `seller` or `viewer`; the club's own login is an owner. Null for an operator.
    pub role: Option<&'static str>,
    /// Which of the club's people it is; null for the club's own login.
    pub member_name: Option<String>,
    pub member_email: Option<String>,
    /// The dashboard reminds until it is (decision G-18).
    pub email_verified: bool,
    /// An archived club may only look, and finish what runs (decision H-3).
    pub archived: bool,
    /// An operator's: `enrol`, `required` or `done`.
    pub second_factor: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Whoami {
    /// `super-admin` or `club-admin`.
    pub role: &'static str,
    pub club_slug: Option<String>,
    pub user: User,
    /// An operator's: `enrol`, `required` or `done`.
    pub second_factor: Option<&'static str>,
    /// Until when an operator need not show a code again.
    pub reauthenticated_until: Option<String>,
    pub session_ends_at: String,
}

/// What an authenticator is fed with.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Enrolment {
    /// Base 32.
    pub secret: String,
    /// `otpauth://totp/…`
    pub uri: String,
    pub qr_data_url: String,
}

/// Six digits of an authenticator; spaces do not matter.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct Code {
    pub code: Option<String>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reauthenticated {
    pub reauthenticated_until: String,
}

/// A new club (B:191).
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct Registration {
    pub name: Option<String>,
    pub email: Option<String>,
    pub password: Option<String>,
    pub location: Option<String>,
    pub phone: Option<String>,
}

/// A club that wants to be told when it may join (B:189).
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Waiting {
    pub club_name: Option<String>,
    pub contact_name: Option<String>,
    pub contact_email: Option<String>,
    pub contact_phone: Option<String>,
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ForgottenPassword {
    pub email: Option<String>,
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct NewPassword {
    pub token: Option<String>,
    pub new_password: Option<String>,
}

/// The secret of a mailed link.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = MailedSecret)]
pub struct Proof {
    pub token: Option<String>,
}
