//! A refusal or failure, as every call answers it (decision G-12).

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The edge writes it; this is its shape. What belongs to a code comes beside the first three.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// A sentence for the person who asked.
    pub message: String,
    /// A word for programs: `tickets-unavailable`.
    pub code: String,
    /// Under which support finds it.
    pub request_id: String,
    /// `tickets-unavailable`: how many are left.
    #[schema(nullable = false)]
    pub available: Option<u16>,
    #[schema(nullable = false)]
    pub draw_number: Option<i64>,
    /// `amount-changed`: the right amount, in cents.
    #[schema(nullable = false)]
    pub amount: Option<i64>,
    /// `declined`, `not-charged` and `refunding`: never true, and how the payment ended, in the words of a completion call.
    #[schema(nullable = false)]
    pub success: Option<bool>,
    #[schema(nullable = false)]
    pub status: Option<String>,
    /// `declined`: the provider's own word.
    #[schema(nullable = false)]
    pub error_code: Option<String>,
    /// `declined`: always `card_error`.
    #[schema(nullable = false)]
    pub error_type: Option<String>,
    /// `setup-required`: the club's account at the provider is not ready.
    #[schema(nullable = false)]
    pub setup_required: Option<bool>,
    /// `role-not-allowed`: what the caller is in the club, and what the call takes: `viewer`, `seller`, `owner`.
    #[schema(nullable = false)]
    pub role: Option<String>,
    #[schema(nullable = false)]
    pub needs: Option<String>,
    /// `draw-full` and what else leaves a payment without tickets: whether the money can go back, and of which order.
    #[schema(nullable = false)]
    pub refundable: Option<bool>,
    #[schema(nullable = false)]
    pub order_id: Option<String>,
    /// `invalid` and `fixtures-refused`: everything that is wrong, in order.
    #[schema(nullable = false, value_type = Option<Vec<Value>>)]
    pub errors: Option<Value>,
}
