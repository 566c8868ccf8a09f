//! Response bodies of registration and waitlist.

use serde::Serialize;
use utoipa::ToSchema;

/// Whether clubs may register themselves.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct RegistrationSwitch {
    pub enabled: bool,
}

/// The slug that a club with this name would get.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SlugPreview {
    pub slug: String,
}

/// The stored waitlist entry.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct WaitlistJoined {
    pub success: bool,
    pub id: i64,
}

/// The response to confirming an e-mail address.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct EmailVerified {
    pub verified: bool,
}
