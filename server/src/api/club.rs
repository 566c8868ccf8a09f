//! A club as the public reads it: never its e-mail address, phone, password or Stripe account.

use domain::Cents;
use persistence::records::clubs::Club as ClubRecord;
use serde::Serialize;
use utoipa::ToSchema;

use super::draw::Draw;

/// Default tagline of a club that has set none.
pub const TAGLINE: &str =
    "Support our club with Football Doubles - win cash prizes while helping fund our team!";

/// Returns the club's tagline, or [`TAGLINE`] if it has set none.
pub fn tagline(club: &ClubRecord) -> String {
    let own = club
        .tagline
        .as_deref()
        .map(str::trim)
        .filter(|words| !words.is_empty());
    own.unwrap_or(TAGLINE).to_string()
}

/// A club in the public list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClubSummary {
    pub id: i64,
    pub name: String,
    pub slug: String,
    pub logo_url: Option<String>,
    pub primary_color: String,
}

impl From<&ClubRecord> for ClubSummary {
    fn from(club: &ClubRecord) -> ClubSummary {
        ClubSummary {
            id: club.id.0,
            name: club.name.clone(),
            slug: club.slug.clone(),
            logo_url: club.logo_url.clone(),
            primary_color: club.primary_color.clone(),
        }
    }
}

/// The data of a club's public page. `slug` is the requested slug, `canonicalSlug` the current one
/// (decision A-16).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Club {
    pub id: i64,
    pub name: String,
    pub slug: String,
    pub canonical_slug: String,
    pub home_page_slug: String,
    pub logo_url: Option<String>,
    pub primary_color: String,
    pub secondary_color: String,
    pub accent_color: String,
    pub home_page_title: Option<String>,
    pub home_page_tagline: String,
    pub home_page_enabled: bool,
    pub facebook_pixel_id: Option<String>,
    /// What the club raises money for, and how much.
    pub goal_text: Option<String>,
    pub goal_amount: Option<String>,
    pub photo_url: Option<String>,
    pub sponsor_name: Option<String>,
    pub sponsor_logo_url: Option<String>,
    /// Ticket sales of the club's completed draws without the prizes that were won.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub raised_so_far: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub active_draws: Option<Vec<Draw>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub completed_draws: Option<Vec<Draw>>,
}

/// A club with its private fields, for the club itself and the operator.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnClub {
    #[serde(flatten)]
    pub club: Club,
    pub email: String,
    pub phone: Option<String>,
    pub location: Option<String>,
    pub archived: bool,
    pub email_verified: bool,
    /// Whether a page title was ever saved. Before that, the dashboard shows that the page is not
    /// set up (decision H-2).
    pub home_page_ready: bool,
    pub stripe_connect_account_id: Option<String>,
    /// Whether the Stripe account is connected, so that the club may sell (decision B-13).
    pub stripe_connect_onboarding_complete: bool,
    /// The current version of the terms of service.
    pub latest_terms_version: &'static str,
}

impl From<&ClubRecord> for OwnClub {
    fn from(club: &ClubRecord) -> OwnClub {
        OwnClub {
            club: Club::new(club, &club.slug),
            email: club.email.clone(),
            phone: club.phone.clone(),
            location: club.location.clone(),
            archived: club.archived,
            email_verified: club.email_verified,
            home_page_ready: club.title.is_some(),
            stripe_connect_account_id: club.account.as_ref().map(|account| account.0.clone()),
            stripe_connect_onboarding_complete: club.connected,
            latest_terms_version: crate::text::terms::SERVICE_TERMS.version,
        }
    }
}

impl Club {
    pub fn new(club: &ClubRecord, requested_slug: &str) -> Club {
        Club {
            id: club.id.0,
            name: club.name.clone(),
            slug: requested_slug.to_string(),
            canonical_slug: club.slug.clone(),
            home_page_slug: club.slug.clone(),
            logo_url: club.logo_url.clone(),
            primary_color: club.primary_color.clone(),
            secondary_color: club.secondary_color.clone(),
            accent_color: club.accent_color.clone(),
            home_page_title: club.title.clone(),
            home_page_tagline: tagline(club),
            home_page_enabled: club.page_enabled,
            facebook_pixel_id: club.facebook_pixel_id.clone(),
            goal_text: club.goal.as_ref().map(|goal| goal.text.clone()),
            goal_amount: club.goal.as_ref().map(|goal| goal.amount.decimal()),
            photo_url: club.photo_url.clone(),
            sponsor_name: club.sponsor.as_ref().map(|sponsor| sponsor.name.clone()),
            sponsor_logo_url: club
                .sponsor
                .as_ref()
                .and_then(|sponsor| sponsor.logo_url.clone()),
            raised_so_far: None,
            active_draws: None,
            completed_draws: None,
        }
    }

    #[must_use]
    pub fn with_raised(mut self, raised: Cents) -> Club {
        self.raised_so_far = Some(raised.decimal());
        self
    }

    #[must_use]
    pub fn with_draws(mut self, active: Vec<Draw>, completed: Vec<Draw>) -> Club {
        self.active_draws = Some(active);
        self.completed_draws = Some(completed);
        self
    }
}
