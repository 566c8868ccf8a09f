//! Converts domain refusals and failures to error responses, an HTTP status and a sentence, in one
//! place (decision G-12).

use std::collections::BTreeMap;
use std::fmt;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, ResponseError};
use actors::{Denied, PaymentFailure};
use domain::access::Role;
use domain::{AbandonReason, DrawId, OrderEndCause, Refusal};
use persistence::Failure;
use serde::Serialize;
use serde_json::{Map, Value};

/// An error response: `{message, code, requestId}` and further fields that belong to the code.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    message: String,
    extra_fields: Map<String, Value>,
    retry_after_seconds: Option<u32>,
    /// The `Allow` header of a 405 response: the methods that the route accepts.
    allowed: Option<String>,
}

impl Problem {
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Problem {
        Problem {
            status,
            code,
            message: message.into(),
            extra_fields: Map::new(),
            retry_after_seconds: None,
            allowed: None,
        }
    }

    pub fn bad_request(code: &'static str, message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// Returns the error code, such as `count-out-of-range`.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// Returns the text for the user.
    pub fn message(&self) -> &str {
        &self.message
    }

    pub fn conflict(code: &'static str, message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::CONFLICT, code, message)
    }

    /// Builds the 409 response for a refund of a disputed payment: the buyer's bank decides about
    /// its money.
    pub fn payment_disputed() -> Problem {
        Problem::conflict(
            "payment-disputed",
            "The buyer's bank disputes this payment and decides about the money. A refund would pay the buyer twice.",
        )
    }

    /// Builds the 404 response, also used for an object of another club (decision G-1).
    pub fn not_found() -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "not-found", "Not found")
    }

    pub fn draw_not_found() -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "draw-not-found", "Draw Not Found")
    }

    pub fn unauthenticated() -> Problem {
        Problem::new(
            StatusCode::UNAUTHORIZED,
            "unauthenticated",
            "Please log in to access this page.",
        )
    }

    /// Builds the 403 response for an archived club, which may only read and finish its running
    /// draws (decision H-3).
    pub fn club_archived() -> Problem {
        let message =
            "This club is archived. Its running draws finish and pay; nothing new can be started.";
        Problem::new(StatusCode::FORBIDDEN, "club-archived", message)
    }

    /// Builds the 403 response: the user's role does not allow the call (decision G-17).
    pub fn role_not_allowed(role: Role, needs: Role) -> Problem {
        let message = match needs {
            Role::Owner => "Only an owner of the club can do this.",
            Role::Seller | Role::Viewer => {
                "Your role only lets you look. Ask an owner of the club for the role of a seller."
            }
        };
        Problem::new(StatusCode::FORBIDDEN, "role-not-allowed", message)
            .with_field("role", role.name())
            .with_field("needs", needs.name())
    }

    /// Builds the 404 response of the operator console for an object that does not exist. `code`
    /// names the kind of object, such as `club-unknown`.
    pub fn unknown_object(code: &'static str) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, code, "Not found")
    }

    pub fn unauthorized(code: &'static str, message: &str) -> Problem {
        Problem::new(StatusCode::UNAUTHORIZED, code, message)
    }

    /// Builds the 503 response: the server is busy or a part of it is restarting, and the client
    /// may retry after a second.
    pub fn unavailable() -> Problem {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "unavailable",
            "Please wait a moment and try again.",
        )
        .retry_after(1)
    }

    /// Builds the response for a command that the domain rules refused, for one draw.
    pub fn command_refused(draw: DrawId, refusal: Refusal) -> Problem {
        let conflict =
            |code, message: &str| Problem::conflict(code, message).with_field("drawNumber", draw.0);
        match refusal {
            Refusal::TooFewTickets { free } => {
                Problem::conflict("tickets-unavailable", too_few_tickets_text(free))
                    .with_field("available", free)
                    .with_field("drawNumber", draw.0)
            }
            Refusal::CountOutOfRange { max } => Problem::bad_request(
                "count-out-of-range",
                format!("Choose between 1 and {max} tickets."),
            )
            .with_field("drawNumber", draw.0),
            Refusal::HoldLimit { available } => conflict("hold-limit", &hold_limit_text(available))
                .with_field("available", available)
                .retry_after(HOLD_LIMIT_RETRY_SECONDS),
            Refusal::DrawClosed => conflict("draw-closed", DRAW_CLOSED_TEXT),
            Refusal::DrawNotOpen => conflict(
                "draw-not-open",
                "Ticket sales for this draw have not opened yet.",
            ),
            Refusal::PriceChanged => conflict(
                "amount-changed",
                "The ticket price has changed. Please check the new total and try again.",
            ),
            Refusal::ReservationUnknown => conflict("reservation-expired", "Reservation expired"),
            Refusal::ExtensionsUsedUp => conflict(
                "extensions-used-up",
                "Your tickets cannot be kept any longer. Please complete your purchase.",
            ),
            Refusal::AlreadyAllocated => {
                conflict("already-purchased", "This order already has its tickets.")
            }
            Refusal::AlreadyCompleted => conflict(
                "already-completed",
                "A result has already been entered for this draw.",
            ),
            Refusal::NotCompleted => {
                conflict("not-completed", "No result has been entered for this draw.")
            }
            Refusal::PaidOut => conflict(
                "paid-out",
                "The prize has been paid out already, so this result cannot be undone.",
            ),
            Refusal::TermsLocked { sold } => conflict(
                "terms-locked",
                &format!(
                    "Cannot change price/prize percentage/prize rounding after tickets are sold ({sold} tickets sold)"
                ),
            ),
            Refusal::TermsKept { .. } => conflict(
                "terms-locked",
                "A buyer is paying for tickets at this price right now. Please try again in a few minutes.",
            ),
            Refusal::DrawNotActive => conflict(
                "not-active",
                "This draw cannot be edited because it is not active.",
            ),
            Refusal::GameStarted => conflict(
                "game-started",
                "This draw cannot be edited because the game has already started.",
            ),
            Refusal::Revealed => conflict(
                "revealed",
                "This draw was revealed, so it cannot sell again. Enter the result again, or cancel the draw.",
            ),
            Refusal::TermsInvalid => Problem::bad_request(
                "terms-invalid",
                "The time, the price or the prize percentage is out of range.",
            ),
        }
    }

    /// Adds a field to the body of the error response.
    #[must_use]
    pub fn with_field(mut self, name: &str, value: impl Into<Value>) -> Problem {
        self.extra_fields.insert(name.to_string(), value.into());
        self
    }

    /// Sets the `Retry-After` header, in seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Problem {
        self.retry_after_seconds = Some(seconds);
        self
    }

    /// Sets the `Allow` header: methods separated by commas.
    #[must_use]
    pub fn with_allowed_methods(mut self, methods: String) -> Problem {
        self.allowed = Some(methods);
        self
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Serialises the body of the error response. `request_id` is the request's id in the log.
    pub fn body(&self, request_id: &str) -> String {
        let extra_fields = self
            .extra_fields
            .iter()
            .map(|(name, value)| (name.as_str(), BodyField::Added(value)));
        let own = [
            ("code", self.code),
            ("message", &self.message),
            ("requestId", request_id),
        ];
        let fields: BTreeMap<&str, BodyField> = extra_fields
            .chain(own.map(|(name, text)| (name, BodyField::Own(text))))
            .collect();
        serde_json::to_string(&fields).unwrap_or_default()
    }
}

