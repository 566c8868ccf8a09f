//! A club's own pages: home page, offers, Stripe account and payments.

use domain::Cents;
use persistence::records::bundles::Bundle;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::lenient_numbers::deserialize_amount_in_cents;
use super::time_format::rfc3339;

/// The form of a club's home page. Absent fields stay unchanged.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HomePageForm {
    pub home_page_slug: Option<String>,
    pub home_page_title: Option<String>,
    pub home_page_tagline: Option<String>,
    /// The logo: empty, a URL, or a picture as `data:image/…;base64,…`.
    pub logo_url: Option<String>,
    pub primary_color: Option<String>,
    pub secondary_color: Option<String>,
    pub accent_color: Option<String>,
    pub home_page_enabled: Option<bool>,
    /// Facebook pixel id: empty, or 5 to 20 digits.
    pub facebook_pixel_id: Option<String>,
    /// What the club raises money for: empty, or 3 to 80 characters, with `goalAmount`.
    pub goal_text: Option<String>,
    /// The goal in cents, or in dollars with a decimal point.
    #[serde(default, deserialize_with = "deserialize_amount_in_cents")]
    #[schema(value_type = Option<String>)]
    pub goal_amount: Option<Cents>,
    /// The photo: empty, an uploaded picture's path, or a JPG picture as `data:image/…;base64,…`.
    pub photo_url: Option<String>,
    /// The sponsor: empty, or 2 to 40 characters.
    pub sponsor_name: Option<String>,
    /// The sponsor's logo: empty, an uploaded picture's path, or a picture as
    /// `data:image/…;base64,…`.
    pub sponsor_logo_url: Option<String>,
}

/// The form of an offer.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct OfferForm {
    pub name: Option<String>,
    pub slug: Option<String>,
    /// Status of the offer: `draft` or `active`.
    pub status: Option<String>,
    /// Type of the offer: `BUNDLE` or `SPECIAL`.
    pub r#type: Option<String>,
    pub display_tag: Option<String>,
    pub primary_copy: Option<String>,
    pub share_image_url: Option<String>,
    #[serde(deserialize_with = "deserialize_lenient_ids")]
    pub game_ids: Vec<i64>,
    pub start_at: Option<String>,
    pub end_at: Option<String>,
}

/// Reads a list of ids, each of which may be a number or text.
fn deserialize_lenient_ids<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<i64>, D::Error> {
    #[derive(Deserialize)]
    struct LenientId(
        #[serde(deserialize_with = "super::lenient_numbers::deserialize_whole_number")] Option<i64>,
    );
    let ids = Option::<Vec<LenientId>>::deserialize(from)?.unwrap_or_default();
    Ok(ids.into_iter().filter_map(|LenientId(id)| id).collect())
}

/// An offer with its private fields, for its own club.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnOffer {
    pub id: i64,
    pub club_id: i64,
    pub club_slug: String,
    pub name: String,
    pub slug: String,
    /// `draft`, `active`, `locked` (has sales), `closed` (a game has begun) or `archived` (decision
    /// H-4).
    pub status: &'static str,
    pub r#type: String,
    pub display_tag: Option<String>,
    pub primary_copy: Option<String>,
    pub share_image_url: Option<String>,
    pub start_at: Option<String>,
    pub end_at: Option<String>,
    pub created_at: String,
    pub updated_at: String,
    pub game_ids: Vec<i64>,
    pub games: Vec<OwnGame>,
    /// How often the offer was sold.
    pub tickets_sold: i64,
    pub editable: bool,
}

/// A game of an offer, for the offer's own club.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnGame {
    pub id: i64,
    pub draw_number: i64,
    pub home_team: String,
    pub away_team: String,
    pub game_date: String,
    pub timezone: String,
    pub ticket_price: String,
    pub pass_stripe_fees: bool,
    pub status: &'static str,
}

impl OwnOffer {
    pub fn new(
        bundle: &Bundle,
        club_slug: &str,
        status: &'static str,
        sold: i64,
        games: Vec<OwnGame>,
    ) -> OwnOffer {
        OwnOffer {
            id: bundle.id,
            club_id: bundle.club.0,
            club_slug: club_slug.to_string(),
            name: bundle.name.clone(),
            slug: bundle.slug.clone(),
            status,
            r#type: bundle.kind.clone(),
            display_tag: bundle.display_tag.clone(),
            primary_copy: bundle.primary_copy.clone(),
            share_image_url: bundle.share_image_url.clone(),
            start_at: bundle.start_at.map(rfc3339),
            end_at: bundle.end_at.map(rfc3339),
            created_at: rfc3339(bundle.created_at),
            updated_at: rfc3339(bundle.updated_at),
            game_ids: bundle.games.iter().map(|game| game.0).collect(),
            games,
            tickets_sold: sold,
            editable: matches!(status, "draft" | "active"),
        }
    }
}

