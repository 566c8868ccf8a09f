//! One order, and giving its money back (decision B-22).

use actix_web::{HttpResponse, web};
use domain::OrderId;
use persistence::records::console::orders::{OrderDesk, OrderDeskLine};
use serde_json::json;
use uuid::Uuid;

use super::reason;
use crate::error::Problem;
use crate::identity::Caller;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::console::order::{ConsoleOrder, Reasoned, Refunded};

pub async fn show(
    state: web::Data<State>,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (_, order, lines) = found(&state, &path).await?;
    Ok(HttpResponse::Ok().json(ConsoleOrder::new(&order, &lines)))
}

/// Voids the tickets and gives everything back, the platform's part too. Asked twice, it is done once; one that the provider
/// refused is asked for again.
///
/// # Errors
/// 409 `not-captured`: nothing was taken.
pub async fn refund(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<Reasoned>,
) -> Result<HttpResponse, Problem> {
    let (id, order, lines) = found(&state, &path).await?;
    let reason = reason(&body.0, "Give a reason for the refund.")?;
    let (actor, object) = (caller.name(), format!("order:{}", order.id));
    let detail = json!({ "reason": reason, "amount": domain::Cents(order.total_cents).decimal() });
    let entry = caller
        .act(
            &actor,
            Some(domain::ClubId(order.club_id)),
            "refund-order",
            &object,
        )
        .entry(detail);
    match order.refund_state.as_deref() {
        None if order.captured_at.is_none() => {
            return Err(Problem::conflict(
                "not-captured",
                "This payment was never taken.",
            ));
        }
        None => state.payments.by(entry).refund(id, &reason).await?,
        Some("failed") => {
            state.records.refund_again(id, entry).await?;
        }
        Some(_) => {}
    }
    let tickets_voided = lines.iter().flat_map(serials).collect();
    let (_, order, lines) = found(&state, &path).await?;
    let shown = ConsoleOrder::new(&order, &lines);
    let refund = shown.refund.ok_or_else(Problem::unavailable)?;
    Ok(HttpResponse::Ok().json(Refunded {
        order_id: shown.id,
        state: refund.state,
        amount: refund.amount,
        fee_returned: refund.fee_returned,
        tickets_voided,
    }))
}

fn serials(line: &OrderDeskLine) -> impl Iterator<Item = String> {
    line.serials
        .iter()
        .map(move |serial| format!("FD-{}-{serial:03}", line.draw_id))
}

async fn found(
    state: &State,
    path: &str,
) -> Result<(OrderId, OrderDesk, Vec<OrderDeskLine>), Problem> {
    let unknown = || Problem::unknown("order-unknown");
    let id: Uuid = path.parse().map_err(|_| unknown())?;
    let id = OrderId(id.as_u128());
    let (order, lines) = state.records.order_desk(id).await?.ok_or_else(unknown)?;
    Ok((id, order, lines))
}
