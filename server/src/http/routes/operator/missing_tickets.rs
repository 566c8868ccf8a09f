//! Allocates tickets to a captured payment that got none, or answers why only a refund is possible
//! (decision I-2).

use actix_web::{HttpResponse, web};
use actors::{ChosenTickets, RepairError};
use domain::{DrawId, PaymentIntentId, Refusal, TICKETS_PER_ORDER_MAX};
use persistence::ledger::BuyerDetails;
use serde_json::{Value, json};
use uuid::Uuid;

use super::anomalies::{
    MISSING_TICKET, find_anomaly, no_captured_payment_problem, refund_refused_problem,
};
use crate::access::caller::Caller;
use crate::api::console::anomaly::{
    AllocatedTicket, MissingTicket, MissingTicketResolved, PaidLine, PaidTickets,
};
use crate::api::error::Problem;
use crate::api::form::{FormErrors, trimmed};
use crate::http::routes::body::Body;
use crate::services::identity::random;
use crate::state::State;
use crate::text::contact_format::is_email;

const PHONE_CHARS_MIN: usize = 10;
const PAYMENT_OF_OTHER_CLUB_ERROR: (&str, &str) = (
    "other-club",
    "This payment went to another club. Choose a draw of that club, or refund the payment.",
);

/// Allocates tickets to the payment of an anomaly. A repeated call returns the same tickets.
///
/// # Errors
/// 400 for a count outside 1 to 50. 404 `payment-unknown`. 409 `order-unknown`, `order-known`,
/// `other-club`, `draw-full`, `result-entered`, `revealed` or `authorised-after-kick-off`, each
/// with whether a refund is possible.
pub async fn allocate_missing_tickets(
    state: web::Data<State>,
    caller: Caller,
    body: Body<MissingTicket>,
) -> Result<HttpResponse, Problem> {
    let form = body.0;
    let (name, email, phone) = (
        trimmed(form.customer_name.as_deref()),
        trimmed(form.customer_email.as_deref()),
        trimmed(form.customer_phone.as_deref()),
    );
    let mut findings = FormErrors::default();
    findings.require(
        "customerName",
        !name.is_empty(),
        "Customer name is required",
    );
    findings.require("customerEmail", is_email(&email), "Valid email is required");
    findings.require(
        "customerPhone",
        phone.chars().count() >= PHONE_CHARS_MIN,
        "Valid phone number is required",
    );
    let both = form.draw_number.is_some() == form.ticket_count.is_some();
    findings.require("ticketCount", both, "Choose a draw and a count, or neither");
    let in_range = form
        .ticket_count
        .is_none_or(|count| (1..=i64::from(TICKETS_PER_ORDER_MAX)).contains(&count));
    findings.require("ticketCount", in_range, "Choose between 1 and 50 tickets");
    findings.into_result()?;
    let chosen_tickets = read_chosen_tickets(&state, &form).await?;
    let payment = PaymentIntentId(trimmed(form.payment_intent_id.as_deref()));
    let buyer = BuyerDetails {
        name: Some(name.clone()),
        email: Some(email),
        phone: Some(phone),
    };
    let token = hex::encode(random::<16>());
    let (actor, detail) = (
        caller.audit_name(),
        audit_detail(&payment, chosen_tickets.as_ref()),
    );
    let allocating = caller
        .audit_action(&actor, None, "allocate-missing-ticket", "order:")
        .entry(detail.clone());
    // Read the open anomalies before tickets are allocated, because the reconciler may resolve them
    // right after the allocation.
    let open = state
        .records
        .open_anomalies_of_payment(&payment.0, MISSING_TICKET)
        .await?;
    let anomalies = state.anomalies.with_audit_entry(allocating);
    let allocated = match chosen_tickets {
        Some(chosen_tickets) => {
            anomalies
                .allocate_chosen_tickets(&payment, chosen_tickets, buyer, token)
                .await
        }
        None => {
            anomalies
                .allocate_missing_tickets(&payment, buyer, token)
                .await
        }
    };
    let record = match allocated {
        Ok(record) => record,
        Err(unresolved) => {
            return Err(allocation_refused_problem(&state, &payment, unresolved).await?);
        }
    };
    let how = "Tickets allocated by hand";
    let resolving = caller
        .audit_action(&actor, None, "resolve-anomaly", "anomaly:")
        .entry(detail);
    state
        .records
        .resolve_anomalies(open, &actor, how, resolving)
        .await?;
    let tickets = record.tickets.iter().flat_map(|(draw, serials)| {
        serials.iter().map(move |serial| AllocatedTicket {
            draw_number: draw.0,
            ticket_number: serial.number(),
            serial_number: format!("FD-{draw}-{:03}", serial.number()),
        })
    });
    let allocated_tickets = tickets.collect();
    // If the order has a buyer's name already, it takes precedence over the name that the operator
    // typed (decision C-7).
    let customer_name = record.buyer.name.unwrap_or(name);
    Ok(HttpResponse::Ok().json(MissingTicketResolved {
        allocated_tickets,
        customer_name,
    }))
}

