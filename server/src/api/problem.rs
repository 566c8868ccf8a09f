//! The body of every error response (decision G-12).

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The body of an error response. Fields other than `message`, `code` and `requestId` depend on
/// `code`. This type only documents
/// the body, which the HTTP middleware serialises.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProblemBody {
    /// A sentence for the user.
    pub message: String,
    /// A machine-readable code, such as `tickets-unavailable`.
    pub code: String,
    /// The id of the request in the logs.
    pub request_id: String,
    /// With the code `tickets-unavailable`: number of tickets left.
    #[schema(nullable = false)]
    pub available: Option<u16>,
    #[schema(nullable = false)]
    pub draw_number: Option<i64>,
    /// With the code `amount-changed`: the current amount, in cents.
    #[schema(nullable = false)]
    pub amount: Option<i64>,
    /// With the codes `declined`, `not-charged` and `refunding`: always false. `status` tells how
    /// the payment ended.
    #[schema(nullable = false)]
    pub success: Option<bool>,
    #[schema(nullable = false)]
    pub status: Option<String>,
    /// With the code `declined`: the payment provider's error code.
    #[schema(nullable = false)]
    pub error_code: Option<String>,
    /// With the code `declined`: always `card_error`.
    #[schema(nullable = false)]
    pub error_type: Option<String>,
    /// With the code `setup-required`: the club's Stripe account is not ready.
    #[schema(nullable = false)]
    pub setup_required: Option<bool>,
    /// With the code `role-not-allowed`: the caller's role, `viewer`, `seller` or `owner`. `needs`
    /// is the role that the call needs.
    #[schema(nullable = false)]
    pub role: Option<String>,
    #[schema(nullable = false)]
    pub needs: Option<String>,
    /// With `draw-full` and similar codes for a payment without tickets: whether the payment can be
    /// refunded. `orderId` is the payment's order.
    #[schema(nullable = false)]
    pub refundable: Option<bool>,
    #[schema(nullable = false)]
    pub order_id: Option<String>,
    /// With the codes `invalid` and `fixtures-refused`: all errors of the form or of the fixtures
    /// table, in order.
    #[schema(nullable = false, value_type = Option<Vec<Value>>)]
    pub errors: Option<Value>,
}
