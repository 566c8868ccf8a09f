//! What a club that joins is answered.

use serde::Serialize;
use utoipa::ToSchema;

/// Whether clubs may register by themselves (B:188).
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct RegistrationSwitch {
    pub enabled: bool,
}

/// What a registration under this name would be given.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SlugPreview {
    pub slug: String,
}

/// On the waiting list.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Waitlisted {
    pub success: bool,
    pub id: i64,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct EmailVerified {
    pub verified: bool,
}
