//! The small answers that every page needs.

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MaintenanceMode {
    pub maintenance_mode: bool,
}

/// A versioned legal text (decision B-15).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TermsText {
    pub kind: &'static str,
    pub version: &'static str,
    pub title: &'static str,
    pub text: &'static str,
    /// Of the text, in hexadecimal.
    pub sha256: String,
}

/// What the head of a draw's page says (A:229).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrawMeta {
    pub draw_number: i64,
    pub title: String,
    pub description: String,
    pub url: String,
    pub image_url: Option<String>,
}

/// What the head of a club's page says (A:235).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClubMeta {
    pub facebook_pixel_id: Option<String>,
    pub primary_color: String,
    pub secondary_color: String,
    pub accent_color: String,
    pub name: String,
    pub tagline: String,
    pub logo_url: Option<String>,
}

/// A sentence, and nothing else to know.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Said {
    pub message: String,
}