fn audit_detail(payment: &PaymentIntentId, chosen_tickets: Option<&ChosenTickets>) -> Value {
    match chosen_tickets {
        Some(ChosenTickets { draw, count, .. }) => {
            json!({ "paymentIntentId": payment.0, "drawNumber": draw.0, "ticketCount": count })
        }
        None => json!({ "paymentIntentId": payment.0 }),
    }
}

/// Reads the draw and ticket count that the operator chose; `None` if the operator chose none.
///
/// # Errors
/// 404 `draw-not-found`; 409 `other-club`: the draw's club has no connected account, so it never
/// took a payment.
async fn read_chosen_tickets(
    state: &State,
    form: &MissingTicket,
) -> Result<Option<ChosenTickets>, Problem> {
    let (Some(draw), Some(count)) = (form.draw_number, form.ticket_count) else {
        return Ok(None);
    };
    let draw = DrawId(draw);
    let (facts, listing, _) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    let account = facts
        .club(listing.club)
        .and_then(|club| club.account.clone());
    let account = account.ok_or_else(|| {
        Problem::conflict(PAYMENT_OF_OTHER_CLUB_ERROR.0, PAYMENT_OF_OTHER_CLUB_ERROR.1)
            .with_field("refundable", true)
    })?;
    Ok(Some(ChosenTickets {
        draw,
        count: count as u16,
        account,
    }))
}

/// Responds with the tickets that the payment of an anomaly was made for.
///
/// # Errors
/// 404 `anomaly-unknown`; 409 `no-payment`.
pub async fn show_missing_tickets(
    state: web::Data<State>,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (_, row) = find_anomaly(&state, &path).await?;
    let payment = row
        .payment_intent_id
        .map(PaymentIntentId)
        .ok_or_else(no_captured_payment_problem)?;
    let paid =
        state.anomalies.tickets_of_payment(&payment).await.map_err(
            |unresolved| match unresolved {
                RepairError::Unknown => no_captured_payment_problem(),
                _ => Problem::unavailable(),
            },
        )?;
    let line = |(draw, count): (DrawId, u16)| PaidLine {
        draw_number: draw.0,
        ticket_count: count,
    };
    let order_id = paid.order.map(|order| order.to_string());
    Ok(HttpResponse::Ok().json(PaidTickets {
        order_id,
        lines: paid.draws.into_iter().map(line).collect(),
    }))
}

/// Builds the response that refuses to allocate the missing tickets. It says whether the payment
/// can be refunded instead. A payment whose order has its tickets cannot: the refund of such an order is
/// not a repair.
async fn allocation_refused_problem(
    state: &State,
    payment: &PaymentIntentId,
    reason: RepairError,
) -> Result<Problem, Problem> {
    let (code, sentence) = match reason {
        RepairError::Unknown => return Ok(Problem::unknown_object("payment-unknown")),
        RepairError::Unavailable => return Ok(Problem::unavailable()),
        RepairError::Refused(Refusal::TooFewTickets { .. }) => {
            ("draw-full", "The draw is full. Refund the payment.")
        }
        // A second approval is needed for a winning ticket, so the result is entered.
        RepairError::Refused(Refusal::AlreadyCompleted) | RepairError::NeedsApproval => (
            "result-entered",
            "The result is entered. Refund the payment.",
        ),
        RepairError::Refused(Refusal::Revealed) => (
            "revealed",
            "The draw was revealed, so it gives no more tickets. Refund the payment.",
        ),
        RepairError::Refused(Refusal::CountOutOfRange { .. }) => (
            "count-out-of-range",
            "An order has 1 to 50 tickets of a draw. Refund the payment.",
        ),
        RepairError::Refused(_) => (
            "authorised-after-kick-off",
            "The payment was not authorised before kick-off. Refund the payment.",
        ),
        RepairError::Refunded => ("already-refunded", "This payment was refunded already."),
        RepairError::Mismatch => (
            "payment-mismatch",
            "The amount does not match the tickets. Refund the payment.",
        ),
        RepairError::NoOrder => (
            "order-unknown",
            "No order of ours matches this payment. Choose a draw and a count, or refund the payment.",
        ),
        RepairError::HasOrder => (
            "order-known",
            "This payment belongs to an order with other tickets. Refund the payment.",
        ),
        RepairError::HasTickets => (
            "order-known",
            "This payment belongs to an order that has its tickets.",
        ),
        RepairError::OtherClub => PAYMENT_OF_OTHER_CLUB_ERROR,
        RepairError::HasBuyer => ("not-orphaned", "This ticket has its buyer already."),
        RepairError::Disputed | RepairError::LowBalance | RepairError::RefundFailed => {
            return Ok(refund_refused_problem(reason));
        }
    };
    let order = state.payments.order_by_payment_intent(payment).await?;
    // Tell the console whether a refund is possible, and of which order. Without an order, the
    // console refunds the anomaly.
    let is_refundable = !matches!(
        reason,
        RepairError::Refunded | RepairError::HasTickets | RepairError::HasBuyer
    );
    let problem = Problem::conflict(code, sentence).with_field("refundable", is_refundable);
    let id = order.map(|record| Uuid::from_u128(record.order.id.0).to_string());
    Ok(match id {
        Some(id) => problem.with_field("orderId", id),
        None => problem,
    })
}
