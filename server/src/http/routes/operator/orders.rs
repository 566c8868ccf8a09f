//! Shows one order and refunds it (decision B-22).

use actix_web::{HttpResponse, web};
use domain::OrderId;
use persistence::records::console::orders::{OrderDetails, OrderDetailsLine};
use serde_json::json;
use uuid::Uuid;

use super::required_reason;
use crate::access::caller::Caller;
use crate::api::console::order::{ConsoleOrder, OrderRefunded, Reason};
use crate::api::error::Problem;
use crate::http::routes::body::Body;
use crate::state::State;

/// Handles `GET /api/admin/orders/{order}`.
pub async fn show(
    state: web::Data<State>,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (id, order, lines) = find_order(&state, &path).await?;
    let mails = state.records.mails_of_order(id).await?;
    let notices = match &order.payment_intent_id {
        Some(payment) => state.records.bank_notices(payment).await?,
        None => Vec::new(),
    };
    Ok(HttpResponse::Ok().json(ConsoleOrder::new(&order, &lines, &notices, &mails)))
}

/// Voids the tickets and refunds the whole payment with the platform fee. Repeating the call
/// changes nothing. A refund that Stripe refused before is tried again.
///
/// # Errors
/// 409 `not-captured`: nothing was captured. 409 `payment-disputed`: the buyer's bank disputes the
/// payment; nothing changed and nothing was sent to Stripe.
pub async fn refund(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<Reason>,
) -> Result<HttpResponse, Problem> {
    let (id, order, lines) = find_order(&state, &path).await?;
    let reason = required_reason(&body.0, "Give a reason for the refund.")?;
    let (actor, object) = (caller.audit_name(), format!("order:{}", order.id));
    let detail = json!({ "reason": reason, "amount": domain::Cents(order.total_cents).decimal() });
    let entry = caller
        .audit_action(
            &actor,
            Some(domain::ClubId(order.club_id)),
            "refund-order",
            &object,
        )
        .entry(detail);
    // Read the open anomalies before the refund, because the reconciler may resolve them right after
    // it, and the refund itself may raise new ones.
    let open = state
        .records
        .open_anomalies_settled_by_refund(order.id)
        .await?;
    match order.refund_state.as_deref() {
        None if order.captured_at.is_none() => {
            return Err(Problem::conflict(
                "not-captured",
                "This payment was never taken.",
            ));
        }
        None => {
            state
                .payments
                .with_audit_entry(entry)
                .refund(id, &reason)
                .await?;
        }
        Some("failed") => {
            state.payments.check_not_disputed(id).await?;
            state.records.retry_refused_refund(id, entry).await?;
        }
        Some(_) => {}
    }
    let resolving = caller
        .audit_action(&actor, None, "resolve-anomaly", "anomaly:")
        .entry(json!({ "orderId": order.id.to_string(), "resolution": reason }));
    state
        .records
        .resolve_anomalies(open, &actor, "Order refunded by hand", resolving)
        .await?;
    let tickets_voided = lines.iter().flat_map(format_serial_numbers).collect();
    let (_, order, lines) = find_order(&state, &path).await?;
    let shown = ConsoleOrder::new(&order, &lines, &[], &[]);
    let refund = shown.refund.ok_or_else(Problem::unavailable)?;
    Ok(HttpResponse::Ok().json(OrderRefunded {
        order_id: shown.id,
        state: refund.state,
        amount: refund.amount,
        fee_returned: refund.fee_returned,
        tickets_voided,
    }))
}

fn format_serial_numbers(line: &OrderDetailsLine) -> impl Iterator<Item = String> {
    line.serials
        .iter()
        .map(move |serial| format!("FD-{}-{serial:03}", line.draw_id))
}

async fn find_order(
    state: &State,
    path: &str,
) -> Result<(OrderId, OrderDetails, Vec<OrderDetailsLine>), Problem> {
    let unknown = || Problem::unknown_object("order-unknown");
    let id: Uuid = path.parse().map_err(|_| unknown())?;
    let id = OrderId(id.as_u128());
    let (order, lines) = state
        .records
        .find_order_details(id)
        .await?
        .ok_or_else(unknown)?;
    Ok((id, order, lines))
}