/// A field of an error response's body. `Own` fields (code, message, request id) take precedence
/// over `Added` fields of the same name.
#[derive(Serialize)]
#[serde(untagged)]
enum BodyField<'a> {
    Own(&'a str),
    Added(&'a Value),
}

/// Text for a buyer who wants tickets of a draw that kick-off has closed.
pub const DRAW_CLOSED_TEXT: &str =
    "This draw has closed as the game has started. No more tickets can be purchased.";

/// Builds the text for a buyer when too few tickets are left.
pub fn too_few_tickets_text(free: u16) -> String {
    format!(
        "Tickets No Longer Available: Only {free} tickets remaining. Please adjust your selection."
    )
}

/// Value of `Retry-After` in seconds for a network that has reached its limit of reserved tickets.
/// Within that time some of its reservations may be paid or released.
const HOLD_LIMIT_RETRY_SECONDS: u32 = 10;

/// Builds the text for a buyer whose network has reached its limit of reserved tickets (decision
/// M-8).
fn hold_limit_text(available: u16) -> String {
    match available {
        0 => {
            "Every ticket is taken for now: They are being paid for. Please try again in a moment."
                .to_string()
        }
        1 => "Tickets are selling fast: You can reserve at most 1 ticket right now.".to_string(),
        count => {
            format!("Tickets are selling fast: You can reserve at most {count} tickets right now.")
        }
    }
}

/// Returns the text that tells a buyer why the order was not charged.
pub fn not_charged_text(cause: OrderEndCause) -> String {
    let sentence = match cause {
        OrderEndCause::TooFewTickets { free } => return too_few_tickets_text(free),
        OrderEndCause::DrawClosed => DRAW_CLOSED_TEXT,
        OrderEndCause::Abandoned(AbandonReason::ReservationLapsed) => "Reservation expired",
        OrderEndCause::Abandoned(AbandonReason::BuyerLeft) => "The purchase was cancelled.",
        OrderEndCause::Abandoned(AbandonReason::TicketsUnavailable) => {
            "The tickets were no longer available."
        }
        OrderEndCause::Abandoned(AbandonReason::AmountChanged) => "The total has changed.",
        OrderEndCause::Other => "Your payment could not be completed.",
    };
    sentence.to_string()
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    /// Stores the problem in an empty response. [`crate::http::edge`] writes the body, because it
    /// knows the request id.
    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        if let Some(seconds) = self.retry_after_seconds {
            response.insert_header((header::RETRY_AFTER, seconds.to_string()));
        }
        if let Some(methods) = &self.allowed {
            response.insert_header((header::ALLOW, methods.as_str()));
        }
        response.finish()
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Problem {
        if failure == Failure::NotFound {
            return Problem::not_found();
        }
        tracing::warn!(%failure, "database error");
        Problem::unavailable()
    }
}

impl Problem {
    /// Builds the response for a command that the draw's actor denied.
    pub fn command_denied(draw: DrawId, denied: Denied) -> Problem {
        match denied {
            Denied::Refused(refusal) => Problem::command_refused(draw, refusal),
            Denied::Unavailable => Problem::unavailable(),
            Denied::Paused => Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "draw-paused",
                "Ticket sales for this draw are paused. Please try again later.",
            )
            .retry_after(30),
            Denied::NoSuchDraw => Problem::draw_not_found(),
        }
    }
}

