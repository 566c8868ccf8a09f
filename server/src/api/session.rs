//! Bodies for signing in, registering and resetting a password.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The sign-in form.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Login {
    #[serde(default)]
    pub email: String,
    #[serde(default)]
    pub password: String,
    /// Whether a club stays signed in for 30 days. Ignored for an operator.
    #[serde(default)]
    pub stay_signed_in: bool,
}

/// The signed-in user, for display only; the server decides about rights by the session (decision
/// G-4).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// The club's id, or the operator's own id.
    pub id: i64,
    pub email: String,
    pub name: String,
    pub is_admin: bool,
    pub club_slug: Option<String>,
    /// The user's role: `owner`, `seller` or `viewer`. The club's own login is an owner. Null for
    /// an operator.
    pub role: Option<&'static str>,
    /// Name of the club's user; null for the club's own login.
    pub member_name: Option<String>,
    pub member_email: Option<String>,
    /// Whether the club's e-mail address is confirmed. The dashboard shows a reminder until then
    /// (decision G-18).
    pub email_verified: bool,
    /// Whether the club is archived. It may then only read, and finish its running draws (decision
    /// H-3).
    pub archived: bool,
    /// State of an operator's second factor: `enrol`, `required` or `done`. Null for a club.
    pub second_factor: Option<&'static str>,
}

/// The signed-in user and the state of the session.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Whoami {
    /// `super-admin` or `club-admin`.
    pub role: &'static str,
    pub club_slug: Option<String>,
    pub user: User,
    /// State of an operator's second factor: `enrol`, `required` or `done`. Null for a club.
    pub second_factor: Option<&'static str>,
    /// Until when the last proof of identity counts: an operator's second-factor code, or a club
    /// user's password.
    pub reauthenticated_until: Option<String>,
    pub session_ends_at: String,
}

/// The secret for an authenticator app.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Enrolment {
    /// The secret in Base32.
    pub secret: String,
    /// The secret as URI for a QR code, `otpauth://totp/…`
    pub uri: String,
    pub qr_data_url: String,
}

/// A code of six digits; spaces are ignored.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SecondFactorCode {
    pub code: Option<String>,
}

/// The password that a signed-in user enters again.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct PasswordProof {
    pub password: Option<String>,
}

/// The response after the password or code was entered again.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reauthenticated {
    pub reauthenticated_until: String,
}

/// The registration form of a club.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct Registration {
    pub name: Option<String>,
    pub email: Option<String>,
    pub password: Option<String>,
    pub location: Option<String>,
    pub phone: Option<String>,
}

/// The waitlist form of a club.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WaitlistForm {
    pub club_name: Option<String>,
    pub contact_name: Option<String>,
    pub contact_email: Option<String>,
    pub contact_phone: Option<String>,
}

/// A request for a password reset link.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ForgottenPassword {
    pub email: Option<String>,
}

/// A new password, with the secret of the mailed link.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct NewPassword {
    pub token: Option<String>,
    pub new_password: Option<String>,
}

/// The secret of a mailed link.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct MailedSecret {
    pub token: Option<String>,
}