/// A share image to upload. A file name in the body is ignored: the server chooses the name under
/// which the image is stored (decision G-8).
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ImageUpload {
    /// The image in base64, with or without a `data:` prefix.
    pub data: Option<String>,
    pub club_slug: Option<String>,
}

/// A share image to delete.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ImageRemoval {
    pub url: Option<String>,
    pub club_slug: Option<String>,
    /// Slug of the offer whose picture is removed. The file stays while another offer uses it.
    pub bundle_slug: Option<String>,
}

/// The URL of an uploaded image.
#[derive(Serialize, ToSchema)]
pub struct UploadedImage {
    pub url: String,
}

/// The status of a club's Stripe account, as Stripe last reported it (decision B-13).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectStatus {
    pub connected: bool,
    pub account_id: Option<String>,
    pub charges_enabled: bool,
    pub payouts_enabled: bool,
    pub details_submitted: bool,
}

/// A link to Stripe's onboarding.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnboardingLink {
    /// URL at Stripe, which can be used once.
    pub onboarding_url: String,
}

/// A payment of the last 30 days. Amounts are dollars, except `amount`, `stripeFee` and fields that
/// end in `Cents`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderTransaction {
    pub payment_intent_id: String,
    pub order_id: String,
    pub status: String,
    pub created_at: String,
    /// Time of creation, in Unix seconds.
    pub created: i64,
    /// `card`, `apple_pay`, `google_pay` or `link`; null while Stripe has not reported it.
    pub payment_method: Option<String>,
    pub draw_id: i64,
    pub draw_numbers: Vec<i64>,
    pub ticket_count: i64,
    pub ticket_price: String,
    pub customer_charged: String,
    /// Amount in cents.
    pub amount: i64,
    pub stripe_fees: String,
    /// Stripe's fee in cents.
    pub stripe_fee: i64,
    pub platform_fee: String,
    pub platform_fee_cents: i64,
    pub club_payout: String,
    pub club_payout_cents: i64,
    /// Always `0.00`, as specified (decision D-13).
    pub prize_pool: &'static str,
    pub club_id: i64,
    pub club_name: Option<String>,
    pub home_team: String,
    pub away_team: String,
    pub lines: Vec<TransactionLine>,
    pub customer_email: Option<String>,
    pub customer_name: Option<String>,
    pub fees_estimated: bool,
    pub refunded: String,
    pub refund_state: Option<String>,
    /// Why a refund waits or failed, and what the club or the operator can do; null otherwise.
    pub refund_note: Option<&'static str>,
    pub disputed: bool,
    pub stripe_url: Option<String>,
}

/// The tickets of one draw in a payment.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransactionLine {
    pub draw_number: i64,
    pub ticket_count: i64,
    pub ticket_price: String,
}

/// Sums of the successful payments of the last 30 days, in dollars. They include payments that the
/// list of payments omits, because that list holds only the newest `listedMax`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransactionSums {
    pub count: i64,
    pub listed_max: i64,
    pub total_charged: String,
    pub stripe_fees: String,
    pub platform_fees: String,
    pub club_payouts: String,
    /// Money that went back to buyers. Charged, less fees and refunds, is the payout.
    pub refunded: String,
    /// Always `0.00`, as specified (decision D-13).
    pub prize_pools: &'static str,
    /// Whether some of Stripe's fees are still estimated.
    pub fees_estimated: bool,
}

/// Failed payments of the last 30 days. Amounts are cents. `failedPayments` lists only the newest
/// ones; the other fields count all.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntegrityAudit {
    pub failed_payments: Vec<FailedPayment>,
    pub failed_count: i64,
    pub total_failed_amount: i64,
    pub affected_customers: i64,
    pub checked_at: String,
}

/// A failed payment.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedPayment {
    pub payment_intent_id: String,
    pub amount: i64,
    /// Time of creation, in Unix seconds.
    pub created: i64,
    pub status: String,
    pub metadata: FailedMetadata,
}

/// What a buyer tried to buy with a failed payment.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedMetadata {
    pub draw_id: String,
    pub ticket_count: String,
    pub payment_method: Option<String>,
}