impl From<PaymentFailure> for Problem {
    fn from(failure: PaymentFailure) -> Problem {
        match failure {
            PaymentFailure::Refused { draw, refusal } => Problem::command_refused(draw, refusal),
            PaymentFailure::Declined {
                class,
                code,
                message,
            } => {
                let message = if class.is_about_card() {
                    message
                } else {
                    class.guide().buyer.to_owned()
                };
                // Add the fields of a completion call's response, because the wallet's screen shows
                // message, type and code.
                Problem::new(StatusCode::PAYMENT_REQUIRED, "declined", message)
                    .with_field("success", false)
                    .with_field("status", "requires_payment_method")
                    .with_field("errorType", "card_error")
                    .with_field("errorCode", code)
            }
            PaymentFailure::Unavailable => Problem::unavailable(),
            PaymentFailure::OrderUnknown => Problem::new(
                StatusCode::NOT_FOUND,
                "order-unknown",
                "We could not find this payment.",
            ),
            PaymentFailure::Disputed => Problem::payment_disputed(),
            PaymentFailure::Mismatch => Problem::conflict(
                "payment-mismatch",
                "This payment does not match your order. We are looking into it; please contact support.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::OrderEndReason;
    use serde_json::json;

    use super::*;

    #[test]
    fn stored_end_reason_is_shown_in_specified_words() {
        let shown = |text: &str| not_charged_text(OrderEndReason::from(text).cause());
        assert_eq!(
            shown("draw 1001: only 3 tickets remaining"),
            too_few_tickets_text(3)
        );
        assert_eq!(shown("the draw is closed"), DRAW_CLOSED_TEXT);
        assert_eq!(
            shown("something new"),
            "Your payment could not be completed."
        );
    }

    #[test]
    fn standard_fields_override_added_fields_in_sorted_body() {
        let problem = Problem::not_found()
            .with_field("zebra", 1)
            .with_field("available", 2)
            .with_field("message", "another")
            .with_field("d", 3);
        let body = r#"{"available":2,"code":"not-found","d":3,"message":"Not found","requestId":"r1","zebra":1}"#;
        assert_eq!(problem.body("r1"), body);
    }

    #[test]
    fn body_carries_message_code_request_id_and_added_fields() {
        let body =
            Problem::command_refused(DrawId(1042), Refusal::TooFewTickets { free: 3 }).body("r1");
        let body: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(
            body,
            json!({
                "message": "Tickets No Longer Available: Only 3 tickets remaining. Please adjust your selection.",
                "code": "tickets-unavailable", "requestId": "r1", "available": 3, "drawNumber": 1042,
            })
        );
    }
}
