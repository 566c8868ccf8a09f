//! Giving a payment without tickets its tickets, or saying why only a refund is left (C:164, decision I-2).

use actix_web::{HttpResponse, web};
use actors::Unresolved;
use domain::{PaymentIntentId, Refusal};
use persistence::ledger::BuyerDetails;
use serde_json::json;
use uuid::Uuid;

use crate::error::Problem;
use crate::form::{Findings, is_email, trimmed};
use crate::identity::{Caller, random};
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::console::anomaly::{AllocatedTicket, MissingTicket, MissingTicketResolved};

const PHONE_CHARS_MIN: usize = 10;
const MISSING_TICKET: &str = "missing_ticket";

/// Asked twice, the same tickets.
///
/// # Errors
/// 409 `draw-full`, `result-entered`, `authorised-after-kick-off` with whether a refund is possible; 404 `payment-unknown`.
pub async fn resolve(
    state: web::Data<State>,
    caller: Caller,
    body: Body<MissingTicket>,
) -> Result<HttpResponse, Problem> {
    let form = body.0;
    let (name, email, phone) = (
        trimmed(&form.customer_name),
        trimmed(&form.customer_email),
        trimmed(&form.customer_phone),
    );
    let mut findings = Findings::default();
    findings.need(
        "customerName",
        !name.is_empty(),
        "Customer name is required",
    );
    findings.need("customerEmail", is_email(&email), "Valid email is required");
    findings.need(
        "customerPhone",
        phone.chars().count() >= PHONE_CHARS_MIN,
        "Valid phone number is required",
    );
    findings.finish()?;
    let payment = PaymentIntentId(trimmed(&form.payment_intent_id));
    let buyer = BuyerDetails {
        name: Some(name.clone()),
        email: Some(email),
        phone: Some(phone),
    };
    let token = hex::encode(random::<16>());
    let (actor, detail) = (caller.name(), json!({ "paymentIntentId": payment.0 }));
    let allocating = caller
        .act(&actor, None, "allocate-missing-ticket", "order:")
        .entry(detail.clone());
    let record = match state
        .anomalies
        .by(allocating)
        .allocate_missing(&payment, buyer, token)
        .await
    {
        Ok(record) => record,
        Err(unresolved) => return Err(refused(&state, &payment, unresolved).await?),
    };
    let how = "Tickets allocated by hand";
    let resolving = caller
        .act(&actor, None, "resolve-anomaly", "anomaly:")
        .entry(detail);
    state
        .records
        .resolve_anomalies_of(&payment.0, MISSING_TICKET, &actor, how, resolving)
        .await?;
    let tickets = record.tickets.iter().flat_map(|(draw, serials)| {
        serials.iter().map(move |serial| AllocatedTicket {
            draw_number: draw.0,
            ticket_number: serial.number(),
            serial_number: format!("FD-{draw}-{:03}", serial.number()),
        })
    });
    let allocated_tickets = tickets.collect();
    // Who is known to have bought stays the buyer, whatever was typed (decision C-7).
    let customer_name = record.buyer.name.unwrap_or(name);
    Ok(HttpResponse::Ok().json(MissingTicketResolved {
        allocated_tickets,
        customer_name,
    }))
}

/// Why not, and whether the money can go back instead.
async fn refused(
    state: &State,
    payment: &PaymentIntentId,
    why: Unresolved,
) -> Result<Problem, Problem> {
    let (code, sentence) = match why {
        Unresolved::Unknown => return Ok(Problem::unknown("payment-unknown")),
        Unresolved::Unavailable => return Ok(Problem::unavailable()),
        Unresolved::Refused(Refusal::TooFewTickets { .. }) => {
            ("draw-full", "The draw is full. Refund the payment.")
        }
        Unresolved::Refused(Refusal::AlreadyCompleted) => (
            "result-entered",
            "The result is entered. Refund the payment.",
        ),
        Unresolved::Refused(_) => (
            "authorised-after-kick-off",
            "The payment was not authorised before kick-off. Refund the payment.",
        ),
        Unresolved::Refunded => ("already-refunded", "This payment was refunded already."),
        Unresolved::Mismatch => (
            "payment-mismatch",
            "The amount does not match the tickets. Refund the payment.",
        ),
        Unresolved::HasBuyer | Unresolved::HasTickets | Unresolved::NeedsApproval => {
            ("not-orphaned", "This ticket has its buyer already.")
        }
    };
    let order = state.payments.order_by_payment_intent(payment).await?;
    // Whatever was taken without tickets can go back: by its order, or by its anomaly when no order knows it.
    let problem = Problem::conflict(code, sentence).with("refundable", why != Unresolved::Refunded);
    let id = order.map(|record| Uuid::from_u128(record.order.id.0).to_string());
    Ok(match id {
        Some(id) => problem.with("orderId", id),
        None => problem,
    })
}
