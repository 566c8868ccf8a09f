//! Small response bodies that every page uses.

use serde::Serialize;
use utoipa::ToSchema;

/// Whether maintenance mode is on.
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
    /// SHA-256 of the text, in hexadecimal.
    pub sha256: String,
}

/// Data for the `<head>` of a draw's page.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrawPageMetadata {
    pub draw_number: i64,
    pub title: String,
    pub description: String,
    pub url: String,
    pub image_url: Option<String>,
}

/// Data for the `<head>` of a club's page.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClubPageMetadata {
    pub facebook_pixel_id: Option<String>,
    pub primary_color: String,
    pub secondary_color: String,
    pub accent_color: String,
    pub name: String,
    pub tagline: String,
    pub logo_url: Option<String>,
}

/// A response that contains only a sentence for the user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Message {
    pub message: String,
}
