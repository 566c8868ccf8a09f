//! Signing in.

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
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Whoami {
    /// `super-admin` or `club-admin`.
    pub role: &'static str,
    pub club_slug: Option<String>,
    pub user: User,
}
